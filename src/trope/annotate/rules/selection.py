"""The stages between an invitation and work, when guidelines must be read again, and which
applicants are accepted after the demo task: a score, its parts, and its ties.

    score = (g·G + s·S + t·T) / (g + s + t)

    G  share of the known answers that were given right; a skipped control item is not right
    S  1 − skipped / shown
    T  min(1, expected / median seconds per item); 0 if faster than `too_fast` seconds

g, s and t are weights of the project. Every part lies between 0 and 1 and depends on nobody else,
so that another applicant never changes the order of two others. Equal scores (to nine digits) are
ordered by more known answers right, then fewer skips, then less time, then earlier end, then name.

The study of tweets ranked its applicants by time, skips and known answers without saying how; by
default the known answers decide and the other two order those who are close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from trope.annotate.rules.assignment import Caps, Tally

Stage = Literal[
    "consent", "profile", "reading", "training", "demo", "waiting", "declined", "rereading", "work"
]


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """When guidelines must be opened and confirmed: before the first item, after the limit of a day
    or week was reached, after a pause of that many hours (0: never)."""

    first: bool = False
    after_cap: bool = False
    pause_hours: float = 0.0
    least_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RequiredStages:
    """The stages that a project requires."""

    profile: bool = False
    reading: bool = False
    training: int = 0
    demo: bool = False
    selection: bool = False


@dataclass(frozen=True, slots=True)
class CompletedStages:
    """The stages that someone has completed. A trusted or accepted person goes on to work."""

    consented: bool = False
    trusted: bool = False
    verdict: Literal["", "accepted", "declined"] = ""
    profiled: bool = False
    read: bool = False
    trained: int = 0
    demonstrated: bool = False


def stage(required: RequiredStages, completed: CompletedStages) -> Stage:
    """Someone's current stage; only the owner can let someone skip one."""
    if not completed.consented:
        return "consent"
    if completed.trusted or completed.verdict == "accepted":
        return "work"
    if completed.verdict == "declined":
        return "declined"
    if required.profile and not completed.profiled:
        return "profile"
    if required.reading and not completed.read:
        return "reading"
    if completed.trained < required.training:
        return "training"
    if required.demo and not completed.demonstrated:
        return "demo"
    return "waiting" if required.selection else "work"


def must_read_again(
    reading: ReadingRules,
    caps: Caps,
    tally: Tally,
    *,
    worked: datetime | None,
    read: datetime | None,
    now: datetime,
) -> bool:
    """Whether guidelines come before the next item.

    `tally` is what it was after the last judgment, at `worked`; `read` is when the guidelines were
    last confirmed. Someone who has never worked has nothing to resume.
    """
    if worked is None:
        return False
    if reading.pause_hours:
        last = max(worked, read) if read else worked
        if now - last >= timedelta(hours=reading.pause_hours):
            return True
    if not reading.after_cap or not _resumes_after_cap(caps, tally, now):
        return False
    # reading on the evening of the limit is not reading before going on
    return read is None or read <= worked or not _resumes_after_cap(caps, tally, read)


def _resumes_after_cap(caps: Caps, tally: Tally, now: datetime) -> bool:
    today = tally.at(now.date())
    day = bool(caps.day) and tally.day >= caps.day and today.on > tally.on
    week = bool(caps.week) and tally.week >= caps.week and today.week < tally.week
    return day or week


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """How much each part of the score counts."""

    gold: float = 0.8
    skips: float = 0.1
    time: float = 0.1


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds per item: what is expected, and what is too fast for anyone who reads."""

    expected: float = 18.0
    too_fast: float = 2.0


@dataclass(frozen=True, slots=True)
class Applicant:
    """What someone did in the demo task; `seconds` is the median of an item."""

    name: str
    shown: int
    skipped: int
    gold: int
    right: int
    seconds: float
    finished: datetime


@dataclass(frozen=True, slots=True)
class ApplicantScore:
    """The parts of a score, each from 0 to 1, and the score itself."""

    gold: float
    skips: float
    time: float
    total: float


@dataclass(frozen=True, slots=True)
class RankedApplicant:
    """An applicant with place (from 1) and score; `passes` unless too few known answers are
    right."""

    place: int
    applicant: Applicant
    score: ApplicantScore
    passes: bool


def score(applicant: Applicant, weights: ScoreWeights, pace: Pace) -> ApplicantScore:
    """The applicant's score with its parts; G = 0 without control items."""
    gold = applicant.right / applicant.gold if applicant.gold else 0.0
    skips = 1 - applicant.skipped / applicant.shown if applicant.shown else 0.0
    time = _time(applicant.seconds, pace)
    whole = weights.gold + weights.skips + weights.time
    total = weights.gold * gold + weights.skips * skips + weights.time * time
    return ApplicantScore(gold, skips, time, total / whole)


def ranked(
    applicants: Iterable[Applicant],
    *,
    pass_mark: float = 0.0,
    weights: ScoreWeights | None = None,
    pace: Pace | None = None,
) -> list[RankedApplicant]:
    """The applicants from best to last; those below the pass mark come last."""
    weights, pace = weights or ScoreWeights(), pace or Pace()
    scored = [(one, score(one, weights, pace)) for one in applicants]
    order = sorted(
        scored,
        key=lambda pair: (
            not passes(pair[0], pass_mark),
            -round(pair[1].total, 9),
            -pair[0].right,
            pair[0].skipped,
            pair[0].seconds,
            pair[0].finished,
            pair[0].name,
        ),
    )
    return [
        RankedApplicant(place, one, found, passes(one, pass_mark))
        for place, (one, found) in enumerate(order, start=1)
    ]


def best(ranking: Sequence[RankedApplicant], places: int) -> list[Applicant]:
    """The applicants who get the places: the first of the ranking who pass."""
    return [one.applicant for one in ranking if one.passes][: max(places, 0)]


def passes(applicant: Applicant, pass_mark: float) -> bool:
    """Whether the share of right known answers reaches the pass mark, if there is one."""
    if pass_mark <= 0:
        return True
    return bool(applicant.gold) and applicant.right / applicant.gold >= pass_mark - 1e-12


def _time(seconds: float, pace: Pace) -> float:
    if seconds < pace.too_fast:
        return 0.0
    return min(1.0, pace.expected / seconds) if seconds else 1.0
