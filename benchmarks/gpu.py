"""Sentences per second on a graphics processor, from a text file to Parquet on disk.

    python benchmarks/gpu.py DATA/vua18/VUA_seq_formatted_test.csv
    python benchmarks/gpu.py FILE --size 40 --workers 1 --pretend

The sentences of the file are repeated up to --size and analysed as `trope detect` does: metaphors
alone, everything, and metaphors by the tier `base`, which needs its public weights. Then the
verdicts on all sentences of the file, and on the lines of the --texts, are compared with those of
the processor. The figures of each part are kept as soon as they are there. With --pretend, this
machine's processor stands for a card: to see that all runs; nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import machine
import msgspec
import record
from scaling import shuffled
from speed import read_sentences

from trope import __version__
from trope.core.errors import MissingData, TropeError
from trope.core.files import sha256
from trope.corpora.files import find_files
from trope.encoder import device
from trope.encoder.device import GraphicsCard, open_card
from trope.encoder.models import model_folder
from trope.metrics.figures import DataRef, Measurement
from trope.pipeline import Pipeline
from trope.scale.executors import BYTES_A_WORKER, WORKERS_A_CARD, CardExecutor
from trope.scale.job import DetectSettings, J, R, Work
from trope.scale.run import DetectProgress, detect

PARTS = {
    "metaphor": {"tier": "small", "tasks": ("metaphor",), "words": "all", "tokens": False},
    "full": {
        "tier": "small",
        "tasks": ("relations", "metonymy", "sentiment", "metaphor"),
        "words": "noticed",
        "tokens": True,
    },
    "base": {"tier": "base", "tasks": ("metaphor",), "words": "all", "tokens": False},
}
"""What is measured, with the settings of a run over a corpus."""

_AGREEMENT = "agreement"
"""The part that compares verdicts."""

_TELL_SECONDS = 5.0
"""How often a run says how far it is."""

_READ_USE = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-l1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--size", type=int, default=1_000_000, help="sentences of a run")
    parts = (*PARTS, _AGREEMENT)
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="[default: all]")
    parser.add_argument("--workers", type=int, help="processes  [default: as many as fit]")
    parser.add_argument("--texts", type=Path, nargs="*", default=[], help="more texts to compare")
    parser.add_argument("--limit", type=int, help="sentences to compare  [default: all]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    parser.add_argument("--pretend", action="store_true", help="use no card; keep nothing")
    options = parser.parse_args(arguments)
    try:
        _measure(options)
    except TropeError as error:
        print(f"gpu: {error}", file=sys.stderr)
        return 2
    return 0


def load(tier: str, pretend: bool, threads: int | None) -> Pipeline:
    """The pipeline of a process."""
    if pretend:
        device.find_card = pretended
    return Pipeline(tier=tier, threads=threads, device="cuda")


def pretended() -> GraphicsCard:
    """This machine's processor as if it were a card."""
    return GraphicsCard("this processor", "cpu", "float32", 8 << 30)


class TimedExecutor:
    """Another executor, whose processes write down how long each stage took them."""

    def __init__(self, executor: CardExecutor, folder: Path) -> None:
        self.executor, self.folder = executor, folder
        self.model = executor.model

    def run(self, work: Work[J, R], jobs: Iterable[J]) -> Iterator[tuple[J, R]]:
        """Each job with its result."""
        return self.executor.run(partial(_timed, self.folder, work), jobs)

    def timings(self) -> Counter[str]:
        """The seconds of each stage in all processes."""
        found: Counter[str] = Counter()
        for path in self.processes():
            found.update(json.loads(path.read_text()))
        return found

    def processes(self) -> list[Path]:
        """The files of the processes that have done a job."""
        return [*self.folder.glob("*.json")]


def _timed(folder: Path, work: Work[J, R], pipeline: Pipeline, job: J) -> R:
    began, before = time.process_time(), dict(pipeline.timings)
    result = work(pipeline, job)
    path = folder / f"{os.getpid()}.json"
    sums = Counter(json.loads(path.read_text())) if path.is_file() else Counter()
    own = {stage: seconds - before[stage] for stage, seconds in pipeline.timings.items()}
    own["other"] = max(0.0, time.process_time() - began - sum(own.values()))
    sums.update(own)
    path.write_text(json.dumps(sums))
    return result


@contextmanager
def card_use() -> Iterator[Callable[[], list[float]]]:
    """While it lasts, how many per cent of its time the card works is read every second."""
    if shutil.which(_READ_USE[0]) is None:
        yield list
        return
    with tempfile.TemporaryFile("w+") as file, subprocess.Popen(_READ_USE, stdout=file) as reader:

        def readings() -> list[float]:
            file.seek(0)
            # a card that another machine lends may not tell
            return [float(line) for line in file.read().split() if line.isdigit()]

        try:
            yield readings
        finally:
            reader.terminate()


def _measure(options: argparse.Namespace) -> None:
    if options.pretend:
        device.find_card = pretended
    card = open_card("cuda")
    assert card is not None
    workers = options.workers or min(
        len(os.sched_getaffinity(0)), WORKERS_A_CARD, max(1, card.free // BYTES_A_WORKER)
    )
    sentences = read_sentences(options.sentences)
    data = DataRef(name="vua18", split="test", sha256=sha256(options.sentences))
    note = f"{card.name}, {workers} processes; {machine.describe(1)}"
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        drawn = shuffled(sentences, options.size, options.seed)
        corpus.write_text("\n".join(" ".join(line.split()) for line in drawn) + "\n")
        for part in (one for one in PARTS if one in options.parts):
            try:
                run = _run(part, corpus, workers, options.pretend, Path(folder) / part)
            except MissingData as error:
                print(f"{part}: left out, {error}", file=sys.stderr)
                continue
            _keep(_figures(part, run, data, note), options)
    if _AGREEMENT not in options.parts:
        return
    texts = [*sentences, *(line for path in options.texts for line in _lines(path))]
    _keep(_compare(texts[: options.limit], data, note), options)


def _keep(figures: Sequence[Measurement], options: argparse.Namespace) -> None:
    """Show figures and keep them: a later part may fail."""
    for figure in figures:
        print(f"{figure.name:40}{figure.value:14.5g}  {figure.note}", flush=True)
    if not options.pretend:
        checksum = sha256(model_folder("small") / "encoder.onnx")
        record.keep(figures, tier="small", model_sha256=checksum, path=options.results)


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _run(part: str, corpus: Path, workers: int, pretend: bool, folder: Path) -> dict[str, Any]:
    """Seconds, totals, stages and use of the card of one run, when all processes are warm."""
    folder.mkdir()
    chosen = PARTS[part]
    executor = TimedExecutor(
        CardExecutor(partial(load, chosen["tier"], pretend), workers=workers), folder
    )
    model = executor.model
    settings = DetectSettings(
        trope=__version__,
        tier=model.tier,
        model_sha256=model.sha256,
        tasks=chosen["tasks"],
        tokens=chosen["tokens"],
        words=chosen["words"],
        format="parquet",
        device=model.device,
        shard_rows=_shard_rows(corpus, workers),
    )
    _warm(corpus, settings, workers, executor)
    before = executor.timings()
    with card_use() as readings:
        began = time.perf_counter()
        totals = detect(
            find_files([str(corpus)]), settings, folder / "all", executor,
            report=_tell(part), any_language=True,
        )  # fmt: skip
        seconds = time.perf_counter() - began
        use = readings()
    stages = executor.timings() - before
    return {"totals": totals, "seconds": seconds, "stages": stages, "use": use}


def _warm(corpus: Path, settings: DetectSettings, workers: int, executor: TimedExecutor) -> None:
    """Give all processes work until each has loaded its model: one may take what many were meant
    to."""
    first = executor.folder / "first.txt"
    with corpus.open() as lines:
        first.write_text("".join(islice(cycle(lines), 4 * workers)))
    settings = msgspec.structs.replace(settings, shard_rows=1)
    began = time.perf_counter()
    for again in count():
        out = executor.folder / f"first-{again}"
        detect(find_files([str(first)]), settings, out, executor, any_language=True)
        if len(executor.processes()) >= workers:
            break
    print(
        f"{workers} processes were ready after {time.perf_counter() - began:.0f} s", file=sys.stderr
    )


def _tell(part: str) -> Callable[[DetectProgress], None]:
    """What says now and then how far a run is, so that one that is ended leaves its speed."""
    began = told = time.perf_counter()

    def tell(progress: DetectProgress) -> None:
        nonlocal told
        now = time.perf_counter()
        if now - told > _TELL_SECONDS:
            rate = progress.texts / (now - began)
            print(f"{part}: {progress.texts:,} sentences, {rate:,.0f} a second", file=sys.stderr)
            told = now

    return tell


def _shard_rows(corpus: Path, workers: int) -> int:
    """Rows of a shard: four for each process at least, so that none of them waits at the end."""
    with corpus.open() as file:
        rows = sum(1 for _ in file)
    return max(1, min(5_000, rows // (4 * workers)))


def _figures(part: str, run: dict[str, Any], data: DataRef, note: str) -> list[Measurement]:
    texts, words = run["totals"]["texts"], run["totals"]["words"]
    measured = partial(record.measured, n=texts, data=data)
    minutes = 1e9 / (words / run["seconds"]) / 60
    figures = [
        measured(f"gpu.{part}.sentences_per_s", [texts / run["seconds"]], note=note),
        measured(f"gpu.{part}.billion_words_minutes", [minutes], note=note),
    ]
    total = sum(run["stages"].values())
    for stage, seconds in run["stages"].items():
        explained = f"share of the processors' time in all processes; {note}"
        figures.append(measured(f"gpu.{part}.share.{stage}", [seconds / total], note=explained))
    if run["use"]:
        mean = sum(run["use"]) / len(run["use"]) / 100
        explained = f"mean of {len(run['use'])} readings, one a second; {note}"
        figures.append(measured(f"gpu.{part}.card_use", [mean], note=explained))
    return figures


def _compare(texts: Sequence[str], data: DataRef, note: str) -> list[Measurement]:
    """The share of words whose verdict the card changes, and how far scores are apart."""
    both = [Pipeline(device=name) for name in ("cpu", "cuda")]
    found = (pipeline.analyze_many(texts, tasks=("metaphor",), words="all") for pipeline in both)
    flipped = words = 0
    far: list[float] = []
    for before, after in zip(*found, strict=True):
        for one, other in zip(before.tokens, after.tokens, strict=True):
            words += 1
            far.append(abs(one.metaphor - other.metaphor))
            flipped += (one.metaphor >= before.threshold) != (other.metaphor >= before.threshold)
    explained = f"against the processor, {len(texts)} texts; {note}"
    values = {"flipped": flipped / words, "mean_difference": sum(far) / words}
    values["largest_difference"] = max(far)
    return [
        record.measured(f"gpu.{name}", [value], n=words, data=data, note=explained)
        for name, value in values.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
