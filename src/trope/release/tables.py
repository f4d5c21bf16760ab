"""The rows of a release: items with their labels by part, judgments under pseudonyms."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trope.release.finished_run import FinishedRun, Item, Judgment, Value
from trope.release.licensing import Permission

_FIRST = ("id", "text", "label")
_LAST = ("score", "votes", "share", "reason", "group")
_RESERVED = frozenset((*_FIRST, *_LAST, "split"))
JUDGMENT_TYPES = {
    "item": "string",
    "annotator": "string",
    "question": "string",
    "label": "string",
    "weight": "float64",
    "seconds": "float64",
    "simulated": "bool",
}


def item_rows(
    run: FinishedRun, groups: Sequence[int], permission: Permission
) -> list[dict[str, Value]]:
    """A row an item, in their order; a withheld text has no column."""
    rows = []
    for item, group in zip(run.items, groups, strict=True):
        label = run.labels[item.id]
        row: dict[str, Value] = {"id": item.id}
        if permission.with_text:
            row["text"] = item.text
        row["label"] = label.label
        row |= _fields(item, permission)
        row |= {"score": label.score, "votes": label.votes, "share": label.share}
        row |= {"reason": label.reason, "group": run.items[group].id}
        rows.append(row)
    return rows


def _fields(item: Item, permission: Permission) -> dict[str, Value]:
    """The fields of an item; one that is called like a column of ours gets another name."""
    return {
        f"field_{name}" if name in _RESERVED else name: value
        for name, value in sorted(item.fields.items())
        if name not in permission.withheld
    }


def pseudonyms(judgments: Iterable[Judgment], seed: int) -> dict[str, str]:
    """A name without a meaning for everyone, in an order that says nothing of theirs."""
    people = {judgment.annotator for judgment in judgments}
    order = sorted(people, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    width = len(str(len(order)))
    return {name: f"annotator-{at:0{width}d}" for at, name in enumerate(order, start=1)}


def judgment_rows(run: FinishedRun, seed: int) -> list[dict[str, Value]]:
    """A row a judgment; notes and times of day are not in it."""
    names = pseudonyms(run.judgments, seed)
    rows: list[dict[str, Value]] = [
        {
            "item": judgment.item,
            "annotator": names[judgment.annotator],
            "question": judgment.question,
            "label": judgment.label,
            "weight": judgment.weight,
            "seconds": judgment.seconds,
            "simulated": judgment.simulated or run.manifest.simulated,
        }
        for judgment in run.judgments
    ]
    return sorted(rows, key=lambda r: (str(r["item"]), str(r["annotator"]), str(r["question"])))


def column_types(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Column → its type in Parquet, by the values that it has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: _type([row.get(name) for row in rows], name) for name in names}


def _type(values: Sequence[Any], name: str) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {bool}:
        return "bool"
    if kinds and kinds <= {int}:
        return "int64"
    if kinds <= {int, float} and (kinds or name in ("score", "share")):
        return "float64"
    return "string"
