"""The agreement on one question: all statistics, what is undefined and why, what is disputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from trope.core.judgments import Judgment
from trope.lexicon.inflection import lemma
from trope.lexicon.verbs import shipped_verbs
from trope.metrics.agreement import (
    MOST_PAIRED,
    SHARES,
    Agreement,
    SumStatistic,
    cohen_kappas,
    fleiss_kappa,
    item_agreement,
    krippendorff_interval,
    krippendorff_nominal,
    krippendorff_ordinal,
    percent_agreement,
    with_intervals,
)
from trope.metrics.intervals import RESAMPLES
from trope.metrics.votes import Floats, Votes, encode_votes

EXCLUSIONS: dict[str, frozenset[str]] = {
    "no": frozenset(),
    "partial": frozenset({"aspectual", "weak"}),
    "full": frozenset({"light", "aspectual", "weak"}),
}
"""Classes of verbs that each column of tweets2019's Table 3 leaves out."""

STATISTICS = (
    "percent",
    "unanimous",
    "fleiss",
    "fleiss_complete",
    "cohen",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
)


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """An item with the share of its pairs of answers that are equal, and its answers."""

    item: str
    agreement: float
    answers: dict[str, int]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Fleiss' kappa without the items of some classes of verbs."""

    name: str
    classes: tuple[str, ...]
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Everything about one question; `usual` is the number of answers of a complete item."""

    question: str
    judgments: int
    items: int
    annotators: int
    labels: dict[str, int]
    answers_per_item: dict[int, int]
    usual: int
    agreements: tuple[Agreement, ...]
    pairs: tuple[Agreement, ...]
    exclusions: tuple[Exclusion, ...]
    disputed: tuple[DisputedItem, ...]


def measure_question(
    judgments: Sequence[Judgment],
    *,
    order: Sequence[str] = (),
    verb_classes: Mapping[str, str] | None = None,
    usual: int | None = None,
    paired: bool = True,
    top: int = 10,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> QuestionAgreement:
    """The agreement of the annotators on one question.

    Args:
        order: the labels from lowest to highest, for alpha_ordinal, if they are not numbers.
        verb_classes: the class of each item's verb (light, aspectual, weak or ""), for the
            exclusions of tweets2019.
        usual: how many answers a complete item has; by default the most frequent number, the
            larger of two that are as frequent.
        paired: whether to measure every two annotators, which takes long for many.
        top: how many disputed items to list.
    """
    votes = encode_votes(judgments, order=order)
    counts = votes.counts()
    answers = Counter(int(number) for number in counts.sum(axis=1))
    usual = usual or max(answers, key=lambda number: (answers[number], number))
    statistics, refusals = _statistics(votes, counts, usual, bool(order), paired)
    measured = {a.name: a for a in with_intervals(statistics, seed=seed, resamples=resamples)}
    pairs = tuple(
        _explained(agreement, _pair_reason(agreement))
        for name, agreement in measured.items()
        if name not in STATISTICS
    )
    reason = _why_undefined(votes, counts)
    agreements = tuple(
        _settled(measured.get(name), name, refusals.get(name), reason) for name in STATISTICS
    )
    return QuestionAgreement(
        question=judgments[0].question if judgments else "",
        judgments=len(votes),
        items=len(votes.items),
        annotators=len(votes.annotators),
        labels=dict(zip(votes.labels, counts.sum(axis=0).astype(int).tolist(), strict=True)),
        answers_per_item=dict(sorted(answers.items())),
        usual=usual,
        agreements=agreements,
        pairs=pairs,
        exclusions=_exclusions(votes, counts, verb_classes, usual, seed, resamples),
        disputed=most_disputed(votes, top=top),
    )


HEADLINES = ("alpha_nominal", "alpha_interval", "word_alpha", "percent", "overlap")
"""The statistics of which one is quoted where there is room for one."""


def headline(question: QuestionAgreement, kind: str) -> Agreement | None:
    """The statistic that is quoted first for a kind of question; None if none is defined."""
    first = {"scale": "alpha_interval", "spans": "word_alpha"}.get(kind, "alpha_nominal")
    found = {one.name: one for one in question.agreements if one.value is not None}
    return next((found[name] for name in (first, *HEADLINES) if name in found), None)


def as_document(question: QuestionAgreement) -> dict[str, Any]:
    """The agreement as JSON has it, with what Landis and Koch call each value."""
    document = asdict(question)
    document["agreements"] = [_with_word(one) for one in question.agreements]
    document["pairs"] = [_with_word(one) for one in question.pairs]
    for part, exclusion in zip(document["exclusions"], question.exclusions, strict=True):
        part["agreements"] = [_with_word(one) for one in exclusion.agreements]
    return document


def _with_word(agreement: Agreement) -> dict[str, Any]:
    return {**asdict(agreement), "word": agreement.word}


def as_markdown(question: QuestionAgreement) -> Iterator[str]:
    """The agreement as lines of Markdown: what it rests on, all statistics, pairs of people."""
    yield (
        f"{question.judgments} answers to {question.items} items by {question.annotators} people; "
        f"a complete item has {question.usual}."
    )
    yield ""
    yield "| answer | times |"
    yield "|---|---|"
    yield from (f"| {_cell(label)} | {n} |" for label, n in question.labels.items())
    yield from _statistics_table("statistic", question.agreements)
    for exclusion in question.exclusions:
        yield from _statistics_table(f"{exclusion.name} exclusion", exclusion.agreements)
    if question.pairs:
        yield from _statistics_table("Cohen's kappa of", question.pairs)


def _statistics_table(head: str, agreements: Sequence[Agreement]) -> Iterator[str]:
    yield ""
    yield f"| {head} | value | 95 % | items | |"
    yield "|---|---|---|---|---|"
    for one in agreements:
        value = "" if one.value is None else f"{one.value:.3f}"
        interval = "" if one.low is None else f"{one.low:.3f} to {one.high:.3f}"
        yield f"| {_cell(one.title)} | {value} | {interval} | {one.n} | {one.note or one.word} |"


def _cell(text: str) -> str:
    """A cell of a table: a bar or a line break would end it."""
    return " ".join(text.replace("|", " and ").split())


def most_disputed(votes: Votes, *, top: int) -> tuple[DisputedItem, ...]:
    """The items with the smallest share of equal answers, those with more answers first."""
    counts = votes.counts()
    agreement = item_agreement(counts)
    disputed = np.flatnonzero(agreement < 1)  # NaN, under two answers, is not less
    ranked = sorted(disputed, key=lambda at: (agreement[at], -counts[at].sum(), at))[:top]
    return tuple(
        DisputedItem(
            votes.items[at],
            float(agreement[at]),
            {
                label: int(number)
                for label, number in zip(votes.labels, counts[at], strict=True)
                if number
            },
        )
        for at in ranked
    )


def _statistics(
    votes: Votes, counts: Floats, usual: int, ordered: bool, paired: bool
) -> tuple[list[SumStatistic], dict[str, str]]:
    """What can be measured, and for the rest the reason why not."""
    refusals: dict[str, str] = {}
    found = [
        percent_agreement(counts),
        fleiss_kappa(counts),
        fleiss_kappa(_complete(counts, usual), "fleiss_complete"),
        krippendorff_nominal(counts),
    ]
    numbers = votes.numbers()
    if numbers is not None and not ordered:
        found.append(krippendorff_interval(counts, numbers))
    else:
        refusals["alpha_interval"] = "undefined: the labels are not numbers"
    if numbers is not None or ordered:
        found.append(krippendorff_ordinal(counts))
    else:
        refusals["alpha_ordinal"] = "undefined: the labels have no order; give it with --order"
    cohen = cohen_kappas(votes) if paired else None
    if not paired:
        refusals["cohen"] = "not measured here: too many annotators to compare every pair"
    elif cohen is not None:
        found.append(cohen)
    elif len(votes.annotators) > MOST_PAIRED:
        refusals["cohen"] = f"undefined: over {MOST_PAIRED} annotators share too few items"
    return found, refusals


def _exclusions(
    votes: Votes,
    counts: Floats,
    verb_classes: Mapping[str, str] | None,
    usual: int,
    seed: int,
    resamples: int,
) -> tuple[Exclusion, ...]:
    if verb_classes is None:
        return ()
    found = []
    for name, classes in EXCLUSIONS.items():
        kept = np.array([verb_classes.get(item, "") not in classes for item in votes.items])
        part = counts[kept]
        statistics = [fleiss_kappa(part), fleiss_kappa(_complete(part, usual), "fleiss_complete")]
        measured = {a.name: a for a in with_intervals(statistics, seed=seed, resamples=resamples)}
        reason = _why_undefined(votes, part)
        agreements = tuple(
            _settled(measured.get(statistic.names[0]), statistic.names[0], None, reason)
            for statistic in statistics
        )
        found.append(Exclusion(name, tuple(sorted(classes)), agreements))
    return tuple(found)


def _complete(counts: Floats, usual: int) -> Floats:
    complete: Floats = counts[counts.sum(axis=1) == usual]
    return complete


def _settled(agreement: Agreement | None, name: str, refusal: str | None, reason: str) -> Agreement:
    """The statistic as it is reported: with a reason where it has no value."""
    if agreement is None:
        why = refusal or reason or "undefined: no item has the usual number of answers"
        return Agreement(name, None, None, None, 0, why)
    if name in SHARES:
        return agreement
    if agreement.n == 1 or reason.startswith("undefined: one item"):
        why = "undefined: one item cannot tell agreement from chance"
        return Agreement(name, None, None, None, agreement.n, why)
    return _explained(agreement, reason or "undefined: all answers that count have the same label")


def _explained(agreement: Agreement, reason: str) -> Agreement:
    return agreement if agreement.value is not None else replace(agreement, note=reason)


def _pair_reason(agreement: Agreement) -> str:
    if agreement.n == 1:
        return "undefined: the two share one item"
    return "undefined: both give the same label to all items that they share"


def _why_undefined(votes: Votes, counts: Floats) -> str:
    """Why chance-corrected agreement is undefined, or the empty string."""
    paired = counts[counts.sum(axis=1) >= 2]
    if len(votes.annotators) == 1:
        return "undefined: there is only one annotator"
    if not len(paired):
        return "undefined: no item has two answers"
    if len(paired) == 1:
        return "undefined: one item cannot tell agreement from chance"
    used = np.flatnonzero(paired.sum(axis=0))
    if len(used) == 1:
        label = votes.labels[int(used[0])]
        return (
            f"undefined: all answers are {label!r}, so agreement by chance is perfect too "
            "(0 divided by 0); percent agreement is 1"
        )
    return ""


_VERB_TAGS = ("VB", "VBZ", "VBD", "VBG", "VBN")


def verb_lemma(form: str) -> str:
    """The base form of a verb in any of its forms."""
    form = form.lower()
    found = [lemma(form, "VERB", tag) for tag in ("VBZ", "VBG", "VBD", "VBN")]
    return next((base for base in found if base and base != form), form)


def verb_classes(verbs: Mapping[str, str]) -> dict[str, str]:
    """The class of each item's verb (light, aspectual, weak or ""), in any of its forms."""
    known = shipped_verbs()
    found = {}
    for item, verb in verbs.items():
        form = verb.lower()
        bases = [lemma(form, "VERB", tag) or form for tag in _VERB_TAGS]
        found[item] = next(filter(None, map(known.class_of, [form, *bases])), "")
    return found
