"""The folder of a run: what was asked, what each step gave, what came of it.

    RUN/manifest.json            settings, seed, versions, checksums of inputs and outputs
    RUN/steps/03-name/0000.jsonl every record of a step: kept with its fields, or with a reason
    RUN/steps/03-name/done.json  its counts; written last
    RUN/…                        the data set

Nothing in a finished folder depends on when, how fast or in how many attempts it was made, but
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
"""Where the manifest of a run that people have judged has the checksums of their answers."""

ASKED = ("recipe", "trope", "config", "inputs", "versions", "model_sha256")
"""What must be the same for a run to be taken up again."""


class RunFolder:
    """The folder of one run, locked while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None

    def open(
        self, wanted: dict[str, Any], *, simulate: bool = False, answers: Mapping[str, str]
    ) -> dict[str, Any]:
        """Make the folder ready; the manifest that is there, or the wanted one.

        Args:
            simulate: whether a simulated crowd is to judge.
            answers: the checksums of the files that say what people answered.

        Raises:
            BadInput: for a folder of another run or crowd, with the differences, or of nobody that
                we know.
        """
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"{self.path}: is a file; give a folder for the run")
        before = self.manifest()
        if before is None:
            others = sorted(p.name for p in self.path.iterdir()) if self.path.is_dir() else []
            others = [name for name in others if name != LOCK and not name.startswith(".manifest")]
            if others:
                problem = f"holds {others[0]}, which is not of trope recipe"
                raise BadInput(f"{self.path}: {problem}; give a new or an empty folder")
        else:
            self._check(before, wanted, simulate, answers)
        self._take_lock()
        if before is None:
            self.write_json(MANIFEST, wanted)
        return before or wanted

    def manifest(self) -> dict[str, Any] | None:
        """The manifest of the folder, None where there is none."""
        path = self.path / MANIFEST
        if not path.is_file():
            return None
        try:
            found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        except msgspec.MsgspecError as error:
            problem = f"is no manifest of trope recipe ({error}); give another folder"
            raise BadRecord(path, None, problem) from None
        if "recipe" not in found:
            raise BadRecord(path, None, "is no manifest of trope recipe; give another folder")
        return found

    def close(self) -> None:
        """Let go of the folder; a run that is not finished can be taken up again."""
        if self._lock is not None:
            (self.path / LOCK).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def step(self, number: int, name: str) -> Path:
        """The folder of a step."""
        return self.path / STEPS / f"{number:02d}-{name}"

    def write_json(self, name: str, content: object) -> None:
        """Write plain data into a file of the run, with its keys in order."""
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
            # who has judged once stays: a simulated crowd is never taken for people
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
        except ModuleNotFoundError:  # Windows: two runs at once are on their own there
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            self._lock = None
            raise BadInput(
                f"{self.path}: another trope recipe is at work there; wait for it, or stop it"
            ) from None


def outcomes(step: Path) -> Iterator[Outcome]:
    """Every record that a step has dealt with, in order."""
    for part in sorted(step.glob("[0-9]*.jsonl")):
        with part.open("rb") as lines:
            yield from from_lines(lines)


def kept(step: Path) -> Iterator[Record]:
    """The records that a step has kept, in order."""
    return (found for found in outcomes(step) if isinstance(found, Record))


def _by_path(inputs: Any) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in inputs}
