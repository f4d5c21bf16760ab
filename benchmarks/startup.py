"""What a start costs, each time in a new process: seconds of computing and peak memory.

    python benchmarks/startup.py [--before CHECKOUT] [--runs 5]

Measured are `trope --help`, `trope analyze` of a sentence without and with names, the same in
Python, and `trope.load()` with a text. With --before, another checkout of trope is measured in
turns with this one. Then the shares of a first analysis are printed. Modules are compiled once, as
they are by an installation.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import machine
import record

SENTENCE = "The new tax strangles small shops."
NAMES = "London voted against the tax, and Google agreed."
WAYS = {
    "analyze": ("-m", "trope", "analyze", SENTENCE),
    "names": ("-m", "trope", "analyze", NAMES),
    "python": ("-c", f"import trope; trope.analyze({SENTENCE!r})"),
    "load": ("-c", f"import trope; nlp = trope.load(); nlp({NAMES!r})"),
}

# runs Python's arguments in this process, then prints the most memory that it held
_MEASURED = """
import atexit, runpy, sys
sys.path.insert(0, sys.argv.pop(1))
import machine
sys.path.pop(0)
atexit.register(lambda: print(machine.peak_memory_mb(), file=sys.stderr))
kind = sys.argv.pop(1)
if kind == "-m":
    runpy.run_module(sys.argv.pop(1), run_name="__main__")
else:
    exec(sys.argv[1], {"__name__": "__main__"})
"""

_SHARES = f"""
import json, time
laps, last = {{}}, 0.0
def lap(name):
    global last
    now = time.process_time()
    laps[name], last = now - last, now
lap("Python")
import numpy; lap("import numpy")
import onnxruntime; lap("import onnxruntime")
import tokenizers; lap("import tokenizers")
import trope.pipeline; lap("import trope")
pipeline = trope.Pipeline(); lap("checksums, vocabulary")
pipeline.parse([["Rain"]]); lap("open the network")
pipeline.analyze({SENTENCE!r}); lap("first sentence")
pipeline.analyze({NAMES!r}); lap("first names")
pipeline.analyze({SENTENCE!r}); lap("another sentence")
print(json.dumps(laps))
"""


class Cost(NamedTuple):
    """What a process took: seconds of computing on all cores, peak memory in MB."""

    cpu_s: float
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--before", type=Path, help="a checkout of trope to measure beside this one"
    )
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    note = machine.describe(threads=1)
    with compiled_modules():
        figures = measure_all(options.runs, options.before, note)
    kept = record.read_evaluation(options.results) if options.results.is_file() else None
    record.keep(
        figures,
        tier=kept.tier if kept else "small",
        model_sha256=kept.model_sha256 if kept else "",
        path=options.results,
    )
    return 0


@contextmanager
def compiled_modules() -> Iterator[None]:
    """Let processes keep the modules that they compile, and find them again."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def measure_all(runs: int, other: Path | None, note: str) -> list[record.Measurement]:
    """What each way of starting costs, here and in the other checkout; printed as it is found."""
    time_help()  # compiles
    helps = [time_help() for _ in range(runs)]
    figures = [record.measured("startup.help_s", helps, n=runs, note=note)]
    print(f"trope --help: {figures[0].value:.3f} s")
    sources = {"": None} if other is None else {"": None, "before.": other}
    for way, words in WAYS.items():
        costs: dict[str, list[Cost]] = {when: [] for when in sources}
        for checkout in sources.values():
            measure(words, checkout)  # compiles
        for _ in range(runs):
            for when, checkout in sources.items():
                costs[when].append(measure(words, checkout))
        for when, own in costs.items():
            for field in Cost._fields:
                values = [getattr(cost, field) for cost in own]
                name = f"startup.{when}{way}_{field}"
                figures.append(record.measured(name, values, n=runs, note=note))
            seconds, memory = (statistics.median(values) for values in zip(*own, strict=True))
            print(f"{when}{way}: {seconds:.2f} s of computing, {memory:.0f} MB")
    for stage, seconds in shares().items():
        print(f"{1000 * seconds:8.0f} ms  {stage}")
    return figures


def time_help() -> float:
    """The seconds from start to end of one process."""
    started = time.perf_counter()
    subprocess.run([*machine.TROPE, "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def measure(words: Sequence[str], checkout: Path | None = None) -> Cost:
    """The cost of Python with these arguments, with the trope of a checkout or our own."""
    command = [sys.executable, "-c", _MEASURED, str(Path(__file__).parent), *words]
    environment = os.environ | ({"PYTHONPATH": str(checkout / "src")} if checkout else {})
    before = _children_cpu_s()
    done = subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    return Cost(_children_cpu_s() - before, float(done.stderr.split()[-1]))


def _children_cpu_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def shares() -> dict[str, float]:
    """The seconds of computing of each stage of a first analysis, in one process."""
    done = subprocess.run(
        [sys.executable, "-c", _SHARES], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
