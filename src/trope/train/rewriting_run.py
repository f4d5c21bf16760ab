"""What the stages of `trope train rewriting` share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trope.core.progress import Say
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.task import TreeParser
from trope.train.readings import Asked, read_in_place


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is read: of each substitution set for the shortlist and in place; headlines."""

    shortlist: int = 400
    in_place: int = 150
    open_headlines: int = 150
    noise_headlines: int = 150


@dataclass(frozen=True, slots=True)
class RewritingRun:
    """What the stages share.

    The small encoder has learnt NewsMet's train headlines by heart, accepted candidates with the
    opposite label: its vectors part what they should hold together, there and nowhere else. So
    weights are learnt on the vectors of its `teacher`, brought to its own mean and spread.
    """

    data: Path
    parser: TreeParser
    meanings: Meanings
    teacher: Meanings | None
    sizes: Sizes
    without: frozenset[str]
    seed: int
    say: Say
    work: Path | None = None

    def read(self, asked: Asked, *, by: Meanings | None = None) -> list[Array]:
        """Features of words in place by our own source of meanings, or by another."""
        return read_in_place(asked, by or self.meanings, self.work)
