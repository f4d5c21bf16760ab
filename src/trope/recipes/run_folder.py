"""The folder of a run: settings, results of each step, annotation project, data set.

    RUN/manifest.json            settings, seed, versions, checksums of inputs and outputs
    RUN/steps/03-name/0000.jsonl every record of a step: kept with its fields, or with a reason
    RUN/steps/03-name/done.json  its counts; written last
    RUN/…                        the data set

A finished folder does not depend on when, how fast or in how many attempts it was made, except
for the secret of its annotation project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from trope.annotate.project import CONFIG, SECRET, make_secret
from trope.core.errors import BadInput, MissingData
from trope.core.files import atomic_write, sha256
from trope.core.judgments import Judgment
from trope.core.run_folder import MANIFEST, RunFolder
from trope.recipes.answers import DEMO, ProjectAnswers, ProjectExport, check_export
from trope.recipes.funnel import RunFunnel, StepCounts
from trope.recipes.recipe import Context, JudgedDataset, Recipe
from trope.recipes.records import SUBSET, Drop, ItemLabel, Outcome, Record, from_lines, to_line
from trope.recipes.settings import differences

STEPS, DONE = "steps", "done.json"

ANSWERS = "answers"
"""The manifest's key for the checksums of people's answers."""

ASKED = ("recipe", "trope", "config", "inputs", "versions", "model_sha256")
"""Keys of the manifest that must be the same for a run to be resumed."""

ITEMS, DROPPED, FUNNEL = "items.jsonl", "dropped.jsonl", "funnel.json"
JUDGMENTS, LABELS, AGREEMENT = "judgments.jsonl", "labels.jsonl", "agreement.json"
TABLES, PROJECT = "statistics.json", "project"
SIMULATED = "The crowd is simulated: no figure here says anything about people or about the texts."
OWN = "The judgments are those of people in the annotation service; no crowd is simulated."
JUDGED = "judged"
"""The step of the funnel in which people judge."""


class RecipeFolder(RunFolder[dict[str, Any]]):
    """The folder of one run of a recipe, locked while it is open."""

    command = "trope recipe"
    holds = "run"
    manifest_type: ClassVar[object] = dict[str, Any]
    key_order = "sorted"

    def open(
        self, wanted: dict[str, Any], *, simulate: bool = False, answers: Mapping[str, str]
    ) -> dict[str, Any]:
        """Open and lock the folder; returns its manifest, or the wanted one for a new run.

        Args:
            simulate: whether a simulated crowd judges.
            answers: the checksums of the files with people's answers.

        Raises:
            BadInput: the folder belongs to another run or crowd (the message has the differences),
                or was not made by trope recipe.
        """
        self.check_usable()
        self.lock()
        if self.has_manifest:
            before = self.manifest()
            self._check(before, wanted, simulate, answers)
            return before
        self.write_manifest(wanted)
        return wanted

    def manifest(self) -> dict[str, Any]:
        """The manifest of the folder.

        Raises:
            MissingData: for a folder without one.
        """
        if not self.has_manifest:
            remedy = "give the folder of a run of `trope recipe run`"
            raise MissingData(self.path / MANIFEST, remedy)
        found = super().manifest()
        if "recipe" not in found:
            raise self.not_a_manifest()
        return found

    def step(self, number: int, name: str) -> Path:
        """The folder of a step."""
        return self.path / STEPS / f"{number:02d}-{name}"

    def _check(
        self,
        before: dict[str, Any],
        wanted: dict[str, Any],
        simulate: bool,
        answers: Mapping[str, str],
    ) -> None:
        old, new = ({key: side.get(key) for key in ASKED} for side in (before, wanted))
        files, now = _by_path(old["inputs"]), _by_path(new["inputs"])
        old["inputs"], new["inputs"] = files, now
        for path, checksum in files.items():
            if now.get(path, checksum) != checksum:
                problem = f"has changed since the run in {self.path} began"
                raise BadInput(f"{path}: {problem}; restore the file, or give another folder")
        if before["simulated"] or before.get(ANSWERS):
            # the crowd stays the same: a simulated one is never mistaken for people
            again = simulate or (before["simulated"] and not answers)
            old |= {"simulated": before["simulated"], ANSWERS: before.get(ANSWERS, {})}
            new |= {"simulated": again, ANSWERS: answers}
        self.check_same(differences(old, new))


def outcomes(step: Path) -> Iterator[Outcome]:
    """Every record and drop of a step, in order."""
    for part in sorted(step.glob("[0-9]*.jsonl")):
        with part.open("rb") as lines:
            yield from from_lines(lines)


def kept(step: Path) -> Iterator[Record]:
    """The records that a step kept, in order."""
    return (found for found in outcomes(step) if isinstance(found, Record))


def _by_path(inputs: Any) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in inputs}


def write_dataset(
    recipe: Recipe,
    folder: RecipeFolder,
    funnel: RunFunnel,
    context: Context,
    *,
    export: ProjectExport | None,
    manifest: dict[str, Any],
) -> tuple[dict[str, Any], RunFunnel]:
    """Write the data set; returns the manifest of the finished run and its funnel.

    The manifest is written last. It says whether the crowd is simulated; the export has the
    answers of people.
    """
    steps = [folder.step(number, step.name) for number, step in enumerate(recipe.steps, start=1)]
    items = list(kept(steps[-1]))
    _write_lines(folder.path / ITEMS, items)
    _write_project(recipe, items, folder.path / PROJECT, context, keep_plan=export is not None)
    finished, unlabelled = None, []
    if export is not None:
        answers = check_export(export, folder.path / PROJECT)
        finished = recipe.finish(items, answers, context)
        demo = {item.id for item in items if item.fields.get(SUBSET) == DEMO}
        unlabelled = [
            _unlabelled(label, demo)
            for label in finished.labels
            if label.label is None or label.item in demo
        ]
        step = _judged_step(items, finished, answers, unlabelled)
        funnel = msgspec.structs.replace(funnel, steps=(*funnel.steps, step))
        manifest = {**manifest, ANSWERS: dict(export.sums)}
    elif manifest["simulated"]:
        finished = recipe.simulate(items, context)
    if finished is not None:
        folder.write_manifest({**manifest, "finished": False})  # in case it is killed on the way
        _write_finished(finished, folder, simulated=manifest["simulated"])
    _write_lines(folder.path / DROPPED, chain(chain.from_iterable(map(_drops, steps)), unlabelled))
    folder.write_json(FUNNEL, funnel)
    done = {**manifest, "outputs": list(_outputs(folder.path))}
    folder.write_manifest(done)
    return done, funnel


def _judged_step(
    items: list[Record],
    finished: JudgedDataset,
    answers: ProjectAnswers,
    unlabelled: list[dict[str, str]],
) -> StepCounts:
    """Judging as a step of the funnel: items in, items of the data set out, which have a label."""
    subset = {item.id: str(item.fields.get(SUBSET, "")) for item in items}
    without = {row["id"] for row in unlabelled}
    labelled = [label.item for label in finished.labels if label.item not in without]
    reasons = Counter(row["reason"] for row in unlabelled)
    groups = Counter(subset[item] for item in labelled if subset[item])
    facts: dict[str, Any] = {
        "judgments": len(answers.counted),
        "annotators": len({row.annotator for row in answers.counted}),
        **({"decisions": len(answers.decisions)} if answers.decisions else {}),
        **({"not counted": dict(sorted(answers.left_out.items()))} if answers.left_out else {}),
    }
    return StepCounts(
        JUDGED,
        len(items),
        len(labelled),
        "items with a label",
        dict(reasons.most_common()),
        dict(sorted(groups.items())),
        facts,
    )


def _unlabelled(label: ItemLabel, demo: set[str]) -> dict[str, str]:
    """An item that is no part of the data set, as a row of dropped.jsonl, with a reason that can
    be counted."""
    reason = "demo task" if label.item in demo else label.reason.partition(":")[0] or "no label"
    return {"step": JUDGED, "id": label.item, "reason": reason.replace(" ", "-")}


def _write_project(
    recipe: Recipe, items: list[Record], where: Path, context: Context, *, keep_plan: bool
) -> None:
    """Write the project; once people have answered, its plan stays as the owner edited it."""
    parts = recipe.project(items, context)
    _write_lines(where / "items.jsonl", parts.items)
    if parts.demo:
        _write_lines(where / "demo.jsonl", parts.demo)
    for name, content in parts.others.items():
        _write_text(where / name, content)
    if not (where / SECRET).exists():
        make_secret(where)
    if not (keep_plan and (where / CONFIG).exists()):
        _write_text(where / CONFIG, parts.plan)


def _write_finished(finished: JudgedDataset, folder: RecipeFolder, *, simulated: bool) -> None:
    note = SIMULATED if simulated else OWN
    judgments = (_judgment(judgment, simulated) for judgment in finished.judgments)
    _write_lines(folder.path / JUDGMENTS, judgments)
    _write_lines(folder.path / LABELS, map(_label, finished.labels))
    for name, rows in finished.others.items():
        _write_lines(folder.path / name, rows)
    folder.write_json(AGREEMENT, {"note": note, **finished.agreement})
    folder.write_json(TABLES, {"note": note, **finished.tables})


def _judgment(judgment: Judgment, simulated: bool) -> dict[str, Any]:
    return {**msgspec.to_builtins(judgment), "simulated": simulated}


def _label(label: ItemLabel) -> dict[str, Any]:
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
    """All files of the data set with their checksums; those of steps are in the funnel."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        hidden = path.name.startswith(".") or path.name in (SECRET, MANIFEST)
        database = path.name.startswith("project.db")
        if path.is_file() and not hidden and not database and not name.startswith(f"{STEPS}/"):
            yield {"path": name, "bytes": path.stat().st_size, "sha256": sha256(path)}


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    with atomic_write(path, "wb") as file:
        for row in rows:
            file.write(to_line(row))


def _write_text(path: Path, content: str) -> None:
    with atomic_write(path) as file:
        file.write(content)
