"""The data that a run reads: found in the catalogue's folders, checked before work begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from trope.core.errors import MissingData, UnknownName
from trope.core.files import sha256
from trope.corpora.metadata import CorpusFile, CorpusMetadata, load_corpora
from trope.recipes.recipe import Need


class Input(msgspec.Struct, frozen=True):
    """A file that is read; `path` counts from the folder of the data."""

    path: str
    bytes: int
    sha256: str
    dataset: str
    licence: str


def find_inputs(needs: Sequence[Need], data: Path) -> tuple[Input, ...]:
    """Every file that is needed, with its checksum.

    Raises:
        MissingData: for the first that is not there: what it is, where it can be had, under which
            licence, and what else is missing.
        UnknownName: for a file that the corpus does not have.
    """
    found, missing = [], []
    for need in needs:
        corpus = load_corpora()[need.corpus]
        known = {file.name: file for file in corpus.files}
        if need.file not in known:
            raise UnknownName(f"file of {corpus.name}", need.file, tuple(known))
        file = known[need.file]
        path = file.locate(data / corpus.name)
        if path is None:
            missing.append((corpus, file))
            continue
        relative = path.relative_to(data).as_posix()
        licence = file.licence or corpus.licence
        found.append(Input(relative, path.stat().st_size, sha256(path), corpus.name, licence))
    if missing:
        raise MissingData(data / missing[0][0].name / missing[0][1].name, _remedy(missing, data))
    return tuple(found)


def _remedy(missing: Sequence[tuple[CorpusMetadata, CorpusFile]], data: Path) -> str:
    corpus, file = missing[0]
    others = sorted({other.name for other, _ in missing} - {corpus.name})
    way = corpus.remedy(file, data) if corpus.address(file) else corpus.obtain
    said = (
        f"it is of {corpus.title!r} ({corpus.source}), licence {file.licence or corpus.licence}: "
        f"{corpus.terms.rstrip('.')}; to get it: {way}"
    )
    return f"{said}; also missing: files of {', '.join(others)}" if others else said
