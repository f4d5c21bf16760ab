"""Records that pass between the store and files, as objects and as rows, and back without loss.

An answer is written to its question's column if the question's kind can read it back from there.
All others (of a question that the plan no longer has, say) are in `other_answers`, as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from trope.annotate.questions import Question
from trope.core.judgments import read_spans
from trope.corpora.records import TextRecord

StateName = Literal["counted", "surplus", "skipped", "gold", "discarded", "erased"]
STATES: tuple[StateName, ...] = ("counted", "surplus", "skipped", "gold", "discarded", "erased")
EXPORTED = (
    "judgments", "answers", "labels", "labelled", "decisions", "items", "people", "trials",
    "models",
)  # fmt: skip
"""What can be exported."""

TOOL_FORMATS = ("mturk", "crowdflower", "label-studio")
"""Formats of other tools, for export and import."""

EXPORT_FORMATS = ("jsonl", "csv", "parquet", *TOOL_FORMATS)

RECORD_LIMIT = 4 * 1024 * 1024
"""The most bytes of one record in a file that is imported."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
Losses = Counter[str]
"""What a format could not hold, in words → how often."""


@dataclass(frozen=True, slots=True)
class JudgmentRecord:
    """A judgment in a file.

    `replaces` is the number of the judgment that it replaced, `weight` is the annotator's, `digest`
    that of the text that was judged, where it is known.
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
    digest: str = ""

    @property
    def suggestion(self) -> dict[str, Any]:
        """What the form was filled in with: the model's run and its answers; empty if blind."""
        return dict(self.more.get("suggestion") or {})

    @property
    def changed(self) -> bool | None:
        """Whether the answers differ from the suggestion; None without either."""
        if not self.suggestion or self.state == "skipped":
            return None
        suggested = self.suggestion["answers"]
        return any(self.answers.get(name) != answer for name, answer in suggested.items())

    def is_about(self, text: str) -> bool:
        """Whether the text is the one that was judged, as far as the record knows: items of two
        projects may have the same ids."""
        return self.digest in ("", text_digest(text))


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """What the annotator saw; `gold` are the known answers of a control item."""

    id: str
    text: str
    payload: dict[str, Any]
    gold: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """A judgment in a file of another tool, with its item.

    `given` are the answers as a form would hold them. Without an annotator it is only the item.
    """

    item: TextRecord
    annotator: str = ""
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)
    state: Literal["counted", "skipped", "discarded"] = "counted"
    seconds: float = 0.0
    at: datetime | None = None


def text_digest(text: str) -> str:
    """A short checksum by which a text is told from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def as_json(value: Any) -> str:
    """The value as JSON on one line."""
    return _ENCODER.encode(value)


def as_time(text: str) -> datetime:
    """The datetime of an ISO time; UTC if it has no zone.

    Raises:
        ValueError: for a text that is not a time.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def form_values(answers: Mapping[str, Any]) -> dict[str, list[str]]:
    """Answers as a form holds them: spans as start-end, all else as text."""
    return {name: _texts(answer) for name, answer in answers.items()}


def _texts(answer: Any) -> list[str]:
    if not isinstance(answer, list):
        return [str(answer)]
    return ["-".join(map(str, part)) if isinstance(part, list) else str(part) for part in answer]


def text_fault(row: JudgmentRecord, questions: Sequence[Question], text: str) -> str:
    """Why a judgment cannot be about an item with this text; "" if it can."""
    if not row.is_about(text):
        remedy = "import the items of the same project first"
        return f"is about another text than item {row.item!r} has here; {remedy}"
    for question in questions:
        if question.kind == "spans" and question.id in row.answers:
            try:
                read_spans(as_json(row.answers[question.id]), text)
            except ValueError as error:
                problem = f"item {row.item!r}: the answer to {question.id!r} {error}"
                return f"{problem}; export it again"
    return ""


JUDGMENT_COLUMNS = (
    "judgment", "item", "annotator", "state", "seconds", "at", "current", "replaces", "gold_right",
    "weight", "suggested", "changed", "more", "other_answers",
)  # fmt: skip


def column_of(question: str) -> str:
    """The column of a question; one that is named as another column gets a prefix."""
    return f"answer.{question}" if question in JUDGMENT_COLUMNS else question


def as_object(row: JudgmentRecord) -> dict[str, Any]:
    """The judgment as a JSON object."""
    known: dict[str, Any] = {
        "judgment": row.judgment,
        "item": row.item,
        "annotator": row.annotator,
        "answers": row.answers,
        "state": row.state,
        "seconds": row.seconds,
        "at": row.at.isoformat(),
        "current": row.current,
        "replaces": row.replaces,
        "gold_right": row.gold_right,
        "weight": row.weight,
    }
    known |= {"digest": row.digest} if row.digest else {}
    known |= {} if row.changed is None else {"changed": row.changed}
    return known | ({"more": row.more} if row.more else {})


def from_object(given: Mapping[str, Any]) -> JudgmentRecord:
    """The judgment of a JSON object.

    Raises:
        ValueError: with what is wrong.
    """
    for name in ("item", "annotator", "state", "at"):
        if not isinstance(given.get(name), str) or not given[name]:
            raise ValueError(f"has no {name!r}")
    if given["state"] not in STATES:
        raise ValueError(f"has the state {given['state']!r}; known: {', '.join(STATES)}")
    replaces = given.get("replaces")
    answers, more = given.get("answers"), given.get("more") or {}
    if not isinstance(answers, dict) or not isinstance(more, dict):
        raise ValueError("has no answers; give an object, empty for a skipped item")
    shown = more.get("suggestion", {"answers": {}})
    if not isinstance(shown, dict) or not isinstance(shown.get("answers"), dict):
        raise ValueError("has a suggestion without answers; export it again")
    return JudgmentRecord(
        _number(given.get("judgment")),
        given["item"],
        given["annotator"],
        answers,
        given["state"],
        _seconds(given.get("seconds")),
        _moment(given["at"]),
        _truth(given.get("current", True), "current") is True,
        None if replaces is None else _number(replaces),
        _truth(given.get("gold_right"), "gold_right"),
        _weight(given.get("weight", 1.0)),
        more,
        str(given.get("digest") or ""),
    )


def as_cells(row: JudgmentRecord, questions: Sequence[Question]) -> dict[str, Any]:
    """The judgment as columns: text, numbers and truth values, None for nothing."""
    answers = dict(row.answers)
    own = {
        column_of(question.id): _as_cell(question, answers.pop(question.id))
        for question in questions
        if _returns(question, row.answers.get(question.id))
    }
    cells = as_object(row)
    del cells["answers"]
    cells |= {"suggested": row.suggestion.get("run"), "changed": row.changed}
    cells["more"] = as_json(row.more) if row.more else None
    cells["other_answers"] = as_json(answers) if answers else None
    empty = dict.fromkeys(column_of(question.id) for question in questions)
    return {name: cells[name] for name in JUDGMENT_COLUMNS} | empty | own


def from_cells(cells: Mapping[str, str], questions: Sequence[Question]) -> JudgmentRecord:
    """The judgment behind a row whose cells are text.

    Raises:
        ValueError: with what is wrong.
    """
    given: dict[str, Any] = {name: value for name, value in cells.items() if value != ""}
    try:
        answers = json.loads(given.pop("other_answers", "{}"))
        given["more"] = json.loads(given.pop("more", "{}"))
        for question in questions:
            if (cell := given.pop(column_of(question.id), None)) is not None:
                answers[question.id] = _from_cell(question, cell)
        for name in ("judgment", "replaces"):
            if name in given:
                given[name] = int(given[name])
        for name in ("seconds", "weight"):
            if name in given:
                given[name] = float(given[name])
    except (ValueError, TypeError) as error:
        raise ValueError(f"has an invalid cell ({error})") from None
    for name in ("current", "gold_right"):
        if name in given:
            given[name] = {"True": True, "true": True, "False": False, "false": False}.get(
                given[name]
            )
    return from_object(given | {"answers": answers})


def _as_cell(question: Question, answer: Any) -> Any:
    return as_json(answer) if question.kind in ("multi", "spans") else answer


def _from_cell(question: Question, cell: str) -> Any:
    if question.kind == "scale":
        return int(cell)
    return json.loads(cell) if question.kind in ("multi", "spans") else cell


def _returns(question: Question, answer: Any) -> bool:
    """Whether the answer can be read back from the question's column."""
    if answer is None or answer == "":
        return False
    if question.kind == "scale":
        return type(answer) is int
    if question.kind in ("multi", "spans"):
        return isinstance(answer, list)
    return isinstance(answer, str)


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        raise ValueError(f"has {value!r} for the number of a judgment")
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise ValueError(f"has {value!r} for its seconds")
    return float(value)


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError(f"has {value!r} for the weight of its annotator")
    return float(value)


def _moment(value: str) -> Any:
    try:
        return as_time(value)
    except ValueError:
        raise ValueError(f"has {value!r} for its time; write it as 2026-03-02T09:00:00Z") from None


def _truth(value: Any, name: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"has {value!r} for {name}; write true or false")
