"""What a run over a corpus is made of: settings, shards, receipts, and who does the work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from trope.core.records import TextKind
from trope.scale.entries import TextRow

OutputFormat = Literal["jsonl", "parquet"]

SHARD_ROWS = 5_000
"""Texts a shard: some seconds of work, so little is lost when a run is killed."""

SHARD_CHARACTERS = 8_000_000
"""A shard ends here if its texts are long, so that memory does not grow with their length."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the output depends on besides the input: equal settings, equal bytes."""

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
    format: OutputFormat = "jsonl"
    shard_rows: int = SHARD_ROWS


@dataclass(frozen=True, slots=True)
class Shard:
    """Texts that make one file of the output; `position` is how far the input was read then."""

    number: int
    rows: tuple[TextRow, ...]
    position: int

    def name(self, form: OutputFormat) -> str:
        """The name of its file."""
        return f"part-{self.number:05d}.{form}"


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
class Model:
    """What a run must know of the model before it begins."""

    tier: str
    sha256: str
    tasks: tuple[str, ...]


class Executor(Protocol):
    """Who does the work: this process, or many machines.

    A shard is a function of its rows and the settings alone, and its file appears whole or not at
    all. So shards may be made in any order, anywhere, and more than once; this process stores them.
    """

    @property
    def model(self) -> Model:
        """The model that the workers hold."""
        ...

    def run(
        self, settings: Settings, folder: Path, shards: Iterable[Shard]
    ) -> Iterator[tuple[Shard, Receipt]]:
        """Each shard with its receipt, as soon as its file is there."""
        ...
