"""A recipe over numbers, without data or model; `DIE_AT` makes a process kill itself on the way."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from trope.core.judgments import Judgment
from trope.recipes import engine
from trope.recipes.answers import ProjectAnswers
from trope.recipes.recipe import Card, Context, JudgedDataset, ProjectParts, Recipe, Step
from trope.recipes.records import SUBSET, Drop, ItemLabel, Outcome, Record
from trope.recipes.settings import resolve
from trope.recipes.steps import draw

CONFIG = "seed = 1\nwords = ['a', 'b']\nnumbers = 95\nsample = 20\n\n[inner]\nshare = 0.5\n"
PUBLISHED = """paper = "toy"
counts = [{ step = "even", group = "low", printed = "about 7", section = "2" }]
"""
PLAN = """title = "Toy"
guidelines = "Say."
[[questions]]
id = "q"
kind = "choice"
text = "?"
options = [{ value = "yes" }, { value = "no" }]
"""


@dataclass(frozen=True, slots=True)
class Inner:
    share: Annotated[float, msgspec.Meta(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class Settings:
    seed: int
    words: tuple[str, ...]
    numbers: Annotated[int, msgspec.Meta(ge=1)]
    sample: int
    inner: Inner


def count(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    for number in range(context.settings.numbers):
        subset = "low" if number < 10 else "high"
        yield Record(f"n{number}", f"number {number} ünd", {SUBSET: subset, "value": number})


def even(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    for record in records:
        if os.environ.get("DIE_AT") == record.id:
            os.kill(os.getpid(), signal.SIGKILL)
        odd = record.fields["value"] % 2
        yield Drop(record.id, "odd") if odd else record.having(half=record.fields["value"] / 2)


def sum_up(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    every = list(records)
    if os.environ.get("DIE_AT") == "sum":
        os.kill(os.getpid(), signal.SIGKILL)
    context.facts["sum"] = sum(record.fields["value"] for record in every)
    yield from every


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    if os.environ.get("DIE_AT") == "crowd":
        os.kill(os.getpid(), signal.SIGKILL)
    return JudgedDataset(
        tuple(Judgment(item.id, "a01", "yes", "q") for item in items),
        tuple(ItemLabel(item.id, "yes", 1.0, 1, 1.0) for item in items),
        {"measure": "none"},
        {},
    )


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    if os.environ.get("DIE_AT") == "people":
        os.kill(os.getpid(), signal.SIGKILL)
    people = answers.complete(dict.fromkeys((item.id for item in items), 1))
    judgments = people.judgments(("q",))
    said = {judgment.item: judgment.label for judgment in judgments}
    labels = people.settle(ItemLabel(item.id, said.get(item.id), votes=1) for item in items)
    return JudgedDataset(tuple(judgments), labels, {"measure": "none"}, {})


def toy(folder: Path) -> Recipe:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(CONFIG)
    (folder / "published.toml").write_text(PUBLISHED)
    return Recipe(
        name="toy",
        card=Card("Toy", "own", "CC0-1.0", "Nobody", ("yes", "no"), "q", "value"),
        folder=folder,
        settings=Settings,
        needs=lambda settings: [],
        steps=(
            Step("count", count, unit="numbers"),
            Step("even", even, piecewise=True),
            Step("sum", sum_up),
            Step("sample", draw(lambda context: int(context.settings.sample), "sample")),
        ),
        project=lambda items, context: ProjectParts(
            PLAN, tuple({"id": item.id, "text": item.text} for item in items)
        ),
        simulate=simulate,
        finish=finish,
    )


if __name__ == "__main__":
    engine.PART = 10
    recipe = toy(Path(sys.argv[1]))
    given = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    engine.run_recipe(
        recipe,
        resolve(recipe),
        data=Path(sys.argv[1]),
        out=Path(sys.argv[2]),
        simulate=given is None,
        answers=given,
    )
