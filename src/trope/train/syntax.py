"""`trope train syntax`: treebanks and texts in, the shipped encoder out.

Stages, each leaving a file in the work folder so that an interrupted run goes on where it was:
prepare (words to pieces, labels to numbers) → teachers (a large public encoder on the treebanks)
→ student (a small one on the treebanks and on texts that the teachers have read) → export.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import torch
from safetensors.torch import load_file, save

from trope.core.errors import BadInput, MissingData
from trope.core.files import atomic_write
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Labels
from trope.train.bases import fetch, read_weights
from trope.train.corpus import Corpus, collect_labels, encode_treebank, encode_words
from trope.train.export import export
from trope.train.fit import dev_figures, fit, teach
from trope.train.headlinese import as_headline, raising_headlines
from trope.train.model import SyntaxModel
from trope.train.settings import FitSettings, SyntaxSettings
from trope.train.sources import read_text_set, read_treebank

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Run:
    """Where a run reads and writes, and with what."""

    settings: SyntaxSettings
    without: frozenset[str]
    work: Path
    device: str
    say: Say

    def names(self, use: str) -> list[str]:
        """The sets of one use that are not left out."""
        return [s.name for s in self.settings.sets if s.use == use and s.name not in self.without]

    def labels(self) -> Labels:
        """The inventories that `prepare` wrote."""
        path = self.work / "labels.json"
        if not path.exists():
            raise MissingData(path, "run the stage 'prepare' first")
        return msgspec.json.decode(path.read_bytes(), type=Labels)


def _guard_choice(run: Run) -> None:
    """Refuse a work folder whose stages were made with other settings or other sets."""
    path = run.work / "choice.json"
    choice = msgspec.json.encode([run.settings, sorted(run.without)])
    prepared = (run.work / "text.npz").exists()  # before that, there is nothing to mix up
    if prepared and path.exists() and path.read_bytes() != choice:
        raise BadInput(
            f"{run.work} holds the stages of a run with other settings; give another --work folder"
        )
    path.write_bytes(choice)


def prepare(run: Run, data: Path) -> None:
    """Read treebanks and texts once; write them as arrays."""
    vocabulary = Vocabulary(fetch("bert-vocabulary", run.work) / "vocab.txt")
    gold = {name: read_treebank(data, name, "train") for name in run.names("gold")}
    labels = collect_labels([s for sentences in gold.values() for s in sentences])
    with atomic_write(run.work / "labels.json", "wb") as file:
        file.write(msgspec.json.encode(labels))  # type: ignore[arg-type]
    rng = np.random.default_rng(run.settings.seed)
    headlines = [h for s in gold.get("ewt", []) if (h := as_headline(s, rng))]
    headlines += raising_headlines(len(headlines) // 4, rng)
    together = [*(s for sentences in gold.values() for s in sentences), *headlines]
    encode_treebank(together, labels, vocabulary).save(run.work / "gold.npz")
    for name in run.names("gold"):
        dev = encode_treebank(read_treebank(data, name, "dev"), labels, vocabulary)
        dev.save(run.work / f"dev-{name}.npz")
    words = [s for name in run.names("text") for s in read_text_set(data, name, run.say)]
    corpus, _ = encode_words(words, vocabulary)
    corpus.save(run.work / "text.npz")
    run.say(
        f"prepared {len(together)} annotated sentences, {len(headlines)} of them rewritten as "
        f"headlines, and {len(corpus)} plain ones"
    )


def train_teacher(run: Run, number: int) -> Path:
    """One teacher, fitted to the treebanks."""
    path = run.work / f"teacher-{number}.safetensors"
    if not path.exists():
        model = _new_model(run, run.settings.teacher, quantised=False)
        gold = Corpus.load(run.work / "gold.npz")
        seed = run.settings.seed + number
        fit(
            model,
            run.labels(),
            gold,
            run.settings.teacher,
            seed=seed,
            device=run.device,
            say=run.say,
        )
        run.say(f"teacher {number}: {_all_dev(run, model)}")
        _save(model, path)
    return path


def train_student(run: Run) -> Path:
    """The small encoder, fitted to the treebanks and to what the teachers say of the texts."""
    path = run.work / "student.safetensors"
    if path.exists():
        return path
    labels = run.labels()
    gold, text = Corpus.load(run.work / "gold.npz"), Corpus.load(run.work / "text.npz")
    teachers = []
    for number in range(run.settings.teachers):
        teacher = SyntaxModel(run.settings.teacher.base, labels, None, quantised=False)
        teacher.load_state_dict(load_file(train_teacher(run, number)))
        teachers.append(teacher)
    taught = teach(teachers, text, labels, run.device)
    run.say("the teachers have read the texts")
    del teachers
    model = _new_model(run, run.settings.student, quantised=True)
    fit(
        model,
        labels,
        gold,
        run.settings.student,
        seed=run.settings.seed,
        device=run.device,
        say=run.say,
        text=text,
        taught=taught,
    )
    figures = _all_dev(run, model)
    run.say(f"student: {figures}")
    _save(model, path)
    with atomic_write(run.work / "dev.json", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(figures)))  # type: ignore[arg-type]
    return path


def _save(model: SyntaxModel, path: Path) -> None:
    """Write the weights whole or not at all: a file that is there counts as a finished stage."""
    with atomic_write(path, "wb") as file:
        file.write(save({k: v.contiguous().cpu() for k, v in model.state_dict().items()}))


def _new_model(run: Run, settings: FitSettings, *, quantised: bool) -> SyntaxModel:
    weights = read_weights(settings.base, fetch(settings.base, run.work))
    torch.manual_seed(run.settings.seed)
    return SyntaxModel(settings.base, run.labels(), weights, quantised)


def _all_dev(run: Run, model: SyntaxModel) -> dict[str, dict[str, float]]:
    return {
        name: dev_figures(
            model, Corpus.load(run.work / f"dev-{name}.npz"), run.labels(), run.device
        )
        for name in run.names("gold")
    }


def train_syntax(
    *,
    settings: SyntaxSettings,
    without: frozenset[str],
    data: Path,
    work: Path,
    out: Path,
    device: str,
    say: Say,
) -> None:
    """All stages; those whose files are there already are passed over."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")  # exact enough for numbers of 8 bits, and fast
    run = Run(settings, without, work, device, say)
    _guard_choice(run)
    if not (run.work / "text.npz").exists():
        prepare(run, data)
    student = train_student(run)
    weights = {name: value.float().numpy() for name, value in load_file(student).items()}
    export(weights, run.labels(), fetch("bert-vocabulary", run.work) / "vocab.txt", out)
    run.say(f"the model is in {out}")
