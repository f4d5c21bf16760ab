"""Puts the manual pages into the wheel, written from the commands that the wheel holds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPages(BuildHookInterface[Any]):
    """`man trope-analyze` finds its page where pip puts it: share/man/man1."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the pages; an editable installation follows the source, which pages cannot."""
        if version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp())
        # an isolated build has its packages on the path of this process only: hand the path on
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(Path(self.root) / "src"), *filter(None, sys.path)]),
            "PYTHONDONTWRITEBYTECODE": "1",  # the source stays as it is
        }
        command = [sys.executable, "-m", "trope", "man", "--all", str(self.folder)]
        subprocess.run(command, check=True, env=environment)
        build_data["shared_data"][str(self.folder)] = "share/man/man1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what only the build needed."""
        if version != "editable":
            shutil.rmtree(self.folder)
