"""In which order items are given out: as they come, shuffled, or the doubtful ones first."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

Order = Literal["random", "given", "uncertainty"]
Measure = Literal["value", "probability"]


def doubt(score: float, measure: Measure) -> float:
    """How doubtful an item is: its score, or how near its probability is to a half (0 to 1)."""
    return score if measure == "value" else 1 - abs(2 * score - 1)


def in_order(number: int, order: Order, rng: Random, doubts: Sequence[float] = ()) -> list[int]:
    """The items, by number, in the order in which they are given out.

    Among equally doubtful items chance decides, so that their order in the file says nothing.
    """
    items = list(range(number))
    if order != "given":
        rng.shuffle(items)
    if order == "uncertainty":
        items.sort(key=lambda item: -doubts[item])
    return items


def by_batch(items: Sequence[int], names: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The items in their order, gathered by the name of their batch.

    Batches come in the order in which the file names them; items without one come first.
    """
    gathered: dict[str, list[int]] = {"": []}
    for name in names:
        gathered.setdefault(name, [])
    for item in items:
        gathered[names[item]].append(item)
    return [(name, members) for name, members in gathered.items() if members]
