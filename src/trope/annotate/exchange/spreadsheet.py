"""Cells that no spreadsheet takes for a formula, and that can be read back exactly.

A cell that begins as a formula does (= + - @, a tab, a line break, or a wide = + - @), and any that
begins with an apostrophe, gets an apostrophe before it. Reading takes one leading apostrophe away.
Numbers are left as they are: no spreadsheet runs them.
"""

from __future__ import annotations

import re

_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def protect(cell: str) -> str:
    """The cell as it may stand in a file that someone opens in a spreadsheet."""
    risky = cell.startswith(_BEGINS_A_FORMULA) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky or cell.startswith("'") else cell


def unprotect(cell: str) -> str:
    """The cell that `protect` was given."""
    return cell.removeprefix("'")
