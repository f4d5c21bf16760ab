"""`trope train sentiment --model`, `trope train metonymy --model`: one label per sequence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from trope import __version__
from trope.core.errors import BadInput
from trope.core.files import atomic_write, sha256
from trope.core.progress import MessageWriter
from trope.corpora.metadata import load_corpora
from trope.corpora.semeval2007 import read_samples
from trope.corpora.semeval2015 import FILES, read_learning_tweets
from trope.tasks.hub_folder import (
    EncodedText,
    exact_name,
    folder_checksum,
    load_tokenizer,
    longest,
    model_path,
    new_model,
    save_folder,
    sequence_logits,
    text_pieces,
)
from trope.tasks.metonymy import transformers_system as names
from trope.tasks.metonymy.task import NameInContext, NoParser, parse_samples
from trope.tasks.metonymy.validation import held_out
from trope.tasks.sentiment import transformers_system as sentiment
from trope.tasks.sentiment.task import folds_of, to_integers
from trope.train.hub.loop import Epoch, FitContext, Fitted, HubSettings, Objective, best_device, fit

_FOLDS = 10
Answered = list[tuple[str, float]]
"""Texts with their answers."""

_NAME_FILES = ("SemEval.train.xml", "comp_toparse.train.gz")


@dataclass(frozen=True, slots=True)
class WholeTextTask:
    """Texts with their answers in two parts, what the answers are, and where they came from."""

    name: str
    labels: tuple[str, ...]
    train: Answered
    validation: Answered
    objective: Objective
    chosen_on: str
    files: dict[str, str]


def train_sentiment(*, data: Path, **request: Any) -> None:
    """A folder for the system `transformers` of sentiment."""
    train_whole(read_tweets(data), **request)


def train_metonymy(*, data: Path, **request: Any) -> None:
    """A folder for the system `transformers` of metonymy."""
    train_whole(read_names(data), **request)


def own_tweets(
    parts: tuple[Answered, Answered], chosen_on: str, files: dict[str, str]
) -> WholeTextTask:
    """Texts with scores of a user's own, to train on and to choose by."""
    objective = Objective(_squared_error, _cosine)
    return WholeTextTask("sentiment", sentiment.SCORE, *parts, objective, chosen_on, files)


def own_names(
    parts: Sequence[Sequence[tuple[NameInContext, str]]], chosen_on: str, files: dict[str, str]
) -> WholeTextTask:
    """Names with readings of a user's own, to train on and to choose by."""
    train, validation = (
        [(names.marked(n), float(names.LABELS.index(f"{n.name_class}:{r}"))) for n, r in part]
        for part in parts
    )
    objective = Objective(_cross_entropy, _accuracy_in_class)
    return WholeTextTask("metonymy", names.LABELS, train, validation, objective, chosen_on, files)


def read_tweets(data: Path) -> WholeTextTask:
    """Train and trial of SemEval-2015, each tweet once; one fold of ten is set aside."""
    folder = data / "semeval2015"
    tweets = read_learning_tweets(folder)
    folds = folds_of([tweet.text for tweet in tweets], folds=_FOLDS)
    parts: tuple[Answered, Answered] = ([], [])
    for tweet, fold in zip(tweets, folds, strict=True):
        parts[fold == 0].append((tweet.text, tweet.score))
    return WholeTextTask(
        "sentiment",
        sentiment.SCORE,
        *parts,
        Objective(_squared_error, _cosine),
        "semeval2015 train and trial, one fold of ten",
        {FILES[name]: sha256(folder / FILES[name]) for name in ("train", "trial")},
    )


def read_names(data: Path) -> WholeTextTask:
    """Train of SemEval-2007, both classes of names; one sample in ten is set aside."""
    corpus = load_corpora()["semeval2007"]
    parts: tuple[Answered, Answered] = ([], [])
    files: dict[str, str] = {}
    for file in _NAME_FILES:
        path = corpus.find(file, data)
        files[path.name] = sha256(path)
        samples = list(read_samples(path))
        for sample, name in zip(samples, parse_samples(samples, NoParser()), strict=True):
            answer = names.LABELS.index(f"{sample.name_class}:{sample.reading}")
            parts[held_out(sample.id)].append((names.marked(name), answer))
    return WholeTextTask(
        "metonymy",
        names.LABELS,
        *parts,
        Objective(_cross_entropy, _accuracy_in_class),
        "semeval2007 train, one sample in ten",
        files,
    )


def _cross_entropy(logits: Tensor, right: Tensor) -> Tensor:
    return functional.cross_entropy(logits, right.long())


def _squared_error(logits: Tensor, right: Tensor) -> Tensor:
    return functional.mse_loss(logits.squeeze(-1), right.to(logits.dtype))


def _cosine(model: Any, items: Sequence[EncodedText], settings: HubSettings, pad: int) -> float:
    """The measure of the task, over the integers of both."""
    predicted = np.array(to_integers(row[0] for row in sequence_logits(model, items, pad)))
    given = np.array(to_integers(item.answers[0] for item in items))
    length = float(np.sqrt((predicted**2).sum() * (given**2).sum()))
    return float((predicted * given).sum()) / length if length else 0.0


def _accuracy_in_class(
    model: Any, items: Sequence[EncodedText], settings: HubSettings, pad: int
) -> float:
    """The share of names whose best reading, of those of their class, is the right one."""
    kinds = np.array([label.split(":")[0] for label in names.LABELS])
    rows = np.array(sequence_logits(model, items, pad))
    right = np.array([int(item.answers[0]) for item in items])
    rows[kinds[right][:, None] != kinds[None, :]] = -np.inf
    return float((rows.argmax(1) == right).mean())


def train_whole(
    lesson: WholeTextTask,
    *,
    settings: HubSettings,
    model: str,
    out: Path,
    device: str = "auto",
    work: Path | None = None,
    quiet: bool = False,
    say: MessageWriter,
) -> None:
    """Train, and keep the best epoch; started again it goes on after the last whole epoch."""
    if settings.level != "sentences":
        raise BadInput(f"{lesson.name} is learnt of whole texts; settings have level 'sentences'")
    folder = model_path(model)
    say(f"{len(lesson.train)} to train on, {len(lesson.validation)} to validate with")
    tokenizer = load_tokenizer(folder, settings.level)
    torch.manual_seed(settings.seed)  # of the new head
    network = new_model(folder, settings.level, lesson.labels, dropout=settings.dropout)
    most = longest(network, settings.max_length)
    train, validation = (
        text_pieces(tokenizer, [text for text, _ in part], [answer for _, answer in part], most)
        for part in (lesson.train, lesson.validation)
    )
    work = work or out / "work"
    fitted = fit(
        network,
        train,
        validation,
        settings,
        pad=tokenizer.pad_token_id,
        seed=settings.seed,
        place=FitContext(best_device(device), work, say, quiet=quiet),
        on_best=_keeper(lesson, tokenizer, work / "best"),
        objective=lesson.objective,
    )
    shutil.copytree(work / "best", out, dirs_exist_ok=True)
    with atomic_write(out / "metrics.jsonl") as file:
        file.writelines(json.dumps(asdict(epoch)) + "\n" for epoch in fitted.history)
    with atomic_write(out / "README.md") as file:
        file.write(
            _card(
                lesson,
                settings,
                f"`{exact_name(folder)}`, weights `{folder_checksum(folder)}`",
                fitted,
            )
        )
    say(f"the model is in {out}")


def _keeper(lesson: WholeTextTask, tokenizer: Any, best: Path) -> Callable[[Any, Epoch], None]:
    def keep(model: Any, epoch: Epoch) -> None:
        save_folder(model, tokenizer, {"task": lesson.name, "chosen_on": lesson.chosen_on}, best)

    return keep


def _card(lesson: WholeTextTask, settings: HubSettings, origin: str, fitted: Fitted) -> str:
    """What the folder holds and how it was made."""
    lines = [
        f"# An encoder for {lesson.name}",
        "",
        f"Made by trope {__version__} from {origin}. {len(lesson.train)} items to train on, "
        f"{len(lesson.validation)} to choose by ({lesson.chosen_on}). Best of {settings.epochs} "
        f"epochs: {fitted.best}, {settings.best_by} {fitted.score:.4f}.",
        "",
        "| setting | value |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in asdict(settings).items()),
        "",
        "| file | SHA-256 |",
        "| --- | --- |",
        *(f"| {name} | `{checksum}` |" for name, checksum in sorted(lesson.files.items())),
    ]
    return "\n".join(lines) + "\n"
