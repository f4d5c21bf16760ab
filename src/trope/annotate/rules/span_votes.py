"""Spans that several people marked, as one: voted on character by character."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from trope.metrics.aggregation.results import ItemResult


def agreed_spans(item: str, given: Sequence[tuple[Sequence[Sequence[int]], float]]) -> ItemResult:
    """The stretches that more than half of the weight marked, as JSON.

    The confidence is the mean share of those who marked a character of them.

    Args:
        item: the item's id.
        given: the spans of each person, with the person's weight.
    """
    marks: Counter[int] = Counter()
    for spans, weight in given:
        for start, end in spans:
            for place in range(start, end):
                marks[place] += weight  # type: ignore[assignment]  # weights need not be whole
    whole = sum(weight for _, weight in given)
    chosen = sorted(place for place, weight in marks.items() if weight * 2 > whole)
    found: list[list[int]] = []
    for place in chosen:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    share = sum(marks[place] for place in chosen) / (whole * len(chosen)) if chosen else None
    note = "" if chosen else "nothing was marked by more than half"
    return ItemResult(item, json.dumps(found), share, len(given), note)
