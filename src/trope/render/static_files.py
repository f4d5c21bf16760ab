"""Style and script of the pages, which are written into a page or served beside it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

FOLDER = Path(__file__).parent / "static"


def static_file(name: str) -> str:
    """The contents of one of the files."""
    return files("trope.render").joinpath("static", name).read_text("utf-8")
