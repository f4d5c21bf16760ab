"""One answer of one person to one question about one item."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Judgment:
    """An annotator's answer about an item, as the table has it.

    `gold` is the known answer where the item is a test question: a label, several with `|` between
    them, or a range such as `-2..1`. `weight` counts the vote, `seconds` is the time it took.
    """

    item: str
    annotator: str
    label: str
    question: str = ""
    weight: float = 1.0
    seconds: float | None = None
    gold: str = ""


def by_question(judgments: Iterable[Judgment]) -> dict[str, list[Judgment]]:
    """The judgments of each question, in the order of first appearance."""
    questions: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        questions.setdefault(judgment.question, []).append(judgment)
    return questions


@lru_cache(maxsize=4096)  # a scale has few labels, and each is asked for many times
def as_number(label: str) -> float | None:
    """The label as a finite number, or None; a typographic minus is a minus."""
    try:
        number = float(label.strip().replace("−", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def round_half_up(score: float) -> int:
    """The integer nearest to a score, the larger of two that are as near (−2.5 is −2)."""
    return math.floor(score + 0.5)
