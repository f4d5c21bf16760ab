"""One label an item and question from the judgments that count, some items at a time.

A choice and a point of a scale are voted on. Of several choices each option is voted on by itself
(`QUESTION=OPTION`: yes or no), of spans each character. Free text has no label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Literal

from trope.annotate.exchange.records import Judged, Losses, Shown, as_json
from trope.annotate.project import Plan
from trope.annotate.questions import Question
from trope.annotate.store.exporting import items_with_judgments
from trope.annotate.store.importing import parts
from trope.core.judgments import Judgment as Vote
from trope.metrics.aggregation.majority import majority
from trope.metrics.aggregation.results import ItemResult
from trope.metrics.aggregation.weighted_mean import mean
from trope.metrics.votes import encode_votes

Method = Literal["majority", "mean"]
METHODS: tuple[Method, ...] = ("majority", "mean")


@dataclass(frozen=True, slots=True)
class Labelled:
    """An item with its labels by question; `complete` if it has all its judgments."""

    item: Shown
    labels: dict[str, ItemResult]
    judgments: int
    complete: bool
    last: datetime | None


def labelled_items(
    plan: Plan, losses: Losses, *, method: Method = "majority", drafts: bool = False
) -> Iterator[Labelled]:
    """Items with their labels, in order; with `drafts`, also of items that lack judgments.

    Control items have known answers and get no label. "mean" is that of scales; other questions
    are voted on then too.
    """
    if any(question.kind == "text" for question in plan.questions):
        names = ", ".join(question.id for question in plan.questions if question.kind == "text")
        losses[f"free text has no label ({names})"] += 1
    work = (
        (item, [row for row in rows if row.state == "counted"])
        for item, rows in items_with_judgments()
        if not item.gold
    )
    wanted = plan.judgments_an_item
    chosen = ((i, rows) for i, rows in work if len(rows) >= wanted or (drafts and rows))
    for part in parts(chosen):
        yield from _labelled(plan, part, method)


def label_rows(labelled: Iterable[Labelled]) -> Iterator[dict[str, Any]]:
    """A row a label."""
    for one in labelled:
        for question, result in one.labels.items():
            yield {
                "item": one.item.id,
                "question": question,
                "label": result.label,
                "score": result.score,
                "confidence": result.confidence,
                "answers": result.answers,
                "complete": one.complete,
                "note": result.note,
            }


LABEL_TYPES = {
    "item": "string",
    "question": "string",
    "label": "string",
    "score": "float64",
    "confidence": "float64",
    "answers": "int64",
    "complete": "bool",
    "note": "string",
}


def _labelled(
    plan: Plan, part: Sequence[tuple[Shown, list[Judged]]], method: Method
) -> Iterator[Labelled]:
    votes: dict[str, list[Vote]] = {}
    for item, rows in part:
        for vote in _votes(plan, item, rows):
            votes.setdefault(vote.question, []).append(vote)
    scales = {question.id for question in plan.questions if question.kind == "scale"}
    results: dict[str, dict[str, ItemResult]] = {item.id: {} for item, _ in part}
    for name, given in votes.items():
        count = mean if method == "mean" and name in scales else majority
        for result in count(encode_votes(given)).items:
            results[result.item][name] = result
    for item, rows in part:
        for question in plan.questions:
            if question.kind == "spans" and rows:
                results[item.id][question.id] = _agreed_spans(question, item, rows)
        yield Labelled(
            item,
            results[item.id],
            len(rows),
            len(rows) >= plan.judgments_an_item,
            max((row.at for row in rows), default=None),
        )


def _votes(plan: Plan, item: Shown, rows: Sequence[Judged]) -> Iterator[Vote]:
    for question in plan.questions:
        for row in rows:
            if question.id not in row.answers:
                continue
            answer = row.answers[question.id]
            if question.kind in ("choice", "scale"):
                yield Vote(item.id, row.annotator, str(answer), question.id)
            elif question.kind == "multi":
                for option in question.offered(item.payload, row.answers):
                    said = "yes" if option.value in answer else "no"
                    yield Vote(item.id, row.annotator, said, f"{question.id}={option.value}")


def _agreed_spans(question: Question, item: Shown, rows: Sequence[Judged]) -> ItemResult:
    """The stretches that more than half marked; the confidence is the mean share of markers."""
    given = [row.answers[question.id] for row in rows if question.id in row.answers]
    marks = Counter(
        place for spans in given for place in chain.from_iterable(range(s, e) for s, e in spans)
    )
    chosen = sorted(place for place, times in marks.items() if times * 2 > len(given))
    spans: list[list[int]] = []
    for place in chosen:
        if spans and spans[-1][1] == place:
            spans[-1][1] = place + 1
        else:
            spans.append([place, place + 1])
    share = sum(marks[place] for place in chosen) / (len(given) * len(chosen)) if chosen else None
    note = "" if chosen else "nothing was marked by more than half"
    return ItemResult(item.id, as_json(spans), share, len(given), note)
