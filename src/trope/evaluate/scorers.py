"""Scorers of shared tasks: a submission against the gold labels, with the official measures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import BadInput, BadRecord
from trope.core.files import sha256
from trope.core.progress import counted
from trope.corpora.mean import CODES, Analogy, read_own_items, spoken
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.semeval2007 import read_company_labels, read_samples, with_company_labels
from trope.corpora.semeval2007_answers import NameAnswers, key_of, read_name_key, read_submission
from trope.corpora.sources import numbered_lines, open_source, read_bytes
from trope.corpora.tables import read_rows
from trope.evaluate.analogy_figures import PREFIX, AnalogyItems
from trope.lexicon.readings import Granularity, labels
from trope.metrics.classification import binary_figures
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.metonymy import NameScores, Undefined, score_names
from trope.tasks.analogy.controls import overlap_scores
from trope.tasks.analogy.cross_validation import right
from trope.tasks.sentiment import submission as tweets


def score_analogies(gold: Path, submission: Path, *, seed: int) -> Evaluation:
    """Accuracy of the answers to MEAN's items, the control by spelling, and shares of errors."""
    items = read_own_items(gold)
    codes = read_choices(submission, items)
    figures = analogy_figures(items, codes, DataRef("mean", "all", sha256(gold)), seed)
    return new_evaluation("analogy", submission.stem, "", figures)


def read_choices(path: Path, items: Sequence[Analogy]) -> list[str]:
    """The kind of choice made for every item; of two equal choices the first column counts."""
    by_id = {item.id: item for item in items}
    found: dict[str, str] = {}
    seen = UniqueIds()
    for line, fields in read_rows(path):
        row = CheckedRow(str(path), line, fields)
        identifier, chosen = row.text("id"), spoken(row.text("answer"))
        if identifier not in by_id:
            raise row.fault(f"no item has the id {identifier!r}; they count from 1 to {len(items)}")
        seen.add(identifier, row, identifier)
        choices = [spoken(choice) for choice in by_id[identifier].choices]
        if chosen not in choices:
            offered = ", ".join(by_id[identifier].choices)
            raise row.fault(f"{chosen!r} is not a choice of item {identifier}; choices: {offered}")
        found[identifier] = CODES[choices.index(chosen)]
    missing = [item.id for item in items if item.id not in found]
    if missing:
        number = counted(len(missing), "item")
        problem = f"has no answer to {number}, the first is {missing[0]}; answer all"
        raise BadRecord(path, None, problem)
    return [found[item.id] for item in items]


def analogy_figures(
    items: Sequence[Analogy], codes: Sequence[str], data: DataRef, seed: int
) -> list[Measurement]:
    """Accuracy, also where spelling is wrong; the control by spelling; shares of errors."""
    measured = AnalogyItems(items, data, seed)
    shares = np.array([float(code == CODES[0]) for code in codes])
    spelling = right(overlap_scores(items))
    hard = shares[spelling == 0]
    figures = [
        measured.accuracy("submission.accuracy", shares),
        measured.accuracy("overlap.accuracy", spelling, note="control; ties shared"),
        measured.accuracy("submission.overlap_wrong.accuracy", hard, note="spelling is wrong"),
    ]
    wrong = [code for code in codes if code != CODES[0]]
    for code in CODES[1:]:
        value = wrong.count(code) / len(wrong) if wrong else None
        note = f"{wrong.count(code)} of {len(wrong)} errors" if wrong else "undefined: no error"
        name = f"{PREFIX}.submission.errors.{code}"
        figures.append(Measurement(name, value, None, None, len(wrong), data, note=note))
    return figures


@dataclass(frozen=True, slots=True)
class ScoredNames:
    """Answers of a system to SemEval-2007 Task 8, their scores, and the scores as figures."""

    answers: NameAnswers
    scores: NameScores
    evaluation: Evaluation


def score_metonymy(
    gold: Path,
    submission: Path,
    granularity: Granularity,
    *,
    company_labels: Path | None = None,
    undefined: Undefined = "organisers",
    seed: int = 0,
) -> ScoredNames:
    """The official measures of SemEval-2007 Task 8.

    Args:
        gold: samples with readings as XML, or a key `id|label`.
        company_labels: coarse labels of companies as JSON, for samples without readings.
        undefined: what F is where a class is never assigned.
    """
    answers = read_submission(submission)
    if answers.granularity != granularity:
        problem = f"has {answers.granularity} labels, so it cannot be scored at {granularity} level"
        raise BadRecord(submission, 3, f"{problem}; give --granularity {answers.granularity}")
    key = read_name_gold(gold, answers, company_labels)
    return score_name_answers(key, answers, undefined=undefined, seed=seed)


def score_name_answers(
    key: NameAnswers, answers: NameAnswers, *, undefined: Undefined = "organisers", seed: int = 0
) -> ScoredNames:
    """Answers scored with a key of the same names and granularity.

    Raises:
        BadRecord: for missing answers and answers to no sample of the key.
    """
    wanted = {sample: label for sample, label in key.labels.items() if label is not None}
    known = labels(answers.name_class, answers.granularity)
    try:
        scores = score_names(wanted, answers.labels, known, undefined=undefined)
    except BadInput as error:
        raise BadRecord(answers.path, _line_of(answers, key), str(error)) from None
    data = DataRef("semeval2007", answers.name_class, sha256(key.path))
    figures = _name_figures(answers, wanted, scores, data, seed)
    return ScoredNames(answers, scores, new_evaluation("metonymy", answers.system, "", figures))


def read_name_gold(
    path: Path, answers: NameAnswers, company_labels: Path | None = None
) -> NameAnswers:
    """The gold labels of a file of samples or a key, as fine as the answers and of their class.

    Raises:
        BadRecord: for samples of another class, or without labels that are as fine.
    """
    granularity = answers.granularity
    with open_source(path) as file:
        is_xml = file.read(100).lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
    if not is_xml:
        return read_name_key(path, answers.name_class, granularity)
    samples = list(read_samples(path))
    if company_labels is not None:
        samples = with_company_labels(samples, read_company_labels(company_labels), company_labels)
    key = key_of({sample.id: sample for sample in samples}, granularity, str(path))
    if key.name_class != answers.name_class:
        problem = f"answers {answers.name_class}s, but the gold file has {key.name_class}s"
        raise BadRecord(answers.path, 2, f"{problem}; give the gold file of the same names")
    return key


def _line_of(answers: NameAnswers, key: NameAnswers) -> int | None:
    """The line of the first answer to no sample; None where an answer is missing."""
    if any(sample not in answers.labels for sample in key.labels):
        return None
    return next((answers.lines[s] for s in answers.labels if s not in key.labels), None)


def _name_figures(
    answers: NameAnswers, gold: Mapping[str, str], scores: NameScores, data: DataRef, seed: int
) -> list[Measurement]:
    """The scores as figures; accuracies have intervals over the samples."""
    prefix = f"metonymy.semeval2007.{answers.name_class}.{answers.granularity}"
    given = [answers.labels[sample] for sample in gold]
    correct = [label == answers.labels[sample] for sample, label in gold.items()]
    backed = [label == (answers.labels[sample] or "literal") for sample, label in gold.items()]
    parts = [[int(a), int(b)] for a, b in zip(correct, backed, strict=True)]
    wholes = [[int(label is not None), 1] for label in given]
    spans = bootstrap_ratios(parts, wholes, seed=seed)

    def figure(
        name: str, value: float | None, at: int | None = None, n: int = scores.samples
    ) -> Measurement:
        low, high = (spans[at].low, spans[at].high) if at is not None else (None, None)
        note = "" if value is not None else "undefined: nothing to count"
        return Measurement(f"{prefix}.{name}", value, low, high, n, data, note=note)

    figures = [
        figure("accuracy", scores.accuracy, 0, scores.answered),
        figure("coverage", scores.coverage),
        figure("all_accuracy", scores.all_accuracy, 1),
        figure("constant.accuracy", scores.baseline),
    ]
    for kind, classes in (("", scores.classes), ("all_", scores.all_classes)):
        for label, one in classes.items():
            n = one.counts.gold
            figures.append(figure(f"{kind}precision.{label}", one.precision, n=n))
            figures.append(figure(f"{kind}recall.{label}", one.recall, n=n))
            figures.append(figure(f"{kind}f.{label}", one.f, n=n))
    return figures


def score_sentiment(
    gold: str, submission: str, *, categories: Path | None = None, seed: int = 0
) -> Evaluation:
    """Cosine and mean squared error of SemEval-2015 Task 11, overall and by category."""
    correct = tweets.read_gold(gold, categories=categories)
    figures = tweets.submission_figures(
        correct,
        tweets.read_submission(submission, correct.scores),
        prefix="sentiment.semeval2015.test",
        by_category="sentiment.semeval2015",
        data=DataRef(Path(gold).name, "gold", sha256(gold)),
        seed=seed,
    )
    return new_evaluation("sentiment", "submission", "", figures)


_METAPHOR = {"1": True, "0": False, "metaphorical": True, "literal": False}
_WORD_ID = re.compile(r"(.+_.+)_\d+")  # text_sentence_token, as in the shared tasks on VUA


@dataclass(frozen=True, slots=True)
class WordKey:
    """Whether words are metaphors, by id; their categories where the file has such a column."""

    path: str
    labels: dict[str, bool]
    categories: dict[str, str]
    lines: dict[str, int]

    @property
    def sentences(self) -> list[str] | None:
        """The sentence of every word, where all ids name one: text_sentence_token."""
        found = [_WORD_ID.fullmatch(identifier) for identifier in self.labels]
        return [match[1] for match in found if match] if all(found) else None


def read_word_key(path: Path) -> WordKey:
    """A table of `id`, `label` and perhaps `category`; without a header, of id and label.

    Raises:
        BadRecord: for an empty file, unknown labels, ids that come twice.
    """
    content = read_bytes(path)
    first = next(text for _, text in numbered_lines(content, encoding=None))
    content.seek(0)
    plain = re.split(r"[,;\t]", first.strip().lower())
    bare = len(plain) == 2 and plain[1].strip('" ') in _METAPHOR
    key = WordKey(content.name, {}, {}, {})
    seen = UniqueIds()
    for line, fields in read_rows(content, columns=("id", "label") if bare else None):
        row = CheckedRow(content.name, line, fields)
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        key.labels[identifier] = row.choice("label", _METAPHOR)
        key.lines[identifier] = line
        if "category" in fields:
            key.categories[identifier] = row.text("category")
    if not key.labels:
        raise BadRecord(path, 1, "holds no words; give a table of ids and labels")
    return key


def check_words(key: WordKey, answers: WordKey) -> None:
    """Check that the answers are to all words of the key and to no others.

    Raises:
        BadRecord: for the first answer to no word, and for words without an answer.
    """
    unknown = next((word for word in answers.labels if word not in key.labels), None)
    if unknown is not None:
        problem = f"id {unknown!r} is not in the gold file; answer its words only"
        raise BadRecord(answers.path, answers.lines[unknown], problem)
    missing = [word for word in key.labels if word not in answers.labels]
    if missing:
        number = counted(len(missing), "word")
        problem = f"has no answer to {number}, the first is {missing[0]!r}; answer all"
        raise BadRecord(answers.path, None, problem)


def word_figures(
    key: WordKey, labels: Mapping[str, bool], prefix: str, seed: int
) -> list[Measurement]:
    """F1, precision, recall and accuracy over all words, and F1 of every category."""
    data = DataRef(Path(key.path).name, "gold", sha256(key.path))
    words, groups = list(key.labels), key.sentences
    scores = ("f1", "precision", "recall", "accuracy")
    figures = binary_figures(
        prefix, list(key.labels.values()), [labels[word] for word in words],
        groups=groups, scores=scores, data=data, seed=seed,
    )  # fmt: skip
    for category in sorted(set(key.categories.values())):
        own = [at for at, word in enumerate(words) if key.categories[word] == category]
        figures += binary_figures(
            f"{prefix}.{category}",
            [key.labels[words[at]] for at in own],
            [labels[words[at]] for at in own],
            groups=None if groups is None else [groups[at] for at in own],
            scores=scores[:1],
            data=data,
            seed=seed,
        )
    return figures


def score_metaphors(gold: Path, submission: Path, *, seed: int) -> Evaluation:
    """F1 of metaphorical words, the measure of the shared tasks on VUA, by category as well."""
    key, answers = read_word_key(gold), read_word_key(submission)
    check_words(key, answers)
    constant = dict.fromkeys(key.labels, True)
    figures = word_figures(key, answers.labels, "metaphor.submission", seed)
    figures += word_figures(key, constant, "metaphor.constant", seed)
    return new_evaluation("metaphor", submission.stem, "", figures)
