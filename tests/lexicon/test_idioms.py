from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.lexicon.idioms import SHIPPED, Idioms, read_idioms, shipped_idioms

WORDS = ("pull", "my", "leg", "'s", "the", "wool", "over", "eyes", "drop", "a", "line")
LEMMAS = {"blew": "blow", "twisting": "twist", "dropped": "drop", "turns": "turn", "took": "take"}


def found(idioms: Idioms, sentence: str) -> list[tuple[str, str]]:
    words = sentence.split()
    lemmas = [LEMMAS.get(word.lower(), word) for word in words]
    return [
        (match.idiom, " ".join(words[place] for place in match.positions))
        for match in idioms.find(words, lemmas)
    ]


@pytest.mark.parametrize(
    ("pattern", "sentence", "words"),
    [
        ("blow the whistle", "They blew the whistle early", "blew the whistle"),
        ("blow the whistle", "INSIDER BLEW THE WHISTLE", "BLEW THE WHISTLE"),
        ("twist one's arm", "stop twisting my arm", "twisting arm"),
        ("twist one's arm", "twisting the poor man 's arm", "twisting arm"),
        ("drop someone a line", "dropped my old boss a line", "dropped a line"),
        ("pull the rug (out)", "pull the rug out", "pull the rug out"),
        ("take a/the back seat", "it took the back seat", "took the back seat"),
        ("take a/the back seat", "it took a back seat", "took a back seat"),
    ],
)
def test_idiom_is_found(pattern, sentence, words):
    assert (pattern, words) in found(Idioms([pattern]), sentence)


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("blow the whistle", "they blew a whistle"),
        ("blow the whistle", "the whistle blew"),
        ("blow the whistle", "they blew the"),
        ("twist one's arm", "twisting the arm"),
        ("twist one's arm", "twisting arm"),
        ("drop someone a line", "dropped a line"),
        ("drop someone a line", "dropped one two three four a line"),
    ],
)
def test_other_words_are_no_idiom(pattern, sentence):
    assert found(Idioms([pattern]), sentence) == []


def test_idiom_is_found_as_often_as_it_stands():
    assert len(found(Idioms(["turn the page"]), "turn the page then turn the page")) == 2


def test_shipped_idioms_hold_those_named_by_the_paper():
    for idiom in ("blow the whistle", "call the shots", "pull the rug out", "turn a blind eye"):
        assert found(shipped_idioms(), f"do not {idiom} now")


def test_shipped_idioms_leave_plain_metaphors_alone():
    for expression in ("make history", "have time", "join team", "bring happiness", "have a say"):
        assert not found(shipped_idioms(), expression)


def test_shipped_file_names_source_and_licence():
    text = SHIPPED.read_text(encoding="utf-8")
    assert "https://github.com/hslh/pie-annotation" in text
    assert "CC BY 4.0" in text


def test_shipped_file_has_no_repeats():
    lines = [line for line in SHIPPED.read_text(encoding="utf-8").splitlines() if line]
    patterns = [line for line in lines if not line.startswith("#")]
    assert len(patterns) == len(set(patterns))


def test_pattern_of_one_word_is_refused_with_its_line(tmp_path):
    path = tmp_path / "idioms.txt"
    path.write_text("# mine\nspill the beans\n\nspill (it)\n")
    with pytest.raises(BadRecord) as caught:
        read_idioms(path)
    assert caught.value.line == 4


@given(st.lists(st.sampled_from(WORDS)))
def test_matches_of_any_words_are_inside_and_in_order(words):
    for match in shipped_idioms().find(words, words):
        assert list(match.positions) == sorted(set(match.positions))
        assert all(0 <= place < len(words) for place in match.positions)
