"""The folder of a run: locked while one process writes it, with a manifest that says what it holds.

A manifest is the first file that a run writes and the last one that it replaces, so that a run that
was stopped can be resumed and a folder of something else is left alone. A lock ends with the
process, however that ends. Its file stays when the lock is released: removing it would let two
processes hold two files of the same name.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar, cast

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write

if TYPE_CHECKING:
    from filelock import BaseFileLock

_threads = threading.Lock()
_given_up: _FileWait | None = None
"""A wait for the file that nobody is interested in any more, and that has not ended."""

_queue: tuple[int, Path, int] | None = None
"""Process, path and descriptor of the file on which processes wait, open since its first use."""

MANIFEST, LOCK = "manifest.json", ".lock"
_NAMED = 4  # differences that a message names
M = TypeVar("M")


def lock_file(path: Path) -> BaseFileLock:
    """Lock a file now; the lock lasts until its `release`.

    Raises:
        BlockingIOError: somebody else holds the lock.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BlockingIOError(f"{path}: is locked") from None
    return lock


@contextmanager
def wait_for_lock(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a file as soon as no other thread or process does.

    Where the system can, it wakes the next process in the queue at once; there is no polling.

    Raises:
        TimeoutError: it takes longer than that.
    """
    until = time.monotonic() + seconds
    if not _threads.acquire(timeout=max(seconds, 0)):
        raise TimeoutError(f"{path}: is locked")
    try:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows
            from filelock import FileLock

            # its Timeout is a TimeoutError
            with FileLock(path, timeout=max(seconds, 0), poll_interval=0.005):
                yield
            return
        descriptor = _descriptor(path)
        _lock_until(descriptor, until)
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        _threads.release()


class _FileWait:
    """A wait for the lock of a file in a thread of its own, since the system has no limit for it.

    Nobody may wait for the same file before one that was given up has ended.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._deciding = threading.Lock()
        self._locked = self._given_up = False
        self._ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        import fcntl

        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._deciding:
            self._locked = not self._given_up
            if self._given_up:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._ended.set()

    def has_ended(self, seconds: float) -> bool:
        """Whether the wait has ended within so many seconds."""
        return self._ended.wait(timeout=max(seconds, 0))

    def has_locked(self, seconds: float) -> bool:
        """Whether the file is locked within so many seconds; the wait is given up if not."""
        self.has_ended(seconds)
        with self._deciding:
            self._given_up = not self._locked
            return self._locked


def _lock_until(descriptor: int, until: float) -> None:
    """Lock the file; only the thread that holds `_threads` may ask."""
    global _given_up
    import fcntl

    if _given_up is None or _given_up.has_ended(until - time.monotonic()):
        _given_up = None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        wait = _FileWait(descriptor)
        if wait.has_locked(until - time.monotonic()):
            return
        _given_up = wait
    raise TimeoutError("the queue for the database is locked")


def _descriptor(path: Path) -> int:
    """The open file; only the thread that holds `_threads` may ask."""
    global _queue
    if _queue is None or _queue[:2] != (os.getpid(), path):  # a forked process opens its own
        if _queue is not None:
            # forgotten first: should the next file not open, this number belongs to somebody else
            (*_, old), _queue = _queue, None
            os.close(old)
        _queue = (os.getpid(), path, os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return _queue[2]


def _forget_threads() -> None:
    """A forked process has none of the threads that might hold the lock."""
    global _threads, _given_up
    _threads, _given_up = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


class RunFolder(Generic[M]):
    """The folder of one run of a command."""

    command: ClassVar[str]
    """The command whose runs these are, as messages name it."""

    holds: ClassVar[str]
    """What the folder is for, as messages name it."""

    manifest_type: ClassVar[object]
    key_order: ClassVar[Literal["sorted"] | None] = None
    """How the keys of a manifest are ordered: by name, or as they are declared."""

    own_files: ClassVar[frozenset[str]] = frozenset({LOCK})
    """What may be in a folder before its manifest is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: BaseFileLock | None = None

    @property
    def has_manifest(self) -> bool:
        """Whether a run has begun here."""
        return (self.path / MANIFEST).is_file()

    def manifest(self) -> M:
        """The manifest of the folder.

        Raises:
            BadRecord: it is of something else.
        """
        path = self.path / MANIFEST
        try:
            return cast(M, msgspec.json.decode(path.read_bytes(), type=self.manifest_type))
        except msgspec.MsgspecError as error:
            raise self.not_a_manifest(f" ({error})") from None

    def not_a_manifest(self, cause: str = "") -> BadRecord:
        """The error for a manifest of something else."""
        problem = f"is not a manifest of {self.command}{cause}; give another folder"
        return BadRecord(self.path / MANIFEST, None, problem)

    def write_manifest(self, manifest: M) -> None:
        """Put a manifest in the place of the one that is there."""
        self.write_json(MANIFEST, manifest)

    def write_json(self, name: str, content: object) -> None:
        """Write plain data into a file of the run."""
        encoded = msgspec.json.encode(content, order=self.key_order)
        with atomic_write(self.path / name, "wb") as file:
            file.write(msgspec.json.format(encoded, indent=1) + b"\n")

    def check_usable(self) -> None:
        """Refuse a folder that belongs to something else.

        Raises:
            BadInput: it is a file, or holds files of others.
            BadRecord: its manifest is of something else.
        """
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"{self.path}: is a file; give a folder for the {self.holds}")
        if self.has_manifest:
            self.manifest()
        elif others := self._others():
            problem = f"contains {others[0]}, which {self.command} did not write"
            raise BadInput(f"{self.path}: {problem}; give a new or an empty folder")

    def check_same(self, differences: Sequence[str]) -> None:
        """Refuse to resume another run.

        Raises:
            BadInput: there are differences, the first of which it names.
        """
        if differences:
            named = "; ".join(differences[:_NAMED])
            more = f"; {len(differences) - _NAMED} more" if len(differences) > _NAMED else ""
            problem = f"belongs to another run ({named}{more})"
            remedy = "give the same again, or another folder"
            raise BadInput(f"{self.path / MANIFEST}: {problem}; {remedy}")

    def lock(self) -> None:
        """Make the folder, and keep others from writing into it until it is closed.

        Raises:
            BadInput: another run holds it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._lock = lock_file(self.path / LOCK)
        except BlockingIOError:
            problem = f"another {self.command} is running there; wait for it, or stop it"
            raise BadInput(f"{self.path}: {problem}") from None

    def close(self) -> None:
        """Let go of the folder; a run that is not finished can be resumed."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _others(self) -> list[str]:
        if not self.path.is_dir():
            return []
        names = sorted(entry.name for entry in self.path.iterdir())
        own = self.own_files
        return [n for n in names if n not in own and not n.startswith(f".{MANIFEST}.")]
