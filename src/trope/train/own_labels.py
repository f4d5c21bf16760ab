"""`trope train TASK --on FILE`: a system from labels of a user's own.

Without a model it is a light system, within seconds; with one, an encoder is fine-tuned. The folder
remembers which texts the system was trained on, and `trope evaluate --on` never scores these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from trope import __version__
from trope.core.errors import BadInput, BadRecord
from trope.core.progress import MessageWriter, counted
from trope.core.records import Analysis, Parse, TextKind
from trope.corpora.files import FileOptions
from trope.corpora.labelled_texts import (
    SHARE,
    LabelColumns,
    LabelledSet,
    OwnLabel,
    SystemLevel,
    TaskName,
    read_labelled,
)
from trope.lexicon.readings import to_name_class
from trope.pipeline import Pipeline
from trope.tasks.linear_model import Features, LinearModel, fit_linear
from trope.tasks.metaphor.task import tuned_threshold
from trope.tasks.metonymy.baselines import build_roles
from trope.tasks.metonymy.task import NameInContext, words_within
from trope.tasks.own_systems import (
    LightDetector,
    LightSentiment,
    SystemNotes,
    save_light,
    save_seen,
    sentiment_features,
    text_features,
    verb_features,
)

_Row = TypeVar("_Row")
FEWEST, FEWEST_OF_CLASS = 20, 3
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class ReadItems:
    """Labelled items with the analyses of their texts: what systems are trained and scored on.

    `sentences` are the parses of each text, `targets` the sentence and word of its verb.
    """

    items: list[OwnLabel]
    analyses: list[Analysis]
    sentences: list[list[Parse]]
    targets: list[tuple[int, int]]
    names: list[NameInContext]

    def answers(self) -> list[Any]:
        """The labels."""
        return [item.answer for item in self.items]


def read_items(
    labelled: LabelledSet, items: Sequence[OwnLabel], pipeline: Pipeline, kind: TextKind
) -> ReadItems:
    """The items with their analyses.

    Raises:
        BadRecord: for a verb that is not a word of its text.
    """
    tasks = ("syntax", "sentiment" if labelled.task == "sentiment" else "metaphor")
    wanted = [task for task in tasks if task in pipeline.tasks]
    texts = [item.text for item in items]
    analyses = list(pipeline.analyze_many(texts, kind=kind, tasks=wanted, words="all"))
    sentences = [_parses(analysis) for analysis in analyses]
    targets: list[tuple[int, int]] = []
    names: list[NameInContext] = []
    for item, analysis in zip(items, analyses, strict=True):
        if labelled.task == "metonymy":
            names.append(_name(item, analysis, labelled.path))
        elif item.target:
            targets.append(_verb(item, analysis, labelled.path))
    return ReadItems(list(items), analyses, sentences, targets, names)


def _parses(analysis: Analysis) -> list[Parse]:
    scores = analysis.figurative or (None,) * len(analysis.sentences)
    return [
        replace(analysis.parse_of(sentence), figurative=score)
        for sentence, score in zip(analysis.sentences, scores, strict=True)
    ]


def _verb(item: OwnLabel, analysis: Analysis, path: Path) -> tuple[int, int]:
    """The sentence and the word of a verb: within its span if there is one, else the first."""
    wanted = item.target.lower()
    span = range(item.start or 0, len(analysis.text) + 1 if item.end is None else item.end)
    for number, sentence in enumerate(analysis.sentences):
        for at, token in enumerate(analysis.tokens_in(sentence)):
            if token.start in span and wanted in (token.text.lower(), token.lemma.lower()):
                return number, at
    problem = f"the verb {item.target!r} is not a word of its text"
    raise BadRecord(path, item.line, f"{problem}; spell it as the text does")


def _name(item: OwnLabel, analysis: Analysis, path: Path) -> NameInContext:
    start = item.start if item.start is not None else item.text.lower().find(item.target.lower())
    end = item.end if item.end is not None else start + len(item.target)
    for sentence in analysis.sentences:
        spans = [(token.start, token.end) for token in analysis.tokens_in(sentence)]
        first, last = words_within(spans, start, end)
        if first < last:
            parse = analysis.parse_of(sentence)
            kind = to_name_class(item.name_class)
            return NameInContext(item.target, kind, parse, first, last)
    raise BadRecord(path, item.line, f"the name {item.target!r} is not a word of its text")


def fit_light(labelled: LabelledSet, read: ReadItems) -> tuple[Any, str]:
    """A light system fitted to the items, and what its threshold was chosen on.

    Raises:
        BadInput: for too few items, or items of one class.
    """
    check_enough(labelled, read.items)
    if labelled.task == "sentiment":
        rows: list[Features] = [sentiment_features(analysis) for analysis in read.analyses]
        return LightSentiment(_regression(rows, read.answers())), ""
    if labelled.task == "metonymy":
        system = build_roles()
        system.fit(read.names, read.answers())
        return system, ""
    rows = _metaphor_rows(labelled.level, read)
    answers: list[bool] = read.answers()
    groups = [item.digest for item in read.items]
    scores: list[float] = [0.0] * len(rows)
    for held in range(_FOLDS):
        inside = [at for at, group in enumerate(groups) if group // SHARE % _FOLDS != held]
        outside = [at for at, group in enumerate(groups) if group // SHARE % _FOLDS == held]
        if not outside or len({answers[at] for at in inside}) < 2:
            continue
        model = _classifier([rows[at] for at in inside], [answers[at] for at in inside])
        fold = LightDetector(model, labelled.level)
        for at, score in zip(outside, fold.score_rows([rows[at] for at in outside]), strict=True):
            scores[at] = score
    threshold, criterion = tuned_threshold(scores, answers, groups)
    detector = LightDetector(_classifier(rows, answers), labelled.level, threshold)
    return detector, f"cross-validation on the training texts, by {criterion}"


def _metaphor_rows(level: SystemLevel, read: ReadItems) -> list[Features]:
    if level == "sentences":
        return [text_features(parses) for parses in read.sentences]
    return [
        verb_features(parses[number], [at])[0]
        for parses, (number, at) in zip(read.sentences, read.targets, strict=True)
    ]


def _classifier(rows: Sequence[Features], answers: Sequence[bool]) -> LinearModel:
    return fit_linear(rows, answers, solver="liblinear", strength=0.3, what="a light system")


def _regression(rows: Sequence[Features], answers: Sequence[float]) -> LinearModel:
    return fit_linear(rows, answers, solver="ridge", strength=0.1, what="a light system")


def check_enough(labelled: LabelledSet, items: Sequence[OwnLabel]) -> None:
    """Refuse what nothing can be learnt from."""
    if len(items) < FEWEST:
        problem = f"has {counted(len(items), 'labelled text')} to train on"
        raise BadRecord(labelled.path, None, f"{problem}; label at least {FEWEST}")
    counts = Counter(item.answer for item in items)
    if labelled.task == "sentiment":
        if len(counts) < 2:
            raise BadRecord(labelled.path, None, "all scores are the same; give several")
        return
    if len(counts) < 2 or (min(counts.values()) < FEWEST_OF_CLASS and len(counts) == 2):
        named = ", ".join(f"{_shown(name)} {number}" for name, number in counts.items())
        problem = f"has too few labels of one kind to train on ({named})"
        raise BadRecord(labelled.path, None, f"{problem}; label at least {FEWEST_OF_CLASS} of each")


def _shown(answer: Any) -> str:
    return {True: "metaphor", False: "literal"}.get(answer, str(answer))


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """A Hugging Face encoder and how it is fine-tuned: by a file of settings, or a preset."""

    model: str
    config: Path | None = None
    seed: int | None = None
    device: str = "auto"
    work: Path | None = None
    preset: str = ""


def train_on_labels(
    *,
    task: TaskName,
    source: Path,
    out: Path,
    columns: LabelColumns,
    files: FileOptions | None = None,
    kind: TextKind = "plain",
    everything: bool = False,
    encoder: EncoderChoice | None = None,
    called: Path | None = None,
    say: MessageWriter,
) -> None:
    """A folder with a system of a task, trained on what is not set aside.

    Messages and the system's notes name `called` instead of the source.
    """
    labelled = replace(read_labelled(source, task, columns, files), path=called or source)
    train, held = (list(labelled.items), []) if everything else labelled.parts()
    check_enough(labelled, train)
    if labelled.unlabelled:
        number = counted(labelled.unlabelled, "row")
        say(f"{labelled.path}: left out {number} without a label or a text")
    read = read_items(labelled, train, Pipeline(), kind)
    if encoder is not None:
        _fine_tune(labelled, read, encoder, out, say)
        save_seen((item.digest for item in train), out)
    else:
        _save_light(labelled, read, held, out)
    what = f"{labelled.level} " if task == "metaphor" else ""
    say(
        f"{out}: a {'light' if encoder is None else 'fine-tuned'} system for {task} "
        f"{what and 'of ' + what}trained on {counted(len(train), 'text')}; "
        f"{len(held)} set aside for trope evaluate {task} --on"
    )


def _save_light(
    labelled: LabelledSet, read: ReadItems, held: Sequence[OwnLabel], out: Path
) -> None:
    train = read.items
    system, chosen_on = fit_light(labelled, read)
    threshold = getattr(system, "threshold", 0.5)
    notes = SystemNotes(
        cast("TaskName", labelled.task),  # `train_light` reads labels of a task
        level=labelled.level,
        threshold=threshold,
        chosen_on=chosen_on,
        trained_on=labelled.path.name,
        data_sha256=labelled.sha256,
        items=len(train),
        trope=__version__,
    )
    card = _card(labelled, notes, train, held)
    save_light(system, notes, (item.digest for item in train), out, card=card)


def _fine_tune(
    labelled: LabelledSet, read: ReadItems, encoder: EncoderChoice, out: Path, say: MessageWriter
) -> None:
    """Fine-tune the encoder; one text in five of those to train on chooses the epoch."""
    from trope.train.hub.loop import hub_settings

    level = "words" if labelled.level == "verbs" else "sentences"
    usual = {"words": "words", "sentences": "newsmet"}[level]
    preset = (encoder.preset or usual) if labelled.task == "metaphor" else labelled.task
    settings = hub_settings(preset, encoder.config, encoder.seed)
    if settings.level != level:
        problem = f"the labels are of {labelled.level}, but the settings have level"
        raise BadInput(f"{problem} {settings.level!r}; choose settings with level {level!r}")
    request: dict[str, Any] = {"settings": settings, "model": encoder.model, "out": out,
               "device": encoder.device, "work": encoder.work}  # fmt: skip
    chosen_on = f"{labelled.path.name}, one text in {_FOLDS}"
    files = {labelled.path.name: labelled.sha256}
    if labelled.task == "metaphor":
        from trope.train.hub.metaphor import DetectorMaterial, DetectorRequest, fit_detector

        material = DetectorMaterial(*_apart(read, _detector_rows(level, read)), files=files)
        asked = DetectorRequest(data=labelled.path, on=(labelled.path.name,), **request)
        fit_detector(asked, material, say)
        return
    from trope.train.hub.whole_texts import own_names, own_tweets, train_whole

    if labelled.task == "sentiment":
        texts = [(item.text, float(item.answer)) for item in read.items]
        lesson = own_tweets(_apart(read, texts), chosen_on, files)
    else:
        answered = list(zip(read.names, read.answers(), strict=True))
        lesson = own_names(_apart(read, answered), chosen_on, files)
    train_whole(lesson, say=say, **request)


def _detector_rows(level: str, read: ReadItems) -> list[tuple[Any, Any]]:
    """Texts with their labels, or sentences in which the verb alone has a label."""
    if level == "sentences":
        return [(item.text, int(item.answer)) for item in read.items]
    from trope.tasks.hub_folder import NO_ANSWER

    rows: list[tuple[Any, Any]] = []
    for item, parses, (number, verb) in zip(read.items, read.sentences, read.targets, strict=True):
        words = parses[number].words
        known = (int(item.answer) if at == verb else NO_ANSWER for at in range(len(words)))
        rows.append((words, tuple(known)))
    return rows


def _apart(read: ReadItems, rows: Sequence[_Row]) -> tuple[list[_Row], list[_Row]]:
    """The rows to train on, and those of one text in five to choose by."""
    parts: tuple[list[_Row], list[_Row]] = ([], [])
    for item, row in zip(read.items, rows, strict=True):
        parts[item.digest // SHARE % _FOLDS == 0].append(row)
    return parts


def _card(
    labelled: LabelledSet,
    notes: SystemNotes,
    train: Sequence[OwnLabel],
    held: Sequence[OwnLabel],
) -> str:
    counts = Counter(_shown(item.answer) for item in train)
    shares = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
    lines = [
        f"# A light system for {labelled.task}",
        "",
        f"Made by trope {__version__} from `{notes.trained_on}` (SHA-256 `{notes.data_sha256}`): "
        f"{len(train)} texts to train on, {len(held)} set aside.",
        f"Labels to train on: {shares}." if labelled.task != "sentiment" else "",
        f"Threshold {notes.threshold:.4f}, chosen by {notes.chosen_on}." if notes.chosen_on else "",
        "",
        "A linear model of words, their WordNet classes and vectors, and of what the encoder of "
        "trope says, trained on the sets in trope's model card. It knows the kind of text it "
        "was trained on and no other. Measure it with "
        f"`trope evaluate {labelled.task} --on FILE --system FOLDER`.",
    ]
    return "\n".join(lines) + "\n"
