"""How the rate of analyses grows with the threads that ask one pipeline for them, text by text.

    python benchmarks/threads.py FILE.csv [--callers 8] [--cores 2]

One caller waits for every text; more callers keep all cores busy. Rates are measured in turns
within one run, each time of the same texts, and the process is kept to the given cores. The highest
rates of many short rounds are compared: other work on the machine only makes a round slower.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import machine
import record
import speed

from trope import Pipeline
from trope.metrics.figures import NO_DATA, Measurement


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    keep_to_cores(options.cores)
    texts = speed.read_sentences(options.file)[: options.texts]
    pipeline = Pipeline(threads=options.cores)
    for _ in range(2):
        rate(pipeline.analyze, texts[:50], options.callers)  # what is loaded once is loaded
    alone, together = [], []
    for _ in range(options.rounds):
        alone.append(rate(pipeline.analyze, texts, 1))
        together.append(rate(pipeline.analyze, texts, options.callers))
    note = f"highest of {options.rounds} rounds; {machine.describe(threads=options.cores)}"
    many = f"threads.{options.callers}"
    figures = [
        Measurement(name, value, None, None, n=len(texts), data=NO_DATA, note=note)
        for name, value in (
            ("threads.one.texts_per_s", max(alone)),
            (f"{many}.texts_per_s", max(together)),
            (f"{many}.vs_one", max(together) / max(alone)),
        )
    ]
    for figure in figures:
        print(f"{figure.name}: {figure.value:.3g}")
    record.keep(figures, tier="small", model_sha256=pipeline.model_sha256, path=options.results)
    return 0


def keep_to_cores(count: int) -> None:
    """Leave this process so many of its cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def rate(analyze: Callable[[str], object], texts: Sequence[str], callers: int) -> float:
    """Texts per second when so many threads ask for one text at a time."""
    with ThreadPoolExecutor(callers) as pool:
        started = time.perf_counter()
        done = sum(1 for _ in pool.map(analyze, texts))
        return done / (time.perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
