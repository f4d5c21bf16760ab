"""Several trainings from one prepared folder: predictions out, no weights.

    python -m trope.train.hub.fit PREPARED MODEL OUT [--jobs N] [--device cuda]

Needs torch, transformers and numpy alone, and none of the corpora: what is to be learnt and what
is to be predicted are in the prepared folder as plain text, test items without their labels. A
prediction file that is there already is passed over, and a training that was interrupted goes on
after its last whole epoch.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingData, TropeError
from trope.core.files import atomic_write, sha256
from trope.core.progress import MessageWriter
from trope.tasks.hub_folder import (
    exact_name,
    folder_checksum,
    load_tokenizer,
    longest,
    model_path,
    text_pieces,
)
from trope.tasks.metaphor.hub_model import new_detector, probabilities
from trope.train.hub.loop import Epoch, FitContext, HubSettings, best_device, fit

FORMAT = 1
MANIFEST, ITEMS, TESTS = "prepared.json", "items.jsonl", "tests.jsonl"
SUMMARY = "summary.json"
_PLACES = 5  # decimals of a probability


@dataclass(frozen=True, slots=True)
class PreparedSeries:
    """A prepared folder in memory: texts with labels, runs as their numbers, texts to predict."""

    settings: HubSettings
    seeds: tuple[int, ...]
    texts: tuple[str, ...]
    labels: tuple[int, ...]
    runs: dict[str, dict[str, list[int]]]
    tests: dict[str, list[str]]
    sha256: str
    tests_sha256: str

    def jobs(self) -> list[tuple[str, int]]:
        """Every run with every seed."""
        return [(run, seed) for seed in self.seeds for run in self.runs]


def read_prepared(folder: Path) -> PreparedSeries:
    """The prepared folder, its files checked against their checksums."""
    path = folder / MANIFEST
    if not path.is_file():
        raise MissingData(path, "make the folder with trope train metaphor --silver --prepare-only")
    content = json.loads(path.read_text("utf-8"))
    if content.get("format") != FORMAT:
        raise BadInput(
            f"{path}: has the format {content.get('format')}, not {FORMAT}; prepare again"
        )
    for name, wanted in content["files"].items():
        if sha256(folder / name) != wanted:
            raise BadInput(f"{folder / name}: is not the file that was prepared; prepare again")
    items, tests = (_json_lines(folder / name) for name in (ITEMS, TESTS))
    texts: dict[str, list[str]] = {}
    for item in tests:
        texts.setdefault(item["set"], []).append(item["text"])
    return PreparedSeries(
        HubSettings(**content["settings"]),
        tuple(content["seeds"]),
        tuple(item["text"] for item in items),
        tuple(item["label"] for item in items),
        content["runs"],
        texts,
        sha256(path),
        content["files"][TESTS],
    )


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _prediction_file(out: Path, run: str, seed: int) -> Path:
    """Where the predictions of a run with a seed are."""
    return out / f"{run}-{seed}.json"


def _fit_job(
    prepared: PreparedSeries,
    model: Path,
    out: Path,
    run: str,
    seed: int,
    *,
    device: str,
    say: MessageWriter,
) -> Path:
    """Train one run with one seed; the file with the predictions of its best epoch."""
    path = _prediction_file(out, run, seed)
    if path.is_file():
        say(f"{run} {seed}: predicted already")
        return path
    import torch

    settings = prepared.settings
    torch.manual_seed(seed)  # of the new head
    network = new_detector(model, settings.level, dropout=settings.dropout)
    tokenizer = load_tokenizer(model, settings.level)
    most = longest(network, settings.max_length)
    parts = {
        part: text_pieces(
            tokenizer,
            [prepared.texts[at] for at in chosen],
            [prepared.labels[at] for at in chosen],
            most,
        )
        for part, chosen in prepared.runs[run].items()
    }
    tests = {
        name: text_pieces(tokenizer, texts, None, most) for name, texts in prepared.tests.items()
    }
    best = out / "work" / f"{run}-{seed}" / "best.json"

    def predict(fitted: Any, epoch: Epoch) -> None:
        found = {
            name: [round(row[0], _PLACES) for row in probabilities(fitted, items, pad)]
            for name, items in tests.items()
        }
        with atomic_write(best) as file:
            file.write(json.dumps({"epoch": epoch.number, "predictions": found}))

    pad = tokenizer.pad_token_id
    place = FitContext(device, best.parent, lambda line: say(f"{run} {seed}: {line}"), quiet=True)
    fitted = fit(
        network,
        parts["train"],
        parts["validation"],
        settings,
        pad=pad,
        seed=seed,
        place=place,
        on_best=predict,
    )
    content = {
        "format": FORMAT,
        "run": run,
        "seed": seed,
        "model": {"name": exact_name(model), "sha256": folder_checksum(model)},
        "prepared_sha256": prepared.sha256,
        "tests_sha256": prepared.tests_sha256,
        "settings": asdict(settings),
        "train": len(parts["train"]),
        "validation": len(parts["validation"]),
        "validation_score": round(fitted.score, _PLACES),
        "history": [asdict(epoch) for epoch in fitted.history],
        **json.loads(best.read_text("utf-8")),
    }
    with atomic_write(path) as file:
        file.write(json.dumps(content) + "\n")
    for left in best.parent.iterdir():
        left.unlink()  # a checkpoint is large, and the run is done
    best.parent.rmdir()
    return path


def fit_all(
    folder: Path, model_name: str | Path, out: Path, *, device: str, jobs: int, say: MessageWriter
) -> None:
    """All runs with all seeds, `jobs` of them at a time."""
    prepared = read_prepared(folder)
    model, device = model_path(model_name), best_device(device)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / SUMMARY, out / SUMMARY)  # what was prepared, for the tables
    if jobs <= 1:
        for run, seed in prepared.jobs():
            _fit_job(prepared, model, out, run, seed, device=device, say=say)
        return
    command = [sys.executable, "-m", "trope.train.hub.fit", str(folder), str(model), str(out)]
    failed = _run_side_by_side(
        {
            name: [*command, "--device", device, "--only", name]
            for run, seed in prepared.jobs()
            if not _prediction_file(out, run, seed).is_file()
            for name in [f"{run}:{seed}"]
        },
        jobs,
    )
    if failed:
        raise BadInput(f"these trainings failed: {', '.join(failed)}; see their messages above")


def _run_side_by_side(commands: dict[str, list[str]], jobs: int) -> list[str]:
    """Run commands, `jobs` at a time; the names of those that failed. None outlives this call."""
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # many at a time: a thread each
    waiting, failed = list(commands), list[str]()
    running: list[tuple[str, subprocess.Popen[bytes]]] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                name = waiting.pop(0)
                running.append((name, subprocess.Popen(commands[name], env=alone)))
            name, process = running.pop(0)
            try:
                if process.wait(timeout=1):
                    failed.append(name)
            except subprocess.TimeoutExpired:
                running.append((name, process))
    finally:
        for _, process in running:
            process.terminate()
            process.wait()
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 2 for bad input."""
    parser = argparse.ArgumentParser(prog="trope.train.hub.fit", description=__doc__)
    parser.add_argument("prepared", type=Path, help="folder that prepare has written")
    parser.add_argument("model", help="folder or Hub name of an encoder")
    parser.add_argument("out", type=Path, help="folder for the predictions")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--only", help="one training, RUN:SEED")
    options = parser.parse_args(arguments)
    # so that a run whose time is up takes its trainings with it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def say(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    try:
        if options.only is None:
            fit_all(
                options.prepared,
                options.model,
                options.out,
                device=options.device,
                jobs=options.jobs,
                say=say,
            )
            return 0
        prepared = read_prepared(options.prepared)
        run, _, seed = options.only.rpartition(":")
        if not seed.isdecimal() or (run, int(seed)) not in prepared.jobs():
            known = ", ".join(f"{name}:{number}" for name, number in prepared.jobs())
            raise BadInput(f"no training is called {options.only!r}; known: {known}")
        device = best_device(options.device)
        model = model_path(options.model)
        _fit_job(prepared, model, options.out, run, int(seed), device=device, say=say)
    except TropeError as error:
        say(f"trope: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
