"""`trope train encoder`: treebanks, metaphor sets and texts in, the shipped encoder out.

Stages, each leaving a file in the work folder so that an interrupted run goes on where it was:
prepare (words to pieces, labels to numbers) → teachers of each task (a large public encoder) →
what they say of the corpora → student (a small encoder, taught all tasks at once) → export.
What words mean needs no teacher of ours: a public encoder gives them vectors as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from safetensors.torch import load_file, save

from trope.core.errors import BadInput, MissingData
from trope.core.files import atomic_write
from trope.encoder.network import Network, Trunk
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FEELINGS, Labels, MetaphorThresholds
from trope.train.bases import fetch, read_weights
from trope.train.corpus import (
    Corpus,
    collect_labels,
    encode_treebank,
    encode_verdicts,
    encode_words,
)
from trope.train.dev import (
    Calibration,
    calibrate,
    metaphor_figures,
    metaphor_logits,
    syntax_figures,
)
from trope.train.dev_whole import fit_scale, metonymy_figures, said_scores, sentiment_figures
from trope.train.export import export
from trope.train.fit import Lesson, fit
from trope.train.headlinese import as_headline, raising_headlines
from trope.train.losses import MetaphorLabels, SyntaxLabels, Taught
from trope.train.metaphor_sets import read_metaphor_set
from trope.train.quantise import quantise
from trope.train.settings import EncoderSettings, FitSettings, TrainingSet
from trope.train.sources import read_text_set, read_treebank
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

Say = Callable[[str], None]
Ask = Callable[[Corpus], SyntaxLabels | MetaphorLabels | torch.Tensor]
FAILED_BY = 0.02
"""A teacher so far below the best one has not learned its task."""
TASKS = ("syntax", "metaphor", "sentiment", "metonymy")
MEANING = "meaning"
DEV_SCORES, DEV_NAMES = "dev-semeval2015", "dev-semeval2007-names"
TREEBANKS = "treebanks"
"""All treebanks are one corpus, with headlines made from them."""


@dataclass(frozen=True, slots=True)
class Run:
    """Where a run reads and writes, and with what."""

    settings: EncoderSettings
    without: frozenset[str]
    work: Path
    device: str
    say: Say

    def sets(self, use: str) -> list[TrainingSet]:
        """The sets of one use that are not left out."""
        return [s for s in self.settings.sets if s.use == use and s.name not in self.without]

    def tasks(self) -> list[str]:
        """The tasks that some set has answers to, and that of meaning, which needs none."""
        return [task for task in TASKS if self.sets(task)] + [MEANING] * (self.settings.meaning > 0)

    def corpora(self) -> dict[str, TrainingSet]:
        """Every corpus file with the set whose passes it is read by."""
        others = {s.name: s for use in (*TASKS[1:], "text") for s in self.sets(use)}
        return {TREEBANKS: self.sets("syntax")[0], **others}

    def asked(self, task: str) -> list[str]:
        """The corpora that the teachers of a task are asked about: those that somebody reads."""
        named = self.settings.teachers[task].reads if task in self.settings.teachers else ()
        return [
            name
            for name, chosen in self.corpora().items()
            if (chosen.student_passes or chosen.base_passes) and (not named or name in named)
        ]

    def corpus(self, name: str) -> Corpus:
        """A corpus that `prepare` wrote."""
        return Corpus.load(self.work / f"{name}.npz")

    def has(self, name: str) -> bool:
        """Whether there is such a corpus."""
        return (self.work / f"{name}.npz").exists()

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
    prepared = (run.work / "prepared").exists()  # before that, there is nothing to mix up
    if prepared and path.exists() and path.read_bytes() != choice:
        raise BadInput(
            f"{run.work} holds the stages of a run with other settings; give another --work folder"
        )
    path.write_bytes(choice)


def prepare(run: Run, data: Path) -> None:
    """Read treebanks, verdicts and texts once; write them as arrays."""
    vocabulary = Vocabulary(fetch("bert-vocabulary", run.work) / "vocab.txt")
    _prepare_treebanks(run, data, vocabulary)
    for chosen in run.sets("metaphor"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_metaphor_set(data, chosen.name, split)
            encode_verdicts(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with verdicts")
    _prepare_feelings(run, data, vocabulary)
    _prepare_names(run, data, vocabulary)
    for chosen in run.sets("text"):
        corpus, _ = encode_words(read_text_set(data, chosen.name, run.say), vocabulary)
        corpus.save(run.work / f"{chosen.name}.npz")
    (run.work / "prepared").touch()


def _prepare_treebanks(run: Run, data: Path, vocabulary: Vocabulary) -> None:
    gold = {s.name: read_treebank(data, s.name, "train") for s in run.sets("syntax")}
    labels = collect_labels([s for sentences in gold.values() for s in sentences])
    _write_labels(run, labels)
    rng = np.random.default_rng(run.settings.seed)
    headlines = [h for s in gold.get("ewt", []) if (h := as_headline(s, rng))]
    headlines += raising_headlines(len(headlines) // 4, rng)
    together = [*(s for sentences in gold.values() for s in sentences), *headlines]
    encode_treebank(together, labels, vocabulary).save(run.work / f"{TREEBANKS}.npz")
    for name in gold:
        dev = encode_treebank(read_treebank(data, name, "dev"), labels, vocabulary)
        dev.save(run.work / f"dev-{name}.npz")
    run.say(f"treebanks: {len(together)} sentences, {len(headlines)} of them made headlines")


def _prepare_feelings(run: Run, data: Path, vocabulary: Vocabulary) -> None:
    from trope.train.felt_texts import encode_felt_texts, read_felt_texts

    for chosen in run.sets("sentiment"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            texts = read_felt_texts(data, chosen.name, split)
            if texts:
                encode_felt_texts(texts, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(texts)} tweets with feelings")
    if run.sets("sentiment"):
        _write_labels(run, msgspec.structs.replace(run.labels(), sentiment=FEELINGS))


def _prepare_names(run: Run, data: Path, vocabulary: Vocabulary) -> None:
    from trope.train.name_sets import LABELS, encode_names, read_name_set

    for chosen in run.sets("metonymy"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            names = read_name_set(data, chosen.name, split, run.settings.seed)
            if names:
                encode_names(names, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(names)} sentences with names")
    if run.sets("metonymy"):
        _write_labels(run, msgspec.structs.replace(run.labels(), metonymy=LABELS))


def _write_labels(run: Run, labels: Labels) -> None:
    labels = msgspec.structs.replace(labels, meaning=run.settings.meaning)
    with atomic_write(run.work / "labels.json", "wb") as file:
        file.write(msgspec.json.encode(labels))  # type: ignore[arg-type]


def train_teacher(run: Run, task: str, number: int) -> Path:
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
        _save(model, path)
    return path


def good_teachers(run: Run, task: str) -> list[Path]:
    """The teachers of a task without those that did not learn it: some seeds fail."""
    paths = [train_teacher(run, task, n) for n in range(run.settings.teachers[task].number)]
    quality = [quality_of(path) for path in paths]
    good = [p for p, q in zip(paths, quality, strict=True) if q > max(quality) - FAILED_BY]
    if len(good) < len(paths):
        run.say(f"{len(paths) - len(good)} of {len(paths)} teachers of {task} failed, left out")
    return good


def quality_of(path: Path) -> float:
    """The mean of the figures on development data that count, as kept beside the weights."""
    kept = path.with_suffix(".json").read_bytes()
    figures = msgspec.json.decode(kept, type=dict[str, dict[str, float]])
    counted = [
        value
        for name, values in figures.items()
        for kind, value in values.items()
        if kind == "las" or (name in TASKS and kind != "mse")
    ]
    return float(np.mean(counted))


def teach(run: Run, task: str) -> None:
    """What the teachers of a task say of the corpora that they are asked about, one file each."""
    missing = [n for n in run.asked(task) if not _said(run, task, n).exists()]
    if not missing:
        return
    ask = _meaning_teacher(run) if task == MEANING else _ask_teachers(run, task)
    for name in missing:
        keep(ask(run.corpus(name)), _said(run, task, name))
    run.say(f"the teachers of {task} have read {len(missing)} corpora")


def _ask_teachers(run: Run, task: str) -> Ask:
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


def _meaning_teacher(run: Run) -> Ask:
    """The public encoder of the teachers, as it is."""
    base = run.settings.base.base
    trunk = Trunk(base, read_weights(base, fetch(base, run.work)))
    basis = main_directions(trunk, run.corpus(TREEBANKS), run.settings.meaning, run.device)
    return lambda corpus: teach_meaning(trunk, corpus, basis, run.device)


def _said(run: Run, task: str, corpus: str) -> Path:
    return run.work / f"said-{task}-{corpus}.safetensors"


def taught_lessons(run: Run, passes: str, tasks: list[str]) -> dict[str, Lesson]:
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


def train_student(run: Run, seed: int) -> Path:
    """The small encoder, fitted to answers and to what the teachers say."""
    path = run.work / f"student-{seed}.safetensors"
    if path.exists():
        return path
    for task in run.tasks():
        teach(run, task)
    settings = run.settings.student
    model = quantise(new_model(run, settings, tuple(run.tasks()), seed))
    fit_run(run, model, taught_lessons(run, "student_passes", run.tasks()), settings, seed)
    run.say(f"student of seed {seed}: {note_figures(run, model, path)}")
    _save(model, path)
    return path


def note_figures(run: Run, model: Network, path: Path) -> dict[str, dict[str, float]]:
    """The model's figures on development data, which are kept beside its weights."""
    figures = dev_figures(run, model)
    with atomic_write(path.with_suffix(".json"), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(figures)))  # type: ignore[arg-type]
    return figures


def _save(model: Network, path: Path) -> None:
    """Write the weights whole or not at all: a file that is there counts as a finished stage."""
    with atomic_write(path, "wb") as file:
        file.write(save({k: v.contiguous().cpu() for k, v in model.state_dict().items()}))


def new_model(run: Run, settings: FitSettings, tasks: tuple[str, ...], seed: int) -> Network:
    """A network on the public weights, with heads that know nothing yet."""
    weights = read_weights(settings.base, fetch(settings.base, run.work))
    torch.manual_seed(seed)
    return Network(settings.base, run.labels(), weights, tasks)


def fit_run(
    run: Run, model: Network, lessons: dict[str, Lesson], settings: FitSettings, seed: int
) -> None:
    """Fit a model with the labels and the device of a run."""
    fit(model, run.labels(), lessons, settings, seed=seed, device=run.device, say=run.say)


def dev_figures(run: Run, model: Network) -> dict[str, dict[str, float]]:
    """Figures of all heads on development data."""
    figures = {}
    if model.syntax is not None:
        for chosen in run.sets("syntax"):
            corpus = run.corpus(f"dev-{chosen.name}")
            figures[chosen.name] = syntax_figures(model, corpus, run.labels(), run.device)
    if model.metaphor is not None:
        corpora = {s.name: run.corpus(f"dev-{s.name}") for s in run.sets("metaphor")}
        figures["metaphor"] = metaphor_figures(model, corpora, run.device)
    if model.sentiment is not None and run.has(DEV_SCORES):
        figures["sentiment"] = sentiment_figures(model, run.corpus(DEV_SCORES), run.device)
    if model.metonymy is not None and run.has(DEV_NAMES):
        corpus = run.corpus(DEV_NAMES)
        figures["metonymy"] = metonymy_figures(model, corpus, run.labels(), run.device)
    return figures


def calibrations(run: Run, model: Network) -> dict[str, Calibration]:
    """Calibration and thresholds of the metaphor heads, from development data."""
    vua, newsmet = run.corpus("dev-vua"), run.corpus("dev-newsmet")
    words = metaphor_logits(model, vua, run.device)["metaphor"]
    whole = metaphor_logits(model, newsmet, run.device)["figurative"]
    return {
        "metaphor": calibrate(words, vua.labels["metaphor"], by="f1"),
        "figurative": calibrate(whole, newsmet.sentence_labels["figurative"], by="macro_f1"),
    }


def export_student(run: Run, seed: int, out: Path) -> None:
    """The files that ship, with calibration folded into the last layers."""
    weights = load_file(train_student(run, seed))
    labels = run.labels()
    if "metaphor" in run.tasks():
        model = quantise(Network(run.settings.student.base, labels, None, tuple(run.tasks())))
        model.load_state_dict(weights)
        chosen = calibrations(run, model)
        fold(weights, chosen)
        rescale(run, model, weights)
        labels = msgspec.structs.replace(labels, metaphor=thresholds(chosen))
    arrays = {name: value.float().numpy() for name, value in weights.items()}
    export(arrays, labels, fetch("bert-vocabulary", run.work) / "vocab.txt", out)


def fold(weights: dict[str, torch.Tensor], chosen: dict[str, Calibration]) -> None:
    """Make the last layers give calibrated logits."""
    for name, calibration in chosen.items():
        weight, bias = f"metaphor.{name}.weight", f"metaphor.{name}.bias"
        weights[weight] = weights[weight] * calibration.slope
        weights[bias] = weights[bias] * calibration.slope + calibration.shift


def rescale(run: Run, model: Network, weights: dict[str, torch.Tensor]) -> None:
    """Make the sentiment head's scores err least on development data."""
    if model.sentiment is None or not run.has(DEV_SCORES):
        return
    corpus = run.corpus(DEV_SCORES)
    slope, shift = fit_scale(said_scores(model, corpus, run.device), corpus)
    weight, bias = "sentiment.feelings.weight", "sentiment.feelings.bias"
    weights[weight][0] = weights[weight][0] * slope
    weights[bias][0] = weights[bias][0] * slope + shift


def thresholds(chosen: dict[str, Calibration]) -> MetaphorThresholds:
    """The thresholds as a model's labels keep them."""
    return MetaphorThresholds(chosen["metaphor"].threshold, chosen["figurative"].threshold)


def best_seed(run: Run, seeds: list[int]) -> int:
    """The seed whose student is best on development data."""
    return max(seeds, key=lambda seed: quality_of(train_student(run, seed)))


def train_encoder(*, out: Path, seeds: int = 1, **choices: Any) -> None:
    """All stages; those whose files are there already are passed over."""
    run = begin(**choices)
    tried = [run.settings.seed + number for number in range(seeds)]
    export_student(run, best_seed(run, tried), out)
    run.say(f"the model is in {out}")


def begin(
    *,
    settings: EncoderSettings,
    without: frozenset[str],
    data: Path,
    work: Path,
    device: str,
    say: Say,
) -> Run:
    """A run whose corpora are prepared."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")  # exact enough for numbers of 8 bits, and fast
    run = Run(settings, without, work, device, say)
    _guard_choice(run)
    if not (run.work / "prepared").exists():
        prepare(run, data)
    return run
