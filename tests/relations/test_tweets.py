"""Verb-object expressions of tweets of our own, read by hand."""

from __future__ import annotations

import pytest
from parse_table import expression, read_parse

from trope.core.records import Relation
from trope.lexicon.idioms import Idioms
from trope.lexicon.verbs import Verbs, shipped_verbs
from trope.relations import verb_objects

# name: (table, {expression: reason})
TWEETS = {
    "imperative with a particle": (
        """
        claim    claim   VERB/VB   0  root
        back     back    ADV/RP    1  compound:prt
        our      our     PRON/PRP$ 4  nmod:poss
        streets  street  NOUN/NNS  1  obj
        now      now     ADV/RB    1  advmod
        """,
        {"claim back our streets": ""},
    ),
    "particle after the noun": (
        """
        pls     please  INTJ/UH  2  discourse
        turn    turn    VERB/VB  0  root
        the     the     DET/DT   4  det
        lights  light   NOUN/NNS 2  obj
        off     off     ADP/RP   2  compound:prt
        """,
        {"turn the lights off": ""},
    ),
    "particle without a subtype": (
        """
        giving  give  VERB  0  root
        up      up    ADP   1  compound
        sugar   sugar NOUN  1  obj
        """,
        {"giving up sugar": ""},
    ),
    "two verbs, two objects": (
        """
        she    she    PRON/PRP  2  nsubj
        ate    eat    VERB/VBD  0  root
        my     my     PRON/PRP$ 4  nmod:poss
        fries  fry    NOUN/NNS  2  obj
        and    and    CCONJ/CC  6  cc
        stole  steal  VERB/VBD  2  conj
        my     my     PRON/PRP$ 8  nmod:poss
        hoodie hoodie NOUN/NN   6  obj
        lol    lol    INTJ/UH   2  discourse
        """,
        {"ate my fries": "", "stole my hoodie": ""},
    ),
    "idiom": (
        """
        they     they     PRON/PRP  2  nsubj
        blew     blow     VERB/VBD  0  root
        the      the      DET/DT    4  det
        whistle  whistle  NOUN/NN   2  obj
        on       on       ADP/IN    6  case
        him      he       PRON/PRP  2  obl
        """,
        {"blew the whistle": "idiom"},
    ),
    "idiom with a slot": (
        """
        mom      mom     NOUN/NN    2  nsubj
        twisted  twist   VERB/VBD   0  root
        my       my      PRON/PRP$  4  nmod:poss
        sister   sister  NOUN/NN    6  nmod:poss
        's       's      PART/POS   4  case
        arm      arm     NOUN/NN    2  obj
        """,
        {"twisted my sister 's arm": "idiom"},
    ),
    "words of an idiom with another verb": (
        """
        he       he       PRON/PRP  2  nsubj
        bought   buy      VERB/VBD  0  root
        the      the      DET/DT    4  det
        whistle  whistle  NOUN/NN   2  obj
        """,
        {"bought the whistle": ""},
    ),
    "pronoun, and an object left out": (
        """
        the   the   DET/DT    2  det
        song  song  NOUN/NN   5  nsubj
        you   you   PRON/PRP  4  nsubj
        sent  send  VERB/VBD  2  acl:relcl
        made  make  VERB/VBD  0  root
        me    I     PRON/PRP  5  obj
        cry   cry   VERB/VB   5  xcomp
        """,
        {"made me": "pronoun-object"},
    ),
    "question": (
        """
        which  which  DET/WDT   2  det
        train  train  NOUN/NN   5  obj
        did    do     AUX/VBD   5  aux
        you    you    PRON/PRP  5  nsubj
        catch  catch  VERB/VB   0  root
        ?      ?      PUNCT/.   5  punct
        """,
        {"train did you catch": "object-before-verb"},
    ),
    "six words": (
        """
        need    need    VERB/VBP  0  root
        a       a       DET/DT    6  det
        really  really  ADV/RB    4  advmod
        cold    cold    ADJ/JJ    6  amod
        fizzy   fizzy   ADJ/JJ    6  amod
        drink   drink   NOUN/NN   1  obj
        """,
        {"need a really cold fizzy drink": "too-long"},
    ),
    "five words": (
        """
        need    need    VERB/VBP  0  root
        a       a       DET/DT    5  det
        really  really  ADV/RB    4  advmod
        cold    cold    ADJ/JJ    5  amod
        drink   drink   NOUN/NN   1  obj
        """,
        {"need a really cold drink": ""},
    ),
    "numbers are no nouns": (
        """
        got   get   VERB/VBD  0  root
        two   two   NUM/CD    1  obj
        want  want  VERB/VBP  1  parataxis
        more  more  ADJ/JJR   3  obj
        """,
        {"got two": "not-a-noun", "want more": "not-a-noun"},
    ),
    "object shared by two verbs": (
        """
        draft    draft    VERB/VB   0  root
        and      and      CCONJ/CC  3  cc
        send     send     VERB/VB   1  conj
        the      the      DET/DT    5  det
        email    email    NOUN/NN   1  obj
        """,
        {"draft and send the email": "", "send the email": ""},
    ),
    "hashtag and coordinated object": (
        """
        @ana    @ana   PROPN    2  nsubj
        adores  adore  VERB     0  root
        #jazz   #jazz  X        2  obj
        and     and    CCONJ    5  cc
        tea     tea    NOUN     3  conj
        """,
        {"adores #jazz": "", "adores #jazz and tea": ""},
    ),
    "name of two words": (
        """
        met    meet  VERB/VBD   0  root
        Maya   Maya  PROPN/NNP  1  obj
        Stern  Stern PROPN/NNP  2  flat
        !!     !!    PUNCT/.    1  punct
        """,
        {"met Maya Stern": ""},
    ),
    "gerund and infinitive": (
        """
        stop     stop    VERB/VB   0  root
        wasting  waste   VERB/VBG  1  xcomp
        food     food    NOUN/NN   2  obj
        to       to      PART/TO   5  mark
        save     save    VERB/VB   2  advcl
        money    money   NOUN/NN   5  obj
        """,
        {"wasting food": "", "save money": ""},
    ),
    "adjective with an object": (
        """
        worth  worth  ADJ/JJ   0  root
        every  every  DET/DT   3  det
        penny  penny  NOUN/NN  1  obj
        """,
        {"worth every penny": "not-a-verb"},
    ),
    "auxiliary with an object": (
        """
        yes    yes   INTJ     3  discourse
        we     we    PRON     3  nsubj
        can    can   VERB/MD  0  root
        tea    tea   NOUN     3  obj
        """,
        {"can tea": "auxiliary-or-modal"},
    ),
    "passive subject is no object": (
        """
        my     my     PRON/PRP$  2  nmod:poss
        phone  phone  NOUN/NN    4  nsubj:pass
        got    get    AUX/VBD    4  aux:pass
        nicked nick   VERB/VBN   0  root
        """,
        {},
    ),
}


@pytest.mark.parametrize("name", TWEETS)
def test_expressions_of_tweet(name):
    table, expected = TWEETS[name]
    parse = read_parse(table)
    found = verb_objects(parse)
    assert {expression(parse, vo): vo.reason for vo in found} == expected
    assert len(found) == len(expected)
    assert all(vo.kept == (vo.reason == "") for vo in found)


def only_expression(name: str, **lexicons: Verbs | Idioms) -> Relation:
    (found,) = verb_objects(read_parse(TWEETS[name][0]), **lexicons)
    return found


def test_negation_with_a_clitic():
    parse = read_parse(
        """
        i       I        PRON/PRP  4  nsubj
        ca      can      AUX/MD    4  aux
        n't     not      PART/RB   4  advmod
        stand   stand    VERB/VB   0  root
        this    this     DET/DT    6  det
        weather weather  NOUN/NN   4  obj
        """
    )
    (found,) = verb_objects(parse)
    assert found.negated and found.root and found.kept


@pytest.mark.parametrize(
    ("lemma", "verb_class"),
    [("take", "light"), ("finish", "aspectual"), ("cause", "weak"), ("Need", "weak"), ("eat", "")],
)
def test_verb_class_is_marked(lemma, verb_class):
    parse = read_parse(f"{lemma} {lemma} VERB/VB 0 root\nlunch lunch NOUN/NN 1 obj")
    (found,) = verb_objects(parse)
    assert found.verb_class == verb_class
    assert found.kept


def test_other_verb_lists_may_be_given():
    shipped = shipped_verbs()
    verbs = Verbs({"blow": "weak"}, frozenset(), *[shipped.raising] * 2, frozenset())  # type: ignore[call-arg]
    assert only_expression("idiom", verbs=verbs).verb_class == "weak"
    assert only_expression("auxiliary with an object", verbs=verbs).kept


def test_other_idioms_may_be_given():
    assert only_expression("idiom", idioms=Idioms([])).kept
    mine = Idioms(["buy the whistle"])
    assert only_expression("words of an idiom with another verb", idioms=mine).reason == "idiom"
