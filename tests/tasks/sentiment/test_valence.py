"""The feeling of words in a row, and the lexica behind it."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord, MissingData
from trope.lexicon.polarity import read_emoji, read_lexica, read_numbers, read_senses
from trope.tasks.sentiment.valence import is_negator, lookup, valence

WORDS = {"good": 2.0, "bad": -2.5, "great": 3.0}


def compound(text: str, marks: int = 0) -> float:
    return valence(text.split(), WORDS, marks=marks).compound


def test_words_boosters_negation_and_capitals() -> None:
    assert compound("the film") == 0
    assert compound("bad film") < 0 < compound("good film") < compound("very good film")
    assert compound("slightly good film") < compound("good film")
    assert compound("not good") < 0 < compound("not bad")
    assert valence(["not", "so", "good"], WORDS).negated == 1
    assert compound("a GOOD film") > compound("a good film")
    assert compound("A GOOD FILM") == compound("a good film")  # all in capitals says nothing
    assert compound("good", marks=3) > compound("good")


def test_what_follows_but_counts_more() -> None:
    assert compound("good but bad") < compound("good and bad") < 0
    assert compound("bad but great") > 0 > compound("great but bad")


def test_elongated_words_are_known() -> None:
    assert lookup("goooood", WORDS) == 2.0
    assert lookup("baaaad", WORDS) == -2.5
    assert lookup("tree", WORDS) == 0


@pytest.mark.parametrize("word", ["don't", "dont", "Never", "n't", "can’t"])
def test_negators(word: str) -> None:
    assert is_negator(word)
    assert not is_negator("note")


@given(st.lists(st.sampled_from(["good", "bad", "not", "very", "BUT", "x", "GREAT", ""])))
def test_any_words_have_a_bounded_feeling(words: list[str]) -> None:
    found = valence(words, WORDS, marks=9)
    assert len(found.words) == len(words)
    assert -1 < found.compound < 1
    assert found.negative <= 0 <= found.positive


@pytest.fixture
def lexica(tmp_path: Path) -> Path:
    (tmp_path / "opinion_lexicon").mkdir()
    (tmp_path / "opinion_lexicon" / "positive-words.txt").write_text("; note\n\ngood\n")
    (tmp_path / "opinion_lexicon" / "negative-words.txt").write_text("bad\n")
    (tmp_path / "vader_lexicon.txt").write_text("good\t1.9\t0.9\t[2]\nbad\t-2.5\t0\t[]\n")
    (tmp_path / "AFINN-en-165.txt").write_text("good\t3\nbad\t-3\n")
    rows = [
        {"# POS": "a", "PosScore": "0.5", "NegScore": "0", "SynsetTerms": "good"},
        {"# POS": "s", "PosScore": "1", "NegScore": "0.5", "SynsetTerms": "good"},
        {"# POS": "a", "PosScore": "0", "NegScore": "0", "SynsetTerms": "grey"},
    ]
    content = json.dumps({"adjective": rows}).encode()
    (tmp_path / "modifiedSentiWordNet.json.gz").write_bytes(gzip.compress(content))
    (tmp_path / "Emoji_Sentiment_Data_v1.0.csv").write_text(
        "Emoji,Negative,Neutral,Positive\n☀,1,1,8\n☂,1,1,1\n", encoding="utf-8"
    )
    return tmp_path


def test_lexica_of_a_folder(lexica: Path) -> None:
    found = read_lexica(lexica)
    assert found.valence == {"good": 1.9, "bad": -2.5}
    assert found.strength == {"good": 3, "bad": -3}
    assert found.opinion == {"good": 1, "bad": -1}
    assert found.senses == {("ADJ", "good"): (0.75, 0.25)}
    assert found.emoji == {"☀": 0.7}  # the rare one is left out


def test_bad_lexica_are_refused_with_their_line(lexica: Path) -> None:
    (lexica / "AFINN-en-165.txt").write_text("good\t3\nbad\n")
    with pytest.raises(BadRecord, match="has no number") as error:
        read_numbers(lexica / "AFINN-en-165.txt")
    assert error.value.line == 2
    (lexica / "s.json").write_text("[]")
    with pytest.raises(BadRecord, match="is not SentiWordNet"):
        read_senses(lexica / "s.json")
    (lexica / "e.csv").write_text("Emoji,Negative\n☀,1\n", encoding="utf-8")
    with pytest.raises(BadRecord, match="lacks a count"):
        read_emoji(lexica / "e.csv")
    with pytest.raises(MissingData, match="trope data info lexica"):
        read_lexica(lexica / "nowhere")
