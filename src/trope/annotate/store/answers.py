"""Reads: judgments as the rules know them, one row an answer, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from trope.annotate.project import Plan
from trope.annotate.store import models
from trope.annotate.store.queue import published_place
from trope.annotate.watched import gold_text, label_of, measured_questions
from trope.core.judgments import Judgment

MOST_ITEMS = 2_000
"""Items that a page looks at; of a larger project it draws so many."""

MOST_DOWNLOADED = 20_000
"""Items up to which labels can be had from a page; beyond, the command makes them."""

_CHUNK = 2_000
_STEP = 500

_FIELDS = (
    "item__external_id", "person__name", "answers", "seconds", "item__gold",
    "person__standing__weight",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """The items that a page looks at: all (`ids` None), or some of `total`."""

    total: int
    ids: tuple[int, ...] | None = None

    @property
    def note(self) -> str:
        """A word about what was left out, if anything was."""
        if self.ids is None:
            return ""
        return f"A random {len(self.ids):,} of {self.total:,} items; commands look at all of them."


def draw_sample(*, most: int = MOST_ITEMS, seed: int = 0) -> Sample:
    """All items that are no control items, or a random part of them that is the same each time."""
    work = models.Item.objects.filter(is_gold=False, place__lte=published_place())
    total = work.count()
    if total <= most:
        return Sample(total)
    ids = list(work.order_by("pk").values_list("pk", flat=True))
    return Sample(total, tuple(sorted(Random(seed).sample(ids, most))))


def answer_rows(
    plan: Plan, *, sample: Sample | None = None, gold: bool = False, last: int = 0
) -> Iterator[Judgment]:
    """Every answer that counts to every question that can be measured.

    Args:
        sample: the items to look at, by default all.
        gold: also answers to control items, with what is known of them.
        last: only so many of the latest judgments; 0 means all.
    """
    questions = [question.id for question in measured_questions(plan)]
    for item, person, answers, seconds, known, weight in _stored(sample, gold, last):
        for question in questions:
            label = label_of(answers.get(question))
            if label:
                wanted = (known or {}).get(question)
                yield Judgment(
                    item=item,
                    annotator=person,
                    label=label,
                    question=question,
                    weight=1.0 if weight is None else weight,
                    seconds=round(seconds, 3),
                    gold="" if wanted is None else gold_text(wanted),
                )


def _stored(sample: Sample | None, gold: bool, last: int) -> Iterator[tuple[Any, ...]]:
    states = ("counted", "gold") if gold else ("counted",)
    rows = models.Judgment.objects.filter(current=True, state__in=states)
    if last:
        ids = rows.order_by("-pk").values_list("pk", flat=True)[last - 1 : last]
        rows = rows.filter(pk__gte=ids[0]) if ids else rows
    if sample is None or sample.ids is None:
        found = rows.order_by("pk").values_list(*_FIELDS)
        yield from found.iterator(chunk_size=_CHUNK)
        return
    parts = [sample.ids[at : at + _STEP] for at in range(0, len(sample.ids), _STEP)]
    drawn = [
        row for part in parts for row in rows.filter(item_id__in=part).values_list("pk", *_FIELDS)
    ]
    for row in sorted(drawn, key=lambda row: int(row[0])):
        yield row[1:]


def verbs_of_items(plan: Plan, sample: Sample | None = None) -> dict[str, str]:
    """The verb of each item: its field, else the first of the marked words; empty if the plan has
    no tables."""
    if not plan.tables.question:
        return {}
    return {external: verb_of(plan, text, payload) for external, text, payload in item_rows(sample)}


def item_rows(sample: Sample | None = None) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Id, text and fields of every item that is no control item."""
    items = models.Item.objects.filter(is_gold=False, place__lte=published_place()).order_by("pk")
    fields = ("external_id", "text", "payload")
    if sample is None or sample.ids is None:
        yield from items.values_list(*fields).iterator(chunk_size=_CHUNK)
        return
    for at in range(0, len(sample.ids), _STEP):
        yield from items.filter(pk__in=sample.ids[at : at + _STEP]).values_list(*fields)


def marked_words(text: str, payload: Mapping[str, Any]) -> list[str]:
    """The words that are marked in a text."""
    spans: Sequence[Sequence[int]] = payload.get("highlight") or ()
    return " ".join(text[start:end] for start, end in spans).split()


def verb_of(plan: Plan, text: str, payload: Mapping[str, Any]) -> str:
    """The verb of an item."""
    return str(payload.get(plan.tables.verb) or next(iter(marked_words(text, payload)), ""))


def noun_of(plan: Plan, text: str, payload: Mapping[str, Any]) -> str:
    """The object of an item's verb: its field, else the last of the marked words."""
    return str(payload.get(plan.tables.noun) or next(reversed(marked_words(text, payload)), ""))


def answer_head(plan: Plan, *, gold: bool = False) -> dict[str, str]:
    """The columns of the answers with their types, as `trope agree` and `trope aggregate` read
    them."""
    head = dict.fromkeys(("item", "annotator", "question", "label"), "string")
    head |= {"seconds": "float64"}
    head |= {"gold": "string"} if gold else {}
    head |= {"weight": "float64"} if plan.profile.weights else {}
    return head | ({"verb": "string"} if plan.tables.question else {})


def answer_objects(plan: Plan, *, gold: bool = False) -> Iterator[dict[str, Any]]:
    """Every answer that counts as a row of a table."""
    verbs = verbs_of_items(plan)
    names = [name for name in answer_head(plan, gold=gold) if name != "verb"]
    for row in answer_rows(plan, gold=gold):
        cells = {name: getattr(row, name) for name in names}
        yield cells | ({"verb": verbs.get(row.item, "")} if plan.tables.question else {})
