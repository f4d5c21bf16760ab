"""How much longer than analysing a sentence it takes to rewrite it, alone and in a batch.

python benchmarks/rewriting.py

Twenty headlines of our own (examples/rewriting_headlines.txt), one verb each, both directions. The
three ways take turns within a round, so that ratios do not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import machine
import record

from trope.metrics.figures import Measurement

HEADLINES = Path(__file__).parents[1] / "examples" / "rewriting_headlines.txt"
DIRECTIONS = ("literal", "metaphorical")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results."""
    options = _options().parse_args(arguments)
    pipeline = _load_pipeline(options)
    texts = HEADLINES.read_text(encoding="utf-8").splitlines()
    ways = ways_of(pipeline, texts)
    for way in ways.values():  # the first call loads what later calls find loaded
        way()
    rows = [{name: timed(way) for name, way in ways.items()} for _ in range(options.rounds)]
    figures = ratios(rows, len(texts), machine.describe(options.threads))
    record.keep(
        figures, tier=options.tier, model_sha256=pipeline.model_sha256, path=options.results
    )
    for figure in figures:
        print(f"{figure.name}: {figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})")
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tier", default="small")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    return parser


def _load_pipeline(options: argparse.Namespace) -> Any:
    from trope.pipeline import Pipeline

    return Pipeline(tier=options.tier, threads=options.threads)


def ways_of(pipeline: Any, texts: Sequence[str]) -> dict[str, Callable[[], object]]:
    """What is timed: analysing each text alone, rewriting its verb alone, and all in a batch."""
    verbs = [_main_verb(pipeline, text) for text in texts]

    def alone() -> None:
        for to in DIRECTIONS:
            for text, verb in zip(texts, verbs, strict=True):
                pipeline.rewrite(text, to=to, verb=verb, kind="headline")

    def batch() -> None:
        for to in DIRECTIONS:
            list(pipeline.rewrite_many(texts, to=to, verbs=verbs, kind="headline"))

    return {
        "analysed": lambda: [pipeline.analyze(text, kind="headline") for text in texts],
        "alone": alone,
        "batch": batch,
    }


def _main_verb(pipeline: Any, text: str) -> str:
    analysis = pipeline.analyze(text, kind="headline")
    return next(analysis.tokens[r.verb].text for r in analysis.relations if r.kind == "svo")


def timed(way: Callable[[], object]) -> float:
    """The seconds that one way takes."""
    started = time.perf_counter()
    way()
    return time.perf_counter() - started


def ratios(rows: Sequence[dict[str, float]], texts: int, note: str) -> list[Measurement]:
    """Times of rewriting one verb over that of analysing its sentence alone, within a round."""
    each = len(DIRECTIONS)  # every text is rewritten so often, but analysed once
    alone = [row["alone"] / each / row["analysed"] for row in rows]
    batch = [row["batch"] / each / row["analysed"] for row in rows]
    gain = [row["alone"] / row["batch"] for row in rows]
    return [
        record.measured("speed.rewriting.ratio", alone, n=texts,
                        note=f"rewriting one sentence alone, over analysing it alone; {note}"),
        record.measured("speed.rewriting.batch_ratio", batch, n=texts,
                        note=f"a sentence of a batch of {texts}, over analysing one alone; {note}"),
        record.measured("speed.rewriting.batch_gain", gain, n=texts,
                        note=f"sentences alone over the same in a batch; {note}"),
        record.measured("speed.rewriting.alone_ms", [r["alone"] / each / texts * 1e3 for r in rows],
                        n=texts, note=note),
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
