"""Where the index of a corpus lies: one file, under the checksum of the corpus's manifest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from trope.core.errors import BadInput
from trope.core.progress import Say
from trope.workbench.corpus.building import FORMAT, build_index
from trope.workbench.corpus.source import CorpusSource


def cache_folder() -> Path:
    """Where indexes lie unless another place is named."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "trope" / "corpora"


def find_index(source: CorpusSource, place: Path | None, progress: Say) -> Path:
    """The file of the index, which is built if it is not there; it appears whole or not at all."""
    folder = place or cache_folder()
    if folder.resolve().is_relative_to(source.folder.resolve()):
        problem = "lies in the folder of the corpus, which holds nothing else"
        raise BadInput(f"{folder}: {problem}; name another place for the index")
    path = folder / f"{source.checksum[:32]}.{FORMAT}.duckdb"
    if not path.is_file():
        progress("checking the parts")
        source.check_parts()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as work:
            made = Path(work) / "index.duckdb"
            build_index(source, made, progress)
            made.replace(path)
    return path
