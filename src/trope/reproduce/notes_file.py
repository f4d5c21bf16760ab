"""What we know of a paper beside its cells: its tables, reasons, errors, and what it claims.

One TOML file a paper, in `notes/`. Pages and reports are made from it, so that nothing is said
in two places.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from trope.core.config import read_config
from trope.core.errors import UnknownName

FOLDER = Path(__file__).parent / "notes"


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
