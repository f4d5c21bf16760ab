"""Whether what a command printed is what a page says, with `…` for what is left out.

Processors without the same instructions round the network's 8-bit products differently, which can
move a score in its last printed digit. So decimals may differ there by two, and nowhere else.
"""

from __future__ import annotations

import difflib
import re

ELISION = "…"
_DECIMAL = re.compile(r"(?<![\w.])[+−-]?\d+\.\d+(?![\w.]*\d)")


def matches(expected: str, got: str) -> bool:
    """Whether the texts agree, but for blanks at the ends of lines.

    A line that is `…` alone stands for any number of lines, a `…` in a line for any characters of
    that line.
    """
    pattern = "".join(_line(line) for line in _lines(expected))
    found = re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(got)))
    if found is None:
        return False
    return all(map(_near, _DECIMAL.findall(expected), found.groups()))


def difference(expected: str, got: str) -> str:
    """The two texts, line by line."""
    lines = difflib.unified_diff(_lines(expected), _lines(got), "the page", "printed", lineterm="")
    return "\n".join(lines)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _line(line: str) -> str:
    if line.strip() == ELISION:
        return r"(?:.*\n)*?"
    return ".*?".join(map(_with_decimals, line.split(ELISION))) + r"\n"


def _with_decimals(text: str) -> str:
    return rf"({_DECIMAL.pattern})".join(map(re.escape, _DECIMAL.split(text)))


def _near(expected: str, got: str) -> bool:
    """Whether two decimals have as many digits, and differ by two in the last at most."""
    wanted, printed = expected.replace("−", "-"), got.replace("−", "-")
    digits = len(wanted.partition(".")[2])
    if digits != len(printed.partition(".")[2]):
        return False
    return abs(float(wanted) - float(printed)) < 2.5 * 10**-digits
