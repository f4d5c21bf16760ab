"""Which items are given out, in which order, to whom, and how many: pure decisions, with the
random generator and the clock passed in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import chain, islice, zip_longest
from random import Random
from typing import Literal, TypeVar

T = TypeVar("T")


SubmittedState = Literal["counted", "surplus"]


def gold_in_page(size: int, share: float, rng: Random) -> int:
    """The number of control items on a page: `share` of it on average, never all."""
    exact = size * share
    whole = int(exact)
    return min(whole + (rng.random() < exact - whole), max(size - 1, 0))


def shuffled_in(work: Sequence[T], gold: Sequence[T], rng: Random) -> list[T]:
    """The work in its order, with the control items at random places in between."""
    page = list(work)
    for item in gold:
        page.insert(rng.randint(0, len(page)), item)
    return page


def in_turn(groups: Mapping[str, Sequence[T]], number: int) -> list[T]:
    """`number` things, taken from the groups in turn (by name)."""
    rounds = zip_longest(*([(thing,) for thing in groups[name]] for name in sorted(groups)))
    found = (box[0] for box in chain.from_iterable(rounds) if box is not None)
    return list(islice(found, number))


def judgment_state(*, holds_slot: bool, open_slots: int) -> SubmittedState:
    """The state of a judgment that is submitted now.

    A judgment with a slot is counted. One that comes after its slot returned to the queue is
    counted if there still is an open slot; otherwise it is kept, and paid, as surplus.
    """
    return "counted" if holds_slot or open_slots > 0 else "surplus"


def seconds_spent(leased: datetime, previous: datetime | None, now: datetime, most: int) -> float:
    """How long a judgment took: since the last one, or since the page was given out.

    Never negative, whatever the clock did, and never more than `most` minutes.
    """
    began = leased if previous is None else max(leased, previous)
    spent = min(max(now - began, timedelta()), timedelta(minutes=most))
    return spent.total_seconds()


Order = Literal["random", "given", "uncertainty"]


Measure = Literal["value", "probability"]


def doubt_score(score: float, measure: Measure) -> float:
    """The uncertainty of an item: its score, or how close its probability is to 0.5 (0 to 1)."""
    return score if measure == "value" else 1 - abs(2 * score - 1)


def giving_order(number: int, order: Order, rng: Random, doubts: Sequence[float] = ()) -> list[int]:
    """The items, by number, in the order in which they are given out.

    Equally uncertain items are ordered at random, not by their order in the file.
    """
    items = list(range(number))
    if order != "given":
        rng.shuffle(items)
    if order == "uncertainty":
        items.sort(key=lambda item: -doubts[item])
    return items


def group_by_batch(items: Sequence[int], names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The items in their order, gathered by the name of their batch.

    Batches come in the order in which the file names them; items without one come first.
    """
    gathered: dict[str, list[int]] = {"": []}
    for name in names:
        gathered.setdefault(name, [])
    for item in items:
        gathered[names[item]].append(item)
    return [(name, members) for name, members in gathered.items() if members]


FREE_SKIPS = 3
"""Items that may be skipped before the share of skipped items matters."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most items that one person may judge; 0 means no limit."""

    day: int = 0
    week: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """What one person has judged on a day, in the week of that day, and in total."""

    on: date
    day: int = 0
    week: int = 0
    total: int = 0

    def at(self, today: date) -> Tally:
        """The tally as of today. A clock that goes back opens no new day."""
        if today <= self.on:
            return self
        same_week = today.isocalendar()[:2] == self.on.isocalendar()[:2]
        return Tally(today, 0, self.week if same_week else 0, self.total)

    def plus_one(self) -> Tally:
        """The tally with one more."""
        return Tally(self.on, self.day + 1, self.week + 1, self.total + 1)


def room(tally: Tally, caps: Caps, wanted: int) -> tuple[int, str]:
    """How many of the wanted items may be given out, and if none, because of which limit ("day",
    "week", "total")."""
    left = {
        name: getattr(caps, name) - getattr(tally, name)
        for name in ("total", "week", "day")
        if getattr(caps, name)
    }
    if not left:
        return wanted, ""
    tightest = min(left, key=left.__getitem__)
    if left[tightest] <= 0:
        return 0, tightest
    return min(wanted, left[tightest]), ""


def may_skip(judged: int, skipped: int, limit: float) -> bool:
    """Whether one more skip stays within the allowed share."""
    return skipped < FREE_SKIPS or skipped + 1 <= limit * (judged + skipped + 1)
