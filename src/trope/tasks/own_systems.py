"""Systems of a user's own, opened by folder or name: light ones, and fine-tuned encoders.

A light system is a linear model that was trained on a user's labels within seconds. It reads words,
their classes and vectors, and what the shipped encoder says. Its folder has `trope.json` (which
task, which threshold), `weights.npz` and a README.md; no pickle is written or read.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from trope.catalog import DETECTORS, METONYMY_SYSTEMS, SENTIMENT_SYSTEMS
from trope.core.errors import BadInput, BadModel
from trope.core.files import atomic_write, sha256
from trope.core.records import Analysis, Parse
from trope.corpora.labelled_texts import SystemLevel, TaskName
from trope.lexicon.readings import NAME_CLASSES
from trope.lexicon.vectors import WordVectors, read_vectors
from trope.tasks.linear_model import Features, LinearModel, read_linear
from trope.tasks.metaphor.logistic import Logistic
from trope.tasks.metaphor.task import Detector, Score, VerbExpression, highest
from trope.tasks.metonymy.baselines import LinearMetonymy, build_roles
from trope.tasks.metonymy.task import MetonymySystem
from trope.tasks.sentiment.task import SentimentSystem, clipped

NOTES, WEIGHTS, SEEN = "trope.json", "weights.npz", "seen.json"
LIGHT = "light"
READY = ("encoder", "seed-neighbours", "seed-abstractness")
"""Detectors that can be used by name: they need no training."""

_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "INTJ"})
_VECTOR_WEIGHT, _SURE = 4.0, 0.001


class SystemNotes(msgspec.Struct, frozen=True):
    """What a folder of a light system says of itself."""

    task: TaskName
    kind: str = LIGHT
    level: SystemLevel = "sentences"
    threshold: float = 0.5
    chosen_on: str = ""
    trained_on: str = ""
    data_sha256: str = ""
    items: int = 0
    trope: str = ""


@dataclass(frozen=True, slots=True)
class OpenedSystem:
    """A system and its task; `seen` are the digests of the texts it was trained on, if known."""

    task: TaskName
    system: Any
    name: str
    sha256: str = ""
    seen: frozenset[int] = frozenset()


class LightDetector:
    """A linear model of a user's own labels for sentences, or for verbs in sentences.

    Needs: parses with trees; the shipped encoder's metaphors where these are known.
    Gives: probabilities. One for verbs scores every verb, a sentence by its highest verb; one for
        sentences scores no single word.
    """

    def __init__(self, model: LinearModel, level: SystemLevel, threshold: float = 0.5) -> None:
        self.model, self.level, self.threshold = model, level, threshold

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """One probability per verb; nothing for other words, or from a model of sentences."""
        if self.level == "sentences":
            return [(None,) * len(sentence) for sentence in sentences]
        found: list[tuple[Score, ...]] = []
        for sentence in sentences:
            verbs = [at for at, tag in enumerate(sentence.upos) if tag == "VERB"]
            scores = dict(zip(verbs, self.score_rows(verb_features(sentence, verbs)), strict=True))
            found.append(tuple(scores.get(at) for at in range(len(sentence))))
        return found

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """Nothing: it reads whole sentences with their trees."""
        return [None] * len(expressions)

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """One probability per sentence."""
        if self.level != "sentences":
            return [highest(row) for row in self.score_words(sentences)]
        return list(self.score_rows([text_features([sentence]) for sentence in sentences]))

    def score_rows(self, rows: Sequence[Features]) -> list[float]:
        """The probability of metaphor of each row of features."""
        return [float(p) for p in self.model.probabilities(rows)[:, 1]] if rows else []


class LightSentiment:
    """A linear model of a user's own scores from −5 to 5."""

    def __init__(self, model: LinearModel) -> None:
        self.model = model

    def score(self, tweets: Sequence[Analysis]) -> list[float]:
        """A real number from −5 to 5 per text."""
        rows = [sentiment_features(tweet) for tweet in tweets]
        return [clipped(float(value)) for value in self.model.values(rows)[:, 0]] if rows else []


def text_features(sentences: Sequence[Parse]) -> dict[str, float]:
    """Content words, their mean vector, and what the encoder says of the sentences of a text."""
    lemmas = [
        lemma.lower()
        for parse in sentences
        for lemma, tag in zip(parse.lemmas, parse.upos, strict=True)
        if tag in _CONTENT
    ]
    row = {f"word={lemma}": 1.0 for lemma in lemmas} | _vector_features(lemmas)
    figurative = [parse.figurative for parse in sentences if parse.figurative is not None]
    if figurative:
        row["encoder sentence"] = _logit(max(figurative))
    if scores := [score for parse in sentences for score in parse.metaphor]:
        row["encoder word"] = _logit(max(scores))
    return row


def verb_features(sentence: Parse, places: Iterable[int]) -> list[Features]:
    """For each of these words lemma, classes and object, and what the encoder says of it."""
    rows = list(Logistic().word_rows(sentence))
    found: list[Features] = []
    for at in places:
        row = dict(rows[at]) | _vector_features([sentence.lemmas[at].lower()])
        if sentence.metaphor:
            row["encoder word"] = _logit(sentence.metaphor[at])
        found.append(row)
    return found


def sentiment_features(text: Analysis) -> dict[str, float]:
    """Content words and marks, their mean vector, and what the encoder says of the text."""
    words = [token.lemma.lower() or token.text.lower() for token in text.tokens]
    content = [w for w, t in zip(words, text.tokens, strict=True) if t.upos in _CONTENT]
    row = {f"word={word}": 1.0 for word in words} | _vector_features(content)
    if text.sentiment is not None:
        row["encoder"] = text.sentiment.score
    return row


def _vector_features(lemmas: Sequence[str]) -> dict[str, float]:
    vectors = [vector for lemma in lemmas if (vector := _shipped().get(lemma)) is not None]
    if not vectors:
        return {}
    mean = np.mean(vectors, axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    return {f"vector {at}": float(v) * _VECTOR_WEIGHT / length for at, v in enumerate(mean)}


_vectors: list[WordVectors] = []


def _shipped() -> WordVectors:
    """The vectors that ship, read once."""
    if not _vectors:
        _vectors.append(read_vectors())
    return _vectors[0]


def _logit(probability: float) -> float:
    share = min(max(probability, _SURE), 1 - _SURE)
    return math.log(share / (1 - share))


def save_light(
    system: Any, notes: SystemNotes, seen: Iterable[int], out: Path, *, card: str
) -> None:
    """Write a light system into a folder; the notes come last: a folder with notes is whole."""
    models = system.models if isinstance(system, LinearMetonymy) else {"model": system.model}
    arrays: dict[str, npt.NDArray[Any]] = {"seen": np.array(sorted(set(seen)), dtype=np.uint64)}
    for part, model in models.items():
        arrays |= {f"{part}.{name}": array for name, array in model.arrays().items()}
    out.mkdir(parents=True, exist_ok=True)
    (out / NOTES).unlink(missing_ok=True)
    with atomic_write(out / WEIGHTS, "wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # which takes open files too
    with atomic_write(out / "README.md") as file:
        file.write(card)
    with atomic_write(out / NOTES) as file:
        file.write(msgspec.json.format(msgspec.json.encode(notes), indent=1).decode() + "\n")


def save_seen(seen: Iterable[int], out: Path) -> None:
    """Write the digests of the texts that an encoder was fine-tuned on beside its weights."""
    with atomic_write(out / SEEN) as file:
        file.write(json.dumps(sorted(set(seen))) + "\n")


def open_system(name_or_folder: str | Path, task: TaskName | None = None) -> OpenedSystem:
    """The system in a folder that `trope train` wrote, or the metaphor detector of a name.

    Args:
        task: what it has to be for; whatever the folder is for if None.

    Raises:
        BadModel: for a folder of another task, or one that cannot be read.
        BadInput: for a name that is neither a folder nor a system that needs no training.
    """
    folder = Path(name_or_folder)
    if folder.is_dir():
        found = _open_folder(folder, task)
    elif str(name_or_folder) in READY:
        found = OpenedSystem("metaphor", DETECTORS.load(str(name_or_folder))(), str(name_or_folder))
    elif str(name_or_folder).count("/") == 1 and not str(name_or_folder).startswith((".", "~")):
        found = _open_hub(str(name_or_folder), task or "metaphor")
    else:
        raise BadInput(
            f"{str(name_or_folder)!r} is no folder and no system that needs no training "
            f"({', '.join(READY)}); give a folder that trope train wrote"
        )
    if task is not None and found.task != task:
        raise BadModel(
            name_or_folder,
            f"is a system for {found.task}, not for {task}; give a folder that "
            f"trope train {task} wrote",
        )
    return found


def _open_folder(folder: Path, task: TaskName | None) -> OpenedSystem:
    path = folder / NOTES
    if not path.is_file():
        if (folder / "config.json").is_file():  # an encoder that was fine-tuned elsewhere
            return _open_hub(str(folder), task or "metaphor")
        raise BadModel(folder, f"has no {NOTES}; give a folder that trope train wrote")
    try:
        written = json.loads(path.read_text("utf-8"))
        kind, own = written.get("kind", ""), written.get("task", "metaphor")
    except (ValueError, AttributeError, OSError) as error:
        raise BadModel(path, f"was not written by trope train ({error})") from None
    if task is not None and own != task:
        return OpenedSystem(own, None, str(folder))  # which is refused
    return _open_light(folder, path) if kind == LIGHT else _open_hub(str(folder), own)


def _open_hub(name: str, task: TaskName) -> OpenedSystem:
    kinds = {
        "metaphor": DETECTORS,
        "sentiment": SENTIMENT_SYSTEMS,
        "metonymy": METONYMY_SYSTEMS,
    }
    if task == "analogy":
        from trope.tasks.analogy.choice_model import FineTunedChoice

        choice = FineTunedChoice(Path(name))
        return OpenedSystem(task, choice, name, choice.model_sha256, choice.seen)
    system = kinds[task].load("transformers")(model=name)
    path = Path(name) / SEEN
    seen = frozenset(json.loads(path.read_text("utf-8"))) if path.is_file() else frozenset[int]()
    return OpenedSystem(task, system, name, system.model_sha256, seen)


def _open_light(folder: Path, path: Path) -> OpenedSystem:
    try:
        notes = msgspec.json.decode(path.read_bytes(), type=SystemNotes)
        with np.load(folder / WEIGHTS, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except msgspec.MsgspecError as error:
        raise BadModel(path, f"was not written by trope train ({error})") from None
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise BadModel(folder / WEIGHTS, f"cannot be read ({error}); train it again") from None
    system = _light_system(notes, arrays, folder / WEIGHTS)
    seen = frozenset(arrays.get("seen", np.array([], dtype=np.uint64)).tolist())
    return OpenedSystem(notes.task, system, str(folder), sha256(folder / WEIGHTS), seen)


def _light_system(notes: SystemNotes, arrays: Mapping[str, Any], path: Path) -> Any:
    def model(part: str) -> LinearModel:
        own = {k.removeprefix(f"{part}."): v for k, v in arrays.items() if k.startswith(f"{part}.")}
        return read_linear(own, path)

    if notes.task == "metonymy":
        system = build_roles()
        found = {name: model(name) for name in NAME_CLASSES if f"{name}.columns" in arrays}
        if not found:
            raise BadModel(path, "holds no linear model; train it again")
        system.models |= found
        return system
    if notes.task == "sentiment":
        return LightSentiment(model("model"))
    if notes.task == "analogy":
        return _light_choice(arrays, path)
    return LightDetector(model("model"), notes.level, notes.threshold)


def _light_choice(arrays: Mapping[str, Any], path: Path) -> Any:
    from trope.encoder.session import Encoder
    from trope.tasks.analogy.ranker import ChoiceRanker
    from trope.tasks.analogy.similarity import LightChoice, meaning_of_encoder
    from trope.tasks.analogy.templates import read_templates

    try:
        ranker = ChoiceRanker(*(arrays[f"model.{name}"] for name in ("mean", "scale", "weights")))
    except KeyError as error:
        raise BadModel(path, f"holds no ranker ({error}); train it again") from None
    templates = read_templates()
    encoder = Encoder()
    meaning = meaning_of_encoder(encoder) if encoder.labels.meaning else None
    return LightChoice(ranker, templates[next(iter(templates))], meaning)


@dataclass(frozen=True, slots=True)
class OwnSystems:
    """What a pipeline uses instead of the shipped heads, by task."""

    metaphor: Detector | None = None
    sentiment: SentimentSystem | None = None
    metonymy: MetonymySystem | None = None
    sha256: tuple[str, ...] = ()

    @property
    def judges_words(self) -> bool:
        """Whether the detector of metaphors scores single words."""
        level = getattr(self.metaphor, "level", None) or getattr(
            getattr(self.metaphor, "notes", None), "level", "words"
        )
        return self.metaphor is not None and level != "sentences"

    def score(self, parses: Sequence[Parse]) -> list[Parse]:
        """The same parses with the scores of the detector; a word without one has 0."""
        if self.metaphor is None:
            return list(parses)
        figurative = self.metaphor.score_sentences(parses)
        scored = [
            replace(parse, figurative=score or 0.0)
            for parse, score in zip(parses, figurative, strict=True)
        ]
        if not self.judges_words:
            return scored
        rows = self.metaphor.score_words(parses)
        return [
            replace(parse, metaphor=tuple(score or 0.0 for score in row))
            for parse, row in zip(scored, rows, strict=True)
        ]


def open_systems(names: Iterable[str | Path]) -> OwnSystems:
    """The systems of these folders and names, at most one for each task.

    Raises:
        BadInput: for two of one task, or one that no pipeline uses.
    """
    found: dict[str, OpenedSystem] = {}
    for name in names:
        if str(name) == READY[0]:
            continue  # what a pipeline uses anyway
        one = open_system(name)
        if one.task not in OwnSystems.__dataclass_fields__:
            raise BadInput(f"{name} is a system for {one.task}; give it to trope {one.task}")
        if one.task in found:
            other = found[one.task].name
            raise BadInput(f"{other} and {name} are both for {one.task}; give one of them")
        found[one.task] = one
    systems = {task: one.system for task, one in found.items()}
    return OwnSystems(**systems, sha256=tuple(one.sha256 or one.name for one in found.values()))
