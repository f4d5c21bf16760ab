"""Names by rule: whole names, homonyms told by the sentence, any capitals."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.core.records import Parse
from trope.lexicon.names import (
    ORGANISATIONS_FILE,
    PLACES_FILE,
    first_names,
    read_gazetteer,
    shipped_gazetteer,
)
from trope.tasks.metonymy.name_rules import rule_names
from trope.tasks.metonymy.names import NameSpan

FOUND = {
    "Vienna refused to sign.": ["location Vienna"],
    "The ferry from Gdansk reached Malmö.": ["location Gdansk", "location Malmö"],
    "She moved from New York to Stoke-on-Trent.": ["location New York", "location Stoke-on-Trent"],
    "They live in Reading, near Bath.": ["location Reading", "location Bath"],
    "The road to Lincoln was closed.": ["location Lincoln"],
    "He grew up in Charlotte, North Carolina.": ["location Charlotte", "location North Carolina"],
    "NASA will not comment.": ["organisation NASA"],
    "The Bank of England raised its rate.": ["organisation Bank of England"],
    "Leeds City Council rejected the plan.": ["organisation Leeds City Council"],
    "The Supreme Court will hear the case.": ["organisation Supreme Court"],
    "Sotheby's sold the clock.": ["organisation Sotheby's"],
    "She read it in the Guardian.": ["organisation Guardian"],
    "We crossed the Danube and the Alps.": ["location Danube", "location Alps"],
    "The Ministry of Defence ordered boots.": ["organisation Ministry of Defence"],
    "Scotland Yard arrested a man in Perth.": ["organisation Scotland Yard", "location Perth"],
    "Manchester United lost.": ["organisation Manchester United"],
    "VIENNA REFUSES TO SIGN.": ["location VIENNA"],
    "i want to visit tokyo and vienna.": ["location tokyo", "location vienna"],
    "Mr Lincoln moved to Geneva.": ["person Lincoln", "location Geneva"],
}

NOT_FOUND = [
    "He took a nice bath after reading.",
    "Reading is fun.",
    "Nice work, everyone!",
    "Charlotte laughed.",
    "Florence knows what Austin said.",
    "A split in the cork ruined the bottle.",
    "The mobile phone rang.",
    "an independent observer of the times",
    "the guardian of the child",
    "It was split, then turned to cork.",
    "",
    "🌧 … 1234 !!!",
]


def listed(text, pipeline):
    """The names that rules find, whether or not the model tags names itself."""
    analysis = pipeline.analyze(text, tasks=("syntax",))
    untagged = [analysis.parse_of(sentence) for sentence in analysis.sentences]
    [named] = pipeline.find_metonymies([analysis], [untagged])
    return [f"{name.name_class} {text[name.start : name.end]}" for name in named.names]


@pytest.mark.parametrize("text", FOUND)
def test_names_are_found_whole(text, shipped):
    assert listed(text, shipped) == FOUND[text]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_words_and_first_names_are_no_places(text, shipped):
    assert listed(text, shipped) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Paris Hilton sang.", "Paris"),
        ("Jordan Smith left early.", "Jordan"),
        ("He reads the Boston Globe.", "Boston"),
        ("The Duke of Wellington never came.", "Wellington"),
        ("The US Marines landed at dawn.", "US"),
        ("She teaches at the University of Leeds.", "Leeds"),
    ],
)
def test_a_part_of_a_longer_name_is_not_found(text, part, shipped):
    assert not any(name.split(" ", 1)[1] == part for name in listed(text, shipped))


def test_a_person_named_before_is_no_place(shipped):
    text = "Abraham Lincoln took the train. Nobody in Lincoln knew Lincoln."
    assert listed(text, shipped) == ["person Abraham Lincoln", "location Lincoln"]


def test_people_have_no_readings(shipped):
    found = shipped.analyze("Anna Berger flew to Oslo.")
    assert [name.name_class for name in found.names] == ["person", "location"]
    assert [one.name_class for one in found.metonymies] == ["location"]


WORDS = [
    "Vienna", "New", "York", "the", "The", "of", "and", "-", ",", "Bank", "England", "Mr", "Anna",
    "Lincoln", "in", "Lake", "North", "Inc.", "May", "'s", "NASA", "tokyo", "Council", "3", "…",
]  # fmt: skip


@st.composite
def sentences(draw):
    """Any words with any tags and any tree."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
    size = len(words)
    tags = draw(
        st.lists(
            st.sampled_from([("PROPN", "NNP"), ("NOUN", "NN"), ("ADJ", "JJ"), ("ADP", "IN")]),
            min_size=size,
            max_size=size,
        )
    )
    heads = draw(st.lists(st.integers(-1, size - 1), min_size=size, max_size=size))
    relations = st.sampled_from(["flat", "compound", "nmod", "case", "conj", "nsubj", "amod"])
    deprels = draw(st.lists(relations, min_size=size, max_size=size))
    upos, xpos = zip(*tags, strict=True)
    lemmas = tuple(word.lower() for word in words)
    return Parse(tuple(words), upos, xpos, lemmas, tuple(heads), tuple(deprels))


@settings(max_examples=300)
@given(st.lists(sentences(), max_size=3))
def test_names_are_whole_words_that_do_not_overlap(parses):
    found = rule_names(parses)
    assert len(found) == len(parses)
    for names, parse in zip(found, parses, strict=True):
        done = 0
        for name in names:
            assert done <= name.first < name.last <= len(parse)
            done = name.last


def test_tags_of_a_network_go_before_the_rules(shipped):
    text = "Vienna refused."
    analysis = shipped.analyze(text)
    parse = replace(analysis.parse_of(analysis.sentences[0]), names=("O", "O", "O"))
    [named] = shipped.find_metonymies([analysis], [[parse]])
    assert named.names == ()
    assert rule_names([replace(parse, names=())]) == [[NameSpan(0, 1, "location")]]


def test_the_gazetteer_is_large_and_says_which_names_are_unsure():
    assert len(read_gazetteer(PLACES_FILE, "location")) > 10_000
    assert len(read_gazetteer(ORGANISATIONS_FILE, "organisation")) > 300
    names = shipped_gazetteer()
    assert names["Tokyo"].sure and names["SãoPaulo"].sure and names["SaoPaulo"].sure
    assert not names["Reading"].sure and not names["Charlotte"].sure
    assert "Anna" in first_names() and "London" not in first_names()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Oslo\nOslo\n", r"places\.txt:2: the name 'Oslo' comes twice; take it out"),
        ("Oslo\nOslo?\n", r"places\.txt:2: the name 'Oslo\?' comes twice; take it out"),
        ("# places\n-Oslo\n", r"places\.txt:2: the name '-Oslo' does not begin with a letter"),
        ("Oslo\n?\n", r"places\.txt:2: the name '\?' does not begin with a letter"),
        ("# nothing\n\n", r"places\.txt: lists no name; give a name per line"),
    ],
)
def test_a_bad_gazetteer_is_refused(tmp_path, content, message):
    path = tmp_path / "places.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadRecord, match=message):
        read_gazetteer(path, "location")


def test_a_gazetteer_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "places.txt"
    path.write_bytes(b"Oslo\nZ\xfcrich\n")
    with pytest.raises(BadRecord, match=r"places\.txt:2: is not UTF-8"):
        read_gazetteer(path, "location")
