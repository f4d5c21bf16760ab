"""Offsets as JavaScript counts them (UTF-16 units) and as Python does (code points)."""

from __future__ import annotations


def to_utf16(text: str, offset: int) -> int:
    """The offset in UTF-16 units."""
    return offset + sum(char > "\uffff" for char in text[:offset])


def from_utf16(text: str, offset: int) -> int:
    """The offset in code points.

    Raises:
        ValueError: for one outside the text, or within a character.
    """
    if offset < 0:
        raise ValueError(f"{offset} is before the text")
    units = 0
    for place, char in enumerate(text):
        if units == offset:
            return place
        if units > offset:
            break
        units += 2 if char > "\uffff" else 1
    if units == offset:
        return len(text)
    where = "within a character" if units > offset else "beyond the text"
    raise ValueError(f"{offset} is {where}")
