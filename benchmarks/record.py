"""Results of benchmarks, kept together in one file of figures.

python benchmarks/record.py --write docs/results.md

puts the figures that are kept into the page, without measuring anything.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trope.metrics.figures import (
    NO_DATA,
    DataRef,
    Evaluation,
    Figure,
    merge_figures,
    new_evaluation,
    read_evaluation,
    write_evaluation,
)

if TYPE_CHECKING:
    from trope.evaluate.bounds import Bounds

RESULTS = Path(__file__).parent / "results.json"


def measured(
    name: str, values: Sequence[float], *, n: int, note: str, data: DataRef = NO_DATA
) -> Figure:
    """The median of repeated measurements; low and high are the smallest and the largest."""
    spread = f"median, smallest and largest of {len(values)}" if len(values) > 1 else "one run"
    return Figure(
        name=name,
        value=statistics.median(values),
        low=min(values),
        high=max(values),
        n=n,
        data=data,
        note=f"{spread}; {note}",
    )


def keep(
    figures: Sequence[Figure], *, tier: str, model_sha256: str, path: Path = RESULTS
) -> Evaluation:
    """Put the figures into the file of results; those of other benchmarks stay in it."""
    new = new_evaluation("benchmarks", tier, model_sha256, figures)
    if path.is_file():
        new = merge_figures(read_evaluation(path), new)
    write_evaluation(new, path)
    return new


def write(kept: Evaluation, page: Path, *, seed: int) -> None:
    """Put the figures into a file of results (.json), or into a page with the bounds beside it."""
    if page.suffix == ".json":
        from trope.evaluate.results import merge_results

        merge_results(kept, page)
        return
    from trope.cli.figure_tables import write_section

    write_section(kept, page, bounds_beside(page), seed=seed)


def bounds_beside(page: Path | None) -> Bounds:
    """The bounds in the folder of a page; none where there is no such file."""
    from trope.evaluate.bounds import NO_BOUNDS, read_bounds

    beside = page.parent / "bounds.toml" if page else None
    return read_bounds(beside) if beside and beside.is_file() else NO_BOUNDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--write", type=Path, required=True, help="page to put the figures into")
    parser.add_argument("--seed", type=int, default=0, help="that the page names")
    options = parser.parse_args(arguments)
    write(read_evaluation(options.results), options.write, seed=options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
