"""A demo task made from the items of a project: some contain expressions with known answers.

As in the study of tweets, which looked for known metaphors among its tweets: the highlighted
expression runs from a verb to its object, and is known if a list has that verb with that object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from trope.annotate.exchange.items import NewItem
from trope.annotate.plan import Plan
from trope.annotate.questions import gold_faults
from trope.annotate.rules.assignment import in_turn
from trope.core.errors import BadRecord
from trope.corpora.tables import read_rows
from trope.lexicon.inflection import lemma

Pair = tuple[str, str]
"""The base forms of a verb and of its object."""

_TAGS = {"VERB": ("VB", "VBZ", "VBD", "VBN", "VBG"), "NOUN": ("NN", "NNS")}
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class DividedItems:
    """The items of the demo task, and all others."""

    demo: tuple[NewItem, ...]
    work: tuple[NewItem, ...]

    @property
    def known(self) -> int:
        """How many demo items have known answers."""
        return sum(bool(item.gold) for item in self.demo)


def read_known(path: str | Path, plan: Plan) -> dict[Pair, dict[str, Any]]:
    """The known answers by verb and object, from a table with the columns `verb`, `object` and a
    column `gold.QUESTION` for each known answer.

    Raises:
        BadRecord: for a row without verb, object or known answer, or with one that is not offered.
    """
    found: dict[Pair, dict[str, Any]] = {}
    for line, row in read_rows(path):
        gold = {k.removeprefix("gold."): v for k, v in row.items() if k.startswith("gold.") and v}
        verb, noun = row.get("verb", "").strip(), row.get("object", "").strip()
        if not (verb and noun and gold):
            raise BadRecord(path, line, "needs verb, object and a column such as gold.metaphorical")
        for fault in gold_faults(plan.questions, gold):
            raise BadRecord(path, line, fault)
        for pair in _pairs(verb, noun):
            found.setdefault(pair, gold)
    return found


def pairs_of(item: NewItem) -> list[Pair]:
    """Candidates for verb and object of the highlighted expression: its first and last word, in
    each base form that their spelling allows."""
    spans = item.payload.get("highlight") or []
    words = _WORD.findall(item.text[spans[0][0] : spans[0][1]]) if len(spans) == 1 else []
    return _pairs(words[0], words[-1]) if len(words) > 1 else []


def divide(
    items: Iterable[NewItem],
    known: Mapping[Pair, dict[str, Any]],
    *,
    number: int,
    gold: int,
    seed: int,
) -> DividedItems:
    """`number` items for the demo task, `gold` of them with known answers if enough match.

    The known answers are balanced; the seed decides which items are drawn.
    """
    every = list(items)
    answers = {item.id: known[p] for item in every for p in pairs_of(item) if p in known}
    order = list(every)
    Random(seed).shuffle(order)
    groups: dict[str, list[NewItem]] = {}
    for item in order:
        if item.id in answers and not item.gold:
            groups.setdefault(str(sorted(answers[item.id].items())), []).append(item)
    chosen = {item.id for item in in_turn(groups, gold)}
    plain = [item.id for item in order if item.id not in answers and not item.gold]
    taken = chosen | set(plain[: number - len(chosen)])
    return DividedItems(
        tuple(
            replace(item, gold=answers[item.id]) if item.id in chosen else item
            for item in every
            if item.id in taken
        ),
        tuple(item for item in every if item.id not in taken),
    )


def as_line(item: NewItem) -> str:
    """The item as a line of a file that can be imported."""
    row = {"id": item.id, "text": item.text, **item.payload}
    if item.gold:
        row["gold"] = item.gold
    return json.dumps(row, ensure_ascii=False) + "\n"


def _pairs(verb: str, noun: str) -> list[Pair]:
    return [(v, n) for v in _bases(verb, "VERB") for n in _bases(noun, "NOUN")]


def _bases(word: str, upos: str) -> list[str]:
    small = word.lower()
    return sorted({lemma(small, upos, tag) or small for tag in _TAGS[upos]})
