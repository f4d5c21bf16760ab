"""How much figures differ between models that were made alike, from one seed to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev

import msgspec

from trope.core.errors import BadInput
from trope.metrics.figures import Evaluation, Figure, new_evaluation

CHECKSUM = 12
"""How many digits of a checksum tell models apart."""


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
    told = "models " + ", ".join(model[:CHECKSUM] for model in models)
    figures = [
        figure for name in known for figure in _spread_of([table[name] for table in tables], told)
    ]
    first = evaluations[0]
    return new_evaluation(f"{first.task}, {len(models)} models", first.tier, "", figures)


def _spread_of(figures: Sequence[Figure], told: str) -> Iterator[Figure]:
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
            note=f"{told}: {', '.join(f'{value:.4f}' for value in values)}",
        )
