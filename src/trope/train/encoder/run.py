"""A run of `trope train encoder` or `trope train base`: settings, sets, corpora, models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import torch
from safetensors.torch import save

from trope.core.config import read_config
from trope.core.errors import BadInput, MissingData, UnknownName
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.network import Network
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import SENTIMENT_OUTPUTS, Labels
from trope.train.encoder.bases import fetch, read_weights
from trope.train.encoder.corpus import (
    EncodedCorpus,
    collect_labels,
    encode_treebank,
    encode_verdicts,
    encode_words,
)
from trope.train.encoder.figure_sets import encode_figures, read_figure_set, read_metaphor_set
from trope.train.encoder.fit import FitSettings, Lesson, fit
from trope.train.encoder.name_sets import (
    LABELS,
    TAGS,
    encode_names,
    encode_tags,
    read_name_set,
    read_tag_set,
)
from trope.train.encoder.sentiment_sets import encode_sentiment_texts, read_sentiment_set
from trope.train.encoder.synthetic_headlines import as_headline, raising_headlines
from trope.train.encoder.text_sets import read_text_set, read_treebank

Use = Literal["syntax", "metaphor", "figures", "sentiment", "metonymy", "names", "text"]


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """A corpus that training reads.

    `use`: whether it has answers, and to what, or is text that only teachers annotate.
    Passes are how often the teachers, the student and the base tier read it whole, or the `share`
    of a text set that is drawn. An `optional` set is read only where it is asked for: its licence
    does not allow every use of the model.
    """

    name: str
    use: Use
    licence: str
    teacher_passes: float = 0
    student_passes: float = 0
    base_passes: float = 0
    optional: bool = False
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class TeacherSettings:
    """The teachers of one task, and which corpora they are asked about: all if none is named."""

    fits: tuple[TeacherFit, ...]
    reads: tuple[str, ...] = ()

    def each(self) -> list[FitSettings]:
        """How every single teacher is fitted."""
        return [group.fit for group in self.fits for _ in range(group.number)]


@dataclass(frozen=True, slots=True)
class TeacherFit:
    """Teachers of one task on the same public encoder, which differ by their seeds."""

    number: int
    fit: FitSettings


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """The whole of `encoder.toml`."""

    seed: int
    student: FitSettings
    base: FitSettings
    base_rank: int
    meaning: int
    """Dimensions of the vectors of meaning; 0 for none."""
    teachers: dict[str, TeacherSettings]
    sets: tuple[TrainingSet, ...]
    headlines: bool = False
    """Whether the student judges headlines as the teachers of `trope train headlines` do."""


TASKS = ("syntax", "metaphor", "figures", "sentiment", "metonymy", "names")
MEANING = "meaning"
_CALIBRATED_ON = ("vua", "newsmet")
"""The sets whose development data calibrate the metaphor heads: words, and whole sentences."""
CORPORA = {
    "lcc-targets": ("lcc",),
    "semeval2007-names": ("semeval2007",),
    "headlines-exchanged": ("headlines",),
    "named-texts": ("coinco", "lcc", "tweets-brexit", "headlines"),
}
"""What sets read that do not have the name of their corpus."""
_PREPARED = "prepared"
DEV_TAGS = "dev-names"
"""Development data for finding names."""
TREEBANKS = "treebanks"
"""All treebanks are one corpus, with headlines made from them."""


_RENAMED = {f"{table}.words_a_batch": "words_per_batch" for table in ("student", "base")}


def read_settings(path: Path | None) -> EncoderSettings:
    """The settings of a file, or those of the shipped models."""
    shipped = Path(__file__).with_name("encoder.toml")
    return read_config(path or shipped, EncoderSettings, _RENAMED)


def sets_left_out(
    settings: EncoderSettings, without: Iterable[str] = (), including: Iterable[str] = ()
) -> frozenset[str]:
    """The sets that a run does not read: those named, and optional ones that nobody asked for.

    Raises:
        UnknownName: for a set to leave out or to include that the settings do not have.
    """
    names = tuple(s.name for s in settings.sets)
    left_out, included = {*without}, {*including}
    for name in sorted(left_out | included):
        if name not in names:
            raise UnknownName("training set", name, names)
    return frozenset(left_out | {s.name for s in settings.sets if s.optional} - included)


@dataclass(frozen=True, slots=True)
class EncoderRun:
    """The folders and settings of a run."""

    settings: EncoderSettings
    without: frozenset[str]
    work: Path
    device: str
    say: MessageWriter
    home: Path | None = None
    """The work folder with the corpora, labels and public weights, if it is another one."""

    def sets(self, use: str) -> list[TrainingSet]:
        """The sets of one use that are not left out."""
        return [s for s in self.settings.sets if s.use == use and not self._leaves_out(s)]

    def _leaves_out(self, chosen: TrainingSet) -> bool:
        """Whether a set is left out: by its name, or with all the corpora that it reads."""
        corpora = CORPORA.get(chosen.name, (chosen.name,))
        return chosen.name in self.without or self.without.issuperset(corpora)

    def seeds(self, number: int) -> range:
        """The seeds of this many models."""
        return range(self.settings.seed, self.settings.seed + number)

    def tasks(self) -> list[str]:
        """The tasks that some set has answers to, and that of meaning, which needs none."""
        return [task for task in TASKS if self.sets(task)] + [MEANING] * (self.settings.meaning > 0)

    def judges_headlines(self) -> bool:
        """Whether the student learns from teachers of headlines: all that they read is there."""
        read = {"newsmet", "vua", "headlines"}
        return self.settings.headlines and not read & self.without

    def corpora(self) -> dict[str, TrainingSet]:
        """Every corpus file with the set whose passes it is read by."""
        others = {s.name: s for use in (*TASKS[1:], "text") for s in self.sets(use)}
        return {TREEBANKS: self.sets("syntax")[0], **others}

    def asked(self, task: str) -> list[str]:
        """The corpora that the teachers of a task label: those that some model reads."""
        named = self.settings.teachers[task].reads if task in self.settings.teachers else ()
        return [
            name
            for name, chosen in self.corpora().items()
            if (chosen.student_passes or chosen.base_passes) and (not named or name in named)
        ]

    def corpus(self, name: str) -> EncodedCorpus:
        """A corpus that `prepare` wrote."""
        return EncodedCorpus.load(self._find(f"{name}.npz"))

    def has(self, name: str) -> bool:
        """Whether there is such a corpus."""
        return self._find(f"{name}.npz").exists()

    def _find(self, file: str) -> Path:
        """A file of the work folder, or else of the home folder."""
        own = self.work / file
        return own if self.home is None or own.exists() else self.home / file

    def words(self, name: str) -> int:
        """How many words a corpus has."""
        with np.load(self._find(f"{name}.npz"), allow_pickle=False) as arrays:
            return int(arrays["sentence_starts"].sum())

    def labels(self) -> Labels:
        """The inventories that `prepare` wrote."""
        path = self._find("labels.json")
        if not path.exists():
            raise MissingData(path, "run the stage 'prepare' first")
        return msgspec.json.decode(path.read_bytes(), type=Labels)

    def vocabulary(self) -> Path:
        """The file of word pieces that all public encoders here share."""
        return fetch("bert-vocabulary", self.home or self.work) / "vocab.txt"

    def public_weights(self, base: str) -> dict[str, Any]:
        """The weights of a public encoder."""
        return read_weights(base, fetch(base, self.home or self.work))


def check_sets(run: EncoderRun, tasks: Iterable[str]) -> None:
    """Refuse, before training, a choice of sets that cannot make a model.

    Raises:
        BadInput: for a task without sets, and for metaphor heads without calibration data.
    """
    for task in tasks:
        if not run.sets(task):
            names = " or ".join(s.name for s in run.settings.sets if s.use == task)
            raise BadInput(f"no training set for {task} is left; keep {names or 'one'}")
    metaphor = [s.name for s in run.sets("metaphor")]
    missing = [name for name in _CALIBRATED_ON if name not in metaphor]
    if metaphor and missing:
        remedy = f"keep it, or leave out {' and '.join(metaphor)} too: then there are no such heads"
        problem = f"the metaphor heads are calibrated on {missing[0]}, which is left out"
        raise BadInput(f"{problem}; {remedy}")


def guard_choice(run: EncoderRun) -> None:
    """Refuse a work folder whose stages were made with other settings or other sets."""
    path = run.work / "choice.json"
    choice = msgspec.json.encode([run.settings, sorted(run.without)])
    prepared = is_prepared(run)  # before that, there is nothing to check
    if prepared and path.exists() and path.read_bytes() != choice:
        raise BadInput(
            f"{run.work} holds the stages of a run with other settings; give another --work folder"
        )
    if not prepared:  # later stages may run side by side, and only read it
        with atomic_write(path, "wb") as file:
            file.write(choice)


def is_prepared(run: EncoderRun) -> bool:
    """Whether `prepare` has written its arrays."""
    return (run.work / _PREPARED).exists()


def prepare(run: EncoderRun, data: Path) -> None:
    """Read treebanks, verdicts and texts once, where nobody did; write them as arrays."""
    if is_prepared(run):
        return
    vocabulary = Vocabulary(run.vocabulary())
    _prepare_treebanks(run, data, vocabulary)
    for chosen in run.sets("metaphor"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_metaphor_set(data, chosen.name, split)
            encode_verdicts(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with verdicts")
    _prepare_figures(run, data, vocabulary)
    _prepare_sentiment(run, data, vocabulary)
    _prepare_names(run, data, vocabulary)
    _prepare_tags(run, data, vocabulary)
    for chosen in run.sets("text"):
        drawn = _draw(read_text_set(data, chosen.name, run.say), chosen.share)
        corpus, _ = encode_words(drawn, vocabulary)
        corpus.save(run.work / f"{chosen.name}.npz")
    (run.work / _PREPARED).touch()


def _draw(sentences: Iterable[tuple[str, ...]], share: float) -> Iterator[tuple[str, ...]]:
    """A share of the sentences, the same ones in every run: their wording decides."""
    for words in sentences:
        digest = hashlib.md5(" ".join(words).encode(), usedforsecurity=False).digest()
        if int.from_bytes(digest[:4], "big") < share * 2**32:
            yield words


def _prepare_treebanks(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
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


def _prepare_figures(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("figures"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            sentences = read_figure_set(data, chosen.name, split)
            encode_figures(sentences, vocabulary).save(run.work / f"{file}.npz")
            run.say(f"{chosen.name} {split}: {len(sentences)} sentences with figures")


def _prepare_tags(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("names"):
        sentences = read_tag_set(data, chosen.name, "train")
        encode_tags(sentences, vocabulary).save(run.work / f"{chosen.name}.npz")
        run.say(f"{chosen.name}: {len(sentences)} sentences with tagged names")
    if run.sets("names"):
        dev = read_tag_set(data, "", "dev")
        encode_tags(dev, vocabulary).save(run.work / f"{DEV_TAGS}.npz")
        _write_labels(run, msgspec.structs.replace(run.labels(), names=TAGS))


def _prepare_sentiment(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("sentiment"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            texts = read_sentiment_set(data, chosen.name, split)
            if texts:
                encode_sentiment_texts(texts, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(texts)} texts with sentiment")
    if run.sets("sentiment"):
        _write_labels(run, msgspec.structs.replace(run.labels(), sentiment=SENTIMENT_OUTPUTS))


def _prepare_names(run: EncoderRun, data: Path, vocabulary: Vocabulary) -> None:
    for chosen in run.sets("metonymy"):
        for split, file in (("train", chosen.name), ("dev", f"dev-{chosen.name}")):
            names = read_name_set(data, chosen.name, split, run.settings.seed, without=run.without)
            if names:
                encode_names(names, vocabulary).save(run.work / f"{file}.npz")
                run.say(f"{chosen.name} {split}: {len(names)} sentences with names")
    if run.sets("metonymy"):
        _write_labels(run, msgspec.structs.replace(run.labels(), metonymy=LABELS))


def _write_labels(run: EncoderRun, labels: Labels) -> None:
    labels = msgspec.structs.replace(labels, meaning=run.settings.meaning)
    with atomic_write(run.work / "labels.json", "wb") as file:
        file.write(msgspec.json.encode(labels))


def new_model(run: EncoderRun, settings: FitSettings, tasks: tuple[str, ...], seed: int) -> Network:
    """A network on the public weights, with untrained heads."""
    weights = run.public_weights(settings.base)
    torch.manual_seed(seed)
    return Network(settings.base, run.labels(), weights, tasks, normed=settings.normed)


def fit_run(
    run: EncoderRun, model: Network, lessons: dict[str, Lesson], settings: FitSettings, seed: int
) -> None:
    """Fit a model with the labels and the device of a run."""
    fit(model, run.labels(), lessons, settings, seed=seed, device=run.device, say=run.say)


def save_model(model: Network, path: Path) -> None:
    """Write the weights atomically: an existing file counts as a finished stage."""
    with atomic_write(path, "wb") as file:
        file.write(save({k: v.contiguous().cpu() for k, v in model.state_dict().items()}))
