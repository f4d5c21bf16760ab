"""Processes that stop in the middle of their work, so that a test can kill them there."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Hold:
    """The point at which work stops: a folder holds so many files of such names."""

    folder: Path
    pattern: str
    files: int

    def reached(self) -> bool:
        return len(list(self.folder.glob(self.pattern))) >= self.files

    def stop(self) -> None:
        """Called by the work: does not come back once the point is reached."""
        while self.reached():
            time.sleep(0.01)

    def wait(self, process: subprocess.Popen[bytes]) -> None:
        """Called by the test: the process is there, or has ended."""
        while process.poll() is None and not self.reached():
            time.sleep(0.001)
