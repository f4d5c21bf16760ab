"""Printed digits decide what is exact; every print has a row, and a row its reason."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_figures import FIGURES, ours_of

from trope.catalog import REPRODUCTIONS
from trope.cli.main import run
from trope.core.errors import BadInput, UnknownName
from trope.published import Cell, Published, is_cut_off, printed_number, read_published, rounds_to
from trope.reproduce.report import as_html, as_json, as_text
from trope.reproduce.rows import (
    OurValue,
    PaperNotes,
    PrintedTable,
    Reason,
    all_rows,
    compare,
    papers,
    read_notes,
)

PAPERS = sorted(FIGURES)


@given(st.integers(-99999, 99999), st.integers(0, 4))
def test_a_number_rounds_to_its_own_print(digits: int, places: int) -> None:
    printed = f"{Decimal(digits).scaleb(-places):f}"
    value = float(printed)
    assert rounds_to(value, printed)
    unit = 10.0**-places
    assert not rounds_to(value + 0.51 * unit, printed)
    assert not rounds_to(value - 0.51 * unit, printed)


@given(st.floats(0, 1000), st.integers(0, 3))
def test_what_is_cut_off_is_at_most_a_unit_lower(value: float, places: int) -> None:
    cut = int(Decimal(repr(value)).scaleb(places))
    printed = f"{Decimal(cut).scaleb(-places):f}"
    assert is_cut_off(value, printed)
    assert not is_cut_off(value + 2 * 10.0**-places, printed)


@pytest.mark.parametrize(
    ("printed", "value"),
    [("1,009", "1009"), (".794", "0.794"), ("−0.50", "-0.50"), ("almost 24", "24"), ("52k", None)],
)
def test_printed_numbers(printed: str, value: str | None) -> None:
    assert printed_number(printed) == (None if value is None else Decimal(value))


@pytest.mark.parametrize(
    ("printed", "ours", "status"),
    [
        ("594", OurValue("594", 594.0), "exact"),
        ("594", OurValue("593", 593.0), "differs"),
        ("49.7", OurValue("49.77", 49.766), "exact"),
        ("0.71", OurValue("0.60", 0.60, 0.5, 0.75), "within the interval"),
        ("0.78", OurValue("0.60", 0.60, 0.5, 0.75), "differs"),
        ("undef", OurValue("undef"), "exact"),
        ("52k", OurValue("1", 1.0, 0.0, 1e9), "differs"),
        ("about 300", OurValue("300", 300.0), "exact"),
    ],
)
def test_statuses(printed: str, ours: OurValue, status: str) -> None:
    assert compare(printed, ours)[0] == status


def small_notes(**parts: object) -> PaperNotes:
    table = PrintedTable("1", "sizes", **parts)  # type: ignore[arg-type]
    reasons = (Reason("1", "unavailable", "its file is missing", row="lost *"),)
    return PaperNotes("toy", "A toy", "Nobody", (table,), (), (), reasons)


TOY = Published("toy", (Cell("1", "lost box", "n", "3"), Cell("1", "ball", "n", "4")))


def test_a_cell_is_measured_or_has_its_reason() -> None:
    rows = all_rows(TOY, small_notes(), {("1", "ball", "n"): OurValue("5", 5.0)}, data=True)
    assert [(row.what, row.ours, row.status) for row in rows] == [
        ("lost box, n", "", "not available"),
        ("ball, n", "5", "differs"),
    ]
    assert rows[0].why == "its file is missing"


def test_a_cell_without_figure_and_reason_is_a_fault() -> None:
    with pytest.raises(BadInput, match="'ball, n'"):
        all_rows(TOY, small_notes(), {}, data=True)


def test_what_was_not_computed_names_its_command() -> None:
    rows = all_rows(TOY, small_notes(command="trope evaluate toy"), {}, data=True)
    assert (rows[1].status, rows[1].why) == ("not computed", "by trope evaluate toy")
    assert (
        all_rows(TOY, small_notes(), {}, data=False)[1].why == "by trope reproduce toy --from DATA"
    )


def test_all_papers_have_cells_notes_and_a_reproduction() -> None:
    assert list(papers()) == PAPERS == sorted(REPRODUCTIONS)
    with pytest.raises(UnknownName):
        read_notes("mena")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_cell_has_one_row_with_what_is_printed(paper: str) -> None:
    report = REPRODUCTIONS.load(paper)(ours=ours_of(paper))
    cells = [cell for cell in read_published(paper).cells if cell.table != "full"]
    places = [(cell.table, cell.row, cell.column) for cell in cells]
    assert len(set(places)) == len(places)
    listed = [table.name for table in report.notes.tables]
    assert {cell.table for cell in cells} <= set(listed)
    rows = [(row.table, row.published) for row in report.rows]
    assert sorted(rows) == sorted(
        [(cell.table, cell.printed) for cell in cells]
        + [(t.name, t.shows) for t in report.notes.tables if t.shows]
    )
    assert all(t.why for t in report.notes.tables if t.shows)


@pytest.mark.parametrize("paper", PAPERS)
def test_without_data_nothing_is_claimed_to_be_measured_on_it(paper: str) -> None:
    report = REPRODUCTIONS.load(paper)()
    assert all(row.why for row in report.rows if row.status not in ("exact", "within the interval"))
    assert not any(row.ours for row in report.rows if row.status == "not available")


@pytest.mark.parametrize("paper", PAPERS)
def test_text_page_and_json_say_the_same(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = REPRODUCTIONS.load(paper)(ours=ours_of(paper))
    with pytest.raises(SystemExit) as leave:
        run(["reproduce", paper, "--json", *(f"--ours={path}" for path in ours_of(paper))])
    assert leave.value.code == 0
    printed = capsys.readouterr().out
    assert printed == as_json(report)
    document = json.loads(printed)
    assert document["paper"] == paper
    assert len(document["rows"]) == len(report.rows)
    assert document["errors"]
    assert sum(document["statuses"].values()) == len(report.rows)
    text, page = as_text(report), as_html(report)
    for table in report.notes.tables:
        assert text.count(f": {table.title}\n") >= 1
    assert "http" not in page
    assert page.count("<tr") >= len(report.rows)


@pytest.mark.shared
@pytest.mark.parametrize("paper", PAPERS)
def test_on_the_research_data_every_difference_has_its_reason(shared, paper: str) -> None:
    report = REPRODUCTIONS.load(paper)(shared / "data", ours_of(paper))
    assert "not computed" not in report.statuses()
    assert [row for row in report.rows if row.status == "differs" and not row.why] == []
    assert [row for row in report.rows if row.status == "not available" and not row.why] == []
