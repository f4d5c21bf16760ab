"""The folder of a run: shards, a manifest that says what made them, a journal while it runs.

    OUT/manifest.json      settings, inputs, shards, totals, checksums; `state` is running or done
    OUT/part-00000.jsonl   the output, a file a shard
    OUT/errors.jsonl       refused rows, if there are any
    OUT/.run/              journal and lock of a run that is not done

Nothing in the finished folder depends on when, how fast or in how many attempts it was made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write, sha256
from trope.scale.job import Receipt, Settings

MANIFEST, ERRORS, WORK = "manifest.json", "errors.jsonl", ".run"


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that was read."""

    path: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a folder holds and how it came to be."""

    command: str
    state: str
    settings: Settings
    inputs: tuple[Input, ...]
    shards: tuple[Receipt, ...] = ()
    totals: dict[str, int] = {}


class RunFolder:
    """The folder of one run, locked while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None
        self._journal: IO[bytes] | None = None

    def open(self, wanted: Manifest, *, resume: bool) -> list[Receipt] | None:
        """Make the folder ready: receipts of the shards that are there, None if all is done.

        Raises:
            BadInput: the folder belongs to another run, or to nobody that we know.
        """
        before = self._before(wanted, resume)
        (self.path / WORK).mkdir(parents=True, exist_ok=True)
        self._take_lock()
        self._sweep()
        there = [r for r in self._receipts(before) if self._intact(r)]
        if before is not None and before.state == "done":
            if len(there) == len(before.shards):
                self.close()
                shutil.rmtree(self.path / WORK)
                return None
        else:
            self._write_manifest(wanted)
        self._journal = (self.path / WORK / "journal.jsonl").open("wb")
        for receipt in there:
            self.note(receipt)
        return there

    def note(self, receipt: Receipt) -> None:
        """Remember that a shard is done, on the disk."""
        assert self._journal is not None
        self._journal.write(msgspec.json.encode(receipt) + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())

    @property
    def unfinished_errors(self) -> Path:
        """Where refused rows are written while a run lasts."""
        return self.path / WORK / ERRORS

    def finish(
        self, wanted: Manifest, receipts: Iterable[Receipt], totals: Mapping[str, int]
    ) -> None:
        """Turn the folder into a finished one; the manifest is last."""
        shards = tuple(sorted(receipts, key=lambda receipt: receipt.number))
        if totals["refused"]:
            self.unfinished_errors.replace(self.path / ERRORS)
        else:
            (self.path / ERRORS).unlink(missing_ok=True)
        done = msgspec.structs.replace(wanted, state="done", shards=shards, totals=dict(totals))
        self._write_manifest(done)
        self.close()
        shutil.rmtree(self.path / WORK)

    def close(self) -> None:
        """Let go of the folder; a run that is not finished can be taken up again."""
        for file in (self._journal, self._lock):
            if file is not None:
                file.close()
        self._journal = self._lock = None

    def manifest(self) -> Manifest:
        """The manifest of the folder."""
        path = self.path / MANIFEST
        try:
            return msgspec.json.decode(path.read_bytes(), type=Manifest)
        except msgspec.MsgspecError as error:
            problem = f"is no manifest of trope detect ({error}); give another folder"
            raise BadRecord(path, None, problem) from None

    def _before(self, wanted: Manifest, resume: bool) -> Manifest | None:
        """The manifest that is there, if the folder may be used at all."""
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"{self.path}: is a file; give a folder for the output")
        if not (self.path / MANIFEST).is_file():
            others = [p.name for p in self._entries() if p.name != WORK]
            if [name for name in others if not name.startswith(f".{MANIFEST}.")]:
                problem = f"holds {sorted(others)[0]}, which is not of trope detect"
                raise BadInput(f"{self.path}: {problem}; give a new or an empty folder")
            return None
        before = self.manifest()
        if not resume:
            state = "a finished run" if before.state == "done" else "a run that was not finished"
            remedy = "go on with it by --resume, or give another folder"
            raise BadInput(f"{self.path / MANIFEST}: belongs to {state}; {remedy}")
        differences = _differences(before, wanted)
        if differences:
            remedy = "give the same again, or another folder"
            problem = f"belongs to another run ({'; '.join(differences)})"
            raise BadInput(f"{self.path / MANIFEST}: {problem}; {remedy}")
        return before

    def _entries(self) -> list[Path]:
        return list(self.path.iterdir()) if self.path.is_dir() else []

    def _receipts(self, before: Manifest | None) -> list[Receipt]:
        """What the manifest or the journal says is done; a line that was cut off says nothing."""
        journal = self.path / WORK / "journal.jsonl"
        found = {receipt.number: receipt for receipt in (before.shards if before else ())}
        for line in journal.read_bytes().splitlines() if journal.is_file() else ():
            try:
                receipt = msgspec.json.decode(line, type=Receipt)
            except msgspec.MsgspecError:
                continue
            found[receipt.number] = receipt
        return list(found.values()) if before is not None else []

    def _intact(self, receipt: Receipt) -> bool:
        path = self.path / receipt.name
        return path.is_file() and sha256(path) == receipt.sha256

    def _sweep(self) -> None:
        """Remove what a killed process was still writing."""
        for entry in self._entries():
            if entry.name.startswith((".part-", f".{MANIFEST}.", f".{ERRORS}.")):
                entry.unlink()

    def _write_manifest(self, manifest: Manifest) -> None:
        with atomic_write(self.path / MANIFEST) as file:
            encoded = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
            file.write(encoded.decode() + "\n")

    def _take_lock(self) -> None:
        self._lock = (self.path / WORK / "lock").open("w")
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows: two runs at once are on their own there
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(
                f"{self.path}: another trope detect is at work there; wait for it, or stop it"
            ) from None


def _differences(before: Manifest, wanted: Manifest) -> list[str]:
    """What the two runs do not share, in words."""
    old, new = (msgspec.to_builtins(manifest.settings) for manifest in (before, wanted))
    found = [f"{key} was {old[key]!r}, is {new[key]!r}" for key in new if old[key] != new[key]]
    if before.inputs != wanted.inputs:
        found.append(_input_difference(before.inputs, wanted.inputs))
    return found


def _input_difference(before: tuple[Input, ...], wanted: tuple[Input, ...]) -> str:
    old = {file.path: file for file in before}
    for file in wanted:
        if file.path not in old:
            return f"{file.path} was not read then"
        if old[file.path] != file:
            return f"{file.path} has changed since"
    new: dict[str, Any] = {file.path: file for file in wanted}
    missing = next((path for path in old if path not in new), None)
    return f"{missing} is missing" if missing else "the files came in another order"
