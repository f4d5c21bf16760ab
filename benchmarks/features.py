"""Features of many texts: seconds, memory by the number of texts, and a run that is killed.

    python benchmarks/features.py DATA/vua18/VUA_seq_formatted_test.csv

Real sentences, twenty to a text, are analysed once; their rows are repeated and shuffled
(workbench_corpus.py) into parts of the usual size. `trope query CORPUS features --out` then writes
corpora of growing size, each in a process of its own, in turns. One more run of the largest is
killed after its first part and resumed; its file must have the same bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import machine
import record
import workbench_corpus
from speed import read_sentences

from trope.core.files import sha256
from trope.metrics.figures import DataRef, Measurement
from trope.scale.job import SHARD_ROWS

TEXTS = (5_000, 10_000, 40_000)
SENTENCES_OF_TEXT, TURNS = 20, 3
FLAT = 1.1  # the most that memory may grow from the first to the last


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the figures; status 1 where a bound is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--texts", type=int, nargs="+", default=list(TEXTS))
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--rows", type=int, default=SHARD_ROWS, help="texts of a part")
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    sentences = read_sentences(options.sentences)
    texts = [
        " ".join(sentences[at : at + SENTENCES_OF_TEXT])
        for at in range(0, len(sentences), SENTENCES_OF_TEXT)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recorded = workbench_corpus.analyse(texts, folder)
        corpora = {}
        for size in options.texts:
            corpora[size] = folder / f"corpus-{size}"
            workbench_corpus.enlarge(
                recorded, corpora[size], size, seed=0, rows_of_part=options.rows
            )
        measured: dict[int, list[tuple[float, float]]] = {size: [] for size in corpora}
        for _ in range(options.turns):
            for size, corpus in corpora.items():
                out = folder / f"{size}.{options.format}"
                command = ("query", corpus, "features", "--quiet", "--out", out)
                measured[size].append(machine.measure_command(*command))
        same, kept = kill_and_resume(corpora[max(corpora)], folder, options.format)
    figures = figures_of(measured, options)
    for one in figures:
        print(f"{one.name:28} {one.value:10.3f} ({one.low:.3f} to {one.high:.3f})")
    said = "the same bytes" if same else "OTHER BYTES"
    print(f"killed with {kept} parts done and resumed: {said}")
    record.keep_beside(figures, options.results)
    growth = next(one.value for one in figures if one.name == "features.memory_growth")
    return 0 if same and growth < FLAT else 1


def figures_of(
    measured: dict[int, list[tuple[float, float]]], options: argparse.Namespace
) -> list[Measurement]:
    """Texts per second, memory by size, and how much it grows, turn by turn."""
    smallest, largest = min(measured), max(measured)
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    note = f"{SENTENCES_OF_TEXT} sentences a text, parts of {options.rows:,}, {machine.describe(2)}"

    def figure(name: str, values: Sequence[float], n: int) -> Measurement:
        return record.measured(f"features.{name}", values, n=n, note=note, data=data)

    growth = [b[1] / a[1] for a, b in zip(measured[smallest], measured[largest], strict=True)]
    speed = [largest / seconds for seconds, _ in measured[largest]]
    return [
        *(figure(f"peak_mb.{n}", [mb for _, mb in runs], n) for n, runs in measured.items()),
        *(figure(f"seconds.{n}", [s for s, _ in runs], n) for n, runs in measured.items()),
        figure("memory_growth", growth, largest),
        figure("texts_per_s", speed, largest),
    ]


def kill_and_resume(corpus: Path, folder: Path, form: str) -> tuple[bool, int]:
    """Whether a run that was killed ends with the same bytes, and the parts it had done."""
    whole, out = folder / f"whole.{form}", folder / f"killed.{form}"
    command = [*machine.TROPE, "query", str(corpus), "features", "--quiet", "--out"]
    subprocess.run([*command, str(whole)], check=True)
    work = out.with_name(f"{out.name}.unfinished")
    process = subprocess.Popen([*command, str(out)])
    while process.poll() is None and not list(work.glob("part-*")):
        time.sleep(0.005)
    process.kill()
    process.wait()
    kept = len(list(work.glob("part-*")))
    subprocess.run([*command, str(out), "--resume"], check=True)
    return sha256(out) == sha256(whole), kept


if __name__ == "__main__":
    sys.exit(main())
