"""Cells of tables: no spreadsheet takes them for formulas, and they come back."""

import csv
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from projects import START, make_project

from trope.annotate.exchange.files import csv_lines, protect, read_cells, unprotect
from trope.annotate.exchange.records import (
    JudgmentRecord,
    Losses,
    as_cells,
    as_object,
    from_cells,
    from_object,
)
from trope.annotate.questions import Option, Question
from trope.annotate.store import rows
from trope.annotate.store.exports import ExportOptions, export_lines
from trope.corpora.judgment_tables import read_judgments

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


RISKY = tuple("=+-@\t\r\n")


@given(CELLS | st.sampled_from(RISKY).flatmap(lambda c: CELLS.map(lambda s: c + s)))
def test_protected_cell_is_no_formula_and_comes_back(cell: str) -> None:
    safe = protect(cell)
    assert unprotect(safe) == cell
    if safe.startswith(RISKY):
        float(safe)  # only a number may begin so


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_safe_csv_is_read_back_exactly(rows: list[list[str]]) -> None:
    head = ["=a", "b"]
    text = "".join(csv_lines(head, [dict(zip(head, row, strict=True)) for row in rows]))
    for cell in (cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row):
        assert not cell.startswith(RISKY) or float(cell) is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        assert [list(row.values()) for _, row in read_cells(path)] == rows


QUESTIONS = (
    Question("a", "choice", "?", options=(Option("x"),)),
    Question("state", "scale", "?", low=-5, high=5),
    Question("m", "multi", "?"),
    Question("s", "spans", "?"),
    Question("t", "text", "?"),
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "a": CELLS | st.integers(),
        "state": st.integers(-5, 5) | st.floats(-1, 1) | st.just("3"),
        "m": st.lists(CELLS) | CELLS,
        "s": st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(list)),
        "t": CELLS,
        "gone": CELLS | st.lists(st.integers()) | st.booleans() | st.none(),
    },
)


@given(
    answers=ANSWERS,
    state=st.sampled_from(["counted", "surplus", "skipped", "gold", "discarded", "erased"]),
    seconds=st.floats(0, 1e6),
    number=st.integers(1, 2**62),
    replaces=st.none() | st.integers(1, 2**62),
    right=st.none() | st.booleans(),
    weight=st.floats(0, 100),
)
def test_any_judgment_survives_objects_and_cells(
    answers, state, seconds, number, replaces, right, weight
) -> None:
    row = JudgmentRecord(
        number, "i", "Ann", answers, state, seconds, START, False, replaces, right, weight
    )
    assert from_object(json.loads(json.dumps(as_object(row)))) == row
    cells = as_cells(row, QUESTIONS)
    texts = {name: "" if cell is None else str(cell) for name, cell in cells.items()}
    assert from_cells(texts, QUESTIONS) == row


def test_answers_are_safe_in_a_spreadsheet_and_read_back(tmp_path: Path) -> None:
    lines = csv_lines(
        ["item", "annotator", "label"],
        [{"item": "=1+1", "annotator": "@Ann", "label": "-yes"}, {"item": "b", "annotator": "Bob"}],
    )
    (tmp_path / "answers.csv").write_text("".join(lines).replace("b,Bob,\n", "b,Bob,no\n"), "utf-8")
    assert "'=1+1" in (tmp_path / "answers.csv").read_text("utf-8")
    first = read_judgments(tmp_path / "answers.csv").judgments[0]
    assert (first.item, first.annotator, first.label) == ("=1+1", "@Ann", "-yes")


def test_export_of_answers_is_safe_by_default(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    for plain in (False, True):
        options = ExportOptions("answers", "csv", plain_cells=plain)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows, "answer_objects", lambda *_, **__: iter([{"label": "=x"}]))
            written = "".join(export_lines(project.plan, options, Losses()))
        assert ("'=x" in written) is not plain
