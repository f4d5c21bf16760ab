"""What the pages share: one model, loaded once, and the corpus that was opened."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from trope.core.records import Analysis, TextKind
from trope.pipeline import Pipeline
from trope.workbench.kept import KeptTexts
from trope.workbench.limits import ANSWER_S, WAITING
from trope.workbench.turns import Turns

if TYPE_CHECKING:
    from trope.workbench.corpus.corpus import Corpus

DEFAULT_PORT = 8200
REMEMBERED = 4
"""Analyses that are kept in memory, so that a page and its downloads are computed once."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the workbench is served, and what it works with.

    `token` is what a request must bring; empty where only this machine can ask.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    corpus: Path | None = None
    index: Path | None = None
    projects: Path = Path("projects")
    keep: Path = Path("texts")
    tier: str = "small"
    base_weights: Path | None = None
    threads: int | None = None
    token: str = ""


_lock = RLock()
_options = Options()
_opened: dict[str, Any] = {}
_analyses: OrderedDict[tuple[str, TextKind], Analysis] = OrderedDict()
_turns = Turns(WAITING, ANSWER_S)


def begin(options: Options) -> None:
    """Remember how this process was started; what was opened before is forgotten."""
    global _options
    with _lock:
        _options = options
        _opened.clear()
        _analyses.clear()


def the_options() -> Options:
    """How this process was started."""
    return _options


def the_pipeline() -> Pipeline:
    """The one model of this process, loaded when it is first asked for."""
    with _lock:
        if "pipeline" not in _opened:
            _opened["pipeline"] = Pipeline(
                tier=_options.tier,
                threads=_options.threads,
                base_weights=_options.base_weights,
            )
        return _opened["pipeline"]


def in_turn(work: Callable[[Pipeline], T]) -> T:
    """What the work makes of the model, which serves one request at a time.

    Raises:
        Refused: where too many wait, or it takes too long.
    """
    return _turns.take(lambda: work(the_pipeline()))


def analysis_of(text: str, kind: TextKind) -> Analysis:
    """Everything about a text; the last few are remembered."""
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


def the_texts() -> KeptTexts:
    """The texts that were pasted."""
    return KeptTexts(_options.keep)


def the_corpus() -> Corpus | None:
    """The corpus that the workbench was started with, if there was one."""
    if _options.corpus is None:
        return None
    with _lock:
        if "corpus" not in _opened:
            from trope.workbench.corpus.corpus import open_corpus

            _opened["corpus"] = open_corpus(_options.corpus, index=_options.index)
        return _opened["corpus"]


def kept_texts_folder() -> Path:
    """Where texts are kept unless another folder is named."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "trope" / "texts"
