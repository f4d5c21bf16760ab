"""Results of benchmarks, kept together in one file of figures."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from trope.metrics.figures import (
    NO_DATA,
    DataRef,
    Evaluation,
    Measurement,
    merge_figures,
    new_evaluation,
    read_evaluation,
    write_evaluation,
)

RESULTS = Path(__file__).parent / "results.json"


def measured(
    name: str, values: Sequence[float], *, n: int, note: str, data: DataRef = NO_DATA
) -> Measurement:
    """The median of repeated measurements; low and high are the smallest and the largest."""
    spread = f"median, smallest and largest of {len(values)}" if len(values) > 1 else "one run"
    return Measurement(
        name=name,
        value=statistics.median(values),
        low=min(values),
        high=max(values),
        n=n,
        data=data,
        note=f"{spread}; {note}",
    )


def keep(
    figures: Sequence[Measurement], *, tier: str, model_sha256: str, path: Path = RESULTS
) -> Evaluation:
    """Put the figures into the file of results; those of other benchmarks stay in it."""
    new = new_evaluation("benchmarks", tier, model_sha256, figures)
    if path.is_file():
        new = merge_figures(read_evaluation(path), new)
    write_evaluation(new, path)
    return new


def keep_beside(figures: Sequence[Measurement], path: Path = RESULTS) -> Evaluation:
    """Add figures that no shipped model has a part in; the file's model stays as it is."""
    kept = read_evaluation(path) if path.is_file() else None
    tier, model = (kept.tier, kept.model_sha256) if kept else ("small", "")
    return keep(figures, tier=tier, model_sha256=model, path=path)


def show(kept: Evaluation) -> None:
    """Print the figures, one per line."""
    for figure in kept.figures:
        limits = "" if figure.low is None else f" ({figure.low:.4g} to {figure.high:.4g})"
        value = "undefined" if figure.value is None else f"{figure.value:.4g}"
        print(f"{figure.name}: {value}{limits}, n = {figure.n}")
