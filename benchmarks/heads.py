"""What each head of the small model costs: time of a pass with and without it, and its bytes.

    python benchmarks/heads.py FILE.csv [--sentences 400] [--rounds 5]

FILE is a VUA test file. Passes of the encoder with all heads and without one of them are measured
in turns within one run, as are analyses with all tasks and without one. A cost is the computing
time of all threads with the head over that without it, each the least of all rounds. The bytes of a
head are those of the weights that no other head reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time

import machine
import onnx
import record
import speed

from trope import Pipeline
from trope.encoder import session
from trope.metrics.figures import NO_DATA, Measurement

HEADS: Mapping[str, tuple[str, ...]] = {
    "syntax": session.SYNTAX,
    "metaphor": session.METAPHOR,
    "figures": session.FIGURES,
    "names": session.NAMES,
    "sentiment": session.SENTIMENT,
    "metonymy": session.METONYMY,
    "meaning": session.MEANING,
}
TASKS = ("metaphor", "metonymy", "sentiment")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    texts = speed.read_sentences(options.file)[: options.sentences]
    pipeline = Pipeline(threads=options.threads)
    costs = {
        **pass_costs(pipeline.encoder, [text.split() for text in texts], options.rounds),
        **task_costs(pipeline, texts, options.rounds),
    }
    note = f"least of {options.rounds} rounds; {machine.describe(threads=options.threads)}"
    values = [(name, value, note) for name, value in costs.items()]
    file = pipeline.encoder.folder / "encoder.onnx"
    values += [
        (f"heads.bytes.{name}", share, "of the bytes of all weights")
        for name, share in byte_shares(file, pipeline.encoder.outputs).items()
    ]
    figures = [
        Measurement(name, value, None, None, n=len(texts), data=NO_DATA, note=why)
        for name, value, why in values
    ]
    for figure in figures:
        print(f"{figure.name}: {figure.value:.3f}")
    record.keep(figures, tier="small", model_sha256=pipeline.model_sha256, path=options.results)
    return 0


def pass_costs(
    encoder: session.Encoder, sentences: Sequence[Sequence[str]], rounds: int
) -> dict[str, float]:
    """The time of a pass with all heads over that without one of them."""

    def run(outputs: Sequence[str]) -> Callable[[], object]:
        return lambda: [future.result() for future in encoder.submit(sentences, outputs)]

    every = encoder.outputs
    jobs = {"": run(every)}
    for name, own in HEADS.items():
        if {*own} <= {*every}:
            jobs[name] = run([output for output in every if output not in own])
    least = fastest(jobs, rounds)
    return {f"heads.pass.{name}": least[""] / least[name] for name in jobs if name}


def task_costs(pipeline: Pipeline, texts: Sequence[str], rounds: int) -> dict[str, float]:
    """The time of an analysis with all tasks over that without one of them."""

    def run(tasks: Sequence[str]) -> Callable[[], object]:
        return lambda: list(pipeline.analyze_many(texts, tasks=tasks))

    every = pipeline.tasks
    jobs = {"": run(every)}
    jobs |= {task: run([t for t in every if t != task]) for task in TASKS if task in every}
    least = fastest(jobs, rounds)
    return {f"heads.analysis.{name}": least[""] / least[name] for name in jobs if name}


def fastest(jobs: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least seconds of computing of each job, run in turns; the first turn only warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(rounds + 1):
        for name, job in jobs.items():
            started = process_time()
            job()
            if turn:
                seconds[name].append(process_time() - started)
    return {name: min(values) for name, values in seconds.items()}


def byte_shares(file: Path, outputs: Sequence[str]) -> dict[str, float]:
    """The share of the weights that each head alone reads; the rest is the trunk's."""
    graph = onnx.load(str(file)).graph
    sizes = {tensor.name: tensor.ByteSize() for tensor in graph.initializer}
    made = {output: node for node in graph.node for output in node.output}
    needs = {
        name: {weight for output in own for weight in _weights_below(output, made, sizes)}
        for name, own in HEADS.items()
        if {*own} <= {*outputs}
    }
    shares = {}
    for name, own in needs.items():
        others = set().union(*(needs[other] for other in needs if other != name))
        shares[name] = sum(sizes[weight] for weight in own - others) / sum(sizes.values())
    return {**shares, "trunk": 1 - sum(shares.values())}


def _weights_below(
    output: str, made: Mapping[str, onnx.NodeProto], sizes: Mapping[str, int]
) -> set[str]:
    """The weights that an output is computed from."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [output]
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in sizes:
            found.add(name)
        elif name in made:
            pending += made[name].input
    return found


if __name__ == "__main__":
    sys.exit(main())
