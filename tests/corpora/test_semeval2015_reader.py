"""Ids with scores, texts that come back to them, and the counts of the real files."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.semeval2015 import read_id_texts, read_integers, read_learning_tweets, read_split
from trope.corpora.tweet_ids import (
    ScoredId,
    read_scored_ids,
    rejoin,
    write_delivery,
)

ID = "472189928340606976"


def rows(text: str) -> list[ScoredId]:
    return list(read_scored_ids(io.BytesIO(text.encode())))


def test_ids_stay_strings_with_tabs_or_blanks_between() -> None:
    assert rows("007\t-3.99\n12 2\n13  -0.5\n\n") == [
        ScoredId("007", -3.99, 1),
        ScoredId("12", 2.0, 2),
        ScoredId("13", -0.5, 3),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1.2e17\t-2", "turned into a number"),
        ("4.72E+17\t-2", "turned into a number"),
        ("472189928340606976.0\t-2", "turned into a number"),
        ("abc\t-2", "is not an id"),
        (f"{ID}\tgood", "is not a number"),
        (f"{ID}\tNaN", "is not a number"),
        (f"{ID}\tinf", "is not a number"),
        (f"{ID}\t5.01", "outside the scale"),
        (f"{ID}\t-6", "outside the scale"),
        (ID, "has 1 column; write an id, a tab and a score"),
        ("1\t2", "also in line 1"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(line: str, words: str) -> None:
    with pytest.raises(BadRecord, match=words) as error:
        rows(f"1\t0\n{line}\n")
    assert error.value.line == 2


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_table_is_refused(content: str) -> None:
    with pytest.raises(BadRecord):
        rows(content)


def test_texts_come_back_to_their_ids_and_the_perished_are_named() -> None:
    scores = [ScoredId("1", -2.5, 1), ScoredId("2", 1.49, 2), ScoredId("3", 0.0, 3)]
    joined = rejoin(scores, {"1": "rain, how lovely #not", "3": " "}, cut={"2": "cut text"})
    assert [(t.id, t.integer, t.whole) for t in joined.tweets] == [("1", -2, True), ("2", 1, False)]
    assert joined.perished == ("3",)
    assert joined.describe() == "2 of 3 texts, 1 perished"


def test_delivered_integers_are_never_rounded_anew() -> None:
    joined = rejoin([ScoredId("1", -2.5, 1)], {"1": "text"}, integers={"1": -3})
    assert joined.tweets[0].integer == -3


def test_delivery_is_read_back(tmp_path: Path) -> None:
    scores = [("10", -2.346), ("11", 4.5)]
    assert write_delivery(scores, tmp_path / "real.tsv") == 2
    write_delivery(scores, tmp_path / "int.tsv", integer=True)
    assert [row.score for row in read_scored_ids(tmp_path / "real.tsv")] == [-2.35, 4.5]
    assert read_integers(tmp_path / "int.tsv") == {"10": -2, "11": 5}


@pytest.mark.parametrize("bad", [[("1", 6.0)], [("1", 0.0), ("1", 1.0)], [("x", 0.0)]])
def test_bad_delivery_writes_nothing(bad: list[tuple[str, float]], tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        write_delivery(bad, tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()


@given(st.dictionaries(st.integers(0, 10**19).map(str), st.floats(-5, 5), min_size=1))
def test_any_delivery_keeps_ids_and_scores(scores: dict[str, float]) -> None:
    text = "".join(f"{name}\t{score!r}\n" for name, score in scores.items())
    assert {row.id: row.score for row in rows(text)} == scores


def test_texts_may_run_over_lines() -> None:
    source = io.BytesIO(b"1\t0\tfirst\nsecond line\n\n2\t1\tone\\ntwo\n")
    assert list(read_id_texts(source, 2, 3)) == [("1", "first\nsecond line"), ("2", "one\ntwo")]


def test_a_row_without_text_is_refused() -> None:
    with pytest.raises(BadRecord, match="tweet 2 has no text") as error:
        list(read_id_texts(io.BytesIO(b"1\t0\ta\n2\t1\t \n"), 2, 3))
    assert error.value.line == 2


def test_an_integer_file_has_integers() -> None:
    with pytest.raises(BadRecord, match="is not an integer"):
        read_integers(io.BytesIO(b"1\t0.5\n"))


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingData):
        read_split(tmp_path, "test")


@pytest.mark.shared
def test_real_files_have_the_known_counts(shared: Path) -> None:
    folder = shared / "data" / "semeval2015"
    found = {name: read_split(folder, name) for name in ("train", "trial", "test")}
    assert {name: (len(j.tweets), j.asked) for name, j in found.items()} == {
        "train": (7017, 8000),
        "trial": (929, 1025),
        "test": (4000, 4000),
    }
    assert sum(t.integer for t in found["test"].tweets) / 4000 == -1.21175
    ids = {t.id for t in found["train"].tweets} | set(found["train"].perished)
    trial = {t.id for t in found["trial"].tweets} | set(found["trial"].perished)
    assert len(ids & trial) == 554
    learn = read_learning_tweets(folder)
    assert len({tweet.id for tweet in learn}) == len(learn) == 7444
    assert not {t.text for t in learn} & {t.text for t in found["test"].tweets}
