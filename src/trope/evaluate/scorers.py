"""Scorers of shared tasks: a submission against the gold labels, with the official measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import BadInput, BadRecord
from trope.core.files import sha256
from trope.corpora.mean import CODES, Analogy, read_mean, spoken
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.semeval2007 import read_company_labels, read_samples, with_company_labels
from trope.corpora.semeval2007_answers import NameAnswers, key_of, read_name_key, read_submission
from trope.corpora.sources import open_source
from trope.corpora.tables import read_rows
from trope.evaluate.analogy_figures import PREFIX, AnalogyItems
from trope.lexicon.readings import Granularity, labels
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.metonymy import NameScores, Undefined, score_names
from trope.tasks.analogy.controls import overlap_scores
from trope.tasks.analogy.cross_validation import right
from trope.tasks.sentiment import submission as tweets


def score_analogies(gold: Path, submission: Path, *, seed: int) -> Evaluation:
    """Accuracy of the answers to MEAN's items, the control by spelling, and shares of errors."""
    items = list(read_mean(gold))
    codes = _read_choices(submission, items)
    figures = _analogy_figures(items, codes, DataRef("mean", "all", sha256(gold)), seed)
    return new_evaluation("analogy", submission.stem, "", figures)


def _read_choices(path: Path, items: Sequence[Analogy]) -> list[str]:
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
        problem = f"has no answer to {len(missing)} items, the first is {missing[0]}; answer all"
        raise BadRecord(path, None, problem)
    return [found[item.id] for item in items]


def _analogy_figures(
    items: Sequence[Analogy], codes: Sequence[str], data: DataRef, seed: int
) -> list[Measurement]:
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
    key = _read_name_key(gold, answers, granularity, company_labels)
    wanted = {sample: label for sample, label in key.labels.items() if label is not None}
    known = labels(answers.name_class, granularity)
    try:
        scores = score_names(wanted, answers.labels, known, undefined=undefined)
    except BadInput as error:
        raise BadRecord(submission, _line_of(answers, key), str(error)) from None
    data = DataRef("semeval2007", answers.name_class, sha256(gold))
    figures = _name_figures(answers, wanted, scores, data, seed)
    return ScoredNames(answers, scores, new_evaluation("metonymy", answers.system, "", figures))


def _read_name_key(
    path: Path, answers: NameAnswers, granularity: Granularity, company_labels: Path | None
) -> NameAnswers:
    """The gold labels of a file of samples or a key, for the class of names that was answered."""
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
