"""What passes between the store and files, whatever the format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from trope.corpora.records import TextRecord

State = Literal["counted", "surplus", "skipped", "gold", "discarded", "erased"]
STATES: tuple[State, ...] = ("counted", "surplus", "skipped", "gold", "discarded", "erased")

RECORD_LIMIT = 4 * 1024 * 1024
"""The most bytes of one record in a file that is imported."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)

Losses = Counter[str]
"""What a format could not hold, in words → how often."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgment on its way out or in.

    `replaces` is the number of the one that it took the place of, `weight` that of the annotator.
    """

    judgment: int
    item: str
    annotator: str
    answers: dict[str, Any]
    state: str
    seconds: float
    at: datetime
    current: bool = True
    replaces: int | None = None
    gold_right: bool | None = None
    weight: float = 1.0
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the annotator saw; `gold` are the known answers of a control item."""

    id: str
    text: str
    payload: dict[str, Any]
    gold: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Brought:
    """A judgment that a file of another tool brings, with its item.

    `given` are the answers as a form would give them. Without an annotator it is the item alone.
    """

    record: TextRecord
    annotator: str = ""
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    state: Literal["counted", "skipped", "discarded"] = "counted"
    seconds: float = 0.0
    at: datetime | None = None


def as_json(value: Any) -> str:
    """The value on one line, as all files have it."""
    return _ENCODER.encode(value)


def as_time(text: str) -> datetime:
    """The moment behind an ISO time; one without a zone is of UTC.

    Raises:
        ValueError: for a text that is no time.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def form_values(answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """Answers as a form gives them: spans as start-end, all else as text."""
    return {name: _texts(answer) for name, answer in answers.items()}


def _texts(answer: Any) -> list[str]:
    if not isinstance(answer, list):
        return [str(answer)]
    return [f"{part[0]}-{part[1]}" if isinstance(part, list) else str(part) for part in answer]
