"""The folder of a run: shards, a manifest that says what made them, a journal while it runs.

    OUT/manifest.json      settings, inputs, shards, totals, checksums; `state` is running or done
    OUT/part-00000.jsonl   the output, one file per shard
    OUT/errors.jsonl       refused rows, if there are any
    OUT/.run/              journal of a run that is not done

Nothing in the finished folder depends on when, how fast or in how many attempts it was made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, ClassVar

import msgspec

from trope.core.errors import BadInput
from trope.core.files import replace_durably, sha256, sync_folder
from trope.core.run_folder import LOCK, MANIFEST, RunFolder
from trope.scale.job import DetectSettings, Receipt

ERRORS, _WORK = "errors.jsonl", ".run"


class InputChecksum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that was read."""

    path: str
    bytes: int
    sha256: str


class DetectManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a folder holds and how it came to be."""

    command: str
    state: str
    settings: DetectSettings
    inputs: tuple[InputChecksum, ...]
    shards: tuple[Receipt, ...] = ()
    totals: dict[str, int] = {}


class DetectFolder(RunFolder[DetectManifest]):
    """The folder of one run of trope detect, locked while it is open."""

    command = "trope detect"
    holds = "output"
    manifest_type: ClassVar[object] = DetectManifest
    own_files = frozenset({LOCK, _WORK})

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._journal: IO[bytes] | None = None

    def open(self, wanted: DetectManifest, *, resume: bool) -> list[Receipt] | None:
        """Make the folder ready: receipts of the shards that are there, None if all is done.

        Raises:
            BadInput: the folder belongs to another run, or to something else.
        """
        self.check_usable()
        self.lock()
        before = self._before(wanted, resume) if self.has_manifest else None
        self._sweep()
        there = [r for r in self._receipts(before) if self._intact(r)]
        if before is not None and before.state == "done":
            if len(there) == len(before.shards):
                self._forget_work()
                self.close()
                return None
        else:
            self.write_manifest(wanted)
        self._begin_journal(there)
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
        return self.path / _WORK / ERRORS

    def finish(
        self, wanted: DetectManifest, receipts: Iterable[Receipt], totals: Mapping[str, int]
    ) -> None:
        """Turn the folder into a finished one; the manifest is last."""
        shards = tuple(sorted(receipts, key=lambda receipt: receipt.number))
        if totals["refused"]:
            replace_durably(self.unfinished_errors, self.path / ERRORS)
        else:
            (self.path / ERRORS).unlink(missing_ok=True)
        done = msgspec.structs.replace(wanted, state="done", shards=shards, totals=dict(totals))
        self.write_manifest(done)
        self._forget_work()
        self.close()

    def close(self) -> None:
        """Let go of the folder; a run that is not finished can be resumed."""
        self._close_journal()
        super().close()

    def _before(self, wanted: DetectManifest, resume: bool) -> DetectManifest:
        """The manifest that is there, if it is of the wanted run."""
        before = self.manifest()
        if not resume:
            done = before.state == "done"
            state = "a finished run" if done else "a run that was not finished"
            remedy = f"{'check' if done else 'resume'} it with --resume, or give another folder"
            raise BadInput(f"{self.path / MANIFEST}: belongs to {state}; {remedy}")
        self.check_same(_differences(before, wanted))
        return before

    def _begin_journal(self, there: Iterable[Receipt]) -> None:
        (self.path / _WORK).mkdir(exist_ok=True)
        self._journal = (self.path / _WORK / "journal.jsonl").open("wb")
        sync_folder(self.path / _WORK)
        sync_folder(self.path)
        for receipt in there:
            self.note(receipt)

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _forget_work(self) -> None:
        self._close_journal()
        shutil.rmtree(self.path / _WORK, ignore_errors=True)

    def _receipts(self, before: DetectManifest | None) -> list[Receipt]:
        """What the manifest or the journal says is done; a line that was cut off says nothing."""
        journal = self.path / _WORK / "journal.jsonl"
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
        for entry in self.path.iterdir():
            if entry.name.startswith((".part-", f".{MANIFEST}.", f".{ERRORS}.")):
                entry.unlink()


def _differences(before: DetectManifest, wanted: DetectManifest) -> list[str]:
    """What the two runs do not share, in words."""
    old, new = (msgspec.to_builtins(manifest.settings) for manifest in (before, wanted))
    if {*old["device"].split(", ")} <= {*new["device"].split(", ")}:
        old["device"] = new["device"]  # the run goes on on both
    remedies = {"device": ", which --mix-devices allows"}
    found = [
        f"{key} was {old[key]!r}, is {new[key]!r}{remedies.get(key, '')}"
        for key in new
        if old[key] != new[key]
    ]
    if before.inputs != wanted.inputs:
        found.append(_input_difference(before.inputs, wanted.inputs))
    return found


def _input_difference(before: tuple[InputChecksum, ...], wanted: tuple[InputChecksum, ...]) -> str:
    old = {file.path: file for file in before}
    for file in wanted:
        if file.path not in old:
            return f"{file.path} was not read then"
        if old[file.path] != file:
            return f"{file.path} has changed since"
    new: dict[str, Any] = {file.path: file for file in wanted}
    missing = next((path for path in old if path not in new), None)
    return f"{missing} is missing" if missing else "the files came in another order"
