"""The stages between an invitation and work, and when guidelines must be read again."""

from __future__ import annotations

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
