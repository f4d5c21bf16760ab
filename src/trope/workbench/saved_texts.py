"""Texts saved as files on this machine, named by their checksum."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from trope.core.files import atomic_write
from trope.workbench.requests import RequestRefused

PREFIX = 16
"""Digits of the checksum in a link."""

_NAME = re.compile(r"[0-9a-f]{16,64}")
_TITLE = 70  # characters of a title


@dataclass(frozen=True, slots=True)
class SavedText:
    """A text in the folder; `title` is its beginning."""

    key: str
    title: str
    characters: int
    at: datetime


class SavedTexts:
    """A folder of texts that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, text: str) -> str:
        """Save a text; returns its name."""
        key = sha256(text.encode()).hexdigest()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / f"{key}.txt"
        if not path.exists():
            with atomic_write(path) as file:
                file.write(text)
        return key[:PREFIX]

    def read(self, name: str) -> str:
        """The text with a name.

        Raises:
            RequestRefused: there is no such text, or its file was changed.
        """
        path = self._path(name)
        text = path.read_bytes().decode("utf-8", errors="replace")
        if sha256(text.encode()).hexdigest() != path.stem:
            message = f"{path} was changed after it was saved; delete it, and paste the text again"
            raise RequestRefused(410, "text-changed", message)
        return text

    def delete(self, name: str) -> None:
        """Delete a text."""
        self._path(name).unlink()

    def clear(self) -> int:
        """Delete all texts; returns how many there were."""
        paths = self._paths()
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    def __iter__(self) -> Iterator[SavedText]:
        """All texts, the newest first."""
        paths = [(path.stat().st_mtime, path) for path in self._paths()]
        for moment, path in sorted(paths, reverse=True):
            text = path.read_text("utf-8", errors="replace")
            at = datetime.fromtimestamp(moment, UTC)
            yield SavedText(path.stem[:PREFIX], title(text), len(text), at)

    def _paths(self) -> list[Path]:
        found = self.folder.glob("*.txt")
        return [path for path in found if _NAME.fullmatch(path.stem) and len(path.stem) == 64]

    def _path(self, name: str) -> Path:
        found = [path for path in self._paths() if path.stem.startswith(name)]
        if not _NAME.fullmatch(name) or len(found) != 1:
            message = "no text with that name is saved on this machine; paste it again"
            raise RequestRefused(404, "no-such-text", message)
        return found[0]


def title(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 10 * _TITLE].split())
    return line if len(line) <= _TITLE else line[:_TITLE].rsplit(" ", 1)[0] + " …"
