"""Sentences per second of trope and of two rivals, in turns in one run, and trope's memory.

    python benchmarks/speed.py DATA/vua18/VUA_seq_formatted_test.csv

The rivals need torch and transformers (pip install 'trope[hub]').
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import machine
import matrix_rate
import record
import rivals

from trope.core.errors import TropeError
from trope.core.files import decode, open_binary, sha256
from trope.encoder import session
from trope.metrics.figures import DataRef, Measurement

T = TypeVar("T")

SYNTAX = ("syntax", "relations")
METAPHOR = ("metaphor",)
OURS = {"trope": "full", "metaphor": "metaphor"}
"""What of trope is compared with the rivals: all it says of a text, or metaphors alone."""
RIVALS = ("roberta", "melbert")
CHARACTERS_A_PIECE = 4  # only where a pipeline does not expose its vocabulary


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    options = _options().parse_args(arguments)
    try:
        if options.memory_only:
            print(_memory_of_analysis(options))
        else:
            _run(options)
    except TropeError as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--limit", type=int, help="sentences for trope (all)")
    parser.add_argument("--roberta-batches", type=int, default=10, help="of 32, single pass")
    parser.add_argument("--melbert-limit", type=int, default=60, help="sentences, a pass per word")
    parser.add_argument("--plain-limit", type=int, default=600, help="sentences, one at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tier", default="small")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    return parser


def read_sentences(path: Path) -> list[str]:
    """The sentences of the file, words separated by blanks."""
    with open_binary(path) as file:
        lines = decode(file.read(), path).splitlines()
    return [row["sentence"] for row in csv.DictReader(lines)]


def sample(ordered: Sequence[T], limit: int | None, seed: int) -> list[T]:
    """This many items, drawn one from each of as many groups of neighbours.

    Of sentences ordered by length, a plain draw of a few may be short or long by chance, which
    would be measured as speed; this one has the lengths of the whole.
    """
    if limit is None or limit >= len(ordered):
        return list(ordered)
    rng = random.Random(seed)
    cuts = [round(group * len(ordered) / limit) for group in range(limit + 1)]
    return [ordered[rng.randrange(cuts[at], cuts[at + 1])] for at in range(limit)]


def by_length(sentences: Sequence[str]) -> list[str]:
    """The sentences, those of few words first."""
    return sorted(sentences, key=lambda sentence: len(sentence.split()))


def sample_sentences(sentences: Sequence[str], limit: int | None, seed: int) -> list[str]:
    """All sentences, or this many of them."""
    if limit is None:
        return list(sentences)
    drawn = sample(by_length(sentences), limit, seed)
    random.Random(seed).shuffle(drawn)  # texts do not come in the order of their lengths
    return drawn


def piece_counter(pipeline: Any) -> tuple[Callable[[Sequence[str]], int], str]:
    """How many pieces words have, with the two that bracket a sentence, and how it is known."""
    vocabulary = getattr(pipeline, "vocabulary", None)
    if vocabulary is None:
        return _estimate_pieces, f"pieces estimated, one in {CHARACTERS_A_PIECE} characters"
    from trope.encoder.pieces import count_pieces

    return lambda words: count_pieces(vocabulary, words), "pieces of our own vocabulary"


def _estimate_pieces(words: Sequence[str]) -> int:
    return 2 + sum(-(-len(word) // CHARACTERS_A_PIECE) for word in words)


def rates(
    systems: dict[str, tuple[Callable[[], object], int]], rounds: int
) -> list[dict[str, float]]:
    """Sentences per second of every system, round by round, so that noise spreads over all."""
    found: list[dict[str, float]] = []
    for _ in range(rounds):
        row: dict[str, float] = {}
        for name, (run, sentences) in systems.items():
            started = time.perf_counter()
            run()
            row[name] = sentences / (time.perf_counter() - started)
        found.append(row)
    return found


def speed_figures(
    rows: Sequence[dict[str, float]], sizes: dict[str, int], data: DataRef, note: str
) -> list[Measurement]:
    """The rate of every system and the ratio of trope's to each other one, within a round."""
    figures = []
    for name, size in sizes.items():
        prefix = f"speed.{OURS.get(name, name)}"
        values = [row[name] for row in rows]
        figures.append(
            record.measured(f"{prefix}.sentences_per_s", values, n=size, note=note, data=data)
        )
    for ours, rival in product(OURS, RIVALS):
        ratios = [row[ours] / row[rival] for row in rows]
        explanation = f"{sizes[ours]} sentences against {sizes[rival]}; {note}"
        name = f"speed.{OURS[ours]}.vs_{rival}"
        figures.append(record.measured(name, ratios, n=sizes[rival], note=explanation, data=data))
    added = [row["syntax"] / row["with_metaphor"] - 1 for row in rows]
    explanation = f"time that metaphors add to syntax and relations, as a share; {note}"
    figures.append(
        record.measured(
            "speed.metaphor.added", added, n=sizes["syntax"], note=explanation, data=data
        )
    )
    return figures


def share_of_stages(
    timings: dict[str, float], data: DataRef, n: int, note: str, of: str = "full"
) -> list[Measurement]:
    """The share of time that each stage of the pipeline took."""
    total = sum(timings.values())
    return [
        record.measured(f"speed.{of}.share.{stage}", [seconds / total], n=n, note=note, data=data)
        for stage, seconds in timings.items()
        if total > 0
    ]


def compare_with_plain_path(
    pipeline: Any, sentences: Sequence[str], data: DataRef, note: str
) -> list[Measurement]:
    """What the fast path for metaphors alone changes: against one sentence at a time, all heads.

    The largest difference of two scores, and the share of words whose verdict changes.
    """
    fast = pipeline.analyze_many(sentences, tasks=METAPHOR, tags=False, words="all")
    differences: list[float] = []
    flipped = 0
    for quick, plain in zip(fast, map(pipeline.analyze, sentences), strict=True):
        for ours, theirs in zip(quick.tokens, plain.tokens, strict=True):
            differences.append(abs(ours.metaphor - theirs.metaphor))
            flipped += (ours.metaphor >= quick.threshold) != (theirs.metaphor >= quick.threshold)
    words = len(differences)
    explanation = f"against one sentence at a time with all heads; {note}"
    return [
        record.measured(
            f"speed.metaphor.plain.{name}", [value], n=words, note=explanation, data=data
        )
        for name, value in (
            ("largest_difference", max(differences)),
            ("flipped", flipped / words),
        )
    ]


def encoder_figures(
    pipeline: Any, sentences: Sequence[str], data: DataRef, note: str
) -> list[Measurement]:
    """Shares of the stages with metaphors alone, and how near the encoder comes to the machine."""
    before = dict(pipeline.timings)
    _analyze(pipeline, sentences, METAPHOR, tags=False)
    timings = {stage: seconds - before[stage] for stage, seconds in pipeline.timings.items()}
    count, _ = piece_counter(pipeline)
    pieces = sum(count(sentence.split()) for sentence in sentences)
    model = pipeline.encoder.folder / "encoder.onnx"
    wanted = pieces * matrix_rate.operations_a_piece(model, session.METAPHOR)
    reached, possible = wanted / timings["encoder"], matrix_rate.int8_rate()
    rates = f"{reached / 1e9:.0f} of {possible / 1e9:.0f} billion operations by second and thread"
    explanation = f"8-bit products alone counted, all else the encoder does is in its time; {rates}"
    figure = record.measured(
        "speed.encoder.of_int8_rate",
        [reached / possible],
        n=len(sentences),
        note=f"{explanation}; {note}",
        data=data,
    )
    return [*share_of_stages(timings, data, len(sentences), note, of="metaphor"), figure]


def _load_pipeline(options: argparse.Namespace) -> Any:
    from trope.pipeline import Pipeline

    return Pipeline(tier=options.tier, threads=options.threads)


def _analyze(
    pipeline: Any,
    sentences: Sequence[str],
    tasks: Sequence[str] | None = None,
    *,
    tags: bool = True,
) -> None:
    words = "noticed" if tags else "all"  # which needs no trees
    for _ in pipeline.analyze_many(sentences, tasks=tasks, tags=tags, words=words):
        pass


def _memory_of_analysis(options: argparse.Namespace) -> float:
    """The peak memory of a process that only analyses the sentences."""
    sentences = sample_sentences(read_sentences(options.sentences), options.limit, options.seed)
    _analyze(_load_pipeline(options), sentences)
    return machine.peak_memory_mb()


def _memory_in_child(options: argparse.Namespace) -> float:
    command = [sys.executable, __file__, str(options.sentences), "--memory-only"]
    command += ["--threads", str(options.threads), "--tier", options.tier]
    command += ["--seed", str(options.seed)]
    command += ["--limit", str(options.limit)] if options.limit else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def _run(options: argparse.Namespace) -> None:
    ours = sample_sentences(read_sentences(options.sentences), options.limit, options.seed)
    rival = rivals.Rival(options.threads, options.seed)
    pipeline = _load_pipeline(options)
    count, counted = piece_counter(pipeline)
    # whole batches of the whole set are drawn: batches made of a few sentences would hold more
    # padding than those of all, and the rival would look slower than it is
    every = rivals.batches_by_length([count(sentence.split()) for sentence in ours])
    batches = sample(every, options.roberta_batches, options.seed)
    words = [s.split() for s in sample(by_length(ours), options.melbert_limit, options.seed)]
    systems = {
        "trope": (lambda: _analyze(pipeline, ours), len(ours)),
        "syntax": (lambda: _analyze(pipeline, ours, SYNTAX), len(ours)),
        "with_metaphor": (lambda: _analyze(pipeline, ours, (*SYNTAX, *METAPHOR)), len(ours)),
        "metaphor": (lambda: _analyze(pipeline, ours, METAPHOR, tags=False), len(ours)),
        "roberta": (lambda: rivals.single_pass(rival, batches), sum(map(len, batches))),
        "melbert": (lambda: rivals.pass_per_word(rival, words, count), len(words)),
    }
    for tasks in (
        None,
        SYNTAX,
        (*SYNTAX, *METAPHOR),
        METAPHOR,
    ):  # the first call loads what later calls find loaded
        _analyze(pipeline, ours[:32], tasks, tags=tasks is not METAPHOR)
    rivals.single_pass(rival, [batches[0]])
    before = dict(getattr(pipeline, "timings", {}))
    rows = rates(systems, options.rounds)
    timings = {
        stage: seconds - before.get(stage, 0.0)
        for stage, seconds in getattr(pipeline, "timings", {}).items()
    }
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    note = f"{machine.describe(options.threads)}; drawn by length, seed {options.seed}; {counted}"
    sizes = {name: size for name, (_, size) in systems.items()}
    figures = speed_figures(rows, sizes, data, note)
    figures += share_of_stages(timings, data, len(ours), note)
    if hasattr(pipeline, "encoder"):
        figures += encoder_figures(pipeline, ours, data, note)
        plain = sample_sentences(ours, options.plain_limit, options.seed)
        figures += compare_with_plain_path(pipeline, plain, data, note)
    memory = [_memory_in_child(options)]
    figures.append(record.measured("memory.peak_mb", memory, n=len(ours), note=note, data=data))
    _publish(figures, options, getattr(pipeline, "model_sha256", ""))


def _publish(figures: Sequence[Measurement], options: argparse.Namespace, checksum: str) -> None:
    kept = record.keep(figures, tier=options.tier, model_sha256=checksum, path=options.results)
    record.show(kept)


if __name__ == "__main__":
    sys.exit(main())
