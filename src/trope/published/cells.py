"""Printed cells of papers' tables, read from one TOML file a paper."""

from __future__ import annotations

from pathlib import Path

import msgspec

from trope.core.config import read_config
from trope.core.errors import UnknownName


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One cell as it is printed."""

    table: str
    row: str
    column: str
    printed: str

    @property
    def value(self) -> float:
        """The printed number."""
        return float(self.printed)


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cells of one paper."""

    paper: str
    cells: tuple[Cell, ...]

    def find(self, row: str, column: str) -> Cell | None:
        """The cell of a row and a column, None where nothing is printed."""
        return next((c for c in self.cells if (c.row, c.column) == (row, column)), None)


def read_published(paper: str) -> Published:
    """What a paper printed.

    Raises:
        UnknownName: for a paper without a file.
    """
    folder = Path(__file__).parent
    known = tuple(sorted(path.stem for path in folder.glob("*.toml")))
    if paper not in known:
        raise UnknownName("paper", paper, known)
    return read_config(folder / f"{paper}.toml", Published)
