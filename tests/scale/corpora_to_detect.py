"""Corpora for `trope detect`, and the command as a process with a pipeline that needs no model."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from holds import Hold

TESTS = Path(__file__).parents[1]
CODE = """
import sys
from pathlib import Path
from builders import FakePipeline
from holds import Hold
from trope.cli.main import run
from trope.scale import executors

folder, pattern, files, *arguments = sys.argv[1:]
hold = Hold(Path(folder), pattern, int(files))

class Held(FakePipeline):
    def analyze_many(self, texts, **options):
        for analysis in super().analyze_many(texts, **options):
            hold.stop()
            yield analysis

executors.load_pipeline = lambda threads: Held(metaphor=True)
run(["detect", *arguments])
"""
NEVER = Hold(Path(), "*", sys.maxsize)


def start(*arguments: str | Path, cwd: Path, hold: Hold = NEVER) -> subprocess.Popen[bytes]:
    """The command as a process, which stops where it is told to."""
    point = map(str, (hold.folder, hold.pattern, hold.files))
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *point, *map(str, arguments)],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},
    )


def write_corpus(folder: Path, texts: int, seed: int = 5) -> None:
    """Lines and rows, some of which cannot be used."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)

    def text() -> str:
        words = rng.choices(["Rain", "ate", "roads", "bent", "trees", "so", "é", "😂"], k=6)
        return " ".join(words) + "."

    (folder / "a.txt").write_text("".join(f"{text()}\n" for _ in range(texts // 2)))
    rows = [f'{{"id": {n}, "text": "{text()}", "label": "x"}}' for n in range(texts // 2)]
    rows[::17] = ["{broken"] * len(rows[::17])
    (folder / "b.jsonl").write_text("\n".join(rows) + "\n")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
