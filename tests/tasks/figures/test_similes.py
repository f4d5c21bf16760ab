"""Similes of whole sentences, read by the model that ships; the sentences are our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.tasks.figures.similes import FoundSimile, find_similes
from trope.text import read


def parse(shipped, text: str) -> Parse:
    (sentence,) = read(text).sentences
    return next(iter(shipped.parse([sentence.forms])))


def parts(sentence: Parse, simile: FoundSimile) -> tuple[str, str, str]:
    places = (simile.topic, simile.vehicle, simile.ground)
    topic, vehicle, ground = (" ".join(sentence.words[at] for at in part) for part in places)
    return topic, vehicle, ground


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Her voice was as clear as a bell.", ("Her voice", "a bell", "clear")),
        ("The room was as cold as a tomb.", ("The room", "a tomb", "cold")),
        ("He swims like a fish.", ("He", "a fish", "swims")),
        ("She ran like the wind.", ("She", "the wind", "ran")),
        ("She has a voice like honey.", ("a voice", "honey", "")),
        ("His hands were like shovels.", ("His hands", "shovels", "")),
        ("Life is like a box of chocolates.", ("Life", "a box of chocolates", "")),
        ("The paint is white as snow.", ("The paint", "snow", "white")),
        ("HE SWIMS LIKE A FISH", ("HE", "A FISH", "SWIMS")),
        ("Her voice was as clear\nas a bell", ("Her voice", "a bell", "clear")),
    ],
)
def test_simile_has_topic_vehicle_and_ground(shipped, text, expected):
    sentence = parse(shipped, text)
    assert [parts(sentence, simile) for simile in find_similes(sentence)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Sales rose like last year.",
        "Come as soon as the train stops.",
        "It looks like rain.",
        "I would like a coffee.",
        "I feel like a coffee.",
        "She acted like a nurse.",
        "Cities like ports grow quickly.",
        "He is as tall as his brother.",
        "The bus is as long as a train.",
        "Animals such as cats sleep all day.",
        "As a teacher he was strict.",
        "The tram stops at the town hall at nine.",
    ],
)
def test_literal_comparison_is_none(shipped, text):
    assert find_similes(parse(shipped, text)) == ()


def test_scores_decide_where_there_are_any(shipped):
    sentence = parse(shipped, "She acted like a nurse.")
    scores = tuple(0.9 if word == "like" else 0.0 for word in sentence.words)
    (found,) = find_similes(sentence, scores)
    assert found.score == 0.9
    assert parts(sentence, found) == ("She", "a nurse", "acted")
    assert find_similes(sentence, scores, threshold=0.95) == ()


def test_words_of_a_simile_run_from_the_comparator_to_the_vehicle(shipped):
    sentence = parse(shipped, "Her voice was as clear as a bell.")
    (found,) = find_similes(sentence)
    assert [sentence.words[at] for at in found.tokens] == ["as", "clear", "as", "a", "bell"]


def test_scores_that_do_not_fit_the_words_are_refused(shipped):
    with pytest.raises(BadInput, match="scores is 1, that of words 5; give one per word"):
        find_similes(parse(shipped, "He swims like fish."), (0.5,))


def test_sentence_without_a_tree_has_no_simile():
    words = ("he", "swims", "like", "a", "fish")
    assert find_similes(Parse(words, (), (), (), (), ())) == ()


RELATIONS = st.sampled_from(["nsubj", "case", "mark", "obl", "nmod", "advmod", "cop", "det"])


@given(st.data())
def test_any_tree_gives_similes_inside_the_sentence(data):
    words = data.draw(st.lists(st.sampled_from(["as", "like", "a", "bell", "clear"]), min_size=1))
    size = len(words)
    heads = tuple(data.draw(st.integers(-1, at - 1)) for at in range(size))
    deprels = tuple(data.draw(RELATIONS) for _ in words)
    upos = tuple({"bell": "NOUN", "clear": "ADJ"}.get(word, "ADP") for word in words)
    turned = tuple(-1 if head == -1 else size - 1 - head for head in reversed(heads))
    sentence = Parse(tuple(words), upos, upos, tuple(words), turned, deprels)
    for simile in find_similes(sentence, (1.0,) * size):
        assert simile.vehicle
        assert set(simile.vehicle) <= set(simile.tokens) <= set(range(size))
        assert list(simile.tokens) == sorted(set(simile.tokens))
        assert not set(simile.topic) & set(simile.tokens)
