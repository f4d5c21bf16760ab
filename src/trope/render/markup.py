"""Texts made safe to show, and the style and script of the pages."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
"""Style and script, which are written into a page or served as files."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text for a terminal: control characters and lone surrogates become U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", text)


def clean(text: str) -> str:
    """The text for a page: printable and escaped."""
    return escape(printable(text))


def static_file(name: str) -> str:
    """The contents of a file of `FOLDER`."""
    return files("trope.render").joinpath("static", name).read_text("utf-8")
