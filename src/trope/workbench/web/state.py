"""What the pages share: options, one model with its queue, the open corpus."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, TypeVar

from trope.core.records import Analysis, TextKind
from trope.pipeline import Pipeline
from trope.workbench.requests import ANSWER_S, WAITING, RequestRefused
from trope.workbench.text_view import SavedTexts

if TYPE_CHECKING:
    from trope.workbench.corpus.bring import BroughtCorpora
    from trope.workbench.corpus.corpus import IndexedCorpus

DEFAULT_PORT = 8200
BRING = "/corpus/bring"
"""The address whose requests bring files and so may be longer than others."""

REMEMBERED = 4
"""Analyses that are cached, so that a page and its downloads need only one."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkbenchOptions:
    """The options of `trope serve`.

    `token` is required from every request; empty if only this machine can send requests.
    `bring_mb` is how much a browser may bring at once; 0 if it may not.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    corpus: Path | None = None
    index: Path | None = None
    projects: Path = Path("projects")
    keep: Path = Path("texts")
    tier: str = "small"
    base_weights: Path | None = None
    systems: tuple[str, ...] = ()
    threads: int | None = None
    device: str = "cpu"
    token: str = ""
    bring_mb: int = 0
    brought: Path = Path("brought")


class ModelQueue:
    """A queue for the model, which serves one request at a time; few may wait, none for ever."""

    def __init__(self, waiting: int, seconds: float) -> None:
        self._places = waiting + 1
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._lock = Lock()
        self._taken = 0

    def run(self, work: Callable[[], T]) -> T:
        """The result of the work, once it is its turn.

        Raises:
            RequestRefused: too many requests are waiting, or the time is over.
        """
        with self._lock:
            if self._taken == self._places:
                message = f"{self._taken} requests are waiting; try again in a moment"
                raise RequestRefused(503, "busy", message)
            self._taken += 1
        future = self._pool.submit(work)
        future.add_done_callback(self._free_place)
        try:
            return future.result(timeout=self._seconds)
        except TimeoutError:
            if future.done():  # the work itself timed out
                raise
            future.cancel()  # if it has begun, it keeps its place until it ends
            message = f"no answer within {self._seconds:g} seconds; give a shorter text"
            raise RequestRefused(503, "timeout", message) from None

    def _free_place(self, future: Future[Any]) -> None:
        with self._lock:
            self._taken -= 1


_lock = RLock()
_opening = RLock()
"""Held while a corpus is opened: an index may have to be built, and other pages do not wait."""

_options = WorkbenchOptions()
_opened: dict[str, Any] = {}
_analyses: OrderedDict[tuple[str, TextKind], Analysis] = OrderedDict()
_queue = ModelQueue(WAITING, ANSWER_S)


def begin(options: WorkbenchOptions) -> None:
    """Set the options of this process, and forget what was open before."""
    global _options
    with _lock:
        _options = options
        _opened.clear()
        _analyses.clear()


def the_options() -> WorkbenchOptions:
    """The options of this process."""
    return _options


def the_pipeline() -> Pipeline:
    """The model of this process, loaded on first use."""
    with _lock:
        if "pipeline" not in _opened:
            _opened["pipeline"] = Pipeline(
                tier=_options.tier,
                threads=_options.threads,
                base_weights=_options.base_weights,
                systems=_options.systems,
                device=_options.device,
            )
        return _opened["pipeline"]


def in_turn(work: Callable[[Pipeline], T]) -> T:
    """The result of some work with the model, which serves one request at a time.

    Raises:
        RequestRefused: too many requests are waiting, or it takes too long.
    """
    return _queue.run(lambda: work(the_pipeline()))


def analysis_of(text: str, kind: TextKind) -> Analysis:
    """The analysis of a text; the last few are cached."""
    key = text, kind
    with _lock:
        if key in _analyses:
            _analyses.move_to_end(key)
            return _analyses[key]
    found = in_turn(lambda pipeline: pipeline.analyze(text, kind=kind))
    with _lock:
        _analyses[key] = found
        while len(_analyses) > REMEMBERED:
            _analyses.popitem(last=False)
    return found


def the_texts() -> SavedTexts:
    """The saved texts."""
    return SavedTexts(_options.keep)


def the_corpus(words: str = "") -> IndexedCorpus | None:
    """The corpus that was opened last, or else that the workbench was started with, if any.

    `words` counts metaphors by another view of words, which has an index of its own.

    Raises:
        TropeError: the corpus cannot be counted by this view, or building the index takes long.
    """
    with _opening:
        if "corpus" not in _opened and _options.corpus is not None:
            show_corpus(_options.corpus)
        corpus: IndexedCorpus | None = _opened.get("corpus")
        if corpus is None or words in ("", corpus.view):
            return corpus
        views = _opened.setdefault("views", {})
        if words not in views:
            views[words] = corpus.counted_by(words, index=_options.index, quickly=True)
        other: IndexedCorpus = views[words]
        return other


def show_corpus(folder: Path) -> None:
    """Open a corpus in the place of the one that is open, which ends with its last request."""
    from trope.workbench.corpus.corpus import open_corpus

    with _opening:
        _opened["corpus"] = open_corpus(folder, index=_options.index)
        _opened.pop("views", None)


def forget_corpus(folder: Path) -> None:
    """Close a corpus that was deleted, if it is open."""
    with _opening:
        if "corpus" in _opened and _opened["corpus"].folder == folder:
            del _opened["corpus"]
            _opened.pop("views", None)


def the_brought() -> BroughtCorpora:
    """The corpora that were brought with a browser."""
    with _lock:
        if "brought" not in _opened:
            from trope.workbench.corpus.bring import BroughtCorpora

            _opened["brought"] = BroughtCorpora(
                _options.brought,
                index=_options.index,
                limit=_options.bring_mb * 1_000_000,
                threads=_options.threads,
                systems=_options.systems,
                device=_options.device,
            )
        return _opened["brought"]


def brought_folder() -> Path:
    """The default folder for corpora that are brought."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "trope" / "brought"


def saved_texts_folder() -> Path:
    """The default folder for saved texts."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "trope" / "texts"
