"""What to say when a file of the research data is not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trope.core.errors import MissingData
from trope.corpora.catalogue import load_catalogue


@contextmanager
def data_in(folder: Path) -> Iterator[None]:
    """Inside, a missing file of a known corpus says where that corpus can be had."""
    try:
        yield
    except MissingData as error:
        corpus = _corpus(Path(error.path), folder)
        if not corpus or "trope data" in error.remedy:
            raise
        remedy = f"it is of {corpus}: 'trope data info {corpus}' says where that can be had"
        raise MissingData(error.path, remedy) from error


def _corpus(path: Path, folder: Path) -> str:
    """The corpus whose folder a path is in, or nothing."""
    try:
        name = path.relative_to(folder).parts[0]
    except (ValueError, IndexError):
        return ""
    return name if name in {corpus.name for corpus in load_catalogue()} else ""
