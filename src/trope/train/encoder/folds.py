"""Cross-validation of a training set: every row is judged by a network that did not learn it.

`trope train encoder --folds SET` trains one network per fold, for the task of the set alone: a
teacher and a student without the rows of the fold, which the student then judges. Weights are not
kept as a model; `trope evaluate` reads the predictions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from trope.core.errors import BadInput, BadModel, MissingData, UnknownName
from trope.core.files import atomic_write
from trope.encoder.pieces import MASK, Vocabulary
from trope.encoder.session import FIGURE_OUTPUTS, Labels
from trope.lexicon.readings import LITERAL
from trope.train.encoder.corpus import EncodedCorpus
from trope.train.encoder.figure_sets import (
    FigureSentence,
    encode_figures,
    idiom_sentences,
)
from trope.train.encoder.name_sets import (
    PLACE,
    NamedSentence,
    coarse_samples,
    encode_names,
    named_sentence,
    with_variants,
)
from trope.train.encoder.own_sentences import in_dev

if TYPE_CHECKING:
    from trope.encoder.network import Network
    from trope.train.encoder.calibration import Floats
    from trope.train.encoder.run import EncoderRun

FOLDS = 5
FOLDED = {"relocar": "metonymy", "idiom-sentences": "figures"}
"""The sets that can be folded, with their tasks."""
Fit = Callable[["EncoderRun", tuple[str, ...], int], "Network"]
"""Fits a network for these tasks, with a seed."""
_SLOTS = frozenset(
    ("a", "an", "the", "[pron]", "someone", "someone's", "something", "one's", "your", "his", "her")
)
"""Words that one list of idioms writes and another leaves out."""


class FoldRow(msgspec.Struct, frozen=True):
    """What the network of a fold says of one row that it did not learn.

    Of a name: the probability that it is literal. Of a sentence with an idiom: for every word the
    probability that it is part of one.
    """

    id: str
    fold: int
    scores: list[float]


class FoldPredictions(msgspec.Struct, frozen=True):
    """The predictions of all folds of a set; `thresholds` has one per fold."""

    name: str
    tier: str
    seed: int
    thresholds: list[float]
    rows: list[FoldRow]


class _JudgedFold(msgspec.Struct, frozen=True):
    """A finished fold."""

    threshold: float
    rows: list[FoldRow]


def fold_of(group: str) -> int:
    """The fold of a group, such as an idiom or a name: rows of one group are in one fold."""
    words = " ".join(sorted({*group.lower().split()} - _SLOTS)) or group
    digest = hashlib.md5(f"fold {words}".encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % FOLDS


def predictions_file(folder: Path, name: str) -> Path:
    """Where the predictions of a set are in the folder that `trope train` wrote."""
    return folder / f"folds-{name}.json"


def read_fold_predictions(folder: Path, name: str, tier: str) -> FoldPredictions:
    """The predictions of a set by a tier.

    Raises:
        MissingData: if there are none.
        BadModel: for a damaged file, and for predictions of another tier.
    """
    path = predictions_file(folder, name)
    command = f"trope train {'encoder' if tier == 'small' else tier} --folds {name}"
    if not path.is_file():
        raise MissingData(path, f"write it with '{command} --out {folder}'")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=FoldPredictions)
    except msgspec.MsgspecError as error:
        raise BadModel(path, f"holds no predictions ({error}); repeat '{command}'") from None
    if (found.name, found.tier) != (name, tier):
        problem = f"has predictions of {found.name} by the tier {found.tier}"
        raise BadModel(path, f"{problem}, not of {name} by {tier}; repeat '{command}'")
    return found


def check_folded(run: EncoderRun, name: str) -> str:
    """The task of a set that is to be folded.

    Raises:
        UnknownName: for a set that cannot be folded.
        BadInput: for one that the run does not read.
    """
    if name not in FOLDED:
        raise UnknownName("set with folds", name, tuple(FOLDED))
    if name not in {chosen.name for chosen in run.sets(FOLDED[name])}:
        raise BadInput(f"--folds {name}: this set is left out; keep it")
    return FOLDED[name]


def train_folds(run: EncoderRun, name: str, tier: str, fit: Fit, data: Path, out: Path) -> None:
    """Train the networks of all folds and write what they say of the rows left out.

    `fit` makes a network of the tier. Folds that were judged already are not trained again.
    """
    task = check_folded(run, name)
    vocabulary = Vocabulary(run.vocabulary())
    judge = _judge_names if task == "metonymy" else _judge_idioms
    judged = []
    for number in range(FOLDS):
        own = _fold_run(run, task, name, number)
        path = own.work / f"{tier}-{run.settings.seed}.json"
        if not path.exists():
            done = judge(own, fit, number, data, vocabulary)
            _write(done, path)
            run.say(f"fold {number + 1} of {FOLDS}: {len(done.rows)} rows of {name}")
        judged.append(msgspec.json.decode(path.read_bytes(), type=_JudgedFold))
    predictions = FoldPredictions(
        name,
        tier,
        run.settings.seed,
        [one.threshold for one in judged],
        [row for one in judged for row in one.rows],
    )
    out.mkdir(parents=True, exist_ok=True)
    _write(predictions, predictions_file(out, name))
    run.say(f"the predictions are in {predictions_file(out, name)}")


def _write(record: msgspec.Struct, path: Path) -> None:
    with atomic_write(path, "wb") as file:
        file.write(msgspec.json.encode(record))


def _fold_run(run: EncoderRun, task: str, name: str, number: int) -> EncoderRun:
    """A run for one task with one teacher, in a folder of its own."""
    settings = run.settings
    first = settings.teachers[task].fits[0]
    own = tuple(chosen.name for chosen in run.sets(task))
    teacher = replace(settings.teachers[task], fits=(replace(first, number=1),), reads=own)
    sets = [
        # labels are made of a treebank, but nothing is learnt from it
        replace(chosen, teacher_passes=0, student_passes=0, base_passes=0)
        if chosen.use == "syntax"
        else chosen
        for chosen in settings.sets
        if chosen.use in (task, "syntax")
    ]
    settings = replace(settings, meaning=0, teachers={task: teacher}, sets=tuple(sets))
    work = run.work / f"folds-{name}" / str(number)
    work.mkdir(parents=True, exist_ok=True)
    return replace(run, settings=settings, work=work, home=run.work)


def _judge_names(
    run: EncoderRun, fit: Fit, number: int, data: Path, vocabulary: Vocabulary
) -> _JudgedFold:
    """The names of one fold: as they are and hidden, as the shipped system reads them."""
    samples = coarse_samples(data, "relocar")
    known = [named_sentence(s) for s in samples if fold_of(s.name) != number]
    asked = [s for s in samples if fold_of(s.name) == number]
    train = with_variants(known, run.settings.seed)
    encode_names(train, vocabulary).save(run.work / "relocar.npz")
    model = fit(run, ("metonymy",), run.settings.seed)
    labels = run.labels()
    shown = [named_sentence(s) for s in asked]
    hidden = [s.with_name((MASK,)) for s in shown]
    literal = _literal_shares(run, model, labels, (shown, hidden), vocabulary)
    rows = [
        FoldRow(s.id, number, [round(float(p), 4)]) for s, p in zip(asked, literal, strict=True)
    ]
    return _JudgedFold(0.5, rows)


def _literal_shares(
    run: EncoderRun,
    model: Network,
    labels: Labels,
    views: Sequence[Sequence[NamedSentence]],
    vocabulary: Vocabulary,
) -> Floats:
    """How probable it is that each name is literal, by the mean of the views."""
    from trope.train.encoder.development import name_logits

    logits = sum(name_logits(model, _encode_all(view, vocabulary), run.device) for view in views)
    places = [at for at, label in enumerate(labels.metonymy) if label.startswith(f"{PLACE}:")]
    inside = np.asarray(logits)[:, places] / len(views)
    shares = np.exp(inside - inside.max(1, keepdims=True))
    literal = places.index(labels.metonymy.index(f"{PLACE}:{LITERAL}"))
    return np.asarray(shares[:, literal] / shares.sum(1))


def _encode_all(names: Sequence[NamedSentence], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of all of them; none may be too long.

    Raises:
        BadInput: if a sentence was left out for its length.
    """
    corpus = encode_names(names, vocabulary)
    if len(corpus) != len(names):
        raise BadInput(f"{len(names) - len(corpus)} sentences are too long for the network")
    return corpus


def _judge_idioms(
    run: EncoderRun, fit: Fit, number: int, data: Path, vocabulary: Vocabulary
) -> _JudgedFold:
    """The words of sentences with the idioms of one fold, calibrated on idioms of the others."""
    from trope.train.encoder.calibration import calibrate
    from trope.train.encoder.figure_development import idiom_threshold

    sentences = list(idiom_sentences(data))
    known = [s for s in sentences if fold_of(s.group) != number]
    dev = [s for s in known if in_dev(s.group)]
    parts = {"idiom-sentences": [s for s in known if not in_dev(s.group)]}
    for file, part in (*parts.items(), ("dev-idiom-sentences", dev)):
        encode_figures(part, vocabulary).save(run.work / f"{file}.npz")
    model = fit(run, ("figures",), run.settings.seed)
    corpus = run.corpus("dev-idiom-sentences")
    logits, answers = _idiom_logits(run, model, corpus), corpus.labels["idiom"]
    chosen = calibrate(logits, answers, by="f1")
    threshold = idiom_threshold(logits, answers, chosen)
    asked = [s for s in sentences if fold_of(s.group) == number]
    scores = _by_sentence(run, model, asked, vocabulary)
    rows = [
        FoldRow(s.id, number, [round(float(p), 4) for p in chosen.probabilities(x)])
        for s, x in zip(asked, scores, strict=True)
        if len(x)
    ]
    return _JudgedFold(threshold, rows)


def _idiom_logits(run: EncoderRun, model: Network, corpus: EncodedCorpus) -> Floats:
    from trope.train.encoder.figure_development import word_outputs

    found = word_outputs(model, corpus, "figures", run.device)
    return np.asarray(found[:, FIGURE_OUTPUTS.index("idiom")])


def _by_sentence(
    run: EncoderRun, model: Network, sentences: Sequence[FigureSentence], vocabulary: Vocabulary
) -> list[Floats]:
    """The logits of each sentence's words; none for a sentence that is too long."""
    from trope.train.encoder.corpus import encode_words

    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    logits = _idiom_logits(run, model, corpus)
    found: list[Floats] = [np.zeros(0)] * len(sentences)
    starts = corpus.sentence_starts
    for place, number in enumerate(kept):
        found[number] = logits[starts[place] : starts[place + 1]]
    return found
