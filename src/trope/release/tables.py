"""The rows of a release: items with labels by part, judgments under pseudonyms.

Texts of tweets, headlines and the BNC may not be passed on: they are left out, and their ids stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trope.release.finished_run import FinishedRun, Manifest, RunItem, RunJudgment, Value

TERMS = {
    "tweets": "Twitter's terms: ids may be passed on, texts may not",
    "headlines": "publishers' rights: headlines are for research, and not passed on",
    "bnc": "the BNC's terms: its text may not be passed on, annotations of it may",
}
"""Kinds of text that are left out, and why."""

LONGEST_QUOTATION = 5
"""Words of a text that a field may repeat where the text itself is left out."""

_SOURCE = "source_id"


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether texts are in the release; `withheld` are fields that repeat them."""

    with_text: bool
    withheld: tuple[str, ...] = ()
    note: str = ""
    without_source: int = 0


def check_licence(
    manifest: Manifest, items: Sequence[RunItem], *, allowed: bool = False
) -> Permission:
    """What of the items may be in a release.

    Args:
        manifest: of the run; it says what the texts are.
        items: of the run.
        allowed: the user takes responsibility for the texts.
    """
    terms = TERMS.get(manifest.text_is)
    if terms is None or allowed:
        note = f"texts are in the release on the word of whoever made it ({terms})" if terms else ""
        return Permission(True, note=note)
    names = sorted({name for item in items for name in item.fields})
    withheld = tuple(name for name in names if any(_quotes(item, name) for item in items))
    lost = sum(1 for item in items if not item.fields.get(_SOURCE))
    return Permission(False, withheld, f"texts are left out: {terms}", lost)


def _quotes(item: RunItem, name: str) -> bool:
    """Whether a field repeats more of the text than an expression."""
    value = item.fields.get(name)
    if not isinstance(value, str) or len(value.split()) <= LONGEST_QUOTATION:
        return False
    return _plain(value) in _plain(item.text) or _plain(item.text) in _plain(value)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


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
    """One row per item, in their order; a withheld text has no column."""
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


def _fields(item: RunItem, permission: Permission) -> dict[str, Value]:
    """The fields of an item; one that is called like a column of ours gets another name."""
    return {
        f"field_{name}" if name in _RESERVED else name: value
        for name, value in sorted(item.fields.items())
        if name not in permission.withheld
    }


def pseudonyms(judgments: Iterable[RunJudgment], seed: int) -> dict[str, str]:
    """A name without a meaning for everyone, in an order that says nothing of theirs."""
    people = {judgment.annotator for judgment in judgments}
    order = sorted(people, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    width = len(str(len(order)))
    return {name: f"annotator-{at:0{width}d}" for at, name in enumerate(order, start=1)}


def judgment_rows(run: FinishedRun, seed: int) -> list[dict[str, Value]]:
    """One row per judgment, without notes and times of day."""
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
