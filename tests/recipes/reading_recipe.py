"""A recipe that reads texts of our own with a pipeline, as a process that can be killed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from toy_recipe import sum_up, toy

from holds import Hold
from trope.recipes import engine
from trope.recipes.recipe import Context, Recipe, Step
from trope.recipes.records import Drop, Outcome, Record
from trope.recipes.settings import resolve
from trope.scale import executors
from trope.scale.executors import RayExecutor
from workers_of_ray import watched

HERE = Path(__file__).parent
PART = 5
"""Records a part: 95 of them make 19 parts."""


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """The texts of the settings, and plain ones behind them."""
    given = context.settings.words
    for number in range(context.settings.numbers):
        text = given[number] if number < len(given) else f"Rain ate roads {number}."
        yield Record(f"n{number}", text, {"value": number})


def read(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """What the pipeline says of each text; every seventh goes."""
    every = list(records)
    analyses = context.pipeline.analyze_many(record.text for record in every)
    for record, analysis in zip(every, analyses, strict=True):
        if record.fields["value"] % 7 == 6:
            yield Drop(record.id, "seventh")
        else:
            yield record.having(words=len(analysis.tokens), score=max(analysis.figurative))


def reading(folder: Path) -> Recipe:
    """Collects, reads with the model, and looks at the whole."""
    steps = (
        Step("collect", collect, unit="texts"),
        Step("read", read, piecewise=True, with_model=True),
        Step("sum", sum_up),
    )
    return replace(toy(folder), name="reading", steps=steps)


def start(
    folder: Path, out: Path, name: str, *, address: str, log: Path
) -> subprocess.Popen[bytes]:
    """A run in a process of its own, which stops where it can be killed in its middle."""
    code = "import sys, reading_recipe; reading_recipe.go(*sys.argv[1:])"
    path = [HERE, HERE.parent, HERE.parents[1] / "src"]
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, (folder, out, name, address, log))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        stderr=subprocess.PIPE,
    )


def hold_of(out: Path) -> Hold:
    """The point at which that process stops."""
    return Hold(out / "steps" / "02-read", "[0-9]*", 4)


def go(folder: str, out: str, name: str, address: str, log: str) -> None:
    """What that process does."""
    engine.PART = PART
    load = watched(Path(log), hold_of(Path(out)))
    executors.load_pipeline = load
    recipe = reading(Path(folder))
    on_ray = lambda: RayExecutor(address=address, load=load)  # noqa: E731
    engine.run_recipe(
        recipe,
        resolve(recipe),
        data=Path(folder),
        out=Path(out),
        engine=on_ray if name == "ray" else executors.LocalExecutor,
    )
