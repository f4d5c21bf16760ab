"""The rows of a release: items with labels by part, judgments under pseudonyms.

Texts of tweets, headlines and the BNC may not be passed on: they are left out, and their ids stay.
Train, validation and test parts share nothing, as what is alike goes into one part. Items are alike
where they are of one group (the recipe says by which field), have one source, differ in at most one
word (a text and its transformations), or are near duplicates.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trope.core.errors import BadInput
from trope.core.records import TextKind
from trope.release.finished_run import FinishedRun, Manifest, RunItem, RunJudgment, Value
from trope.tasks.metaphor.silver import alike_groups
from trope.text.duplicates import find_duplicates

TERMS = {
    "tweets": "Twitter's terms: ids may be passed on, texts may not",
    "headlines": "publishers' rights: headlines are for research, and not passed on",
    "bnc": "the BNC's terms: its text may not be passed on, annotations of it may",
}
"""Kinds of text that are left out, and why."""

OPEN_LICENCES = frozenset(
    ("apache-2.0", "mit", "odbl", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0",
     "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0")
)  # fmt: skip
"""Names that the hub knows; any other licence is `other` with its own name there."""

LONGEST_QUOTATION = 5
"""Words of a text that a field may repeat where the text itself is left out."""

_SOURCE, _SUBSET, DEMO = "source_id", "subset", "demo"
DEMO_TASK = "an item of the demo task"

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
PARTS = ("train", "validation", "test")
SHARES = (0.8, 0.1, 0.1)


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
    if manifest.own_texts:
        closed = [one for one in manifest.inputs if one.texts and not is_open(one.licence)]
        listed = ", ".join(dict.fromkeys(f"{one.dataset}: {one.licence}" for one in closed))
        terms = f"licences that may not allow to pass texts on ({listed})" if closed else None
    if terms is None or allowed:
        note = f"texts are in the release on the word of whoever made it ({terms})" if terms else ""
        return Permission(True, note=note)
    names = sorted({name for item in items for name in item.fields})
    withheld = tuple(name for name in names if any(_quotes(item, name) for item in items))
    lost = sum(1 for item in items if not item.fields.get(_SOURCE))
    return Permission(False, withheld, f"texts are left out: {terms}", lost)


def hub_licence(licence: str) -> str:
    """The licence as the hub spells it, "other" where it does not know it."""
    spelt = "-".join(licence.lower().split())
    return spelt if spelt in OPEN_LICENCES else "other"


def is_open(licence: str) -> bool:
    """Whether a licence is known to allow that texts are passed on."""
    spelt = "-".join(licence.lower().split())
    return spelt in OPEN_LICENCES or spelt.startswith(("cc0", "cc-by", "public-domain", "odc-"))


def _quotes(item: RunItem, name: str) -> bool:
    """Whether a field repeats more of the text than an expression."""
    value = item.fields.get(name)
    if not isinstance(value, str) or len(value.split()) <= LONGEST_QUOTATION:
        return False
    return _plain(value) in _plain(item.text) or _plain(item.text) in _plain(value)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


@dataclass(frozen=True, slots=True)
class FurtherTable:
    """A table beside the items, such as gold+: rows by split."""

    splits: Mapping[str, Sequence[Mapping[str, Value]]]

    @property
    def types(self) -> dict[str, str]:
        """Column → its type in Parquet."""
        return column_types([row for rows in self.splits.values() for row in rows])


def only_labelled(run: FinishedRun) -> tuple[FinishedRun, list[dict[str, Value]]]:
    """The run with the items that are part of the data set, and the others with the reason.

    Items without a label are none of it, nor are those of a demo task, which selects annotators.

    Raises:
        BadInput: where nothing is left.
    """
    left_out: list[dict[str, Value]] = []
    kept = []
    for item in run.items:
        label = run.labels[item.id]
        demo = not run.manifest.project and item.fields.get(_SUBSET) == DEMO
        if label.label is not None and not demo:
            kept.append(item)
            continue
        reason = DEMO_TASK if demo else label.reason or "no label"
        left_out.append({"id": item.id, "label": label.label, "reason": reason})
    if not kept:
        raise BadInput(_nothing_to_release(left_out))
    return replace(run, items=tuple(kept)), left_out


def _nothing_to_release(left_out: Sequence[Mapping[str, Value]]) -> str:
    reasons = Counter(str(row["reason"]) for row in left_out)
    listed = ", ".join(f"{number} × {reason}" for reason, number in reasons.most_common(3))
    return f"no item has a label ({listed}); let people judge more"


def item_rows(
    run: FinishedRun,
    groups: Sequence[int],
    permission: Permission,
    more: Mapping[str, Mapping[str, Value]],
) -> list[dict[str, Value]]:
    """One row per item, in their order; a withheld text has no column.

    `more` has further columns by id.
    """
    rows = []
    taken = _RESERVED.union(*(columns for columns in more.values()))
    for item, group in zip(run.items, groups, strict=True):
        label = run.labels[item.id]
        row: dict[str, Value] = {"id": item.id}
        if permission.with_text:
            row["text"] = item.text
        row["label"] = label.label
        row |= more.get(item.id, {})
        row |= _fields(item, permission, taken)
        row |= {"score": label.score, "votes": label.votes, "share": label.share}
        row |= {"reason": label.reason, "group": run.items[group].id}
        rows.append(row)
    return rows


def _fields(item: RunItem, permission: Permission, taken: frozenset[str]) -> dict[str, Value]:
    """The fields of an item; one that is called like a column of ours gets another name."""
    return {
        f"field_{name}" if name in taken else name: value
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


class Groups:
    """Sets of positions that are joined one pair at a time."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def first(self, position: int) -> int:
        """The lowest position that is joined with this one."""
        while self._parents[position] != position:
            self._parents[position] = self._parents[self._parents[position]]
            position = self._parents[position]
        return position

    def join(self, one: int, other: int) -> None:
        """Put two positions, and all that is joined with them, into one set."""
        low, high = sorted((self.first(one), self.first(other)))
        self._parents[high] = low

    def join_equal(self, keys: Iterable[object]) -> None:
        """Join positions with equal keys; None and the empty string are equal to nothing."""
        seen: dict[object, int] = {}
        for position, key in enumerate(keys):
            if key not in (None, ""):
                self.join(seen.setdefault(key, position), position)


def group_items(items: Sequence[RunItem], *, by: str = "", kind: TextKind = "tweet") -> list[int]:
    """For every item the position of the first one that it is alike.

    Args:
        items: of the data set.
        by: a field whose values belong together.
        kind: how texts are cleaned before they are compared.

    Raises:
        BadInput: where an item lacks the field.
    """
    groups = Groups(len(items))
    if by:
        lacking = [item.id for item in items if by not in item.fields]
        if lacking:
            raise BadInput(f"item {lacking[0]!r} has no field {by!r} to group by; run again")
        if by != _SOURCE:
            groups.join_equal(item.fields[by] for item in items)
    groups.join_equal(_place(item) for item in items)
    groups.join_equal(alike_groups([item.text for item in items]))
    positions = {str(position): position for position in range(len(items))}
    texts = ((str(position), item.text) for position, item in enumerate(items))
    for verdict in find_duplicates(texts, kind):
        if verdict.duplicate_of:
            groups.join(positions[verdict.id], positions[verdict.duplicate_of])
    return [groups.first(position) for position in range(len(items))]


def _place(item: RunItem) -> tuple[Value, Value] | None:
    """Where an item is from: its source, if it is named, and its id there."""
    own = item.fields.get(_SOURCE)
    return None if own in (None, "") else (item.fields.get("dataset"), own)


def drawn_parts(items: Sequence[RunItem]) -> list[str]:
    """The part of every item that its recipe has drawn, such as location-test; empty if none."""
    found = [str(item.fields.get("subset", "")).rpartition("-")[2] for item in items]
    return found if set(found) == {"train", "test"} else []


def split_groups(
    groups: Sequence[int], *, shares: Sequence[float] = SHARES, seed: int = 0
) -> list[str]:
    """The part of every item; whole groups are drawn, and the largest ones go to train.

    Raises:
        BadInput: for shares that are none, or that do not add up to 1.
    """
    if len(shares) != len(PARTS) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadInput(f"shares {tuple(shares)} must be three numbers that add up to 1")
    sizes = Counter(groups)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    room = {part: round(share * len(groups)) for part, share in zip(PARTS, shares, strict=True)}
    places: dict[int, str] = {}
    for group in order:
        fits = [part for part in ("test", "validation") if sizes[group] <= room[part]]
        part = fits[0] if fits else "train"
        places[group] = part
        room[part] -= sizes[group]
    return [places[group] for group in groups]
