"""What the pages share: one model, loaded once, and the corpus that was opened."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from trope.pipeline import Pipeline

if TYPE_CHECKING:
    from trope.workbench.corpus.corpus import Corpus

DEFAULT_PORT = 8200


@dataclass(frozen=True, slots=True)
class Options:
    """Where the workbench is served, and what it works with.

    `token` is what a request must bring; empty where only this machine can ask.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    corpus: Path | None = None
    projects: Path = Path("projects")
    keep: Path = Path("texts")
    tier: str = "small"
    base_weights: Path | None = None
    threads: int | None = None
    token: str = ""


_lock = RLock()
_options = Options()
_opened: dict[str, Any] = {}


def begin(options: Options) -> None:
    """Remember how this process was started; what was opened before is forgotten."""
    global _options
    with _lock:
        _options = options
        _opened.clear()


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


def the_corpus() -> Corpus | None:
    """The corpus that the workbench was started with, if there was one."""
    if _options.corpus is None:
        return None
    with _lock:
        if "corpus" not in _opened:
            from trope.workbench.corpus.corpus import open_corpus

            _opened["corpus"] = open_corpus(_options.corpus)
        return _opened["corpus"]


def kept_texts_folder() -> Path:
    """Where texts are kept unless another folder is named."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "trope" / "texts"
