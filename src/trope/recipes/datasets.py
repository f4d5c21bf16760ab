"""The files that a run leaves: items, an annotation project and, after a crowd, a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from trope.annotate.project import SECRET, make_secret
from trope.core.files import atomic_write, sha256
from trope.core.judgments import Judgment
from trope.recipes.funnel import Funnel
from trope.recipes.recipe import Context, Finished, Label, Recipe
from trope.recipes.records import Drop, Record, to_line
from trope.recipes.run_folder import MANIFEST, STEPS, RunFolder, kept, outcomes

ITEMS, DROPPED, FUNNEL = "items.jsonl", "dropped.jsonl", "funnel.json"
JUDGMENTS, LABELS, AGREEMENT = "judgments.jsonl", "labels.jsonl", "agreement.json"
TABLES, PROJECT = "statistics.json", "project"

SIMULATED = "The crowd is simulated: no figure here says anything about people or about the texts."


def write_dataset(
    recipe: Recipe,
    folder: RunFolder,
    funnel: Funnel,
    context: Context,
    *,
    simulate: bool,
    manifest: dict[str, Any],
) -> dict[str, Any]:
    """The manifest of the finished run, which is written last."""
    steps = [folder.step(number, step.name) for number, step in enumerate(recipe.steps, start=1)]
    items = list(kept(steps[-1]))
    _write_lines(folder.path / ITEMS, items)
    _write_lines(folder.path / DROPPED, chain.from_iterable(map(_drops, steps)))
    folder.write_json(FUNNEL, funnel)
    _write_project(recipe, items, folder.path / PROJECT, context)
    if simulate:
        _write_finished(recipe.simulate(items, context), folder)
    done = {**manifest, "simulated": simulate, "outputs": list(_outputs(folder.path))}
    folder.write_json(MANIFEST, done)
    return done


def _write_project(recipe: Recipe, items: list[Record], where: Path, context: Context) -> None:
    parts = recipe.project(items, context)
    _write_lines(where / "items.jsonl", parts.items)
    if parts.demo:
        _write_lines(where / "demo.jsonl", parts.demo)
    for name, content in parts.others.items():
        _write_text(where / name, content)
    if not (where / SECRET).exists():
        make_secret(where)
    _write_text(where / "project.toml", parts.plan)


def _write_finished(finished: Finished, folder: RunFolder) -> None:
    _write_lines(folder.path / JUDGMENTS, map(_judgment, finished.judgments))
    _write_lines(folder.path / LABELS, map(_label, finished.labels))
    for name, rows in finished.others.items():
        _write_lines(folder.path / name, rows)
    folder.write_json(AGREEMENT, {"note": SIMULATED, **finished.agreement})
    folder.write_json(TABLES, {"note": SIMULATED, **finished.tables})


def _judgment(judgment: Judgment) -> dict[str, Any]:
    return {**msgspec.to_builtins(judgment), "simulated": True}


def _label(label: Label) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(label)
    if not label.reason:
        del found["reason"]
    return found


def _drops(step: Path) -> Iterator[dict[str, str]]:
    name = step.name.partition("-")[2]
    for outcome in outcomes(step):
        if isinstance(outcome, Drop):
            yield {"step": name, "id": outcome.id, "reason": outcome.reason}


def _outputs(folder: Path) -> Iterator[dict[str, Any]]:
    """All files of the data set with their checksums; steps have theirs in the funnel."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        hidden = path.name.startswith(".") or path.name in (SECRET, MANIFEST)
        database = path.name.startswith("project.db")
        if path.is_file() and not hidden and not database and not name.startswith(f"{STEPS}/"):
            yield {"path": name, "bytes": path.stat().st_size, "sha256": sha256(path)}


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    with atomic_write(path, "wb") as file:
        for row in rows:
            file.write(to_line(row))  # type: ignore[arg-type]


def _write_text(path: Path, content: str) -> None:
    with atomic_write(path) as file:
        file.write(content)
