"""The folder of a run: settings, results of each step, data set.

    RUN/manifest.json            settings, seed, versions, checksums of inputs and outputs
    RUN/steps/03-name/0000.jsonl every record of a step: kept with its fields, or with a reason
    RUN/steps/03-name/done.json  its counts; written last
    RUN/…                        the data set

A finished folder does not depend on when, how fast or in how many attempts it was made, except
for the secret of its annotation project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from trope.core.run_folder import RunFolder
from trope.recipes.records import Outcome, Record, from_lines
from trope.recipes.settings import differences

STEPS, DONE = "steps", "done.json"

ANSWERS = "answers"
"""The manifest's key for the checksums of people's answers."""

ASKED = ("recipe", "trope", "config", "inputs", "versions", "model_sha256")
"""Keys of the manifest that must be the same for a run to be resumed."""


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
        """The manifest of the folder."""
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
        old["inputs"], new["inputs"] = _by_path(old["inputs"]), _by_path(new["inputs"])
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
