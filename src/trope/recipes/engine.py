"""Runs a recipe from its sources to its data set; an interrupted run resumes where it was.

A step's output appears whole or not at all, and depends only on its input, the settings and the
seed: a run that was killed and resumed ends with the same bytes as one that was not.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import count, islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from trope import __version__
from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.progress import track
from trope.corpora.files import Tell, tell_nobody
from trope.recipes.answers import read_export
from trope.recipes.funnel import RunFunnel, StepCounts, read_published_counts
from trope.recipes.recipe import Context, OwnNeed, Recipe, Step, work_here
from trope.recipes.records import SUBSET, Record, to_line
from trope.recipes.run_folder import (
    ANSWERS,
    DONE,
    STEPS,
    RecipeFolder,
    kept,
    outcomes,
    write_dataset,
)
from trope.recipes.settings import to_table
from trope.recipes.sources import SourceFile, find_sources
from trope.recipes.steps import StepPart, content, read_part

if TYPE_CHECKING:
    from trope.scale.job import Executor

PART = 4_000
"""Records per file of a piecewise step; finished files survive an interruption."""

READ_PART = 500
"""The same for steps that use the model: many small parts keep all workers busy."""

_PACKAGES = ("msgspec", "numpy", "onnxruntime", "spacy")


@dataclass(frozen=True, slots=True)
class RecipeRun:
    """A finished run: its folder, funnel and manifest, and the seconds that steps took."""

    folder: Path
    funnel: RunFunnel
    manifest: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)


def run_recipe(
    recipe: Recipe,
    settings: Any,
    *,
    data: Path | None,
    out: Path,
    simulate: bool = False,
    answers: Path | None = None,
    quiet: bool = False,
    engine: Callable[[], Executor] = work_here,
    tell: Tell = tell_nobody,
) -> RecipeRun:
    """Run all steps that are not done yet, and write the data set.

    Args:
        data: the folder of the corpora; None if all sources are the user's own.
        out: the folder of the run.
        simulate: continue after the annotation project with a simulated crowd.
        answers: continue with people's answers, a file or folder of the project's export.
        engine: makes the executor that has the model; not called if no step uses the model. The
            result does not depend on it, so a run may be resumed with another engine.
        tell: is told how the user's own files are read, which are left out, and what steps chose.

    Raises:
        MissingData: sources are missing.
        BadInput: the folder belongs to another run or another crowd, or the answers to another
            project.
    """
    export = read_export(answers) if answers is not None else None
    if engine is work_here:
        engine = partial(work_here, recipe.systems(settings))
    context = Context(data or Path(), settings, quiet, engine, folder=out, tell=tell)
    inputs = find_sources(recipe.needs(settings), data, tell)
    folder = RecipeFolder(out)
    if not folder.has_manifest:
        recipe.check(settings)
    given = export.sums if export is not None else {}
    try:
        before = folder.open(_manifest(recipe, context, inputs), simulate=simulate, answers=given)
        steps, seconds = _run_steps(recipe, folder, context, judged=ANSWERS in before)
        funnel = RunFunnel(recipe.name, steps, read_published_counts(recipe.folder))
        began = perf_counter()
        crowd = simulate or bool(before.get("simulated"))
        manifest = {**before, "finished": True, "simulated": crowd}
        manifest, funnel = write_dataset(
            recipe, folder, funnel, context, export=export, manifest=manifest
        )
        seconds["data set"] = perf_counter() - began
    finally:
        folder.close()
    return RecipeRun(out, funnel, manifest, seconds)


def _run_steps(
    recipe: Recipe, folder: RecipeFolder, context: Context, *, judged: bool
) -> tuple[tuple[StepCounts, ...], dict[str, float]]:
    counts: list[StepCounts] = []
    seconds: dict[str, float] = {}
    source = folder.path / STEPS / "none"  # the first step reads sources, not a step
    anew = False
    for number, step in enumerate(recipe.steps, start=1):
        where = folder.step(number, step.name)
        edited = folder.path / step.edited if step.edited else None
        found = None if anew else _done(where, edited)
        if found is None and judged and edited is not None:
            problem = "was changed after people judged; restore it, or begin another run"
            raise BadInput(f"{edited}: {problem}")
        if anew or (found is None and (where / DONE).exists()):
            # made from an input that no longer exists, or altered since
            shutil.rmtree(where, ignore_errors=True)
        if found is None:
            began = perf_counter()
            found = _run_step(step, source, where, counts[-1] if counts else None, context)
            seconds[step.name] = perf_counter() - began
            anew = True
        counts.append(found)
        source = where
    return tuple(counts), seconds


def _run_step(
    step: Step, source: Path, where: Path, before: StepCounts | None, context: Context
) -> StepCounts:
    where.mkdir(parents=True, exist_ok=True)
    _sweep(where)
    context.facts = {}
    taken = _Counted(
        track(kept(source), step.name, before.kept if before else None, quiet=context.quiet)
    )
    if step.piecewise:
        _write_parts(
            step,
            _missing_parts(taken, where, min(PART, READ_PART) if step.with_model else PART),
            context,
        )
        context.facts = {}  # unknown for parts of an earlier attempt
    else:
        _write_whole(where / "0000.jsonl", step, taken, context)
    edited = context.folder / step.edited if step.edited else None
    found = _counts(step, where, taken.number if before else None, context.facts, edited)
    with atomic_write(where / DONE, "wb") as file:
        file.write(msgspec.json.encode(found, order="sorted") + b"\n")
    return found


def _write_parts(step: Step, parts: Iterator[StepPart], context: Context) -> None:
    """Write the files of parts as they get ready."""
    if step.with_model:
        made = context.executor.run(partial(read_part, step.apply, context.settings), parts)
    else:
        made = ((part, content(step.apply, part, context)) for part in parts)
    for part, lines in made:
        with atomic_write(part.path, "wb") as file:
            file.write(lines)


def _write_whole(path: Path, step: Step, records: Iterator[Record], context: Context) -> None:
    with atomic_write(path, "wb") as file:
        for outcome in step.apply(records, context):
            file.write(to_line(outcome))


def _counts(
    step: Step, where: Path, taken: int | None, facts: dict[str, Any], edited: Path | None
) -> StepCounts:
    reasons: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    number = 0
    for outcome in outcomes(where):
        if isinstance(outcome, Record):
            number += 1
            groups[str(outcome.fields.get(SUBSET, ""))] += 1
        else:
            reasons[outcome.reason] += 1
    groups.pop("", None)
    return StepCounts(
        step.name,
        number + reasons.total() if taken is None else taken,
        number,
        step.unit,
        dict(reasons.most_common()),
        dict(sorted(groups.items())),
        facts,
        _digest(where, edited),
    )


def _done(where: Path, edited: Path | None) -> StepCounts | None:
    """The counts of a finished step; None if it is not finished or was altered since."""
    try:
        found = msgspec.json.decode((where / DONE).read_bytes(), type=StepCounts)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if found.sha256 == _digest(where, edited) else None


def _digest(where: Path, edited: Path | None) -> str:
    """The checksum of all parts, in order, and of the file that people may edit."""
    digest = hashlib.sha256()
    parts = sorted(where.glob("[0-9]*.jsonl"))
    for part in [*parts, *([edited] if edited is not None and edited.is_file() else [])]:
        with part.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()


def _sweep(where: Path) -> None:
    """Remove unfinished files of a killed process."""
    for path in where.glob(".*"):
        path.unlink()


def _missing_parts(records: Iterator[Record], where: Path, size: int) -> Iterator[StepPart]:
    """Parts of so many records whose files do not exist yet."""
    for number in count():
        some = tuple(islice(records, size))
        if not some:
            return
        path = where / f"{number:04d}.jsonl"
        if not path.is_file():
            yield StepPart(path, some)


class _Counted:
    """The same records, counted as they pass."""

    def __init__(self, records: Iterator[Record]) -> None:
        self._records = records
        self.number = 0

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        record = next(self._records)
        self.number += 1
        return record


def _manifest(recipe: Recipe, context: Context, inputs: tuple[SourceFile, ...]) -> dict[str, Any]:
    model = context.executor.model.sha256 if recipe.uses_model else ""
    asked = msgspec.json.encode(
        {
            "recipe": recipe.name,
            "trope": __version__,
            "seed": context.seed,
            "config": to_table(context.settings),
            "inputs": inputs,
            "versions": _versions(),
            "model_sha256": model,
            "finished": False,
            "simulated": False,
            **recipe.card.manifest(own_texts=_has_own_texts(recipe, context)),
        }
    )
    return msgspec.json.decode(asked, type=dict[str, Any])  # as it is read from the file


def _has_own_texts(recipe: Recipe, context: Context) -> bool:
    """Whether all texts are from files of the user's own."""
    needs = [need for need in recipe.needs(context.settings) if need.texts]
    return bool(needs) and all(isinstance(need, OwnNeed) for need in needs)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found
