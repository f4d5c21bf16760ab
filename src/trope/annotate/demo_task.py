"""Items that are chosen: balanced sets, demo tasks from known expressions, control items.

As in the study of tweets, which looked for known metaphors among its tweets: the highlighted
expression runs from a verb to its object, and is known if a list has that verb with that object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from trope.annotate.exchange.items import NewItem
from trope.annotate.exchange.records import JudgmentRecord, form_values
from trope.annotate.plan import Plan
from trope.annotate.questions import Question, gold_faults, read_answers
from trope.annotate.rules.assignment import in_turn
from trope.core.errors import BadInput, BadRecord
from trope.corpora.tables import read_rows
from trope.lexicon.inflection import lemma

Pair = tuple[str, str]
"""The base forms of a verb and of its object."""

_TAGS = {"VERB": ("VB", "VBZ", "VBD", "VBN", "VBG"), "NOUN": ("NN", "NNS")}
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def draw_balanced(
    classes: Sequence[str],
    digests: Sequence[int],
    *,
    number: int,
    without: Iterable[int],
    seed: int,
) -> list[int]:
    """The places of `number` texts of each class in random order; no text is drawn twice.

    Args:
        classes: of the texts; an empty one is never drawn.
        digests: of the texts.
        number: of texts per class.
        without: digests of texts that must not be drawn.
        seed: of the draw.

    Raises:
        BadInput: for fewer than two classes, and for a class with fewer texts.
    """
    used, piles = set(without), dict[str, list[int]]()
    for at, (name, digest) in enumerate(zip(classes, digests, strict=True)):
        if name and digest not in used:
            used.add(digest)
            piles.setdefault(name, []).append(at)
    if len(piles) < 2:
        known = ", ".join(piles) or "none"
        raise BadInput(f"there is only one class of texts ({known}); give texts of two or more")
    short = min(piles, key=lambda name: (len(piles[name]), name))
    if len(piles[short]) < number:
        problem = f"{len(piles[short])} texts of the class {short!r} can be drawn, not {number}"
        raise BadInput(f"{problem}; give more texts, or a smaller --per-class")
    rng = Random(seed)
    drawn = [at for name in sorted(piles) for at in rng.sample(piles[name], number)]
    rng.shuffle(drawn)
    return drawn


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


Judged = Iterable[tuple[int, JudgmentRecord]]
"""Judgments with their lines."""

_AGAIN = "export the judgments of the team's project: trope annotate export DIR --out FILE"


def control_questions(plan: Plan) -> tuple[Question, ...]:
    """The questions that control items answer: the watched one, else all that are always asked."""
    voted = [q for q in plan.questions if q.kind in ("choice", "scale")]
    if plan.quality.question:
        return tuple(q for q in voted if q.id == plan.quality.question)
    return tuple(q for q in voted if not q.when and q.id != plan.doubt.question)


def team_answers(
    items: Mapping[str, NewItem], judged: Judged, path: Path, plan: Plan, *, least: int
) -> dict[str, dict[str, Any]]:
    """The known answers of items that a team judged, by id: what can be a control item.

    On a scale it is the range of the team's answers, unless that is all of the scale; of a choice
    the one answer that all gave. Items that fewer than `least` people judged have none.

    Raises:
        BadRecord: with the line, for an item that is not there, or an answer that was not offered.
    """
    given: dict[str, list[Mapping[str, Any]]] = {}
    for line, row in judged:
        if row.current and row.state == "counted":
            given.setdefault(row.item, []).append(_checked(items, row, path, line, plan))
    known = {
        name: _agreed(control_questions(plan), answers)
        for name, answers in given.items()
        if len(answers) >= least
    }
    return {name: gold for name, gold in known.items() if gold}


def _checked(
    items: Mapping[str, NewItem], row: JudgmentRecord, path: Path, line: int, plan: Plan
) -> Mapping[str, Any]:
    item = items.get(row.item)
    if item is None or not row.is_about(item.text):
        what = "which is none of the items" if item is None else "but another text"
        raise BadRecord(path, line, f"judges {row.item!r}, {what}; {_AGAIN}")
    answers, faults = read_answers(
        plan.questions, form_values(row.answers), text=item.text, payload=item.payload
    )
    strange = [name for name in row.answers if name not in {q.id for q in plan.questions}]
    for name in [*(name for name in faults if name in row.answers), *strange]:
        fault = faults.get(name, "is to a question that the project does not ask")
        problem = f"item {row.item!r}: the answer {row.answers[name]!r} to {name!r} {fault}"
        raise BadRecord(path, line, f"{problem}; {_AGAIN}")
    return answers


def _agreed(
    questions: Sequence[Question], given: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The known answers to all questions, or None where the team leaves one open."""
    gold: dict[str, Any] = {}
    for question in questions:
        answers = [one[question.id] for one in given if question.id in one]
        if len(answers) < len(given):
            return None
        if question.kind == "scale":
            low, high = min(answers), max(answers)
            if (low, high) == (question.low, question.high):
                return None
            gold[question.id] = {"from": low, "to": high}
        elif len(set(answers)) == 1:
            gold[question.id] = answers[0]
        else:
            return None
    return gold


def divide_control(
    items: Iterable[NewItem],
    known: Mapping[str, dict[str, Any]],
    *,
    number: int,
    gold: int,
    seed: int,
) -> DividedItems:
    """A demo task of `number` judged items, `gold` of them with known answers, and as `work` the
    other items with known answers: the control items.

    Known answers are balanced; the seed decides which items are drawn.
    """
    every = [replace(item, gold=known.get(item.id, {})) for item in items]
    order = list(every)
    Random(seed).shuffle(order)
    groups: dict[str, list[NewItem]] = {}
    for item in order:
        if item.gold:
            groups.setdefault(str(sorted(item.gold.items())), []).append(item)
    chosen = {item.id for item in in_turn(groups, gold)}
    plain = [item.id for item in order if not item.gold]
    taken = chosen | set(plain[: max(0, number - len(chosen))] if number else [])
    demo = tuple(item for item in every if item.id in taken)
    return DividedItems(demo, tuple(i for i in every if i.gold and i.id not in taken))


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
