"""The catalogue of corpora: where each comes from, what it may be used for, what it must hold.

The facts are in `corpora.toml`. A corpus lies in a folder of its own name; a file whose name
ends in .gz may also lie there unpacked, without the ending, as it does after a download. Sizes
and checksums are therefore those of the unpacked content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from trope.catalog import READERS
from trope.core.config import read_config
from trope.core.errors import BadConfig, MissingData, UnknownName

CORPORA_FILE = Path(__file__).with_name("corpora.toml")

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SAFE_NAME = re.compile(r"[\w+.-]+(/[\w+.-]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusFile:
    """One file of a corpus.

    `remote` is its path under the corpus's `download` address, empty where it cannot be
    downloaded; `licence` is its own where it differs from that of the corpus. `counts` are named
    numbers; those that the reader counts are counted again by a check, the others are for people.
    """

    name: str
    bytes: int
    sha256: str
    reader: str = ""
    options: dict[str, str | int | bool] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    remote: str = ""
    licence: str = ""

    @property
    def unpacked_name(self) -> str:
        """The name that the unpacked content has."""
        return self.name.removesuffix(".gz")

    def locate(self, folder: Path) -> Path | None:
        """Where the file lies in the corpus's folder, packed or not; None where it does not."""
        for name in (self.name, self.unpacked_name):
            if (folder / name).is_file():
                return folder / name
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusMetadata:
    """A corpus: what it is, whose it is, how to get it, what it holds.

    `licence` is an SPDX expression where one fits; `terms` says in a sentence what it means for
    users. `obtain` says how to get what cannot be downloaded.
    """

    name: str
    title: str
    extent: str
    purpose: str
    source: str
    licence: str
    terms: str
    citation: str
    files: tuple[CorpusFile, ...]
    download: str = ""
    obtain: str = ""
    notes: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """The size of all files, unpacked."""
        return sum(file.bytes for file in self.files)

    @property
    def downloadable(self) -> tuple[CorpusFile, ...]:
        """The files with a known address."""
        return tuple(file for file in self.files if self.address(file))

    def address(self, file: CorpusFile) -> str:
        """Where a file can be downloaded, empty where it cannot."""
        return f"{self.download}/{file.remote}" if file.remote else ""

    def find(self, file_name: str, root: str | Path) -> Path:
        """The path of one of the files in the corpora under `root`.

        Raises:
            UnknownName: if the corpus has no such file.
            MissingData: if the file is not there, with the way to get it.
        """
        known = {file.name: file for file in self.files}
        if file_name not in known:
            raise UnknownName(f"file of {self.name}", file_name, tuple(known))
        folder = Path(root) / self.name
        path = known[file_name].locate(folder)
        if path is None:
            raise MissingData(folder / file_name, self.remedy(known[file_name], root))
        return path

    def remedy(self, file: CorpusFile, root: str | Path) -> str:
        """What to do where a file is missing."""
        if self.address(file):
            return f"run: trope data get {self.name} --to {root}"
        return f"see: trope data info {self.name}"


@dataclass(frozen=True, slots=True)
class CorpusCatalogue:
    """All corpora, in the order of the file."""

    corpora: tuple[CorpusMetadata, ...]

    def __iter__(self) -> Iterator[CorpusMetadata]:
        return iter(self.corpora)

    def __getitem__(self, name: str) -> CorpusMetadata:
        for corpus in self.corpora:
            if corpus.name == name:
                return corpus
        raise UnknownName("corpus", name, tuple(corpus.name for corpus in self.corpora))

    def select(self, names: Sequence[str]) -> tuple[CorpusMetadata, ...]:
        """The corpora of these names, or all where none is named."""
        return tuple(self[name] for name in names) if names else self.corpora


@cache
def load_corpora() -> CorpusCatalogue:
    """The catalogue that comes with trope."""
    return read_corpora(CORPORA_FILE)


def read_corpora(path: str | Path) -> CorpusCatalogue:
    """A catalogue from a TOML file.

    Raises:
        BadConfig: with every fault of the file.
    """
    catalogue = read_config(path, CorpusCatalogue)
    faults = list(_faults(catalogue))
    if faults:
        raise BadConfig(path, faults)
    return catalogue


def _faults(catalogue: CorpusCatalogue) -> Iterator[str]:
    names = [corpus.name for corpus in catalogue]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"corpus {name!r} occurs more than once"
    for corpus in catalogue:
        for key in ("title", "extent", "purpose", "source", "licence", "terms", "citation"):
            if not getattr(corpus, key).strip():
                yield f"{corpus.name}: {key} is empty"
        if corpus.download and not re.match(r"https?://", corpus.download):
            yield f"{corpus.name}: download is not an http address"
        if not corpus.obtain and len(corpus.downloadable) < len(corpus.files):
            yield f"{corpus.name}: obtain must say how to get what cannot be downloaded"
        for file in corpus.files:
            for fault in _file_faults(corpus, file):
                yield f"{corpus.name}/{file.name}: {fault}"


def _file_faults(corpus: CorpusMetadata, file: CorpusFile) -> Iterator[str]:
    if [other.name for other in corpus.files].count(file.name) > 1:
        yield "occurs more than once"
    if not _SAFE_NAME.fullmatch(file.name) or ".." in file.name:
        yield "the name must be a path inside the corpus's folder"
    if not _SHA256.fullmatch(file.sha256):
        yield "sha256 must be 64 hexadecimal digits"
    if file.reader and file.reader not in READERS:
        yield f"no reader is called {file.reader!r}"
    if file.remote and not corpus.download:
        yield "has a remote path, but the corpus has no download address"


@contextmanager
def missing_files_explained(folder: Path) -> Iterator[None]:
    """Where a file of a known corpus under `folder` is missing, the error says how to get it."""
    try:
        yield
    except MissingData as error:
        corpus = _corpus_of(Path(error.path), folder)
        if not corpus or "trope data" in error.remedy:
            raise
        remedy = f"it belongs to {corpus}; 'trope data info {corpus}' says how to get it"
        raise MissingData(error.path, remedy) from error


def _corpus_of(path: Path, folder: Path) -> str:
    """The corpus whose folder a path is in, empty where it is in none."""
    try:
        name = path.relative_to(folder).parts[0]
    except (ValueError, IndexError):
        return ""
    return name if name in {corpus.name for corpus in load_corpora()} else ""
