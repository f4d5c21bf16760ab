"""One answer of one person to one question about one item."""

from __future__ import annotations

import json
import math
import re
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


_DECIMAL_COMMA = re.compile(r"^([-+−]?\d+),(\d+)$")


@lru_cache(maxsize=4096)  # a scale has few labels, and each is asked for many times
def as_number(label: str) -> float | None:
    """The label as a finite number, or None; a typographic minus is a minus."""
    try:
        number = float(label.strip().replace("−", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def as_score(text: str) -> float | None:
    """A score in a table as a number, or None; it may have the decimal comma of a spreadsheet."""
    return as_number(_DECIMAL_COMMA.sub(r"\1.\2", text.strip()))


def round_half_up(score: float) -> int:
    """The integer nearest to a score, the larger of two that are as near (−2.5 is −2)."""
    whole = math.floor(score)
    return whole + (score - whole >= 0.5)  # adding a half first would round 0.49999999999999994 up


Span = tuple[int, int]
"""Where a stretch of marked words begins and ends."""


def is_span_label(label: str) -> bool:
    """Whether a label is a list of marked stretches; an empty list may be one of anything."""
    return label.startswith("[[")


def read_spans(label: str, text: str | None = None) -> tuple[Span, ...]:
    """The stretches of a label such as `[[4, 9]]`, or of an empty list.

    Raises:
        ValueError: with what is wrong.
    """
    try:
        given = json.loads(label)
    except ValueError:
        given = None
    if not isinstance(given, list) or not all(map(_is_span, given)):
        raise ValueError(f"{label!r} is not a list of [start, end] with start before end")
    for start, end in given:
        if text is not None and end > len(text):
            size = f"the text has {len(text)} characters"
            raise ValueError(f"[{start}, {end}] is outside the text; {size}")
    return tuple((start, end) for start, end in given)


def _is_span(part: object) -> bool:
    if not isinstance(part, list) or len(part) != 2:
        return False
    return all(type(place) is int for place in part) and 0 <= part[0] < part[1]
