"""Items of the demo task into the store, and the answers to them out of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Max

from trope.annotate.items import read_items
from trope.annotate.project import Plan, Project
from trope.annotate.store.models import DemoItem, Event, Trial
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput

_CHUNK = 2_000


def import_demo(
    project: Project, path: Path, *, now: datetime, by: str = "", safe_cells: bool = False
) -> int:
    """The number of demo items that the file added: all of its rows, or none.

    Raises:
        BadRecord: for the first line at fault.
        BadInput: for ids that the demo task has already.
    """
    items = list(read_items(path, project.plan, safe_cells=safe_cells))
    with writing():
        there = set(DemoItem.objects.values_list("external_id", flat=True))
        if known := next((item.id for item in items if item.id in there), None):
            raise BadInput(
                f"{path}: the demo task has an item {known!r} already; "
                "take out what was imported before"
            )
        last = DemoItem.objects.aggregate(last=Max("place"))["last"] or 0
        rows = [
            DemoItem(
                external_id=item.id,
                text=item.text,
                payload=item.payload,
                gold=item.gold or None,
                place=last + number,
            )
            for number, item in enumerate(items, start=1)
        ]
        DemoItem.objects.bulk_create(rows, batch_size=500)
        detail = {"file": path.name, "items": len(rows)}
        Event.objects.create(at=now, who=by, what="import demo", detail=detail)
    return len(rows)


def demo_shortage(plan: Plan) -> str:
    """What the demo task lacks beside the plan, in words; "" if nothing."""
    if not plan.demo.items:
        return ""
    known = DemoItem.objects.filter(gold__isnull=False).count()
    plain = DemoItem.objects.count() - known
    wanted = plan.demo.items - plan.demo.gold
    if known >= plan.demo.gold and plain >= wanted:
        return ""
    return (
        f"The demo task should have {wanted} items and {plan.demo.gold} control items; there are "
        f"{plain} and {known}. Add them with 'trope annotate import DIR FILE --demo'."
    )


TRIAL_TYPES = {
    "item": "string",
    "annotator": "string",
    "part": "string",
    "answers": "string",
    "skipped": "bool",
    "right": "bool",
    "seconds": "float64",
    "at": "string",
    "weight": "float64",
}


def trial_rows() -> Iterator[dict[str, Any]]:
    """Every answer to a training or demo item, in the order in which it was given."""
    fields = ("item", "person__name", "part", "answers", "skipped", "right", "seconds", "at")
    rows = Trial.objects.order_by("pk").values_list(*fields, "person__standing__weight")
    for row in rows.iterator(chunk_size=_CHUNK):
        item, person, part, answers, skipped, right, seconds, at, weight = row
        yield {
            "item": item,
            "annotator": person,
            "part": part,
            "answers": answers,
            "skipped": skipped,
            "right": right,
            "seconds": round(seconds, 3),
            "at": at.isoformat(),
            "weight": 1.0 if weight is None else weight,
        }
