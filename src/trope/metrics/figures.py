"""Figures with their signature: the JSON that `evaluate`, `score` and the benchmarks print."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple, TypeVar

import msgspec

from trope import __version__
from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write, open_binary
from trope.metrics.intervals import bootstrap_ratios

C = TypeVar("C")


class DataRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which data a figure was measured on; empty names where it was on none."""

    name: str
    split: str
    sha256: str


NO_DATA = DataRef(name="", split="", sha256="")


class Measurement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One measured value with its 95 % interval; an undefined one is None and its note says why."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    data: DataRef
    chosen_on: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        numbers = (self.value, self.low, self.high)
        if any(number is not None and not math.isfinite(number) for number in numbers):
            raise BadInput(f"figure {self.name!r} is not finite: {numbers}; give null and a note")
        if self.value is None and not self.note:
            raise BadInput(f"figure {self.name!r} is undefined; its note must say why")
        if (self.low is None) != (self.high is None):
            raise BadInput(f"figure {self.name!r} has half an interval; give both bounds or none")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise BadInput(f"figure {self.name!r} has its interval upside down")
        if self.n < 0:
            raise BadInput(f"figure {self.name!r} has n = {self.n}; n counts items")


class Evaluation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All figures of one task in one run; no two have the same name."""

    trope: str
    task: str
    tier: str
    model_sha256: str
    figures: tuple[Measurement, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for figure in self.figures:
            if figure.name in seen:
                raise BadInput(f"two figures are called {figure.name!r}; a name is for one figure")
            seen.add(figure.name)


class Share(NamedTuple):
    """What one item adds to a score: to numerator, denominator, and the n of its figure."""

    part: int
    whole: int
    n: int


def share_figures(
    prefix: str,
    counts: Sequence[C],
    shares: Mapping[str, Callable[[C], Share]],
    *,
    data: DataRef,
    seed: int,
    note: str = "",
) -> list[Measurement]:
    """One figure per share, `prefix.name`: the ratio of the sums, its interval by bootstrap."""
    table = [[shares[name](item) for name in shares] for item in counts]
    parts = [[share.part for share in row] for row in table] or [[0] * len(shares)]
    wholes = [[share.whole for share in row] for row in table] or [[0] * len(shares)]
    sizes = [sum(row[column].n for row in table) for column in range(len(shares))]
    intervals = bootstrap_ratios(parts, wholes, seed=seed)
    return [
        Measurement(
            name=f"{prefix}.{name}",
            value=interval.value,
            low=interval.low,
            high=interval.high,
            n=size,
            data=data,
            note=note if interval.value is not None else "undefined: nothing to count",
        )
        for name, size, interval in zip(shares, sizes, intervals, strict=True)
    ]


def new_evaluation(
    task: str, tier: str, model_sha256: str, figures: Iterable[Measurement]
) -> Evaluation:
    """The figures as an evaluation by this version of trope."""
    return Evaluation(__version__, task, tier, model_sha256, tuple(figures))


def to_json(evaluation: Evaluation) -> str:
    """The evaluation as one JSON document, indented, ending in a line break."""
    return msgspec.json.format(msgspec.json.encode(evaluation), indent=1).decode() + "\n"


def read_evaluation(path: str | Path) -> Evaluation:
    """The evaluation that a file holds, checked.

    Raises:
        BadRecord: where the file is not an evaluation; the text names the field.
    """
    with open_binary(path) as file:
        data = file.read()
    try:
        return msgspec.json.decode(data, type=Evaluation)
    except (msgspec.DecodeError, BadInput) as error:
        raise BadRecord(path, None, f"is not an evaluation ({error}); write it again") from None


def write_evaluation(evaluation: Evaluation, path: str | Path) -> None:
    """Write the evaluation to a file, atomically."""
    with atomic_write(path) as file:
        file.write(to_json(evaluation))


def merge_figures(old: Evaluation, new: Evaluation) -> Evaluation:
    """The new evaluation with those figures of the old one that it does not measure itself.

    Figures on data by another model are dropped, since they would pass for the new model's.
    """
    measured = {figure.name for figure in new.figures}
    same_model = (old.tier, old.model_sha256) == (new.tier, new.model_sha256)
    kept = tuple(
        figure
        for figure in old.figures
        if figure.name not in measured and (same_model or figure.data == NO_DATA)
    )
    return msgspec.structs.replace(new, figures=kept + new.figures)


CHECKSUM = 12
"""Digits of a checksum that identify a model."""


def spread(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Mean (`name.mean`) and standard deviation (`name.sd`) of each figure over several models.

    Figures that are the same for all of them, such as those of controls, are left out.

    Raises:
        BadInput: where the evaluations are fewer than two, or of one model twice.
    """
    models = [evaluation.model_sha256 for evaluation in evaluations]
    if len(set(models)) < max(2, len(models)):
        raise BadInput("a spread needs two models or more, each of them once")
    tables = [{figure.name: figure for figure in one.figures} for one in evaluations]
    known = (name for name in tables[0] if all(name in table for table in tables))
    checksums = "models " + ", ".join(model[:CHECKSUM] for model in models)
    figures = [
        figure
        for name in known
        for figure in _spread_of([table[name] for table in tables], checksums)
    ]
    first = evaluations[0]
    return new_evaluation(f"{first.task}, {len(models)} models", first.tier, "", figures)


def _spread_of(figures: Sequence[Measurement], checksums: str) -> Iterator[Measurement]:
    values = [figure.value for figure in figures if figure.value is not None]
    if len(values) < len(figures) or len(set(values)) == 1:
        return
    for name, value in (("mean", fmean(values)), ("sd", stdev(values))):
        yield msgspec.structs.replace(
            figures[0],
            name=f"{figures[0].name}.{name}",
            value=value,
            low=None,
            high=None,
            note=f"{checksums}: {', '.join(f'{value:.4f}' for value in values)}",
        )
