"""All errors that trope raises.

    TropeError
    ├── BadInput        (ValueError)   text, record or option that cannot be used
    │   ├── BadRecord                  … with the file and the line
    │   └── BadConfig                  … with every fault of a configuration file
    ├── UnknownName     (LookupError)  a name that no registry has
    ├── MissingExtra    (ImportError)  an optional part that is not installed
    ├── MissingData     (FileNotFoundError)  a corpus, model or file that is not there
    ├── BadModel        (ValueError)   a weight file that is damaged, altered or of the wrong shape
    └── DownloadFailed  (OSError)      a download that failed

Each keeps its parts as attributes and can be pickled, so that workers can return it.
The text of an error is one sentence: what is wrong; what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path


class TropeError(Exception):
    """Base of all errors that are meant for people."""


class BadInput(TropeError, ValueError):
    """Text, record or option that cannot be used."""


class BadRecord(BadInput):
    """A fault at one place of one file."""

    def __init__(self, path: str | Path, line: int | None, problem: str) -> None:
        super().__init__(str(path), line, problem)
        self.path, self.line, self.problem = str(path), line, problem

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.problem}"


class BadConfig(BadInput):
    """All faults of one configuration file at once."""

    def __init__(self, path: str | Path, faults: Sequence[str]) -> None:
        super().__init__(str(path), tuple(faults))
        self.path, self.faults = str(path), tuple(faults)

    def __str__(self) -> str:
        return f"{self.path}: {'; '.join(self.faults)}"


class UnknownName(TropeError, LookupError):
    """A name that no registry has, with the nearest ones that it does have."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(kind, name, tuple(known))
        self.kind, self.name, self.known = kind, name, tuple(known)

    def __str__(self) -> str:
        near = get_close_matches(self.name, self.known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"no {self.kind} is called {self.name!r}.{hint} Known: {', '.join(self.known)}."


class MissingExtra(TropeError, ImportError):
    """An optional part that is not installed, with the command that installs it."""

    def __init__(self, what: str, extra: str, module: str = "") -> None:
        super().__init__(what, extra, module)
        self.what, self.extra, self.module = what, extra, module

    def __str__(self) -> str:
        cause = f" ({self.module} is not installed)" if self.module else ""
        return (
            f"{self.what} needs an optional part of trope{cause}: pip install 'trope[{self.extra}]'"
        )


class MissingData(TropeError, FileNotFoundError):
    """A corpus, model or file that is not there, with what to do about it."""

    def __init__(self, path: str | Path, remedy: str) -> None:
        super().__init__(str(path), remedy)
        self.path, self.remedy = str(path), remedy

    def __str__(self) -> str:
        return f"{self.path}: not found; {self.remedy}"


class BadModel(TropeError, ValueError):
    """A weight file that is damaged, altered or of the wrong shape."""

    def __init__(self, path: str | Path, problem: str) -> None:
        super().__init__(str(path), problem)
        self.path, self.problem = str(path), problem

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class DownloadFailed(TropeError, OSError):
    """A download that failed."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(url, problem)
        self.url, self.problem = url, problem

    def __str__(self) -> str:
        return f"{self.url}: {self.problem}"
