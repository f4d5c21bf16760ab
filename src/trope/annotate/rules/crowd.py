"""The crowd rules of SemEval-2015 Task 11, as functions of rows.

Test questions, constant workers, outliers, cleaning, weighted scores. The outlier formula is
damaged in the printed paper; `OutlierRule` holds our reading and its variants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev, stdev
from typing import Literal

from trope.annotate.rules.gold import KnownAnswer, gold_records, reliabilities
from trope.core.errors import BadInput
from trope.core.judgments import Judgment, as_number, round_half_up

Variant = Literal["loo", "all", "signed", "loo-both"]


@dataclass(frozen=True, slots=True)
class OutlierRule:
    """When a judgment is far from the others of its item: deviation > spread, strictly.

    loo: |A − mean of the others| against the deviation of all; all: |A − mean of all|; signed:
    A − mean of all, only too high ones; loo-both: |A − mean of the others| against the deviation
    of the others. `sample` takes the sample's deviation in place of the population's.
    """

    variant: Variant = "loo"
    sample: bool = False


@dataclass(frozen=True, slots=True)
class CrowdRules:
    """The rules and when they apply; nobody is judged before.

    `outliers` None turns that rule off, for example for labels that are not numbers.
    """

    least_accuracy: float = 0.7
    after_gold: int = 5
    after_judgments: int = 10
    outliers: OutlierRule | None = OutlierRule()
    most_outliers: float = 0.6
    until_stable: bool = False
    least_answers: int = 5


@dataclass(frozen=True, slots=True)
class CleanedJudgments:
    """The result of cleaning: judgments that stay, reasons for dismissals, items that need answers.

    `queue` has every item with fewer than the wanted number of judgments, and how many it lacks.
    """

    judgments: tuple[Judgment, ...]
    dismissed: dict[str, str]
    queue: dict[str, int]


@dataclass(frozen=True, slots=True)
class CrowdScore:
    """The score of one item, or why it has none; `judgments` are those that are left."""

    item: str
    score: float | None
    judgments: int
    note: str = ""

    @property
    def integer(self) -> int | None:
        """The score rounded half up (−2.5 is −2)."""
        return None if self.score is None else round_half_up(self.score)


@dataclass(frozen=True, slots=True)
class CrowdResult:
    """Scores of all items, R(u) of the remaining annotators, and the result of cleaning."""

    scores: tuple[CrowdScore, ...]
    reliability: dict[str, float]
    cleaned: CleanedJudgments


def dismissed_by_gold(
    judgments: Iterable[Judgment], gold: Mapping[str, KnownAnswer], rules: CrowdRules
) -> dict[str, str]:
    """Annotators under the least accuracy on test questions, with the reason."""
    found = {}
    for name, record in gold_records(judgments, gold).items():
        if record.seen < max(rules.after_gold, 1):
            continue
        if record.right / record.seen < rules.least_accuracy - 1e-12:
            found[name] = (
                f"test questions: {record.right} of {record.seen} right, "
                f"under {rules.least_accuracy:.0%}"
            )
    return found


def constant_annotators(judgments: Iterable[Judgment], *, after: int) -> dict[str, str]:
    """Annotators who gave only one answer, `after` times or more."""
    labels: dict[str, Counter[str]] = {}
    for judgment in judgments:
        labels.setdefault(judgment.annotator, Counter())[judgment.label] += 1
    return {
        name: f"constant: all {found.total()} answers are {next(iter(found))!r}"
        for name, found in labels.items()
        if len(found) == 1 and found.total() >= max(after, 2)
    }


def outlier_flags(judgments: Sequence[Judgment], rule: OutlierRule) -> list[bool]:
    """For each judgment whether it is an outlier of its item; never with fewer than two answers."""
    numbers = [_number(judgment) for judgment in judgments]
    places: dict[str, list[int]] = {}
    for at, judgment in enumerate(judgments):
        places.setdefault(judgment.item, []).append(at)
    flags = [False] * len(judgments)
    for found in places.values():
        answers = [numbers[at] for at in found]
        for at, flag in zip(found, _outliers(answers, rule), strict=True):
            flags[at] = flag
    return flags


def dismissed_by_outliers(judgments: Sequence[Judgment], rules: CrowdRules) -> dict[str, str]:
    """Annotators of whose judgments the given share or more are outliers."""
    if rules.outliers is None:
        return {}
    total: Counter[str] = Counter()
    flagged: Counter[str] = Counter()
    for judgment, flag in zip(judgments, outlier_flags(judgments, rules.outliers), strict=True):
        total[judgment.annotator] += 1
        flagged[judgment.annotator] += flag
    return {
        name: f"outliers: {flagged[name]} of {number}, {rules.most_outliers:.0%} or more"
        for name, number in total.items()
        if number >= max(rules.after_judgments, 1)
        and flagged[name] / number >= rules.most_outliers - 1e-12
    }


def clean(
    judgments: Sequence[Judgment], gold: Mapping[str, KnownAnswer], rules: CrowdRules | None = None
) -> CleanedJudgments:
    """The judgments without those of dismissed annotators, and the items that need more.

    Test questions first, then constancy, then outliers among those who are left; a test question
    never goes back to the queue.
    """
    rules = rules or CrowdRules()
    dismissed = dismissed_by_gold(judgments, gold, rules)
    for name, reason in constant_annotators(judgments, after=rules.after_judgments).items():
        dismissed.setdefault(name, reason)
    kept = [judgment for judgment in judgments if judgment.annotator not in dismissed]
    while True:
        outliers = dismissed_by_outliers(kept, rules)
        dismissed |= outliers
        kept = [judgment for judgment in kept if judgment.annotator not in outliers]
        if not outliers or not rules.until_stable:
            break
    answers = Counter(judgment.item for judgment in kept)
    asked = dict.fromkeys(judgment.item for judgment in judgments if judgment.item not in gold)
    short = {item: rules.least_answers - answers[item] for item in asked}
    return CleanedJudgments(tuple(kept), dismissed, {item: n for item, n in short.items() if n > 0})


def crowd_scores(
    judgments: Sequence[Judgment], gold: Mapping[str, KnownAnswer], rules: CrowdRules | None = None
) -> CrowdResult:
    """Clean, weigh and score: S(t) = Σ R(u)·A(u,t) / Σ R(u), R(u) = m / n on test questions.

    An item that goes back to the queue has no score, nor has one whose R are all 0 or unknown;
    its note says so. Whoever has seen no test question has no R, and counts for nothing.
    """
    cleaned = clean(judgments, gold, rules)
    trust = reliabilities(cleaned.judgments, gold)
    rows: dict[str, list[Judgment]] = {judgment.item: [] for judgment in judgments}
    for judgment in cleaned.judgments:
        rows[judgment.item].append(judgment)
    scores = []
    for item, own in rows.items():
        lacking = cleaned.queue.get(item, 0)
        score, note = _weighted(own, trust) if not lacking else (None, "")
        if lacking:
            note = f"back to the queue: {len(own)} judgments are left, {lacking} too few"
        scores.append(CrowdScore(item, score, len(own), note))
    return CrowdResult(tuple(scores), trust, cleaned)


def team_scores(
    judgments: Iterable[Judgment], *, native: Collection[str], weight: float = 2.0
) -> dict[str, float]:
    """The scores of an internal team, whose native speakers count `weight` times."""
    sums: dict[str, list[float]] = {}
    for judgment in judgments:
        own = weight if judgment.annotator in native else 1.0
        found = sums.setdefault(judgment.item, [0.0, 0.0])
        found[0] += own * _number(judgment)
        found[1] += own
    return {item: total / weights for item, (total, weights) in sums.items()}


def _weighted(
    judgments: Sequence[Judgment], trust: Mapping[str, float]
) -> tuple[float | None, str]:
    """The weighted mean, or None and the reason."""
    known = [judgment for judgment in judgments if judgment.annotator in trust]
    if not known:
        return None, "undefined: no annotator of this item has answered a test question"
    total = sum(trust[judgment.annotator] for judgment in known)
    if total == 0:
        return None, "undefined: the reliability of every annotator of this item is 0"
    return sum(trust[j.annotator] * _number(j) for j in known) / total, ""


def _outliers(answers: Sequence[float], rule: OutlierRule) -> list[bool]:
    if len(answers) < 2:
        return [False] * len(answers)
    spread_of = stdev if rule.sample else pstdev
    middle, spread = fmean(answers), spread_of(answers)
    flags = []
    for at, answer in enumerate(answers):
        others = [*answers[:at], *answers[at + 1 :]]
        if rule.variant == "signed":
            deviation = answer - middle
        elif rule.variant == "all":
            deviation = abs(answer - middle)
        else:
            deviation = abs(answer - fmean(others))
        if rule.variant == "loo-both":
            if rule.sample and len(others) < 2:
                flags.append(False)  # one other answer has no sample deviation
                continue
            spread = spread_of(others)
        flags.append(deviation > spread + 1e-9)
    return flags


def _number(judgment: Judgment) -> float:
    number = as_number(judgment.label)
    if number is None:
        problem = f"item {judgment.item!r}: {judgment.label!r} is not a number"
        raise BadInput(f"{problem}; the outlier rule needs a scale of numbers")
    return number
