"""Names in analysed texts: exact spans, homonyms left out, summaries."""

from dataclasses import replace

import pytest

from builders import build
from trope.core.records import Analysis, Parse
from trope.lexicon.readings import readings
from trope.tasks.metonymy.detection import (
    add_metonymies,
    count_name_readings,
    find_metonymies,
    find_names,
)


class ByRole:
    """Subjects stand for people or members, all else is literal."""

    def fit(self, names, given):
        raise NotImplementedError

    def predict(self, names):
        found = []
        for name in names:
            subject = name.parse.deprels[name.first] == "nsubj"
            people = {"location": "place-for-people", "organisation": "organisation-for-members"}
            best = people[name.name_class] if subject else "literal"
            found.append({one: float(one == best) for one in readings(name.name_class)})
        return found


def tagged(analysis: Analysis, tags: list[str]) -> Parse:
    """The only sentence of an analysis with the tags that a network gives its names."""
    return replace(analysis.parse_of(analysis.sentences[0]), names=tuple(tags))


TEXT = "Rain 🌧 fell. Peru beat Nokia's team in Chile."
ANALYSIS = build(
    TEXT,
    """
    Rain NOUN NN rain 3 nsubj
    🌧 SYM NFP 🌧 3 discourse
    fell VERB VBD fall 0 root
    . PUNCT . . 3 punct

    Peru PROPN NNP Peru 6 nsubj
    beat VERB VBD beat 0 root
    Nokia PROPN NNP Nokia 9 nmod:poss
    's PART POS 's 7 case
    team NOUN NN team 6 obj
    in ADP IN in 11 case
    Chile PROPN NNP Chile 6 obl
    . PUNCT . . 6 punct
    """,
)


def test_names_are_read_where_they_stand():
    [found] = find_metonymies([ANALYSIS], ByRole())
    assert [(TEXT[one.start : one.end], one.reading) for one in found] == [
        ("Peru", "place-for-people"),
        ("Nokia", "literal"),
        ("Chile", "literal"),
    ]
    assert found[0].stands_for == "government or people of Peru"
    assert found[0].score == 1


def test_context_is_the_sentence_alone():
    first, *_ = find_names(ANALYSIS)
    assert first.context.parse.words[0] == "Peru"
    assert first.context.parse.heads == (1, -1, 4, 2, 1, 6, 1, 1)
    assert first.context.sentences == ("Rain 🌧 fell.", "Peru beat Nokia's team in Chile.")
    for name in find_names(ANALYSIS):
        own = name.context
        assert own.sentences[own.target][own.start : own.end] == own.name


def test_homonyms_that_the_tree_gives_away_are_left_out():
    person = build(
        "Jordan Smith slept.",
        """
        Jordan PROPN NNP Jordan 3 nsubj
        Smith PROPN NNP Smith 1 flat
        slept VERB VBD sleep 0 root
        . PUNCT . . 3 punct
        """,
    )
    verb = build(
        "Shell peas.",
        """
        Shell VERB VB shell 0 root
        peas NOUN NNS pea 1 obj
        . PUNCT . . 1 punct
        """,
    )
    assert find_names(person) == find_names(verb) == []
    assert find_metonymies([person, verb], ByRole()) == [(), ()]
    assert find_metonymies([], ByRole()) == []


def test_a_corpus_is_summed_up_by_name_and_reading():
    found = find_metonymies([ANALYSIS, ANALYSIS], ByRole())
    rows = count_name_readings([(TEXT, one) for one in found])
    assert [(row.name, row.reading, row.times) for row in rows] == [
        ("Chile", "literal", 2),
        ("Nokia", "literal", 2),
        ("Peru", "place-for-people", 2),
    ]


def test_spellings_of_a_name_are_summed_up_together():
    text = "America won. USA won."
    analysis = build(
        text,
        """
        America PROPN NNP America 2 nsubj
        won VERB VBD win 0 root
        . PUNCT . . 2 punct

        USA PROPN NNP USA 5 nsubj
        won VERB VBD win 0 root
        . PUNCT . . 5 punct
        """,
    )
    [found] = find_metonymies([analysis], ByRole())
    [row] = count_name_readings([(text, found)])
    assert (row.name, row.times) == ("United States", 2)


def test_names_of_the_network_come_before_the_lists():
    text = "Alice Jordan met Scotland Yard in Vienna with Nokia."
    analysis = build(
        text,
        """
        Alice PROPN NNP Alice 3 nsubj
        Jordan PROPN NNP Jordan 1 flat
        met VERB VBD meet 0 root
        Scotland PROPN NNP Scotland 5 compound
        Yard PROPN NNP Yard 3 obj
        in ADP IN in 7 case
        Vienna PROPN NNP Vienna 3 obl
        with ADP IN with 9 case
        Nokia PROPN NNP Nokia 3 obl
        . PUNCT . . 3 punct
        """,
    )
    tags = ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O", "B-LOC", "O", "O", "O"]
    (done,) = add_metonymies([analysis], [[tagged(analysis, tags)]], ByRole())
    assert [(text[n.start : n.end], n.name_class) for n in done.names] == [
        ("Alice Jordan", "person"),
        ("Scotland Yard", "organisation"),  # by the list of institutions
        ("Vienna", "location"),
        ("Nokia", "organisation"),  # by the list of companies
    ]
    assert [text[one.start : one.end] for one in done.metonymies] == [
        "Scotland Yard",
        "Vienna",
        "Nokia",
    ]


def test_an_institution_within_a_longer_name_is_none():
    text = "Whitehall Farm burned."
    analysis = build(
        text,
        """
        Whitehall PROPN NNP Whitehall 2 compound
        Farm PROPN NNP Farm 3 nsubj
        burned VERB VBD burn 0 root
        . PUNCT . . 3 punct
        """,
    )
    tags = ["B-LOC", "I-LOC", "O", "O"]
    (done,) = add_metonymies([analysis], [[tagged(analysis, tags)]], ByRole())
    assert [(text[n.start : n.end], n.name_class) for n in done.names] == [
        ("Whitehall Farm", "location")
    ]


@pytest.mark.parametrize(
    "text", ["Siemens fell two per cent on Monday.", "Shell gained 3% in the afternoon."]
)
def test_a_company_that_moves_by_a_share_is_its_price(text, shipped):
    (found,) = shipped.analyze(text).metonymies
    assert found.reading == "organisation-for-index"
    assert found.stands_for.startswith("share price of")


@pytest.mark.parametrize(
    "text", ["Siemens lost ten per cent of its staff.", "Siemens built two factories."]
)
def test_other_subjects_are_left_to_the_head(text, shipped):
    (found,) = shipped.analyze(text).metonymies
    assert found.reading != "organisation-for-index"
