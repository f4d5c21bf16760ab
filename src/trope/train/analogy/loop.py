"""Training of one multiple-choice model after the other on one device."""

from __future__ import annotations

import multiprocessing
import os
import queue
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from trope.core.errors import BadInput
from trope.tasks.analogy.choice_model import (
    ChoiceModel,
    ChoiceTexts,
    choice_pieces,
    choice_scores,
    save_choices,
)
from trope.tasks.hub_folder import load_tokenizer, model_path
from trope.train.analogy.prepared import (
    FIRST,
    TWO_STAGES,
    AnalogyJob,
    AnalogySettings,
    PreparedAnalogies,
    read_prepared,
    weights_file,
)
from trope.train.hub.loop import best_device

_CLIP = 1.0


class ChoiceTrainer:
    """One encoder on one device, its weights reset before each training."""

    def __init__(self, prepared: PreparedAnalogies, model: Path, work: Path, device: str) -> None:
        folder = model_path(model)
        self._device = best_device(device)
        tokenizer = self._tokenizer = load_tokenizer(folder, "sentences")
        self._mean, self._repaired, self._auxiliary = (
            {
                name: choice_pieces(tokenizer, texts, prepared.content[key]["order"], self._device)
                for name, texts in prepared.content[key]["templates"].items()
            }
            for key in ("texts", "repaired", "auxiliary")
        )
        self._model = ChoiceModel(folder).to(self._device)
        self._start = {name: value.clone() for name, value in self._model.state_dict().items()}
        self._work = work
        self._first: dict[str, dict[str, Tensor]] = {}

    def fit(self, job: AnalogyJob) -> dict[str, Any]:
        """Train and predict: scores in the order of MEAN's columns for every item of `job.test`."""
        began = time.monotonic()
        torch.manual_seed(job.seed)
        self._reset(job)
        learnt = (self._auxiliary if job.learns_auxiliary else self._mean)[job.template]
        loss = self._train(learnt, job)
        tested = (self._auxiliary if job.tests_auxiliary else self._mean)[job.template]
        scores = self._scores(tested, job.test, job.settings.pooling)
        if job.run == FIRST:
            state = {name: value.cpu() for name, value in self._model.state_dict().items()}
            save_file(state, weights_file(self._work, job.template))
        return {
            "job": job.name,
            "items": list(job.test),
            "scores": scores,
            "repaired": self._repaired_scores(job),
            "loss": loss,
            "seconds": round(time.monotonic() - began, 2),
        }

    def _repaired_scores(self, job: AnalogyJob) -> list[list[float]]:
        """Scores of the same items with repaired choices; none where proposed ones are tested."""
        if job.tests_auxiliary:
            return []
        return self._scores(self._repaired[job.template], job.test, job.settings.pooling)

    def _reset(self, job: AnalogyJob) -> None:
        if job.run != TWO_STAGES:
            self._model.load_state_dict(self._start)
            self._model.head.reset_parameters()
            nn.init.normal_(self._model.head.weight, std=0.02)
            nn.init.zeros_(self._model.head.bias)
            return
        if job.template not in self._first:
            path = weights_file(self._work, job.template)
            self._first[job.template] = load_file(path, device=str(self._device))
        self._model.load_state_dict(self._first[job.template])

    def _train(self, texts: ChoiceTexts, job: AnalogyJob) -> float:
        """The mean loss of the last epoch."""
        settings, model = job.settings, self._model.train()
        optimizer = torch.optim.AdamW(_groups(model, settings), fused=self._device != "cpu")
        rows = torch.tensor(job.train, device=self._device)
        steps = settings.epochs * -(-len(rows) // settings.batch)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
        order = torch.Generator().manual_seed(job.seed)
        losses: list[Tensor] = []
        for _ in range(settings.epochs):
            losses = []
            shuffled = rows[torch.randperm(len(rows), generator=order).to(self._device)]
            for batch in shuffled.split(settings.batch):
                with self._autocast():
                    scores = model(texts, batch, settings.pooling)
                loss = functional.cross_entropy(scores, texts.gold[batch])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
                optimizer.step()
                schedule.step()
                losses.append(loss.detach())
        return round(float(torch.stack(losses).mean()), 4)

    def _scores(self, texts: ChoiceTexts, items: Sequence[int], pooling: str) -> list[list[float]]:
        if not items:
            return []
        with self._autocast():
            return choice_scores(self._model, texts, items, pooling)

    def save(self, job: AnalogyJob, seen: Sequence[int], out: Path) -> None:
        """Keep the model of the last training in a folder."""
        notes = {"template": job.template, "pooling": job.settings.pooling}
        save_choices(self._model.cpu(), self._tokenizer, notes, seen, out)

    def _autocast(self) -> Any:
        if self._device == "cpu":
            return nullcontext()
        return torch.autocast(self._device.split(":")[0], dtype=torch.bfloat16)


def _groups(model: ChoiceModel, settings: AnalogySettings) -> list[dict[str, Any]]:
    """Parameters with their rates; biases and norms do not decay, as is usual."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        rate = settings.head_rate if name.startswith("head.") else settings.rate
        decay = settings.weight_decay if parameter.ndim > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return [
        {"params": parameters, "lr": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]


_POLL_SECONDS = 1.0


class TrainerPool:
    """`count` worker processes; for 1, the work is done in this process."""

    def __init__(self, folder: Path, model: Path, work: Path, *, device: str, count: int) -> None:
        self._arguments = (folder, model, work, device)
        self._count = count
        self._processes: list[Any] = []
        self._trainer: Any = None

    def __enter__(self) -> TrainerPool:
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

    def run(self, jobs: Sequence[AnalogyJob], *, until: float) -> Iterator[dict[str, Any]]:
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
            folder, model, work, device = self._arguments
            self._trainer = ChoiceTrainer(read_prepared(folder), model, work, device)
        return self._trainer


def _serve(folder: Path, model: Path, work: Path, device: str, jobs: Any, results: Any) -> None:
    """A process: the encoder is loaded once, then one job after the other."""
    name = "loading the encoder"
    try:
        torch.set_num_threads(1)
        trainer = ChoiceTrainer(read_prepared(folder), model, work, device)
        while True:
            job = jobs.get()
            name = job.name
            results.put(trainer.fit(job))
    except Exception:  # noqa: BLE001 - sent home, where it ends the run
        results.put({"job": name, "failed": traceback.format_exc()})
