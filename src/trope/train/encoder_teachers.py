"""The teachers of `trope train encoder`: one or more a task, and what they say of the corpora."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file

from trope.encoder.network import Network, Trunk
from trope.train.corpus import Corpus
from trope.train.encoder_dev import note_figures, quality_of
from trope.train.encoder_run import (
    MEANING,
    TREEBANKS,
    EncoderRun,
    fit_run,
    new_model,
    save_model,
)
from trope.train.fit import Lesson
from trope.train.losses import MetaphorLabels, SyntaxLabels, Taught
from trope.train.teach import (
    keep,
    kept_metaphor,
    kept_syntax,
    kept_tensor,
    main_directions,
    teach_meaning,
    teach_metaphor,
    teach_metonymy,
    teach_sentiment,
    teach_syntax,
)

Ask = Callable[[Corpus], SyntaxLabels | MetaphorLabels | torch.Tensor]
FAILED_BY = 0.02
"""A teacher so far below the best one has not learned its task."""


def train_teacher(run: EncoderRun, task: str, number: int) -> Path:
    """One teacher of a task, fitted to the sets that have answers to it."""
    path = run.work / f"teacher-{task}-{number}.safetensors"
    if not path.exists():
        settings = run.settings.teachers[task].fit
        model = new_model(run, settings, (task,), run.settings.seed + number)
        lessons = {
            name: Lesson(run.corpus(name), chosen.teacher_passes)
            for name, chosen in run.corpora().items()
            if chosen.use == task
        }
        fit_run(run, model, lessons, settings, run.settings.seed + number)
        run.say(f"{task} teacher {number}: {note_figures(run, model, path)}")
        save_model(model, path)
    return path


def good_teachers(run: EncoderRun, task: str) -> list[Path]:
    """The teachers of a task without those that did not learn it: some seeds fail."""
    paths = [train_teacher(run, task, n) for n in range(run.settings.teachers[task].number)]
    quality = [quality_of(path) for path in paths]
    good = [p for p, q in zip(paths, quality, strict=True) if q > max(quality) - FAILED_BY]
    if len(good) < len(paths):
        run.say(f"{len(paths) - len(good)} of {len(paths)} teachers of {task} failed, left out")
    return good


def teach(run: EncoderRun, task: str) -> None:
    """What the teachers of a task say of the corpora that they are asked about, one file each."""
    missing = [n for n in run.asked(task) if not _said(run, task, n).exists()]
    if not missing:
        return
    ask = _meaning_teacher(run) if task == MEANING else _ask_teachers(run, task)
    for name in missing:
        keep(ask(run.corpus(name)), _said(run, task, name))
    run.say(f"the teachers of {task} have read {len(missing)} corpora")


def _ask_teachers(run: EncoderRun, task: str) -> Ask:
    teachers = []
    for path in good_teachers(run, task):
        teacher = Network(run.settings.teachers[task].fit.base, run.labels(), None, (task,))
        teacher.load_state_dict(load_file(path))
        teachers.append(teacher)
    if task == "syntax":
        return lambda corpus: teach_syntax(teachers, corpus, run.labels(), run.device)
    if task == "metaphor":
        return lambda corpus: teach_metaphor(teachers, corpus, run.device)
    if task == "sentiment":
        return lambda corpus: teach_sentiment(teachers, corpus, run.device)
    return lambda corpus: teach_metonymy(teachers, corpus, run.device)


def _meaning_teacher(run: EncoderRun) -> Ask:
    """The public encoder of the teachers, as it is."""
    base = run.settings.base.base
    trunk = Trunk(base, run.public_weights(base))
    basis = main_directions(trunk, run.corpus(TREEBANKS), run.settings.meaning, run.device)
    return lambda corpus: teach_meaning(trunk, corpus, basis, run.device)


def _said(run: EncoderRun, task: str, corpus: str) -> Path:
    return run.work / f"said-{task}-{corpus}.safetensors"


def taught_lessons(run: EncoderRun, passes: str, tasks: list[str]) -> dict[str, Lesson]:
    """Every corpus that is read at all, with what the teachers of these tasks say of it."""
    asked = {task: run.asked(task) for task in tasks}
    lessons = {}
    for name, chosen in run.corpora().items():
        times = getattr(chosen, passes)
        if times:
            taught = Taught()
            for task in tasks:
                if name in asked[task] and (task, name) != ("syntax", TREEBANKS):
                    setattr(taught, task, _kept(task, _said(run, task, name), run.device))
            lessons[name] = Lesson(run.corpus(name), times, taught)
    return lessons


def _kept(task: str, path: Path, device: str) -> SyntaxLabels | MetaphorLabels | torch.Tensor:
    if task == "syntax":
        return kept_syntax(path, device)
    return kept_metaphor(path, device) if task == "metaphor" else kept_tensor(path, device)
