"""The parts of a run over a corpus: settings, shards, receipts, and the executor's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import msgspec

from trope.core.records import TextKind, WordView
from trope.corpora.files import FileOptions
from trope.corpora.plain_text import Unit
from trope.scale.entries import TextRow

if TYPE_CHECKING:
    from trope.pipeline import Pipeline

OutputFormat = Literal["jsonl", "parquet"]

SHARD_ROWS = 5_000
"""Texts per shard: some seconds of work, so little is lost when a run is killed."""

SHARD_CHARACTERS = 8_000_000
"""A shard ends here if its texts are long, so that memory does not grow with their length."""


class DetectSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything besides the input that the output depends on: equal settings, equal bytes."""

    trope: str
    tier: str
    model_sha256: str
    kind: TextKind = "plain"
    text_column: str = ""
    id_column: str = ""
    columns: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ("metaphor",)
    tokens: bool = False
    threshold: float | None = None
    words: WordView | None = None
    """The view by which metaphors are counted; None in folders written before there were views,
    which count all words."""
    format: OutputFormat = "jsonl"
    shard_rows: int = SHARD_ROWS
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    unit: Unit = "auto"
    metadata: str = ""
    """A table with a row per file, whose columns are kept, too; and its checksum."""
    metadata_sha256: str = ""
    domains: str = ""
    """What named the source domains, where they were asked for."""
    device: str = "cpu"
    """What ran the network; "cpu, cuda" where a run was resumed on another device."""

    @property
    def reading(self) -> FileOptions:
        """How the files are read."""
        return FileOptions(
            encoding=self.encoding, delimiter=self.delimiter, sheet=self.sheet, unit=self.unit
        )


def domain_system(tasks: Sequence[str]) -> str:
    """What names source domains on this machine, with its version if it was installed; nothing
    where they are not asked for."""
    from importlib.metadata import entry_points

    from trope.tasks.figures.views import DOMAIN_SYSTEMS, FreeDomains

    if "domains" not in tasks:
        return ""
    for found in sorted(entry_points(group=DOMAIN_SYSTEMS), key=lambda one: one.name):
        return f"{found.name}, {found.dist.name} {found.dist.version}" if found.dist else found.name
    return FreeDomains.name


@dataclass(frozen=True, slots=True)
class Shard:
    """Texts that make one file of the output; `position` is how far the input was read then."""

    number: int
    rows: tuple[TextRow, ...]
    position: int

    def name(self, form: OutputFormat) -> str:
        """The name of its file."""
        return f"part-{self.number:05d}.{form}"

    def fatal(self, workers: int) -> str:
        """The error message when so many workers were lost over it."""
        first = self.rows[0]
        cause = f"{workers} workers were lost over the {len(self.rows)} texts that begin here"
        remedy = "give workers more memory, or set fewer --shard-rows"
        return f"{first.file}:{first.line}: {cause}; {remedy}"


class Receipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That a shard is on the disk, and what is in it."""

    number: int
    name: str
    texts: int
    sentences: int
    words: int
    metaphors: int
    sha256: str


@dataclass(frozen=True, slots=True)
class WorkerModel:
    """What a run must know of the model before it begins."""

    tier: str
    sha256: str
    tasks: tuple[str, ...]
    device: str = "cpu"


class Job(Protocol):
    """Texts that one worker processes at once."""

    def fatal(self, workers: int) -> str:
        """The error message when so many workers were lost over it."""
        ...


J = TypeVar("J", bound=Job)
R = TypeVar("R")
Work = Callable[["Pipeline", J], R]
"""What an executor does with a job and its model."""


class Executor(Protocol):
    """Who does the work: this process, or many machines.

    The result of a job depends on the job and the model alone. So jobs may be done in any order,
    anywhere, and more than once; each is handed over once, and this process stores its result.
    """

    @property
    def model(self) -> WorkerModel:
        """The model that the workers hold."""
        ...

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with its result, as soon as it is there."""
        ...
