"""Test questions: what counts as right, and how annotators did on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput
from trope.core.judgments import Judgment, as_number


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """A known answer: one of `labels`, or any number from `low` to `high`."""

    labels: frozenset[str] = frozenset()
    low: float | None = None
    high: float | None = None

    def accepts(self, label: str) -> bool:
        """Whether an answer is right."""
        if self.low is None or self.high is None:
            return label in self.labels
        number = as_number(label)
        return number is not None and self.low <= number <= self.high

    def chance(self, scale: Sequence[str]) -> float:
        """The share of a scale's labels that are right: how often a blind guess is."""
        return sum(self.accepts(label) for label in scale) / len(scale)


def parse_gold(text: str) -> KnownAnswer:
    """The known answer behind a cell: `yes`, `yes|unsure`, `-2..1`.

    Raises:
        BadInput: for an empty cell, or a range without numbers or upside down.
    """
    if ".." in text:
        ends = [as_number(part) for part in text.split("..")]
        if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
            raise BadInput(f"gold {text!r} is not a range; write it as -2..1")
        return KnownAnswer(low=ends[0], high=ends[1])
    labels = frozenset(part.strip() for part in text.split("|")) - {""}
    if not labels:
        raise BadInput("gold is empty; give a label or a range")
    return KnownAnswer(labels)


def team_ranges(judgments: Iterable[Judgment]) -> dict[str, KnownAnswer]:
    """For each item the range from the lowest to the highest answer of an internal team."""
    numbers: dict[str, list[float]] = {}
    for judgment in judgments:
        number = as_number(judgment.label)
        if number is None:
            raise BadInput(f"item {judgment.item!r}: {judgment.label!r} is not a number")
        numbers.setdefault(judgment.item, []).append(number)
    return {item: KnownAnswer(low=min(found), high=max(found)) for item, found in numbers.items()}


def gold_of(judgments: Iterable[Judgment]) -> dict[str, KnownAnswer]:
    """The known answers given with judgments, by item; two different ones are refused."""
    found: dict[str, str] = {}
    for judgment in judgments:
        if judgment.gold and found.setdefault(judgment.item, judgment.gold) != judgment.gold:
            problem = f"gold of item {judgment.item!r} is {found[judgment.item]!r}"
            raise BadInput(f"{problem} and {judgment.gold!r}; an item has one")
    return {item: parse_gold(text) for item, text in found.items()}


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """How many test questions an annotator saw, and how many were answered right."""

    seen: int
    right: int

    @property
    def reliability(self) -> float | None:
        """R(u) = m / n; None for annotators who answered no test question."""
        return self.right / self.seen if self.seen else None


def gold_records(
    judgments: Iterable[Judgment], gold: Mapping[str, KnownAnswer]
) -> dict[str, GoldRecord]:
    """The record of every annotator, those who saw no test question too."""
    seen: dict[str, int] = {}
    right: dict[str, int] = {}
    for judgment in judgments:
        name = judgment.annotator
        seen.setdefault(name, 0)
        if judgment.item in gold:
            seen[name] += 1
            right[name] = right.get(name, 0) + gold[judgment.item].accepts(judgment.label)
    return {name: GoldRecord(number, right.get(name, 0)) for name, number in seen.items()}


def reliabilities(
    judgments: Iterable[Judgment], gold: Mapping[str, KnownAnswer]
) -> dict[str, float]:
    """R(u) of those who have answered test questions."""
    records = gold_records(judgments, gold)
    return {
        name: record.reliability
        for name, record in records.items()
        if record.reliability is not None
    }
