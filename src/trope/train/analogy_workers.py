"""Processes that train multiple-choice models side by side, each with one copy of the encoder."""

from __future__ import annotations

import multiprocessing
import os
import queue
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from trope.core.errors import BadInput
from trope.train.analogy_fit import Job, read_prepared

_POLL_SECONDS = 1.0


class Workers:
    """`count` processes, or none of its own for 1: then the work is done here."""

    def __init__(self, folder: Path, model: Path, work: Path, *, device: str, count: int) -> None:
        self._arguments = (folder, model, work, device)
        self._count = count
        self._processes: list[Any] = []
        self._trainer: Any = None

    def __enter__(self) -> Workers:
        if self._count > 1:
            context = multiprocessing.get_context("spawn")
            self._jobs, self._results = context.Queue(), context.Queue()
            os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
            for _ in range(self._count):
                arguments = (*self._arguments, self._jobs, self._results)
                process = context.Process(target=_serve, args=arguments, daemon=True)
                process.start()
                self._processes.append(process)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        for process in self._processes:
            process.terminate()
            process.join()

    def run(self, jobs: Sequence[Job], *, until: float) -> Iterator[dict[str, Any]]:
        """The results as they come; none is begun after `until` on the monotonic clock."""
        if not self._processes:
            for job in jobs:
                if time.monotonic() >= until:
                    return
                yield self._here().fit(job)
            return
        waiting, running = list(reversed(jobs)), 0
        while waiting or running:
            # a few ahead, so that no process waits, and few are left when the time is up
            while waiting and running < 2 * self._count and time.monotonic() < until:
                self._jobs.put(waiting.pop())
                running += 1
            if not running:
                return
            yield self._next()
            running -= 1

    def _next(self) -> dict[str, Any]:
        while True:
            try:
                result: dict[str, Any] = self._results.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if all(process.is_alive() for process in self._processes):
                    continue
                raise BadInput(
                    "a training process died; give it more memory or fewer --jobs"
                ) from None
            if "failed" in result:
                raise BadInput(f"the training {result['job']} failed: {result['failed']}")
            return result

    def _here(self) -> Any:
        if self._trainer is None:
            from trope.train.analogy_loop import Trainer

            folder, model, work, device = self._arguments
            self._trainer = Trainer(read_prepared(folder), model, work, device)
        return self._trainer


def _serve(folder: Path, model: Path, work: Path, device: str, jobs: Any, results: Any) -> None:
    """A process: the encoder is loaded once, then one job after the other."""
    name = "loading the encoder"
    try:
        import torch

        from trope.train.analogy_loop import Trainer

        torch.set_num_threads(1)
        trainer = Trainer(read_prepared(folder), model, work, device)
        while True:
            job = jobs.get()
            name = job.name
            results.put(trainer.fit(job))
    except Exception:  # noqa: BLE001 - sent home, where it ends the run
        results.put({"job": name, "failed": traceback.format_exc()})
