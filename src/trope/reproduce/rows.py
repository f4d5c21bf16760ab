"""A printed cell beside ours: one row each, with a status, and the reason where they differ.

What we know of a paper beside its cells, its tables, reasons, errors and claims, is in one TOML
file per paper, in `notes/`. Pages and reports are made from it, so that nothing is said in two
places. Settings of a study's annotation are those of the template of `trope annotate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal, get_args

import msgspec

from trope.annotate.plan import Plan, read_plan
from trope.core.config import read_config
from trope.core.errors import BadInput, UnknownName
from trope.metrics.figures import Measurement
from trope.published import Cell, Published, is_cut_off, printed_number, rounds_to

FOLDER = Path(__file__).parent / "notes"

Status = Literal[
    "exact", "as given", "within the interval", "differs", "not available", "not computed"
]
STATUSES: tuple[Status, ...] = get_args(Status)
"""What `exact` counts are results; an equal size or setting is `as given`."""

CUT_OFF = "printed cut off, not rounded"
Place = tuple[str, str, str]
"""Table, row and column of a printed cell."""

GIVEN = "a size or a setting, not a result"
SETTING = "a setting of the annotation template, not a result"


class PrintedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table, a figure or a section with figures.

    `shows` and `why` are for one without cells: what stands there, and why ours has nothing beside
    it. `command` says how ours is computed where `trope reproduce` alone does not do it.
    """

    name: str
    title: str
    shows: str = ""
    why: str = ""
    command: str = ""


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why cells differ or are not available; `*` stands for any row or column."""

    table: str
    kind: Literal["unavailable", "differs"]
    why: str
    row: str = "*"
    column: str = "*"


class GivenCells(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cells that are sizes of released files or settings, and no results; `*` stands for any."""

    table: str
    row: str = "*"
    column: str = "*"


class PaperError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error or a gap in print, and how we read it."""

    where: str
    problem: str
    reading: str


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the paper did, and how ours deviates from it.

    `ours` names rows of the reproduction: a table ("3") or a cell ("3/baseline/location.coarse").
    """

    section: str
    claim: str
    published: str
    deviation: str
    ours: tuple[str, ...] = ()


class PaperNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All notes on one paper."""

    paper: str
    title: str
    source: str
    tables: tuple[PrintedTable, ...]
    claims: tuple[Claim, ...]
    errors: tuple[PaperError, ...] = ()
    reasons: tuple[Reason, ...] = ()
    given: tuple[GivenCells, ...] = ()


def papers() -> tuple[str, ...]:
    """The names of all papers with notes."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def read_notes(paper: str) -> PaperNotes:
    """The notes on a paper.

    Raises:
        UnknownName: for a paper without notes.
    """
    if paper not in papers():
        raise UnknownName("paper", paper, papers())
    return read_config(FOLDER / f"{paper}.toml", PaperNotes)


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
        if status == "exact" and (ours.why == SETTING or _fits(cell, notes.given)):
            status, why = "as given", why or GIVEN
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
    return next((r.why for r in notes.reasons if r.kind == kind and _fits(cell, (r,))), "")


def _fits(cell: Cell, patterns: Iterable[Reason | GivenCells]) -> bool:
    """Whether a cell is among those that one of the patterns names."""
    return any(
        pattern.table == cell.table
        and fnmatchcase(cell.row, pattern.row)
        and fnmatchcase(cell.column, pattern.column)
        for pattern in patterns
    )


def template_plan(template: str) -> Plan:
    """The plan of a template that ships."""
    with as_file(files("trope.annotate") / "templates" / f"{template}.toml") as path:
        return read_plan(path)


def tweet_settings() -> dict[Place, OurValue]:
    """Section 4.2 of the tweet study."""
    plan = template_plan("tweets2019")
    page = float(plan.pay.amount)
    pages_an_hour = 3600 / (plan.selection.pace.expected * plan.items_per_page)
    return {
        ("4.2", "tweets of the demo task", "count"): counted(plan.demo.items, SETTING),
        ("4.2", "gold tweets of the demo task", "count"): counted(plan.demo.gold, SETTING),
        ("4.2", "annotators selected", "count"): counted(plan.selection.best, SETTING),
        ("4.2", "tweets a page", "count"): counted(plan.items_per_page, SETTING),
        ("4.2", "dollars a page", "count"): measured(page, 2, SETTING),
        ("4.2", "dollars an hour", "count"): measured(pages_an_hour * page, 2, SETTING),
        ("4.2", "tweets a day, advised", "count"): counted(plan.caps.day, SETTING),
    }


def headline_settings() -> dict[Place, OurValue]:
    """Section 3.2 of NewsMet."""
    plan = template_plan("newsmet")
    return {
        ("3.2", "selected", "count"): counted(plan.selection.best, SETTING),
        ("3.2", "headlines a week and annotator", "count"): counted(plan.caps.week, SETTING),
        ("3.2", "headlines an annotator", "count"): counted(plan.caps.total, SETTING),
    }
