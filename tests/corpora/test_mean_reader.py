"""MEAN's file: counts, both header lines, and every bad line named."""

import re

import pytest

from analogies import HEADER, ROWS, TITLE, an_item, write_set
from trope.core.errors import BadRecord, MissingData
from trope.corpora.mean import (
    REVIEW_COLUMNS,
    read_mean,
    read_review,
    spoken,
    write_mean,
    write_review,
)

ROW = "IDEA;SEED;thinker;sower;soil;baker;moon"


@pytest.mark.parametrize("title", [True, False])
def test_items_are_read_with_and_without_the_title(tmp_path, title):
    items = list(read_mean(write_set(tmp_path / "set.csv", title=title)))
    assert len(items) == len(ROWS)
    assert items[0].choices == ("seed_sower", "soil", "baker", "moon")
    assert (items[0].metaphor, items[0].gold) == ("IDEA IS SEED", "seed_sower")
    assert items[0].line == 3 if title else 2


@pytest.mark.parametrize(
    ("lines", "line", "says"),
    [
        (["A;B;C", ROW], 1, "the header lacks MetSource"),
        ([HEADER.replace(";DiffFrameDiffAtt", ""), ROW], 1, "lacks DiffFrameDiffAtt"),
        ([HEADER + ";Fifth", ROW + ";x"], 1, "more columns ('Fifth')"),
        ([HEADER, ROW + ";star"], 2, "has 8 cells, so 5 choices"),
        ([HEADER, ROW, "IDEA;SEED;thinker;sower;soil;baker"], 3, "so 3 choices"),
        ([HEADER, "IDEA"], 2, "so 0 choices"),
        ([TITLE, HEADER, "IDEA;SEED;thinker;sower;soil; ;moon"], 3, "'DiffFrameSameAtt' is empty"),
        ([HEADER, ";SEED;thinker;sower;soil;baker;moon"], 2, "'MetSource' is empty"),
        ([HEADER, "IDEA;SEED;thinker;sower;soil;Sower;moon"], 2, "is also a wrong one"),
        ([HEADER], 1, "holds no items"),
    ],
)
def test_bad_lines_are_named(tmp_path, lines, line, says):
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(BadRecord, match=re.escape(says)) as caught:
        list(read_mean(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(MissingData):
        list(read_mean(tmp_path / "none.csv"))


def test_columns_may_come_in_another_order(tmp_path):
    path = tmp_path / "set.csv"
    header = HEADER.split(";")
    cells = ROW.split(";")
    path.write_text(";".join(reversed(header)) + "\n" + ";".join(reversed(cells)) + "\n")
    (item,) = read_mean(path)
    assert (item.first_domain, item.gold) == ("IDEA", "sower")


def test_two_equal_wrong_choices_are_read(tmp_path):
    path = write_set(tmp_path / "set.csv", ["IDEA;SEED;thinker;sower;soil;soil;moon"])
    (item,) = read_mean(path)
    assert item.choices[1] == item.choices[2]


def test_spoken_text_has_blanks_and_small_letters():
    assert spoken("  Cause_of__FIRE ") == "cause of fire"


def test_a_set_survives_writing_and_reading(tmp_path):
    items = list(read_mean(write_set(tmp_path / "set.csv")))
    with (tmp_path / "again.csv").open("w") as file:
        write_mean(items, file)
    again = list(read_mean(tmp_path / "again.csv"))
    assert [item.choices for item in again] == [item.choices for item in items]


def sheet(tmp_path, verdict: str, choice: str = "soil"):
    path = tmp_path / "review.csv"
    row = dict(zip(REVIEW_COLUMNS, (verdict, *ROW.split(";")), strict=False))
    row["SameFrameDifferentAttribute"] = choice
    with path.open("w") as file:
        write_review([row, {**row, "Accept": "no"}], file)
    return path


def test_accepted_rows_become_items(tmp_path):
    (item,) = read_review(sheet(tmp_path, "Yes", "wheat field"))
    assert item.choices == ("sower", "wheat field", "baker", "moon")


def test_verdicts_other_than_yes_and_no_are_refused(tmp_path):
    with pytest.raises(BadRecord, match=r"review.csv:2: column 'Accept' has 'perhaps'"):
        list(read_review(sheet(tmp_path, "perhaps")))


def test_a_sheet_without_accepted_rows_is_refused(tmp_path):
    with pytest.raises(BadRecord, match="no row is accepted"):
        list(read_review(sheet(tmp_path, "")))


def test_an_accepted_row_with_the_right_choice_twice_is_refused(tmp_path):
    with pytest.raises(BadRecord, match="is also a wrong one"):
        list(read_review(sheet(tmp_path, "x", "sower")))


def test_builder_of_items_gives_what_it_says():
    assert an_item().gold == "seed_sower"


@pytest.mark.shared
def test_the_published_set_has_its_counts(shared):
    items = list(read_mean(shared / "data/mean/MEAN_datasetV1.csv"))
    assert len(items) == 166
    assert len({item.metaphor for item in items}) == 71
    assert len({item.first_domain for item in items}) == 50
    assert len({item.second_domain for item in items}) == 50
    assert items[63].choices[1] == items[63].choices[2]
