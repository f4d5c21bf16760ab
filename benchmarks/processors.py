"""How far the scores of two kinds of processors are apart, word by word.

    python benchmarks/processors.py FILE.csv --keep scores.json       # on one processor
    python benchmarks/processors.py FILE.csv --against scores.json    # on another one

Products in 8 bits are exact on every processor. What is left are the last digits of floats, which
every kind rounds in its own way, and which are rounded to 8 bits after that.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import machine
import numpy as np
import record
import speed

from trope import Pipeline
from trope.core.errors import BadInput, TropeError
from trope.metrics.figures import NO_DATA, Measurement


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep the scores, or compare them; 2 where it cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--keep", type=Path, help="file for the scores")
    parser.add_argument("--against", type=Path, help="scores of another processor")
    parser.add_argument("--limit", type=int, default=400, help="sentences")
    parser.add_argument("--processor", default=_this_one(), help="its name, where it is emulated")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    try:
        sentences = speed.sample_sentences(speed.read_sentences(options.file), options.limit, 0)
        pipeline = Pipeline(threads=1)
        own = scores(pipeline, sentences, options.processor)
        if options.keep:
            options.keep.write_text(json.dumps(own), encoding="utf-8")
        if options.against:
            other = json.loads(options.against.read_text(encoding="utf-8"))
            figures = differences(own, other, pipeline.thresholds[0])
            for figure in figures:
                print(f"{figure.name}: {figure.value:.3g} ({figure.note})")
            sha256 = pipeline.model_sha256
            record.keep(figures, tier="small", model_sha256=sha256, path=options.results)
    except TropeError as error:
        print(f"processors: {error}", file=sys.stderr)
        return 2
    return 0


def _this_one() -> str:
    return f"{machine.cpu_model()} with {machine.products()}"


def scores(pipeline: Pipeline, sentences: Sequence[str], processor: str) -> dict[str, Any]:
    """The probability of every word to be a metaphor, with the model and the processor."""
    found = pipeline.analyze_many(sentences, tasks=("metaphor",), words="all")
    return {
        "model": pipeline.model_sha256,
        "processor": processor,
        "scores": [[token.metaphor for token in analysis.tokens] for analysis in found],
    }


def differences(own: dict[str, Any], other: dict[str, Any], threshold: float) -> list[Measurement]:
    """The largest and the mean difference, and the share of words that change sides."""
    if own["model"] != other["model"]:
        raise BadInput("the scores are of two models; keep those of one model on both processors")
    lengths = [[len(sentence) for sentence in each["scores"]] for each in (own, other)]
    if lengths[0] != lengths[1]:
        raise BadInput("the scores are of different sentences; give the same file and --limit")
    one, two = (np.array([p for s in each["scores"] for p in s]) for each in (own, other))
    apart = np.abs(one - two)
    note = f"{own['processor']} and {other['processor']}, {len(lengths[0])} sentences"
    values = {
        "largest_difference": apart.max(),
        "mean_difference": apart.mean(),
        "flipped": ((one >= threshold) != (two >= threshold)).mean(),
    }
    return [
        Measurement(f"processors.{name}", float(v), None, None, n=len(one), data=NO_DATA, note=note)
        for name, v in values.items()
    ]


if __name__ == "__main__":
    raise SystemExit(main())
