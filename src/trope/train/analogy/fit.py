"""Multiple-choice models of analogies, one for each fold: predictions out, no weights.

    python -m trope.train.analogy.fit PREPARED MODEL OUT [--jobs N] [--device cuda] [--seconds S]

Needs torch, transformers, numpy and safetensors alone. In order: settings are chosen on proposed
items (`choose`); a model learns from all proposed items (`first`); then come the folds of MEAN,
after that stage (`two_stages`), from the bare encoder with the chosen settings (`chosen`), and with
the paper's (`paper`). What OUT holds already is passed over, so a run can be stopped and go on.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, TropeError
from trope.core.files import sha256
from trope.train.analogy.prepared import (
    CANDIDATES,
    CHOSEN,
    FIRST,
    FIRST_STAGE,
    FORMAT,
    OF_PAPER,
    PAPER,
    PREDICTIONS,
    TWO_STAGES,
    AnalogyJob,
    PreparedAnalogies,
    choose,
    read_prepared,
    second_stage,
    weights_file,
)

_PLACES = 6


def fit_all(
    folder: Path,
    model: Path,
    out: Path,
    *,
    device: str = "auto",
    jobs: int = 1,
    seconds: float = float("inf"),
    work: Path | None = None,
    say: Any = print,
) -> bool:
    """All trainings, the headline's first; whether all were done before the time was up."""
    from trope.train.analogy.loop import TrainerPool

    prepared, began = read_prepared(folder), time.monotonic()
    results = _Results(out, prepared, model)
    with tempfile.TemporaryDirectory() as scratch:
        kept = work or Path(scratch)
        kept.mkdir(parents=True, exist_ok=True)
        with TrainerPool(folder, model, kept, device=device, count=jobs) as workers:

            def run(wanted: Iterable[AnalogyJob]) -> bool:
                left = [job for job in wanted if _is_due(job, results, kept)]
                for result in workers.run(left, until=began + seconds):
                    results.add(result)
                passed = time.monotonic() - began
                say(f"{passed:6.0f} s  {results.count} trainings done")
                return all(job.name in results for job in left)

            if not run(prepared.choosing()):
                return False
            name, scores = choose(results.rows)
            say(f"chosen: {name} of {scores}")
            settings, seeds = CANDIDATES[name], prepared.seeds
            return all(
                run(wanted)
                for wanted in (
                    prepared.first_stages(),
                    prepared.folds(TWO_STAGES, second_stage(settings), seeds),
                    prepared.folds(CHOSEN, settings, seeds[:1]),
                    prepared.folds(OF_PAPER, PAPER, seeds[:1]),
                    prepared.folds(CHOSEN, settings, seeds[1:]),
                )
            )


def _is_due(job: AnalogyJob, results: _Results, work: Path) -> bool:
    """Whether a job is still to be done; a first stage also where its weights are gone."""
    if job.name not in results:
        return True
    return job.run == FIRST and not weights_file(work, job.template).is_file()


class _Results:
    """The file of predictions, one line per training, after a line that names items and model."""

    def __init__(self, out: Path, prepared: PreparedAnalogies, model: Path) -> None:
        self.path = out / PREDICTIONS
        weights = {path.name: sha256(path) for path in sorted(model.glob("*.safetensors"))}
        head = {
            "format": FORMAT,
            "prepared_sha256": prepared.sha256,
            "model": {"name": model.name, "sha256": weights},
            "data": prepared.content["data"],
            "first_stage": asdict(FIRST_STAGE),
            "candidates": {name: asdict(one) for name, one in CANDIDATES.items()},
        }
        self.rows: list[dict[str, Any]] = []
        out.mkdir(parents=True, exist_ok=True)
        if self.path.is_file():
            first, *rest = self.path.read_text("utf-8").splitlines() or [""]
            if first != json.dumps(head):
                raise BadInput(f"{self.path}: is of other items or another model; empty {out}")
            self.rows = [json.loads(line) for line in rest if line.endswith("}")]
        lines = [json.dumps(head), *map(json.dumps, self.rows)]
        self.path.write_text("\n".join(lines) + "\n", "utf-8")  # without a last line cut short
        self._names = {row["job"] for row in self.rows}

    @property
    def count(self) -> int:
        """How many trainings are done."""
        return len(self.rows)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, result: dict[str, Any]) -> None:
        """Keep a result, in the file too; a stage that was repeated is in it already."""
        if result["job"] in self._names:
            return
        rounded = {
            key: [[round(score, _PLACES) for score in row] for row in result[key]]
            for key in ("scores", "repaired")
        }
        row = {**result, **rounded}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.rows.append(row)
        self._names.add(row["job"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 2 for bad input, 1 where the time was up before all was done."""
    parser = argparse.ArgumentParser(prog="trope.train.analogy.fit", description=__doc__)
    parser.add_argument("prepared", type=Path, help="folder that --prepare has written")
    parser.add_argument("model", type=Path, help="folder of an encoder")
    parser.add_argument("out", type=Path, help="folder for the predictions")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none later")
    parser.add_argument("--work", type=Path, help="folder that keeps the weights of first stages")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # takes the workers along

    def say(line: str) -> None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    try:
        done = fit_all(
            options.prepared,
            options.model,
            options.out,
            device=options.device,
            jobs=options.jobs,
            seconds=options.seconds,
            work=options.work,
            say=say,
        )
    except TropeError as error:
        say(f"trope: {error}")
        return 2
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
