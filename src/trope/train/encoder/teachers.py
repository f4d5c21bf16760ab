"""The teachers of `trope train encoder`, one or more per task, and their soft labels."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from pathlib import Path

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from trope.core.files import atomic_write
from trope.encoder.network import Network, NetworkScores
from trope.encoder.session import Labels
from trope.encoder.trunk import Trunk
from trope.train.encoder.bases import BASES
from trope.train.encoder.corpus import UNKNOWN, EncodedCorpus, batches
from trope.train.encoder.development import note_figures, quality_of
from trope.train.encoder.fit import FitSettings, Lesson, on_device
from trope.train.encoder.losses import (
    Batch,
    MetaphorLabels,
    SoftLabels,
    SyntaxLabels,
    as_float,
    masked_arcs,
)
from trope.train.encoder.run import (
    MEANING,
    TREEBANKS,
    EncoderRun,
    fit_run,
    new_model,
    save_model,
)
from trope.train.encoder.stages import PREPARE, WEIGHTS, Stage

LABELS_OF = "labels"
"""How the stages begin in which the teachers of a task read."""
Ask = Callable[[EncodedCorpus], SyntaxLabels | MetaphorLabels | torch.Tensor]
_FAILED_BY = 0.02
"""A teacher that is this much worse than the best one did not learn its task."""


def _train_teacher(run: EncoderRun, task: str, number: int) -> Path:
    """One teacher of a task, fitted to the sets that are labelled for it."""
    path = run.work / f"teacher-{task}-{number}.safetensors"
    if not path.exists():
        settings = run.settings.teachers[task].each()[number]
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


def teacher_stages(run: EncoderRun, tasks: Iterable[str]) -> Iterator[Stage]:
    """The stages that train the teachers of these tasks and ask them."""
    for task in tasks:
        fits = run.settings.teachers[task].each() if task in run.settings.teachers else []
        names = [f"teacher-{task}-{number}" for number in range(len(fits))]
        for number, (name, settings) in enumerate(zip(names, fits, strict=True)):
            yield Stage(
                name,
                partial(_train_teacher, run, task, number),
                (run.work / f"{name}.safetensors").exists,
                (PREPARE, f"{WEIGHTS}-{settings.base}"),
                partial(fitting_work, run, settings, "teacher_passes", (task,)),
            )
        meaning = () if names else (f"{WEIGHTS}-{run.settings.base.base}",)
        yield Stage(
            f"{LABELS_OF}-{task}",
            partial(write_soft_labels, run, task),
            partial(_has_soft_labels, run, task),
            (PREPARE, *names, *meaning),
            partial(_reading_work, run, task),
        )


def fitting_work(
    run: EncoderRun, settings: FitSettings, passes: str, uses: Container[str] | None = None
) -> float:
    """How much a network computes that is fitted to the sets of these uses, or of all."""
    words: float = sum(
        run.words(name) * getattr(chosen, passes)
        for name, chosen in run.corpora().items()
        if uses is None or chosen.use in uses
    )
    return 3.0 * words * BASES[settings.base].millions  # once forward, twice backward


def _reading_work(run: EncoderRun, task: str) -> float:
    """How much the teachers of a task compute that read what they are asked about."""
    fits = run.settings.teachers[task].each() if task in run.settings.teachers else []
    sizes = [BASES[one.base].millions for one in fits or [run.settings.base]]
    return float(sum(sizes) * sum(run.words(name) for name in run.asked(task)))


def _has_soft_labels(run: EncoderRun, task: str) -> bool:
    """Whether a task has the soft labels of all corpora that its teachers read."""
    return all(_soft_label_file(run, task, name).exists() for name in run.asked(task))


def _good_teachers(run: EncoderRun, task: str) -> list[Path]:
    """The teachers of a task without those that did not learn it: some seeds fail."""
    number = len(run.settings.teachers[task].each())
    paths = [_train_teacher(run, task, n) for n in range(number)]
    if number == 1:
        return paths
    quality = [quality_of(path) for path in paths]
    good = [p for p, q in zip(paths, quality, strict=True) if q > max(quality) - _FAILED_BY]
    if len(good) < len(paths):
        run.say(
            f"{len(paths) - len(good)} of {len(paths)} teachers of {task} failed and are left out"
        )
    return good


def write_soft_labels(run: EncoderRun, task: str) -> None:
    """Write the soft labels of a task, one file for each corpus that its teachers read."""
    missing = [n for n in run.asked(task) if not _soft_label_file(run, task, n).exists()]
    if not missing:
        return
    ask = _meaning_teacher(run) if task == MEANING else _ask_teachers(run, task)
    for name in missing:
        _save_soft_labels(ask(run.corpus(name)), _soft_label_file(run, task, name))
    run.say(f"the teachers of {task} have read {len(missing)} corpora")


def _ask_teachers(run: EncoderRun, task: str) -> Ask:
    teachers = []
    fits = run.settings.teachers[task].each()
    for path in _good_teachers(run, task):
        settings = fits[int(path.stem.rsplit("-", 1)[1])]
        teacher = Network(settings.base, run.labels(), None, (task,), normed=settings.normed)
        teacher.load_state_dict(load_file(path))
        teachers.append(teacher)
    if task == "syntax":
        return lambda corpus: predict_syntax(teachers, corpus, run.labels(), run.device)
    if task == "metaphor":
        return lambda corpus: _predict_metaphor(teachers, corpus, run.device)
    if task == "sentiment":
        return lambda corpus: _predict_sentiment(teachers, corpus, run.device)
    if task in ("figures", "names"):
        return lambda corpus: _predict_words(teachers, corpus, task, run.device)
    return lambda corpus: _predict_metonymy(teachers, corpus, run.device)


def _meaning_teacher(run: EncoderRun) -> Ask:
    """The public encoder of the teachers, unchanged."""
    base = run.settings.base.base
    trunk = Trunk(base, run.public_weights(base))
    basis = _main_directions(trunk, run.corpus(TREEBANKS), run.settings.meaning, run.device)
    return lambda corpus: _predict_meaning(trunk, corpus, basis, run.device)


def _soft_label_file(run: EncoderRun, task: str, corpus: str) -> Path:
    return run.work / f"said-{task}-{corpus}.safetensors"


def lessons_with_soft_labels(run: EncoderRun, passes: str, tasks: list[str]) -> dict[str, Lesson]:
    """Every corpus that is read, with the soft labels of these tasks."""
    asked = {task: run.asked(task) for task in tasks}
    lessons = {}
    for name, chosen in run.corpora().items():
        times = getattr(chosen, passes)
        if times:
            soft = SoftLabels()
            for task in tasks:
                if name in asked[task] and (task, name) != ("syntax", TREEBANKS):
                    setattr(
                        soft,
                        task,
                        _load_soft_labels(task, _soft_label_file(run, task, name), run.device),
                    )
            lessons[name] = Lesson(run.corpus(name), times, soft)
    return lessons


def _load_soft_labels(
    task: str, path: Path, device: str
) -> SyntaxLabels | MetaphorLabels | torch.Tensor:
    if task == "syntax":
        return _load_syntax_labels(path, device)
    return _load_metaphor_labels(path, device) if task == "metaphor" else _load_tensor(path, device)


_NEIGHBOURS = 8  # heads per word in soft labels
_WORDS_PER_BATCH = 16_384
_LABELS = "said"  # the name in the file


@torch.inference_mode()
def predict_syntax(
    teachers: list[Network], text: EncodedCorpus, labels: Labels, device: str
) -> SyntaxLabels:
    """The mean predictions of the teachers: tags, lemmas and trees."""
    words = int(text.sentence_starts[-1])

    def empty(width: int, kind: torch.dtype) -> Tensor:
        return torch.zeros((words, width), dtype=kind, device=device)

    soft = SyntaxLabels(
        upos=empty(len(labels.upos), torch.float16),
        xpos=empty(len(labels.xpos), torch.float16),
        lemma=torch.zeros(words, dtype=torch.int16, device=device),
        deprel=empty(len(labels.deprels), torch.float16),
        head=empty(_NEIGHBOURS, torch.int16),
        head_share=empty(_NEIGHBOURS, torch.float16),
    )
    for batch, predictions in _predictions(teachers, text, device):
        trees = [o.syntax for o in predictions if o.syntax is not None]
        word, there = batch["word"], batch["word"] >= 0
        target = word[there]
        for name in ("upos", "xpos"):
            shares = [getattr(o, name).float().softmax(-1) for o in trees]
            getattr(soft, name)[target] = torch.stack(shares).mean(0)[there].half()
        lemma = torch.stack([o.lemma.float().softmax(-1) for o in trees]).mean(0).argmax(-1)
        soft.lemma[target] = lemma[there].short()
        arcs = torch.stack([masked_arcs(o.arcs, word).softmax(-1) for o in trees]).mean(0)
        share, head = arcs.topk(min(_NEIGHBOURS, arcs.shape[-1]), dim=-1)
        share = share / share.sum(-1, keepdim=True)
        soft.head[target, : head.shape[-1]] = head[there].short()
        soft.head_share[target, : head.shape[-1]] = share[there].half()
        relations = [
            t.syntax.labels(as_float(o), head[..., 0]).softmax(-1)
            for t, o in zip(teachers, trees, strict=True)
            if t.syntax is not None
        ]
        soft.deprel[target] = torch.stack(relations).mean(0)[there].half()
    return soft


@torch.inference_mode()
def _predict_metaphor(teachers: list[Network], text: EncodedCorpus, device: str) -> MetaphorLabels:
    """The mean predictions on metaphors: averaged logits, so that sure teachers count more."""
    soft = MetaphorLabels(
        metaphor=torch.zeros(int(text.sentence_starts[-1]), dtype=torch.float16, device=device),
        figurative=torch.zeros(len(text), dtype=torch.float16, device=device),
    )
    for batch, predictions in _predictions(teachers, text, device):
        verdicts = [o.metaphor for o in predictions if o.metaphor is not None]
        word, there = batch["word"], batch["word"] >= 0
        words = torch.stack([v.metaphor.float() for v in verdicts]).mean(0).sigmoid()
        whole = torch.stack([v.figurative.float() for v in verdicts]).mean(0).sigmoid()
        soft.metaphor[word[there]] = words[there].half()
        soft.figurative[batch["sentence"]] = whole.half()
    return soft


@torch.inference_mode()
def _predict_sentiment(teachers: list[Network], text: EncodedCorpus, device: str) -> Tensor:
    """The mean predictions of the teachers for every sequence as a whole."""
    soft: Tensor | None = None
    for batch, predictions in _predictions(teachers, text, device):
        predicted = torch.stack(
            [o.sentiment.float() for o in predictions if o.sentiment is not None]
        )
        if soft is None:
            soft = torch.zeros((len(text), predicted.shape[-1]), dtype=torch.float16, device=device)
        soft[batch["sentence"]] = predicted.mean(0).half()
    assert soft is not None
    return soft


@torch.inference_mode()
def _predict_words(teachers: list[Network], text: EncodedCorpus, task: str, device: str) -> Tensor:
    """The mean predictions for every word: outputs of figures, probabilities of tags of names."""
    soft: Tensor | None = None
    for batch, predictions in _predictions(teachers, text, device):
        found = torch.stack([getattr(o, task).float() for o in predictions])
        mean = (found.softmax(-1) if task == "names" else found).mean(0)
        if soft is None:
            words = int(text.sentence_starts[-1])
            soft = torch.zeros((words, mean.shape[-1]), dtype=torch.float16, device=device)
        there = batch["word"] >= 0
        soft[batch["word"][there]] = mean[there].half()
    assert soft is not None
    return soft


@torch.inference_mode()
def _predict_metonymy(teachers: list[Network], text: EncodedCorpus, device: str) -> Tensor:
    """The mean logits of the readings of names; 0 for words that are not names."""
    name = torch.from_numpy(text.labels["name"]).to(device)
    soft: Tensor | None = None
    for batch, predictions in _predictions(teachers, text, device):
        logs = [o.metonymy.float().log_softmax(-1) for o in predictions if o.metonymy is not None]
        predicted = torch.stack(logs).mean(0)
        if soft is None:
            soft = torch.zeros((len(name), predicted.shape[-1]), dtype=torch.float16, device=device)
        word = batch["word"]
        at = torch.where(word >= 0, name[word.clamp_min(0)], UNKNOWN) != UNKNOWN
        soft[word[at]] = predicted[at].half()
    assert soft is not None
    return soft


@torch.inference_mode()
def _predict_meaning(trunk: Trunk, text: EncodedCorpus, basis: Tensor, device: str) -> Tensor:
    """The vectors that a public encoder gives the words, in fewer dimensions."""
    soft = torch.zeros(
        (int(text.sentence_starts[-1]), basis.shape[1]), dtype=torch.float16, device=device
    )
    for word, vectors in _word_vectors(trunk, text, device):
        soft[word] = (vectors @ basis).half()
    return soft


@torch.inference_mode()
def _main_directions(trunk: Trunk, text: EncodedCorpus, width: int, device: str) -> Tensor:
    """The directions in which the vectors of a text's words differ most from zero."""
    total: Tensor | float = 0.0
    for _, vectors in _word_vectors(trunk, text, device):
        total = total + vectors.T @ vectors
    assert isinstance(total, Tensor)
    return torch.linalg.eigh(total.double())[1].flip(1)[:, :width].float()


def _word_vectors(
    trunk: Trunk, text: EncodedCorpus, device: str
) -> Iterator[tuple[Tensor, Tensor]]:
    """Numbers of words and their vectors in the last layer, batch by batch."""
    trunk.to(device).eval()
    for arrays in batches(text, _WORDS_PER_BATCH, None):
        batch = on_device(arrays, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            last = trunk(batch["ids"], batch["types"], batch["mask"])[-1]
        there = batch["word"] >= 0
        yield batch["word"][there], (batch["pool"] @ last.float())[there]


def _predictions(
    teachers: list[Network], text: EncodedCorpus, device: str
) -> Iterator[tuple[Batch, list[NetworkScores]]]:
    """Every batch of the text with the predictions of each teacher."""
    for teacher in teachers:
        teacher.to(device).eval()
    for arrays in batches(text, _WORDS_PER_BATCH, None):
        batch = on_device(arrays, device)
        with torch.autocast(device, dtype=torch.bfloat16):
            yield batch, [teacher(batch) for teacher in teachers]


def _save_soft_labels(soft: SyntaxLabels | MetaphorLabels | Tensor, path: Path) -> None:
    """Write soft labels, atomically."""
    parts = {_LABELS: soft} if isinstance(soft, Tensor) else vars(soft)
    with atomic_write(path, "wb") as file:
        file.write(save({name: value.cpu() for name, value in parts.items()}))


def _load_syntax_labels(path: Path, device: str) -> SyntaxLabels:
    """What `_save_soft_labels` wrote of syntax."""
    return SyntaxLabels(**load_file(path, device=device))


def _load_metaphor_labels(path: Path, device: str) -> MetaphorLabels:
    """What `_save_soft_labels` wrote of metaphor."""
    return MetaphorLabels(**load_file(path, device=device))


def _load_tensor(path: Path, device: str) -> Tensor:
    """What `_save_soft_labels` wrote of a task whose predictions are one tensor."""
    return load_file(path, device=device)[_LABELS]
