"""Ids that were seen, kept on disk: memory does not grow with their number."""

from __future__ import annotations

import sqlite3


class SeenIds:
    """Ids with the lines where they stood."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("")  # a file without a name, which goes with this object
        self._rows.execute("PRAGMA journal_mode=OFF")
        self._rows.execute("CREATE TABLE seen (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")

    def add(self, identifier: str, line: int) -> int | None:
        """Note the id; gives the line where it stood before, if anywhere."""
        row = (identifier, line)
        if self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", row).rowcount:
            return None
        found = self._rows.execute("SELECT line FROM seen WHERE id = ?", (identifier,))
        return int(found.fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()
