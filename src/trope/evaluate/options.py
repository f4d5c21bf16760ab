"""What every evaluation is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from trope.core.errors import BadInput, UnknownName
from trope.core.records import Analysis, Parse, TextKind
from trope.encoder.session import AnyEncoder
from trope.metrics.figures import Evaluation

if TYPE_CHECKING:
    from trope.pipeline import Pipeline
    from trope.tasks.metaphor.silver_sources import UserGold


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Where the data are, which model reads them, and which parts are wanted (none: all).

    `model` is the folder of a model that `trope train` wrote, used instead of the tier's own.
    `detector` is the folder of a single detector, `predictions` a folder of predictions made
    elsewhere, `gold` the judged headlines of a recipe's run in place of NewsMet's splits,
    `base_weights` the public weights of the tier `base`, `plot` the file for a plot.
    """

    data: Path
    tier: str = "small"
    model: Path | None = None
    threads: int | None = None
    seed: int = 0
    parts: tuple[str, ...] = ()
    quiet: bool = False
    detector: Path | None = None
    predictions: Path | None = None
    gold: UserGold | None = None
    base_weights: Path | None = None
    plot: Path | None = None

    def open_pipeline(self) -> Pipeline:
        """The model that is measured."""
        from trope.pipeline import Pipeline

        return Pipeline(
            tier=self.tier,
            threads=self.threads,
            folder=self.model,
            base_weights=self.base_weights,
        )

    def choose(self, known: Sequence[str]) -> tuple[str, ...]:
        """The wanted parts, in the order of `known`; an unknown one is refused."""
        for part in self.parts:
            if part not in known:
                raise UnknownName("part of this evaluation", part, known)
        return tuple(part for part in known if not self.parts or part in self.parts)

    def choose_readable(
        self, known: Sequence[str], reader: Reader, needs: Mapping[str, str]
    ) -> tuple[str, ...]:
        """The wanted parts that the model has a head for.

        Args:
            needs: part → the task that it cannot do without.

        Raises:
            BadInput: where a part was asked for by name and the model has no head for it, or there
                is no folder to measure.
        """
        parts = self.choose(known)
        if self.detector is None:
            if "transformers" in self.parts:
                raise BadInput("the part transformers measures a folder; give it as --model-folder")
            parts = tuple(part for part in parts if part != "transformers")
        without = [part for part in parts if part in needs and needs[part] not in reader.tasks]
        reader.check_tasks(needs[part] for part in without if part in self.parts)
        for part in without:
            self.say(f"part {part} is left out: this model has no head for {needs[part]}")
        return tuple(part for part in parts if part not in without)

    def say(self, message: str) -> None:
        """Tell people, if they want to be told, on standard error."""
        if not self.quiet:
            click.echo(f"trope: {message}", err=True)


class EvaluateTask(Protocol):
    """What an entry of `EVALUATIONS` is."""

    def __call__(self, options: EvaluationOptions) -> Evaluation:
        """All figures of the task."""


class Reader(Protocol):
    """The part of a pipeline that evaluations use."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """What the model can be asked for."""

    @property
    def heads(self) -> AnyEncoder:
        """The encoder that says all but tags, trees and lemmas."""

    @property
    def thresholds(self) -> tuple[float, float]:
        """From which probability on a word, and a sentence, is called metaphorical."""

    def check_tasks(self, tasks: Iterable[str]) -> None:
        """Raises BadInput if the model cannot be asked for one of the tasks."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """Trees of sentences that are already split into words."""

    def analyze_many(
        self,
        texts: Iterable[str],
        *,
        kind: TextKind = "plain",
        tasks: Sequence[str] | None = None,
    ) -> Iterator[Analysis]:
        """One analysis a text, in order, with all that the model has or the given tasks."""
