"""How `trope detect` scales: seconds and memory by the number of sentences, with a plot.

    python benchmarks/scaling.py DATA/vua18/VUA_seq_formatted_test.csv --plot scaling.svg

Real sentences are repeated and shuffled. A million of them take an hour on two cores: give smaller
--sizes to measure the growth alone. The exponent is that of the computing time, which other
programs on the machine change less than the time on the clock; both are in the notes. With --runs,
every run is kept in a file and not made again.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import machine
import numpy as np
import record
from speed import read_sentences

from trope.core.errors import TropeError
from trope.core.files import sha256
from trope.metrics.figures import DataRef, Measurement

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FLAT_FROM = 10_000
"""Memory is compared at this size and above: below it, not all buffers are full."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers-size", type=int, default=1_000, help="sentences to compare with")
    parser.add_argument("--rounds", type=int, default=3, help="of the comparison of workers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    parser.add_argument("--runs", type=Path, help="file of runs that are done, and for new ones")
    parser.add_argument("--plot", type=Path, help="file for a plot, .svg or .png")
    parser.add_argument("--one-run", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        if options.one_run:
            corpus, out, threads = options.one_run
            print(json.dumps(one_run(Path(corpus), Path(out), int(threads))))
        else:
            _measure(options)
    except TropeError as error:
        print(f"scaling: {error}", file=sys.stderr)
        return 2
    return 0


def shuffled(sentences: Sequence[str], size: int, seed: int) -> Iterator[str]:
    """This many sentences: all of them in a new order, again and again."""
    rng = random.Random(seed)
    order = list(sentences)
    given = 0
    while given < size:
        rng.shuffle(order)
        yield from order[: size - given]
        given += len(order)


def one_run(corpus: Path, out: Path, threads: int) -> dict[str, Any]:
    """Seconds on the clock and of computing, and the peak memory, of a run in this process."""
    from trope import __version__
    from trope.corpora.files import find_files
    from trope.scale.executors import LocalExecutor
    from trope.scale.job import DetectSettings
    from trope.scale.run import detect

    executor = LocalExecutor(threads=threads)
    model = executor.model
    settings = DetectSettings(trope=__version__, tier=model.tier, model_sha256=model.sha256)
    # what is loaded by the first text is the same for any number of texts
    first = corpus.with_name(f"first-{corpus.name}")
    with corpus.open() as lines:
        first.write_text(next(lines))
    detect(find_files([str(first)]), settings, out / "first", executor)
    clock, computing = time.perf_counter(), time.process_time()
    totals = detect(find_files([str(corpus)]), settings, out / "all", executor)
    return {
        "texts": totals["texts"],
        "words": totals["words"],
        "seconds": time.perf_counter() - clock,
        "cpu_seconds": time.process_time() - computing,
        "peak_mb": machine.peak_memory_mb(),
        "model_sha256": model.sha256,
    }


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the line through the logarithms: 1 where twice the texts take twice as long."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _measure(options: argparse.Namespace) -> None:
    sentences = read_sentences(options.sentences)
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    with tempfile.TemporaryDirectory() as folder:
        runs = [_run(sentences, size, options, Path(folder)) for size in options.sizes]
        compared = _compare_workers(sentences, options, Path(folder))
    note = f"{machine.describe(options.threads)}; real sentences repeated and shuffled"
    figures = [*_growth_figures(runs, data, note), *_worker_figures(compared, data, note, options)]
    record.keep(figures, tier="small", model_sha256=runs[0]["model_sha256"], path=options.results)
    for figure in figures:
        print(f"{figure.name:36}{figure.value:12.3f}  {figure.note}")
    if options.plot:
        plot(runs, options.plot)


def _run(
    sentences: Sequence[str], size: int, options: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    for done in _runs_done(options.runs):
        if done["texts"] == size:
            return done
    corpus = _corpus(sentences, size, options.seed, folder)
    (child,) = _start([corpus], options.threads, folder, options)
    found = _finish(child)
    if options.runs:
        with options.runs.open("a") as file:
            file.write(json.dumps(found) + "\n")
    return found


def _runs_done(path: Path | None) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines() if path and path.is_file() else []
    return [json.loads(line) for line in lines]


def _corpus(sentences: Sequence[str], size: int, seed: int, folder: Path) -> Path:
    path = folder / f"{size}-{seed}.txt"
    with path.open("w") as file:
        file.writelines(f"{sentence}\n" for sentence in shuffled(sentences, size, seed))
    return path


def _start(
    corpora: Sequence[Path], threads: int, folder: Path, options: argparse.Namespace
) -> list[subprocess.Popen[str]]:
    """A process for every corpus, all at a time."""
    children = []
    for corpus in corpora:
        out = tempfile.mkdtemp(dir=folder)
        command = [sys.executable, __file__, str(options.sentences)]
        command += ["--one-run", str(corpus), out, str(threads)]
        children.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    return children


def _finish(child: subprocess.Popen[str]) -> dict[str, Any]:
    output, _ = child.communicate()
    if child.returncode:
        raise SystemExit(child.returncode)
    found: dict[str, Any] = json.loads(output)
    return found


def _compare_workers(
    sentences: Sequence[str], options: argparse.Namespace, folder: Path
) -> list[dict[str, float]]:
    """Of one thread, of two, and of two processes, round by round: sentences by second, how many
    cores were busy, and seconds of computing per sentence."""
    size = options.workers_size
    whole = _corpus(sentences, size, options.seed, folder)
    halves = [_corpus(sentences, size // 2, options.seed + half, folder) for half in (1, 2)]
    rows = []
    for _ in range(options.rounds):
        row = {}
        for name, corpora, threads in (
            ("one_thread", [whole], 1),
            ("two_threads", [whole], 2),
            ("two_processes", halves, 1),
        ):
            done = [_finish(child) for child in _start(corpora, threads, folder, options)]
            texts = sum(run["texts"] for run in done)
            row[name] = texts / max(run["seconds"] for run in done)
            row[f"{name}.cores"] = sum(run["cpu_seconds"] / run["seconds"] for run in done)
            row[f"{name}.cost"] = sum(run["cpu_seconds"] for run in done) / texts
        rows.append(row)
    return rows


def _growth_figures(runs: Sequence[dict[str, Any]], data: DataRef, note: str) -> list[Measurement]:
    sizes = [run["texts"] for run in runs]
    sizes_note = ", ".join(
        f"{run['texts']:,}: {run['cpu_seconds']:.0f} s of computing, {run['seconds']:.0f} s on the "
        f"clock, {run['peak_mb']:.0f} MB"
        for run in runs
    )
    grown = exponent(sizes, [run["cpu_seconds"] for run in runs])
    clock = exponent(sizes, [run["seconds"] for run in runs])
    most = max(sizes)
    figures = [
        record.measured(
            "scaling.exponent", [grown], n=most, note=f"{note}; {sizes_note}", data=data
        ),
        record.measured("scaling.clock_exponent", [clock], n=most, note=note, data=data),
    ]
    peaks = [run["peak_mb"] for run in runs if run["texts"] >= FLAT_FROM]
    if len(peaks) > 1:
        change = max(peaks) / min(peaks) - 1
        explanation = f"largest peak by smallest, less 1, from {FLAT_FROM:,} sentences on; {note}"
        figures.append(
            record.measured("memory.growth", [change], n=most, note=explanation, data=data)
        )
    words = [run["words"] / run["cpu_seconds"] for run in runs[-1:]]
    explanation = f"words by second of computing of one core; {note}"
    figures.append(
        record.measured("scaling.words_per_core_s", words, n=most, note=explanation, data=data)
    )
    return figures


def _worker_figures(
    rows: Sequence[dict[str, float]], data: DataRef, note: str, options: argparse.Namespace
) -> list[Measurement]:
    figures = []
    for name in ("two_threads", "two_processes") if rows else ():
        rates = [row[name] / row["one_thread"] for row in rows]
        costs = [row[f"{name}.cost"] / row["one_thread.cost"] for row in rows]
        busy = np.median([row[f"{name}.cores"] for row in rows])
        alone = np.median([row["one_thread.cores"] for row in rows])
        cores_note = f"busy cores {busy:.2f}, with one thread {alone:.2f}; {note}"
        for what, values, explanation in (
            (f"scaling.{name}", rates, "rate by that of one thread"),
            (f"scaling.{name}.cost", costs, "computing a sentence by that of one thread"),
        ):
            figures.append(
                record.measured(
                    what,
                    values,
                    n=options.workers_size,
                    note=f"{explanation}; {cores_note}",
                    data=data,
                )
            )
    return figures


def plot(runs: Sequence[dict[str, Any]], path: Path) -> None:
    """Write the plot: time and memory by the number of sentences."""
    from matplotlib.figure import Figure as PlotFigure

    sizes = [run["texts"] for run in runs]
    figure = PlotFigure(figsize=(8, 3.2), layout="constrained")
    time_axes, memory_axes = figure.subplots(1, 2)
    time_axes.loglog(sizes, [run["cpu_seconds"] for run in runs], "o-", label="computing")
    time_axes.loglog(sizes, [run["seconds"] for run in runs], "s--", label="clock")
    time_axes.set(xlabel="sentences", ylabel="seconds")
    time_axes.legend(frameon=False)
    memory_axes.semilogx(sizes, [run["peak_mb"] for run in runs], "o-")
    memory_axes.set(xlabel="sentences", ylabel="peak memory, MB")
    memory_axes.set_ylim(bottom=0)
    for axes in (time_axes, memory_axes):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    sys.exit(main())
