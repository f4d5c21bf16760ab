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
from typing import IO, Any

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.recipes.records import Outcome, Record, from_lines
from trope.recipes.settings import differences

MANIFEST, STEPS, LOCK, DONE = "manifest.json", "steps", ".lock", "done.json"

ANSWERS = "answers"
"""The manifest's key for the checksums of people's answers."""

ASKED = ("recipe", "trope", "config", "inputs", "versions", "model_sha256")
"""Keys of the manifest that must be the same for a run to be resumed."""


class RunFolder:
    """The folder of one run, locked while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

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
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"{self.path}: is a file; give a folder for the run")
        before = self.manifest()
        if before is None:
            others = sorted(p.name for p in self.path.iterdir()) if self.path.is_dir() else []
            others = [name for name in others if name != LOCK and not name.startswith(".manifest")]
            if others:
                problem = f"contains {others[0]}, which trope recipe did not write"
                raise BadInput(f"{self.path}: {problem}; give a new or an empty folder")
        else:
            self._check(before, wanted, simulate, answers)
        self._take_lock()
        if before is None:
            self.write_json(MANIFEST, wanted)
        return before or wanted

    def manifest(self) -> dict[str, Any] | None:
        """The manifest of the folder, or None."""
        path = self.path / MANIFEST
        if not path.is_file():
            return None
        try:
            found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except msgspec.MsgspecError as error:
            problem = f"is not a manifest of trope recipe ({error}); give another folder"
            raise BadRecord(path, None, problem) from None
        if "recipe" not in found:
            raise BadRecord(path, None, "is not a manifest of trope recipe; give another folder")
        return found

    def close(self) -> None:
        """Release the folder; an unfinished run can be resumed."""
        if self._lock is not None:
            (self.path / LOCK).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def step(self, number: int, name: str) -> Path:
        """The folder of a step."""
        return self.path / STEPS / f"{number:02d}-{name}"

    def write_json(self, name: str, content: object) -> None:
        """Write plain data into a file of the run, with sorted keys."""
        encoded = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=1)
        with atomic_write(self.path / name, "wb") as file:
            file.write(encoded + b"\n")  # type: ignore[arg-type]

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
        found = differences(old, new)
        if found:
            remedy = "give the same again, or another folder"
            problem = f"belongs to another run ({'; '.join(found)})"
            raise BadInput(f"{self.path / MANIFEST}: {problem}; {remedy}")

    def _take_lock(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = (self.path / LOCK).open("w")
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows: nothing prevents two runs at once there
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            self._lock = None
            raise BadInput(
                f"{self.path}: another trope recipe is running there; wait for it, or stop it"
            ) from None


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
