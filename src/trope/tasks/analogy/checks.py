"""Faults of a set of analogies, each with a remedy, and a variant with spelling repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trope.corpora.mean import CODES, Analogy, spoken
from trope.tasks.analogy.controls import overlap, overlaps, share_of_gold
from trope.tasks.analogy.distractors import WRONG, Distractor, FrameInventory, find_distractors

FaultKind = Literal[
    "gold among the wrong", "doubled choice", "doubled item", "doubled question", "spelling"
]
_POOL = 1000  # proposals that are searched for one with the right spelling


@dataclass(frozen=True, slots=True)
class ItemFault:
    """What is wrong with an item and what may be done."""

    item: str
    line: int
    kind: FaultKind
    problem: str
    hint: str


@dataclass(frozen=True, slots=True)
class ItemRepair:
    """A wrong choice that was put in the place of another."""

    item: str
    code: str
    before: str
    after: str
    origin: str


def check_items(items: Sequence[Analogy]) -> list[ItemFault]:
    """All faults, in the order of the items."""
    found = [*_double_faults(items)]
    for item in items:
        found += [*_choice_faults(item), *_spelling_faults(item)]
    place = {item.id: at for at, item in enumerate(items)}
    return sorted(found, key=lambda fault: place[fault.item])


def spelling_accuracy(items: Sequence[Analogy]) -> float:
    """The share of the set that spelling alone answers, ties shared."""
    return sum(share_of_gold(overlaps(item)) for item in items) / max(1, len(items))


def _choice_faults(item: Analogy) -> Iterator[ItemFault]:
    spelt = [spoken(choice) for choice in item.choices]
    for code, choice in zip(WRONG, spelt[1:], strict=True):
        if choice == spelt[0]:
            problem = f"the right choice {item.gold!r} is also its {code}"
            yield ItemFault(
                item.id, item.line, "gold among the wrong", problem, f"write another {code}"
            )
    for choice, count in Counter(spelt[1:]).items():
        if count > 1:
            codes = [c for c, other in zip(WRONG, spelt[1:], strict=True) if other == choice]
            problem = f"{choice!r} occurs {count} times, as {' and '.join(codes)}"
            yield ItemFault(
                item.id, item.line, "doubled choice", problem, f"write another {codes[-1]}"
            )


def _double_faults(items: Sequence[Analogy]) -> Iterator[ItemFault]:
    whole: dict[tuple[str, ...], Analogy] = {}
    asked: dict[tuple[str, ...], Analogy] = {}
    for item in items:
        question = tuple(map(spoken, (item.first_domain, item.second_domain, item.element)))
        everything = (*question, *map(spoken, item.choices))
        if everything in whole:
            problem = f"is the same as the item of line {whole[everything].line}"
            yield ItemFault(item.id, item.line, "doubled item", problem, "remove one of them")
        elif question in asked:
            problem = f"asks the same as the item of line {asked[question].line}"
            hint = "check that the right choice of one does not answer the other"
            yield ItemFault(item.id, item.line, "doubled question", problem, hint)
        whole.setdefault(everything, item)
        asked.setdefault(question, item)


def _spelling_faults(item: Analogy) -> Iterator[ItemFault]:
    scores = overlaps(item)
    if share_of_gold(scores) == 1.0:
        nearest = max(range(1, len(scores)), key=scores.__getitem__)
        problem = (
            f"{item.gold!r} shares more letters with the question ({scores[0]:.2f}) than any "
            f"wrong choice ({scores[nearest]:.2f})"
        )
        hint = (
            f"choose a {CODES[nearest]} that shares as many letters, or spell the right choice "
            "differently"
        )
        yield ItemFault(item.id, item.line, "spelling", problem, hint)


def repair_items(
    items: Sequence[Analogy], inventory: FrameInventory
) -> tuple[list[Analogy], list[ItemRepair]]:
    """The set with wrong choices that spelling prefers to the right one, where any is proposed.

    Doubled choices are replaced too. What no proposal repairs stays as it is.
    """
    repaired: list[Analogy] = []
    repairs: list[ItemRepair] = []
    for item in items:
        found = _undoubled(item, inventory) or _respelt(item, inventory)
        if found is None:
            repaired.append(item)
            continue
        code, candidate = found
        at = CODES.index(code)
        choices = (*item.choices[:at], candidate.text, *item.choices[at + 1 :])
        repaired.append(replace(item, choices=choices))
        before = item.choices[at]
        repairs.append(ItemRepair(item.id, code, before, candidate.text, candidate.origin))
    return repaired, repairs


def _undoubled(item: Analogy, inventory: FrameInventory) -> tuple[str, Distractor] | None:
    spelt = [spoken(choice) for choice in item.choices]
    for at in range(2, len(spelt)):
        if spelt[at] in spelt[:at]:
            for candidate in _fresh(item, CODES[at], inventory):
                return CODES[at], candidate
    return None


def _respelt(item: Analogy, inventory: FrameInventory) -> tuple[str, Distractor] | None:
    """The candidate that shares the most letters with the question, if more than the right choice;
    the two most tempting kinds are looked through.
    """
    scores = overlaps(item)
    if share_of_gold(scores) < 1.0:
        return None
    options = [
        (overlap(candidate.text, item), code, candidate)
        for code in ("sDdA", "dDsA")
        for candidate in _fresh(item, code, inventory)
    ]
    good = [option for option in options if option[0] > scores[0]]
    if not good:
        return None
    _, code, candidate = min(good, key=lambda option: (option[0], option[2].text))
    return code, candidate


def _fresh(item: Analogy, code: str, inventory: FrameInventory) -> Iterable[Distractor]:
    """Candidates of a kind that are not words of the item, nor narrower or wider ones."""
    taken = {spoken(text) for text in (*item.choices, item.element, item.second_domain)}
    gold = set(spoken(item.gold).split())
    for candidate in find_distractors(item, code, inventory, count=_POOL):
        words = set(spoken(candidate.text).split())
        if spoken(candidate.text) not in taken and not (words <= gold or gold <= words):
            yield candidate
