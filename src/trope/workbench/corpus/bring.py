"""Corpora that a browser brings: their files, the run over them, and how far it is.

    FOLDER/NAME/.state.json   title, settings, progress
    FOLDER/NAME/.files/       the files, until they are analysed
    FOLDER/NAME/TITLE/        what `trope detect` writes

One corpus at a time is analysed, in a process of its own that ends when the server does: then its
standard input ends.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from secrets import token_hex
from threading import Condition, Thread
from typing import TYPE_CHECKING, Literal

import msgspec

from trope import __version__
from trope.core.errors import BadInput, MissingData, TropeError
from trope.core.files import atomic_write
from trope.core.options import DEFAULT_WORDS, FURTHER_TASKS
from trope.core.progress import counted
from trope.core.run_folder import MANIFEST, lock_file
from trope.corpora.files import FileOptions, InputFile, find_files
from trope.corpora.sources import DAMAGED, open_source
from trope.scale.entries import Columns
from trope.scale.executors import LocalExecutor
from trope.scale.job import DetectSettings, domain_system
from trope.scale.run import ERRORS, DetectProgress, detect, kept_columns
from trope.workbench.corpus.corpus import open_corpus
from trope.workbench.corpus.index import cache_folder
from trope.workbench.corpus.source import read_source
from trope.workbench.requests import BringChoices

if TYPE_CHECKING:
    from filelock import BaseFileLock

UNPACKED = 10
"""Archives may unpack to so many times the limit of what may be brought."""

_SHARD_ROWS = 200
"""Texts per output file: fewer than the command writes, so that progress is seen."""

_SHOWN_ROWS, _ENDING_S = 100, 30.0
_FORGOTTEN_S = 3600.0
"""What a browser began to bring so long ago, and never finished, is deleted."""

_STATE, _FILES, _LOCK, _ARRIVING = ".state.json", ".files", ".lock", ".arriving-"
_CODE = "import sys; from trope.workbench.corpus.bring import work; work(sys.argv[1])"

RunState = Literal["waiting", "running", "indexing", "done", "failed", "cancelled", "stopped"]

_IN_WORDS: dict[RunState, str] = {
    "waiting": "waits",
    "running": "is analysed",
    "indexing": "is prepared for the pages",
    "failed": "could not be analysed",
    "cancelled": "was cancelled",
    "stopped": "was interrupted",
}


class BroughtCorpus(BringChoices, frozen=True, kw_only=True):
    """A corpus that was brought, and how far it is; `stopped` if the server ended before it."""

    name: str
    title: str
    state: RunState = "waiting"
    message: str = ""
    texts: int = 0
    position: int = 0
    size: int = 0
    totals: dict[str, int] = msgspec.field(default_factory=dict)
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def choices(self) -> BringChoices:
        """What was chosen when it was brought."""
        return BringChoices(kind=self.kind, column=self.column, tasks=self.tasks)

    @property
    def under_way(self) -> bool:
        """Whether it waits or is analysed."""
        return self.state in ("waiting", "running", "indexing")

    @property
    def in_words(self) -> str:
        """How far it is, in words."""
        if self.state == "done":
            texts, words = self.totals["texts"], self.totals["words"]
            return f"{texts:,} text{'' if texts == 1 else 's'}, {words:,} words"
        return _IN_WORDS[self.state]

    @property
    def folder_name(self) -> str:
        """The name of the folder with its analysis."""
        return re.sub(r"[^\w.-]+", "-", self.title)[:60].strip("-.") or "corpus"


class _Job(msgspec.Struct, frozen=True):
    """What the process must know that analyses a corpus."""

    folder: str
    index: str
    most_bytes: int
    threads: int | None
    systems: tuple[str, ...]
    device: str


class BroughtCorpora:
    """All corpora that were brought, and the queue of those that are not analysed yet."""

    def __init__(
        self,
        folder: Path,
        *,
        index: Path | None = None,
        limit: int = 0,
        threads: int | None = None,
        systems: tuple[str, ...] = (),
        device: str = "cpu",
    ) -> None:
        self.folder, self.limit = folder, limit
        self._index = index or cache_folder()
        self._threads, self._device = threads, device
        self._systems = tuple(str(Path(n).resolve()) if Path(n).is_dir() else n for n in systems)
        self._changed = Condition()
        self._queue: deque[str] = deque()
        self._locks: dict[str, BaseFileLock] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._worker: Thread | None = None

    def __iter__(self) -> Iterator[BroughtCorpus]:
        """The newest first."""
        for path in sorted(self.folder.glob(f"*/{_STATE}"), reverse=True):
            with suppress(MissingData):
                yield self.find(path.parent.name)

    def find(self, name: str) -> BroughtCorpus:
        """The corpus with a name.

        Raises:
            MissingData: there is none.
        """
        with self._changed:
            found = _read_state(self.folder / name)
            if found.under_way and name not in self._locks:
                with suppress(BlockingIOError):  # another workbench analyses it
                    lock_file(self.folder / name / _LOCK).release()
                    found = msgspec.structs.replace(found, state="stopped")
        return found

    def before(self, name: str) -> int:
        """How many corpora are analysed before it."""
        with self._changed:
            return self._queue.index(name) if name in self._queue else 0

    def corpus_folder(self, name: str) -> Path:
        """The folder that `trope detect` writes."""
        return self.folder / name / self.find(name).folder_name

    def refused_rows(self, name: str) -> list[dict[str, str]]:
        """The first rows that could not be used, with place and reason."""
        path = self.corpus_folder(name) / ERRORS
        with suppress(FileNotFoundError), path.open("rb") as lines:
            return [msgspec.json.decode(line) for line in islice(lines, _SHOWN_ROWS)]
        return []

    def arriving_folder(self) -> Path:
        """A new folder for files that arrive; nobody else can read it."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in self.folder.glob(f"{_ARRIVING}*"):
            if time.time() - left.stat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(left, ignore_errors=True)
        return Path(tempfile.mkdtemp(dir=self.folder, prefix=_ARRIVING))

    def add(self, arrived: Path, choices: BringChoices) -> str:
        """Analyse the files of a folder, which is moved; the name of the corpus comes back."""
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(3)}"
        own = self.folder / name
        own.mkdir(mode=0o700)
        arrived.rename(own / _FILES)
        self._begin(own, _title(own / _FILES), choices)
        return name

    def again(self, name: str, choices: BringChoices) -> None:
        """Go on with a corpus that was not finished; begin anew if it is read in another way."""
        before = self.find(name)
        own = self.folder / name
        with self._changed:  # a process that has said how it ended may still be ending
            self._changed.wait_for(lambda: name not in self._locks, _ENDING_S)
        if before.under_way or not (own / _FILES).is_dir():
            raise BadInput(f"{before.title}: cannot be analysed again; bring it once more")
        if choices != before.choices:
            shutil.rmtree(own / before.folder_name, ignore_errors=True)
        self._begin(own, before.title, choices)

    def cancel(self, name: str) -> None:
        """Stop a corpus that waits or is analysed."""
        with self._changed:
            found = self.find(name)
            if not found.under_way:
                return
            if name not in self._queue:
                raise BadInput(f"{found.title}: another workbench analyses it; cancel it there")
            if self._queue[0] == name and self._process is not None:
                self._process.kill()
                self._process.wait()
                if not _read_state(self.folder / name).under_way:
                    return  # it was faster
            else:
                self._queue.remove(name)
                self._locks.pop(name).release()
            _write_state(self.folder / name, msgspec.structs.replace(found, state="cancelled"))

    def delete(self, name: str) -> None:
        """Delete a corpus with its index."""
        found = self.find(name)
        if found.under_way:
            raise BadInput(f"{found.title}: is not finished; cancel it first")
        with suppress(TropeError):
            source = read_source(self.corpus_folder(name))
            for path in self._index.glob(f"{source.checksum[:32]}.*"):
                path.unlink(missing_ok=True)
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def _begin(self, own: Path, title: str, choices: BringChoices) -> None:
        name = own.name
        _write_state(own, BroughtCorpus(name=name, title=title, **msgspec.structs.asdict(choices)))
        with self._changed:
            self._locks[name] = lock_file(own / _LOCK)
            self._queue.append(name)
            if self._worker is None:
                self._worker = Thread(target=self._work, daemon=True)
                self._worker.start()
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._queue))
                name = self._queue[0]
                self._process = process = self._start(name)
            process.wait()
            with self._changed:
                self._process = None
                assert process.stdin is not None
                process.stdin.close()
                with suppress(MissingData):  # deleted as soon as it had ended
                    found = _read_state(self.folder / name)
                    if found.under_way:
                        why = "the analysis ended unexpectedly; the terminal may show why"
                        failed = msgspec.structs.replace(found, state="failed", message=why)
                        _write_state(self.folder / name, failed)
                self._queue.popleft()
                self._locks.pop(name).release()
                self._changed.notify_all()

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        most = UNPACKED * self.limit
        own, index = str((self.folder / name).absolute()), str(self._index.absolute())
        job = _Job(own, index, most, self._threads, self._systems, self._device)
        return subprocess.Popen(
            [sys.executable, "-c", _CODE, msgspec.json.encode(job).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )


def work(argument: str) -> None:
    """Analyse a corpus in this process, and write how far it is."""
    job = msgspec.json.decode(argument, type=_Job)
    Thread(target=_end_with_the_server, daemon=True).start()
    if hasattr(os, "nice"):  # not on Windows
        os.nice(10)  # the pages come first
    own = Path(job.folder)
    # the files give their texts the names that they have there; no code is loaded from among them
    sys.path[:] = [str(Path(path).resolve()) for path in sys.path if path]
    os.chdir(own / _FILES)
    run = _BroughtRun(own, job)
    try:
        run.analyse()
    except TropeError as error:
        run.fail(str(error))


def _end_with_the_server() -> None:
    os.read(0, 1)
    os._exit(1)


class _BroughtRun:
    """The run over the files of a corpus that was brought."""

    def __init__(self, own: Path, job: _Job) -> None:
        self.own, self.job = own, job
        self.state = _read_state(own)
        self.notes: list[tuple[str, str]] = []

    def analyse(self) -> None:
        """Write the analysis, as `trope detect` does, and its index."""
        self._now(state="running")
        files = find_files(["."], tell=self._tell)
        _check_unpacked(files, self.job.most_bytes)
        executor = LocalExecutor(
            threads=self.job.threads, systems=self.job.systems, device=self.job.device
        )
        model = executor.model
        known = (*model.tasks, *FURTHER_TASKS)
        tasks = ("relations", *(one for one in self.state.tasks if one in known), "metaphor")
        settings = DetectSettings(
            trope=__version__,
            tier=model.tier,
            model_sha256=model.sha256,
            kind=self.state.kind,
            text_column=self.state.column,
            columns=kept_columns(files, Columns(self.state.column), FileOptions()),
            tasks=tasks,
            domains=domain_system(tasks),
            tokens=True,
            words=DEFAULT_WORDS,
            shard_rows=_SHARD_ROWS,
            device=model.device,
        )
        out = self.own / self.state.folder_name
        totals = detect(
            *(files, settings, out, executor),
            resume=(out / MANIFEST).exists(),
            report=self._report,
            tell=self._tell,
            columns_named=False,
        )
        if not totals["texts"]:
            raise BadInput("no text of these files can be used; the list below says why")
        self._now(state="indexing", totals=totals, notes=tuple(self.notes))
        open_corpus(out, index=Path(self.job.index)).close()
        os.chdir(self.own)
        shutil.rmtree(self.own / _FILES)
        self._now(state="done")

    def fail(self, message: str) -> None:
        """Say why there is no analysis."""
        told = message.partition(", or give the")[0].replace(" with --text-column", " below")
        self._now(state="failed", message=told.replace(" in '.'", ""), notes=tuple(self.notes))

    def _tell(self, name: str, note: str) -> None:
        self.notes.append((name, note))

    def _report(self, progress: DetectProgress) -> None:
        self._now(texts=progress.texts, position=progress.position, size=progress.size)

    def _now(self, **changes: object) -> None:
        self.state = msgspec.structs.replace(self.state, **changes)
        _write_state(self.own, self.state)


def _check_unpacked(files: list[InputFile], most: int) -> None:
    """Raises BadInput if files unpack to more bytes than that."""
    left = most
    for file in files:
        with suppress(*DAMAGED), open_source(file.path) as stream:  # the run says what is damaged
            while piece := stream.read(1 << 20):
                left -= len(piece)
                if left < 0:
                    problem = f"unpacks to more than {most // 1_000_000:,} MB"
                    raise BadInput(f"{file.path}: {problem}; analyse it with trope detect")


def _title(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir())
    more = f" and {counted(len(names) - 1, 'more file')}" if len(names) > 1 else ""
    return names[0] + more if names else "no file"


def _read_state(own: Path) -> BroughtCorpus:
    try:
        return msgspec.json.decode((own / _STATE).read_bytes(), type=BroughtCorpus)
    except (OSError, msgspec.MsgspecError):
        raise MissingData(own.name, "no such corpus was brought; it may be deleted") from None


def _write_state(own: Path, state: BroughtCorpus) -> None:
    with atomic_write(own / _STATE, "wb", private=True) as file:
        file.write(msgspec.json.encode(state))
