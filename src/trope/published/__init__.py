"""Printed values of papers, one TOML file per paper, and whether a measured number equals one."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal, InvalidOperation
from pathlib import Path

import msgspec

from trope.core.config import read_config
from trope.core.errors import UnknownName

_ROUGHLY = ("about ", "almost ", "~")


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


def printed_number(printed: str) -> Decimal | None:
    """The number that is printed, None where it is none ("52k", "undef", "yes").

    A printed "about" makes a number no other number.
    """
    for word in _ROUGHLY:
        printed = printed.removeprefix(word)
    try:
        return Decimal(printed.replace(",", "").replace("−", "-").removesuffix("%").strip())
    except InvalidOperation:
        return None


def rounds_to(ours: float, printed: str) -> bool:
    """Whether ours, written with as many decimals, is what is printed (half a unit either way)."""
    wanted = printed_number(printed)
    if wanted is None:
        return False
    unit = Decimal(1).scaleb(int(wanted.as_tuple().exponent))
    return abs(Decimal(repr(ours)) - wanted) <= unit / 2


def is_cut_off(ours: float, printed: str) -> bool:
    """Whether ours, cut off after as many decimals instead of rounded, is what is printed."""
    wanted = printed_number(printed)
    if wanted is None:
        return False
    unit = Decimal(1).scaleb(int(wanted.as_tuple().exponent))
    return Decimal(repr(ours)).quantize(unit, ROUND_DOWN) == wanted
