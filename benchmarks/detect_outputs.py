"""What the outputs of `trope detect` cost: seconds of computing, in turns in one run.

    python benchmarks/detect_outputs.py DATA/vua18/VUA_seq_formatted_test.csv [--before CHECKOUT]

Compared are the default, which writes words and relations for `serve` and `query`, counts alone,
and counts of all words, which need no trees. With --before, the default of another checkout is
measured too. The cost of a start is that of one text, and is taken off.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import machine
import record
import startup
from speed import read_sentences

from trope.core.errors import TropeError
from trope.core.files import sha256
from trope.metrics.figures import DataRef

WAYS = {
    "default": (),
    "counts": ("--counts-only",),
    "counts_of_all": ("--counts-only", "--words", "all"),
}
BEFORE = "before"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--texts", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--before", type=Path, help="a checkout of trope, for its default")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    try:
        sentences = read_sentences(options.sentences)[: options.texts]
        data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    except TropeError as error:
        print(f"detect_outputs: {error}", file=sys.stderr)
        return 2
    with startup.compiled_modules():
        costs = measure(sentences, options.runs, options.before)
    usual = statistics.median(costs["default"])
    note = f"{machine.describe(threads=1)}; {len(sentences)} sentences"
    figures = [
        record.measured(f"detect.{way}.cpu_s", own, n=options.runs, note=note, data=data)
        for way, own in costs.items()
    ]
    for way, own in costs.items():
        ratio = statistics.median(own) / usual
        print(f"{way:14} {statistics.median(own):7.2f} s of computing, {ratio:.2f} of the default")
    kept = record.read_evaluation(options.results) if options.results.is_file() else None
    record.keep(
        figures,
        tier=kept.tier if kept else "small",
        model_sha256=kept.model_sha256 if kept else "",
        path=options.results,
    )
    return 0


def measure(sentences: Sequence[str], runs: int, before: Path | None) -> dict[str, list[float]]:
    """Seconds of computing of each way, by run, without those of a start."""
    ways = {way: (None, more) for way, more in WAYS.items()}
    if before is not None:
        ways[BEFORE] = (before, ())
    costs: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        sources = {"one": sentences[:1], "all": sentences}
        for name, own in sources.items():
            lines = ["sentence", *('"' + text.replace('"', '""') + '"' for text in own)]
            Path(folder, f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        for run in range(-1, runs):  # the first compiles modules
            for way, (checkout, more) in ways.items():
                spent = {}
                for name in sources if run >= 0 else ("one",):
                    out = Path(folder, f"{way}-{name}-{run}")
                    words = ("detect", f"{folder}/{name}.csv", "--out", str(out), *more)
                    command = ("-m", "trope", *words, "--threads", "1", "--quiet")
                    spent[name] = startup.measure(command, checkout).cpu_s
                if run >= 0:
                    costs[way].append(spent["all"] - spent["one"])
    return costs


if __name__ == "__main__":
    sys.exit(main())
