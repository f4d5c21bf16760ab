"""The options of an evaluation, the pipeline that it measures, and how it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import click

from trope.catalog import EVALUATIONS
from trope.core.errors import BadInput, UnknownName
from trope.core.records import Analysis, Parse, TextKind
from trope.corpora.metadata import missing_files_explained
from trope.encoder.session import AnyEncoder
from trope.metrics.figures import Evaluation, spread

if TYPE_CHECKING:
    from trope.pipeline import Pipeline
    from trope.tasks.metaphor.silver_sources import UserGold


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Where the data are, which model is measured, and which parts are wanted (none: all).

    `model` is the folder of a model that `trope train` wrote, used instead of the tier's own.
    `detector` is the folder of a single detector, `predictions` a folder of predictions made
    elsewhere, `gold` the judged headlines of a recipe's run in place of NewsMet's splits,
    `base_weights` the public weights of the tier `base`, `plot` the file for a plot, `vectors` a
    file of word vectors for the static answers to analogies.
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
    vectors: Path | None = None

    def open_pipeline(self) -> Pipeline:
        """The pipeline of the model that is measured."""
        from trope.pipeline import Pipeline

        return Pipeline(
            tier=self.tier,
            threads=self.threads,
            folder=self.model,
            base_weights=self.base_weights,
        )

    def choose(self, known: Sequence[str]) -> tuple[str, ...]:
        """The wanted parts, in the order of `known`.

        Raises:
            UnknownName: for a part that is not known.
        """
        for part in self.parts:
            if part not in known:
                raise UnknownName("part of this evaluation", part, known)
        return tuple(part for part in known if not self.parts or part in self.parts)

    def choose_readable(
        self, known: Sequence[str], pipeline: EvaluatedPipeline, needs: Mapping[str, str]
    ) -> tuple[str, ...]:
        """The wanted parts that the model has a head for.

        Args:
            needs: part → the task that it needs.

        Raises:
            BadInput: where a part was named and the model has no head for it, or the part
                `transformers` was named without a folder.
        """
        parts = self.choose(known)
        if self.detector is None:
            if "transformers" in self.parts:
                raise BadInput("the part transformers needs a folder; give one with --model-folder")
            parts = tuple(part for part in parts if part != "transformers")
        without = [part for part in parts if part in needs and needs[part] not in pipeline.tasks]
        pipeline.check_tasks(needs[part] for part in without if part in self.parts)
        for part in without:
            self.say(f"part {part} is skipped: this model has no head for {needs[part]}")
        return tuple(part for part in parts if part not in without)

    def say(self, message: str) -> None:
        """Print a message on standard error, unless `quiet`."""
        if not self.quiet:
            click.echo(f"trope: {message}", err=True)


class EvaluatedPipeline(Protocol):
    """What evaluations need of a pipeline."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that the model has heads for."""

    @property
    def heads(self) -> AnyEncoder:
        """The encoder of all heads but syntax."""

    @property
    def thresholds(self) -> tuple[float, float]:
        """The probabilities at which a word, and a sentence, is called metaphorical."""

    def check_tasks(self, tasks: Iterable[str]) -> None:
        """Raises BadInput if the model has no head for one of the tasks."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """Parses of sentences that are already tokenised."""

    def analyze_many(
        self,
        texts: Iterable[str],
        *,
        kind: TextKind = "plain",
        tasks: Sequence[str] | None = None,
    ) -> Iterator[Analysis]:
        """One analysis per text, in order, for the given tasks or for all."""


class EvaluateTask(Protocol):
    """An entry of `EVALUATIONS`."""

    def __call__(self, options: EvaluationOptions) -> Evaluation:
        """All figures of the task."""


def evaluate_task(task: str, options: EvaluationOptions, models: Sequence[Path] = ()) -> Evaluation:
    """All figures of a task; for several models, the mean and spread of their figures.

    Raises:
        UnknownName: for a task that is not known.
        MissingData: where a file is missing; the text says which corpus it belongs to.
    """
    evaluate = cast(EvaluateTask, EVALUATIONS.load(task))
    with missing_files_explained(options.data):
        if len(models) < 2:
            return evaluate(options)
        return spread([evaluate(replace(options, model=model)) for model in models])
