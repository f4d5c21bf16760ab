"""Steps that several recipes share, and helpers for steps."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from trope.core.records import TextKind
from trope.recipes.recipe import Apply, Context
from trope.recipes.records import Drop, Outcome, Record
from trope.text.duplicates import find_duplicates


def drop_duplicates(kind: TextKind, threshold: Callable[[Context], float]) -> Apply:
    """A step that drops duplicates of earlier texts.

    The reason is "exact" or "near"; a threshold above 1 finds only exact duplicates.
    """

    def apply(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
        waiting: deque[Record] = deque()

        def texts() -> Iterator[tuple[str, str]]:
            for record in records:
                waiting.append(record)
                yield record.id, record.text

        for verdict in find_duplicates(texts(), kind, threshold=threshold(context)):
            record = waiting.popleft()
            yield record if verdict.kept else Drop(record.id, verdict.reason)

    return apply


def draw(size: Callable[[Context], int], purpose: str) -> Apply:
    """A step that keeps a random sample of the given size, in order; 0 keeps all."""

    def apply(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
        every, wanted = list(records), size(context)
        chosen = range(len(every))
        if 0 < wanted < len(every):
            chosen = set(random.Random(f"{context.seed} {purpose}").sample(chosen, wanted))  # type: ignore[assignment]
        for place, record in enumerate(every):
            yield record if place in chosen else Drop(record.id, "not-drawn")

    return apply


def template(name: str) -> str:
    """The plan of a shipped annotation project."""
    return (files("trope.annotate") / "templates" / f"{name}.toml").read_text("utf-8")


def sense_coverage(records: Sequence[Record], field: str) -> dict[str, int | float]:
    """The number of verbs, and of those that occur with both values of a field."""
    senses: dict[str, set[str]] = {}
    for record in records:
        senses.setdefault(record.fields["verb"], set()).add(record.fields[field])
    both = sum(len(own) > 1 for own in senses.values())
    share = round(both / len(senses), 4) if senses else 0.0
    return {"verbs": len(senses), "verbs in both senses": both, "share in both senses": share}
