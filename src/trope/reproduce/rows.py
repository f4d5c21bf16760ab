"""A printed cell beside ours: one row each, with a status, and the reason where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from trope.core.errors import BadInput
from trope.metrics.figures import Measurement
from trope.published import Cell, Published, is_cut_off, printed_number, rounds_to
from trope.reproduce.notes_file import PaperNotes, PrintedTable

Status = Literal["exact", "within the interval", "differs", "not available", "not computed"]
STATUSES: tuple[Status, ...] = (
    "exact", "within the interval", "differs", "not available", "not computed",
)  # fmt: skip
CUT_OFF = "printed cut off, not rounded"
Place = tuple[str, str, str]
"""Table, row and column of a printed cell."""


@dataclass(frozen=True, slots=True)
class OurValue:
    """What we have for a printed cell: a number with its interval, or words; `why` is a remark."""

    shown: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One thing that a paper prints, beside ours."""

    table: str
    what: str
    published: str
    ours: str
    status: Status
    why: str


def counted(number: int, why: str = "") -> OurValue:
    """A count of ours."""
    return OurValue(f"{number:,}", float(number), why=why)


def measured(value: float, decimals: int = 3, why: str = "") -> OurValue:
    """A number of ours that is no estimate."""
    return OurValue(f"{value:.{decimals}f}", value, why=why)


def estimated(
    figure: Measurement, decimals: int = 3, scale: float = 1.0, why: str = ""
) -> OurValue | None:
    """A figure of `trope evaluate` with its interval, None where it is undefined."""
    if figure.value is None:
        return None
    value = scale * figure.value
    if figure.low is None or figure.high is None:
        return OurValue(f"{value:,.{decimals}f}", value, why=why)
    low, high = scale * figure.low, scale * figure.high
    shown = f"{value:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"
    return OurValue(shown, value, low, high, why)


def compare(printed: str, ours: OurValue) -> tuple[Status, str]:
    """The status of ours beside what is printed, and a remark."""
    if ours.value is None:
        return ("exact" if ours.shown == printed else "differs"), ours.why
    if rounds_to(ours.value, printed):
        return "exact", ours.why
    if is_cut_off(ours.value, printed):
        return "exact", "; ".join(filter(None, (CUT_OFF, ours.why)))
    if _within(printed, ours):
        return "within the interval", ours.why
    return "differs", ours.why


def _within(printed: str, ours: OurValue) -> bool:
    wanted = printed_number(printed)
    if wanted is None or ours.low is None or ours.high is None:
        return False
    return ours.low <= float(wanted) <= ours.high


def all_rows(
    printed: Published, notes: PaperNotes, found: Mapping[Place, OurValue], *, data: bool
) -> list[ReportRow]:
    """A row for every printed cell, table by table, and one for each table without cells.

    Args:
        printed: the cells of the paper.
        notes: its tables, and why something differs or is not available.
        found: what we have, by table, row and column.
        data: whether the research data were there to measure on.
    """
    rows: list[ReportRow] = []
    for table in notes.tables:
        cells = [cell for cell in printed.cells if cell.table == table.name]
        if not cells:
            rows.append(
                ReportRow(table.name, table.title, table.shows, "", "not available", table.why)
            )
        rows += [_row(cell, table, notes, found, data) for cell in cells]
    return rows


def _row(
    cell: Cell, table: PrintedTable, notes: PaperNotes, found: Mapping[Place, OurValue], data: bool
) -> ReportRow:
    what = f"{cell.row}, {cell.column}" if cell.column else cell.row
    ours = found.get((cell.table, cell.row, cell.column))
    if ours is not None:
        status, why = compare(cell.printed, ours)
        if status == "differs":
            why = "; ".join(filter(None, (why, _reason(notes, cell, "differs"))))
        return ReportRow(cell.table, what, cell.printed, ours.shown, status, why)
    if why := _reason(notes, cell, "unavailable"):
        return ReportRow(cell.table, what, cell.printed, "", "not available", why)
    command = table.command or f"trope reproduce {notes.paper} --from DATA"
    if data and not table.command:
        raise BadInput(f"nothing was measured for {what!r} of table {cell.table}, and no reason")
    return ReportRow(cell.table, what, cell.printed, "", "not computed", f"by {command}")


def _reason(notes: PaperNotes, cell: Cell, kind: str) -> str:
    """The first reason that fits a cell, of one kind."""
    return next(
        (
            reason.why
            for reason in notes.reasons
            if reason.kind == kind
            and reason.table == cell.table
            and fnmatchcase(cell.row, reason.row)
            and fnmatchcase(cell.column, reason.column)
        ),
        "",
    )
