"""Texts as they may be shown anywhere."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text without what a terminal would obey: controls and lone surrogates become marks."""
    return _UNPRINTABLE.sub("\ufffd", text)
