"""The workbench with the small corpus open, for tests of its pages.

A test module takes the fixture by importing it: `from corpus_bench import corpus_bench`.
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benches import Bench, start, stop
from small_corpus import trope


@dataclass
class CorpusBench:
    """A running workbench, the cache of its index and the folder of its projects."""

    bench: Bench
    cache: Path
    projects: Path

    @property
    def url(self) -> str:
        return self.bench.url

    def get(self, path: str) -> tuple[int, str]:
        """Status and content of a page."""
        status, _, content = self.bench.ask("GET", path)
        return status, content.decode()

    def run(self, command: str, *options: str) -> str:
        """What a command prints that a page names."""
        words = shlex.split(command)
        assert words[0] == "trope"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(self.cache))
            done = trope(*words[1:], *options)
        assert done.exit_code == 0, done.output
        return done.stdout

    def table(self, command: str) -> list[dict[str, Any]]:
        """The rows of the table that a command gives."""
        rows: list[dict[str, Any]] = json.loads(self.run(command, "--json"))["rows"]
        return rows


@pytest.fixture(scope="module")
def corpus_bench(
    corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CorpusBench]:
    cache = tmp_path_factory.mktemp("cache")
    folder = tmp_path_factory.mktemp("served")
    before = f"import os; os.environ['XDG_CACHE_HOME'] = {str(cache)!r}"
    projects = folder / "projects"
    options = (str(corpus_folder), "--projects", str(projects))
    started = start(folder, *options, before=before)
    yield CorpusBench(started, cache, projects)
    stop(started)
