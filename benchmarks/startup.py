"""How long `trope --help` takes, each time in a new process.

python benchmarks/startup.py
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import machine
import record


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    seconds = [time_help() for _ in range(options.runs)]
    note = machine.describe(threads=1)
    figure = record.measured("startup.help_s", seconds, n=options.runs, note=note)
    keep_model = record.read_evaluation(options.results) if options.results.is_file() else None
    record.keep(
        [figure],
        tier=keep_model.tier if keep_model else "small",
        model_sha256=keep_model.model_sha256 if keep_model else "",
        path=options.results,
    )
    print(f"trope --help: {figure.value:.3f} s ({figure.low:.3f} to {figure.high:.3f})")
    return 0


def time_help() -> float:
    """The seconds from start to end of one process."""
    started = time.perf_counter()
    subprocess.run([*machine.TROPE, "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
