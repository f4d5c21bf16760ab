from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.lexicon.inflection import inflect, lemma
from trope.lexicon.wordlists import shipped_words

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X", ""),
)
VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
TAGS = (
    *VERB_TAGS,
    *("NN", "NNS", "NNP", "NNPS", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "CD", "MD", "POS", ""),
)


def of_nouns(plurals: str) -> str:
    return " ".join(str(lemma(form, "NOUN", "NNS")) for form in plurals.split())


def of_verbs(forms: str, xpos: str) -> str:
    return " ".join(str(lemma(form, "VERB", xpos)) for form in forms.split())


def test_plurals_by_rule_and_by_list():
    assert of_nouns("companies movies ties toys") == "company movie tie toy"
    assert of_nouns("viruses houses classes caches churches") == "virus house class cache church"
    assert of_nouns("tomatoes shoes photos quizzes sizes") == "tomato shoe photo quiz size"
    assert of_nouns("menus skis waves wolves selfies") == "menu ski wave wolf selfie"


def test_irregular_plurals_and_their_compounds():
    assert of_nouns("children feet analyses criteria") == "child foot analysis criterion"
    assert of_nouns("grandchildren policemen jackknives") == "grandchild policeman jackknife"
    assert of_nouns("passers-by half-lives") == "passer-by half-life"


def test_nouns_without_a_singular_stay():
    assert of_nouns("people troops sheep scissors") == "people troops sheep scissors"
    assert of_nouns("1980s mid-1980s 80's") == "1980s mid-1980s 80s"


def test_regular_past_forms_find_the_letter_that_was_dropped_or_doubled():
    assert of_verbs("hoped hopped nominated visited admitted", "VBD") == (
        "hope hop nominate visit admit"
    )
    assert of_verbs("tried tied panicked traveled travelled", "VBD") == (
        "try tie panic travel travel"
    )
    assert of_verbs("programmed relied agreed freed taxied", "VBN") == (
        "program rely agree free taxi"
    )


def test_participles_in_ing():
    assert of_verbs("running hoping hopping dying dyeing", "VBG") == "run hope hop die dye"
    assert of_verbs("singing singeing seeing canoeing goin'", "VBG") == "sing singe see canoe go"


def test_irregular_verbs_and_verbs_with_a_prefix():
    assert of_verbs("sold went lay found wound bore", "VBD") == "sell go lie find wind bear"
    assert of_verbs("rebuilt overeaten undone re-sold", "VBN") == "rebuild overeat undo re-sell"
    assert of_verbs("rebound underlay babysat", "VBD") == "rebind underlie babysit"


def test_third_persons():
    assert of_verbs("tries goes fixes focuses quizzes lies", "VBZ") == "try go fix focus quiz lie"


def test_verbs_on_no_list_are_guessed():
    assert of_verbs("mansplained yeeted decluttered", "VBD") == "mansplain yeet declutter"
    assert of_verbs("vibecoding zhuzhing blorpifying", "VBG") == "vibecode zhuzh blorpify"


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "base"),
    [
        ("better", "ADJ", "JJR", "good"),
        ("better", "ADV", "RBR", "well"),
        ("worst", "ADJ", "JJS", "bad"),
        ("nicer", "ADJ", "JJR", "nice"),
        ("cheaper", "ADJ", "JJR", "cheap"),
        ("biggest", "ADJ", "JJS", "big"),
        ("taller", "ADJ", "JJR", "tall"),
        ("Happier", "ADJ", "JJR", "happy"),
        ("stranger", "ADJ", "JJR", "strange"),
        ("stronger", "ADJ", "JJR", "strong"),
        ("more", "ADV", "RBR", "more"),
        ("broken", "ADJ", "JJ", "broken"),
        ("norwegian", "ADJ", "JJ", "Norwegian"),
    ],
)
def test_adjectives_and_adverbs(form: str, upos: str, xpos: str, base: str):
    assert lemma(form, upos, xpos) == base


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "base"),
    [
        ("i", "PRON", "PRP", "I"),
        ("her", "PRON", "PRP", "she"),
        ("her", "PRON", "PRP$", "her"),
        ("n't", "PART", "RB", "not"),
        ("n’t", "PART", "RB", "not"),
        ("wo", "AUX", "MD", "will"),
        ("ca", "AUX", "MD", "can"),
        ("'d", "AUX", "MD", "would"),
        ("'d", "AUX", "VBD", "have"),
        ("gon", "VERB", "VBG", "go"),
        ("wan", "VERB", "VBP", "want"),
        ("WERE", "AUX", "VBD", "be"),
        ("12,500", "NUM", "CD", "12500"),
        ("“", "PUNCT", "``", '"'),
        ("sooooo", "ADV", "RB", "so"),
        ("goooood", "ADJ", "JJ", "good"),
        ("recieved", "VERB", "VBD", "receive"),
    ],
)
def test_closed_classes_and_odd_spellings(form: str, upos: str, xpos: str, base: str):
    assert lemma(form, upos, xpos) == base


@pytest.mark.parametrize(
    ("form", "xpos", "base"),
    [
        ("Lisbon", "NNP", "Lisbon"),
        ("lisbon", "NNP", "Lisbon"),
        ("NATO", "NNP", "NATO"),
        ("HARRINGTON", "NNP", "Harrington"),
        ("iPad", "NNP", "iPad"),
        ("Norwegians", "NNPS", "Norwegian"),
        ("Galleries", "NNPS", "Gallery"),
        ("Netherlands", "NNPS", "Netherlands"),
        ("Oct.", "NNP", "October"),
    ],
)
def test_names_are_as_written_in_the_singular(form: str, xpos: str, base: str):
    assert lemma(form, "PROPN", xpos) == base


def test_addresses_and_tags_of_the_net_stay_as_they_are():
    for form in ("#ThrowbackThursdays", "@Someone", "https://Example.org/Cats", "a.b@Example.org"):
        assert lemma(form, "NOUN", "NNS") == form


def test_no_opinion_where_spelling_does_not_decide():
    assert lemma("'s", "AUX", "VBZ") is None
    assert lemma("Green", "ADJ", "JJ") is None
    assert lemma("!", "PUNCT", ".") is None


@pytest.mark.parametrize("xpos", VERB_TAGS)
def test_every_verb_comes_back_from_its_forms(xpos: str):
    """Where two verbs share a form, the other one may come back."""
    for verb in shipped_words().verbs.keys() - {"be"}:
        form = inflect(verb, xpos)
        base = lemma(form, "VERB", xpos)
        assert base == verb or (base and inflect(base, xpos) == form), (verb, form, base)


def test_every_listed_noun_comes_back_from_its_plural():
    words = shipped_words()
    shared = {"axe", "die", "specie"}
    for noun in (words.misleading_nouns | words.plurals.keys() | words.invariable) - shared:
        assert lemma(inflect(noun, "NNS"), "NOUN", "NNS") == noun


def test_inflected_forms():
    assert [inflect("be", tag) for tag in VERB_TAGS] == ["be", "are", "is", "was", "been", "being"]
    assert [inflect("undo", tag) for tag in VERB_TAGS[2:]] == [
        *("undoes", "undid", "undone", "undoing")
    ]
    assert [inflect("delay", tag) for tag in VERB_TAGS[3:]] == ["delayed", "delayed", "delaying"]
    assert [inflect(noun, "NNS") for noun in ("stomach", "human", "woman", "sheep")] == [
        *("stomachs", "humans", "women", "sheep")
    ]
    assert [inflect("easy", tag) for tag in ("JJR", "JJS", "JJ")] == ["easier", "easiest", "easy"]
    assert inflect("friendly", "JJR") == "friendlier"
    assert inflect("quickly", "RBR") == "more quickly"
    assert inflect("useful", "JJS") == "most useful"


@given(st.text(max_size=20), st.sampled_from(UPOS), st.sampled_from(TAGS))
def test_any_text_has_a_base_form_or_none(form: str, upos: str, xpos: str):
    assert lemma(form, upos, xpos) != "" or form == ""
    assert isinstance(inflect(form, xpos), str)


letters = st.text(st.sampled_from("abcdeghiklmnoprstuvxyz'-’"), min_size=1, max_size=9)
endings = st.sampled_from(("s", "es", "ies", "ves", "ed", "ied", "ing", "er", "est", "'s", "men"))


@given(letters, endings, st.sampled_from(UPOS), st.sampled_from(TAGS))
def test_whatever_looks_inflected_has_a_base_form(stem: str, ending: str, upos: str, xpos: str):
    assert lemma(stem + ending, upos, xpos) != ""
    assert lemma(ending, upos, xpos) != ""


def test_word_lists_are_sorted_and_free_of_doubles():
    words = shipped_words()
    for listed in (words.verbs, words.irregular_verbs, words.plurals):
        assert list(listed) == sorted(listed)
    assert words.irregular_verbs.keys() <= words.verbs.keys()
    assert not words.invariable & words.plurals.keys()


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "expected"),
    [("smothers", "VERB", "NNS", "smother"), ("sinking", "VERB", "NN", "sink")],
)
def test_where_the_tags_of_a_verb_disagree_its_ending_decides(form, upos, xpos, expected):
    assert lemma(form, upos, xpos) == expected
