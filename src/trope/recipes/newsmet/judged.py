"""Judged headlines of a run: gold, gold+, and the paper's tables over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from trope.core.errors import MissingData
from trope.lexicon.vectors import Vectors, read_vectors
from trope.recipes.newsmet.headlines import LITERAL, METAPHORICAL
from trope.recipes.records import Record, from_lines
from trope.tasks.rewriting.measures import (
    Swap,
    diversity,
    first_position,
    metaphoricity,
    share_with_right,
    share_within,
    silver_quality,
)

INVALID = "invalid"
OTHER = {METAPHORICAL: LITERAL, LITERAL: METAPHORICAL}
GOLD = "gold.jsonl"
INITIAL = "initial"
"""The field with all words that were proposed before any filter, if a headline has one."""

_TOPS = (0, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class GoldHeadline:
    """A headline with its final labels and the accepted candidates."""

    item: Record
    sentence: str
    verb: str
    accepted: tuple[str, ...]

    @property
    def group(self) -> str:
        """The row of Table 2."""
        if INVALID in (self.sentence, self.verb):
            return "invalid"
        return f"H_{self.sentence[0]} & V_{self.verb[0]}"

    @property
    def offered(self) -> list[str]:
        """The candidates that annotators saw; none if the labels of headline and verb differ."""
        if self.sentence != self.verb or self.sentence not in OTHER:
            return []
        found: list[str] = self.item.fields[OTHER[self.sentence]]
        return found


def gold_row(judged: GoldHeadline) -> dict[str, Any]:
    """A headline as a line of the gold file."""
    return {
        "id": judged.item.id,
        "label": judged.sentence,
        "verb": judged.verb,
        "accepted": list(judged.accepted),
        "group": judged.group,
    }


def gold_plus(judged: Sequence[GoldHeadline]) -> list[dict[str, Any]]:
    """A new headline for every accepted candidate, with the opposite label."""
    rows = []
    for one in judged:
        start, end = one.item.fields["start"], one.item.fields["end"]
        for number, word in enumerate(one.accepted, start=1):
            rows.append(
                {
                    "id": f"{one.item.id}-{number}",
                    "item": one.item.id,
                    "text": one.item.text[:start] + word + one.item.text[end:],
                    "candidate": word,
                    "label": OTHER[one.sentence],
                }
            )
    return rows


def tables(
    items: Sequence[Record],
    judged: Sequence[GoldHeadline],
    *,
    vectors: Vectors | None = None,
    swap: Swap = "original",
) -> dict[str, Any]:
    """Tables 2 to 4 and Figure 3 of the paper, and what the silver labels are worth.

    Args:
        vectors: for Figure 3; without them, those that ship.
        swap: how Algorithm 1 puts candidates into a headline.
    """
    valid = [one for one in judged if one.group != "invalid"]
    quality = silver_quality(
        [one.item.fields["silver"] == METAPHORICAL for one in judged],
        [one.sentence == METAPHORICAL for one in judged],
    )
    return {
        "unresolved": len(items) - len(judged),
        "table 2": dict(sorted(Counter(one.group for one in judged).items())),
        "new headlines": dict(Counter(row["label"] for row in gold_plus(judged))),
        "table 3": _by_type(valid),
        "silver": msgspec.to_builtins(quality),
        "accepted": _accepted(judged),
        "first positions": _positions(judged),
        "diversity": _diversity(judged, swap),
        "figure 3": _metaphoricity(judged, vectors or read_vectors()),
        "table 5": "not made here: train with `trope train metaphor --silver --gold RUN`",
    }


def _by_type(valid: Sequence[GoldHeadline]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for one in valid:
        own = found.setdefault(one.item.fields["type"], {"H_m": 0, "H_m+l": 0})
        own["H_m"] += one.sentence == METAPHORICAL
        own["H_m+l"] += 1
    return dict(sorted(found.items()))


def _accepted(judged: Sequence[GoldHeadline]) -> dict[str, Any]:
    found = {}
    for sentence in (METAPHORICAL, LITERAL):
        numbers = [len(one.accepted) for one in judged if one.offered and one.sentence == sentence]
        found[sentence] = {
            "none": msgspec.to_builtins(share_with_right(numbers, 0)),
            "one": msgspec.to_builtins(share_with_right(numbers, 1)),
        }
    return found


def _positions(judged: Sequence[GoldHeadline]) -> dict[str, Any]:
    """Where the first candidate stands in the list it came from, for all and accepted ones.

    The list is that of all words before any filter; a headline without one has the candidates
    themselves in the order of their rank.
    """
    found: dict[str, Any] = {}
    for sentence, letter in ((LITERAL, "M"), (METAPHORICAL, "L")):
        own = [one for one in judged if one.offered and one.sentence == sentence]
        lists = [(one, one.item.fields.get(INITIAL) or one.offered) for one in own]
        for name, words in ((f"{letter}_init", "offered"), (f"{letter}_final", "accepted")):
            places = [first_position(every, getattr(one, words)) for one, every in lists]
            found[name] = {
                "headlines": len(places),
                "none": sum(place is None for place in places),
                **{f"[0,{last}]": msgspec.to_builtins(share_within(places, last))
                   for last in _TOPS},
            }  # fmt: skip
    return found


def _diversity(judged: Sequence[GoldHeadline], swap: Swap) -> dict[str, int]:
    """Literal headlines by the number of different metaphors among their candidates."""
    found: Counter[int] = Counter()
    for one in judged:
        if one.sentence == LITERAL and one.offered:
            before = one.item.text[: one.item.fields["start"]].split()
            after = one.item.text[one.item.fields["end"] :].split()
            words = [*before, one.item.fields["focus_verb"], *after]
            found[diversity(words, len(before), one.offered, swap=swap)] += 1
    return {str(number): found[number] for number in sorted(found, reverse=True)}


def _metaphoricity(judged: Sequence[GoldHeadline], vectors: Vectors) -> dict[str, Any]:
    """The mean of the smaller cosine with subject and object, for all and accepted candidates."""
    sides: Mapping[str, list[float]] = {"M_init": [], "M_final": []}
    for one in judged:
        if one.sentence != LITERAL or not one.offered:
            continue
        for word in one.offered:
            fields = one.item.fields
            value = metaphoricity(word, fields["subject"], fields["object"], vectors)
            if value is not None:
                sides["M_init"].append(value)
                if word in one.accepted:
                    sides["M_final"].append(value)
    return {
        name: {"n": len(values), "mean": round(fmean(values), 4) if values else None}
        for name, values in sides.items()
    }


def read_judged(folder: Path) -> tuple[list[Record], list[GoldHeadline]]:
    """The items of a finished run, and those that have labels.

    Raises:
        MissingData: for a run that nobody has judged.
    """
    items, gold = folder / "items.jsonl", folder / GOLD
    if not gold.is_file():
        raise MissingData(gold, "run the recipe again with --answers or --simulate")
    with items.open("rb") as lines:
        found = [one for one in from_lines(lines) if isinstance(one, Record)]
    known = {item.id: item for item in found}
    rows = [msgspec.json.decode(line) for line in gold.read_bytes().splitlines()]
    judged = [
        GoldHeadline(known[row["id"]], row["label"], row["verb"], tuple(row["accepted"]))
        for row in rows
    ]
    return found, judged
