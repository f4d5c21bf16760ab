"""The questions of a project: when each is shown, what counts as an answer, and its label."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trope.annotate.rules.gold import KnownAnswer
from trope.core.texts import unstorable_character

Kind = Literal["choice", "scale", "multi", "text", "spans"]
Answers = dict[str, Any]
"""Question id → a value (choice, text), a number (scale) or a list (multi, spans)."""

TEXT_LIMIT = 5_000
"""Characters of a free-text answer."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option; `key` is the keyboard key that chooses it, by default its position."""

    value: str
    label: str = ""
    key: str = ""
    help: str = ""

    @property
    def shown(self) -> str:
        """What the page calls it."""
        return self.label or self.value


@dataclass(frozen=True, slots=True)
class AnswerCondition:
    """True when the answer to `question` is one of `values`."""

    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers (`values`) that cannot be given after some answers to an earlier question."""

    values: tuple[str, ...]
    question: str
    answers: tuple[str, ...]
    why: str

    def holds(self, answer: Any, earlier: Mapping[str, Any]) -> bool:
        """Whether the answer contradicts the earlier ones."""
        return str(answer) in self.values and str(earlier.get(self.question)) in self.answers


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a project.

    `options_from` names a field of the item that lists the options, `within` an earlier question
    of which only the chosen options are offered; `preselected` starts with all of them chosen;
    `least` is how many options or spans must be chosen. `unshown` says what it means that a
    question about words was not shown: that there are none, or nothing. `contradicts` names answers
    that earlier ones rule out.
    """

    id: str
    kind: Kind
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    options_from: str = ""
    within: str = ""
    preselected: bool = False
    required: bool = True
    when: tuple[AnswerCondition, ...] = ()
    low: int = 0
    high: int = 0
    least: int = 0
    unshown: Literal["none", "nothing"] = "none"
    contradicts: tuple[Contradiction, ...] = ()

    def offered(self, payload: Mapping[str, Any], answers: Mapping[str, Any]) -> tuple[Option, ...]:
        """The options for an item with these fields, after these earlier answers."""
        if self.kind == "scale":
            named = {option.value: option for option in self.options}
            points = map(str, range(self.low, self.high + 1))
            return tuple(named.get(point, Option(point)) for point in points)
        options = self.candidates(payload)
        if self.within:
            kept = answers.get(self.within) or ()
            options = tuple(option for option in options if option.value in kept)
        return options

    def candidates(self, payload: Mapping[str, Any]) -> tuple[Option, ...]:
        """The options for an item with these fields, whatever the earlier answers."""
        if self.options_from:
            return tuple(Option(value) for value in listed(payload.get(self.options_from)))
        return self.options

    def answer_in(self, answers: Mapping[str, Any]) -> Any:
        """The answer among these, or None. Whoever said before that there is no such word, and was
        not asked which, has answered: none."""
        if self.id not in answers and self.kind == "spans" and self.unshown == "none":
            asked_before = any(condition.question in answers for condition in self.when)
            return [] if asked_before and not self.applies(answers) else None
        return answers.get(self.id)

    def applies(self, answers: Mapping[str, Any]) -> bool:
        """Whether the question is shown after these answers."""
        return all(str(answers.get(c.question)) in c.values for c in self.when)


def listed(value: object) -> tuple[str, ...]:
    """The strings of a field that holds a list, or strings with semicolons between them."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(";") if part.strip())
    if isinstance(value, Sequence):
        return tuple(str(part) for part in value)
    return ()


def read_answers(
    questions: Sequence[Question],
    given: Mapping[str, Sequence[str]],
    *,
    text: str,
    payload: Mapping[str, Any],
) -> tuple[Answers, dict[str, str]]:
    """The answers of a filled form, and what is wrong with each invalid one.

    Answers to questions that are not shown are left out, so no answer can contradict an earlier
    one.
    """
    answers: Answers = {}
    faults: dict[str, str] = {}
    for question in questions:
        if not question.applies(answers):
            continue
        offered = question.offered(payload, answers)
        if not offered and question.kind in ("choice", "multi"):
            continue  # an item without candidates has nothing to choose from
        values = [value for value in given.get(question.id, ()) if value != ""]
        if question.within:  # what the question before took out is out here too
            out = {option.value for option in question.candidates(payload)} - {
                option.value for option in offered
            }
            values = [value for value in values if value not in out]
        answer, fault = _PARSERS[question.kind](values, offered, text)
        wrong = next((c for c in question.contradicts if c.holds(answer, answers)), None)
        if fault:
            faults[question.id] = fault
        elif wrong is not None:
            faults[question.id] = f"contradicts the answer to {wrong.question!r}: {wrong.why}"
        elif answer in (None, "", []) and question.required and question.kind not in _MAY_BE_EMPTY:
            faults[question.id] = "needs an answer"
        elif question.kind in _MAY_BE_EMPTY and len(answer or ()) < question.least:
            faults[question.id] = f"needs {question.least} or more"
        elif answer not in (None, ""):
            answers[question.id] = answer
    return answers, faults


_MAY_BE_EMPTY = ("multi", "spans")  # choosing none of them is an answer


def _one_of(values: list[str], offered: Sequence[Option], text: str) -> tuple[Any, str]:
    if not values:
        return None, ""
    if len(values) > 1 or values[0] not in {option.value for option in offered}:
        return None, "is not one of the answers offered"
    return values[0], ""


def _point(values: list[str], offered: Sequence[Option], text: str) -> tuple[Any, str]:
    value, fault = _one_of(values, offered, text)
    return (None if value is None else int(value)), fault


def _some_of(values: list[str], offered: Sequence[Option], text: str) -> tuple[Any, str]:
    known = [option.value for option in offered]
    if not set(values) <= set(known):
        return None, "has an answer that is not offered"
    return [value for value in known if value in values], ""


def _free(values: list[str], offered: Sequence[Option], text: str) -> tuple[Any, str]:
    answer = "\n".join(values).strip()
    if found := unstorable_character(answer):
        return None, f"contains {found}"
    if len(answer) > TEXT_LIMIT:
        return None, f"is longer than {TEXT_LIMIT:,} characters"
    return answer, ""


def _spans(values: list[str], offered: Sequence[Option], text: str) -> tuple[Any, str]:
    found = []
    for value in values:
        start, _, end = value.partition("-")
        if not (start.isdecimal() and end.isdecimal() and int(start) < int(end) <= len(text)):
            return None, "has a span outside the text"
        found.append((int(start), int(end)))
    return [list(span) for span in joined_spans(found, text)], ""


_PARSERS = {
    "choice": _one_of,
    "scale": _point,
    "multi": _some_of,
    "text": _free,
    "spans": _spans,
}


def joined_spans(spans: Sequence[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """The spans in order; those that overlap or have only white space between them are one."""
    current: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if current is not None and not text[current[1] : start].strip():
            current = (current[0], max(current[1], end))
            continue
        if current is not None:
            yield current
        current = (start, end)
    if current is not None:
        yield current


def is_right(gold: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    """Whether the answers match the known ones: equal, one of a list, or within a range."""
    return all(_fits(answers.get(name), wanted) for name, wanted in gold.items())


def gold_faults(questions: Sequence[Question], gold: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the known answers of an item."""
    known = {question.id: question for question in questions}
    for name, wanted in gold.items():
        if name not in known:
            yield f"gold answers {name!r}, which is not a question (known: {', '.join(known)})"
            continue
        if isinstance(wanted, dict):
            if known[name].kind != "scale" or set(wanted) != {"from", "to"}:
                yield f"gold for {name!r} must be a value, a list or, on a scale, from and to"
            continue
        offered = {option.value for option in known[name].offered({}, {})}
        for value in wanted if isinstance(wanted, list) else [wanted]:
            if offered and str(value) not in offered:
                yield f"gold for {name!r} is {value!r}, which is not offered"


def _fits(answer: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(answer, int) and int(wanted["from"]) <= answer <= int(wanted["to"])
    if isinstance(wanted, list) and not isinstance(answer, list):
        return str(answer) in map(str, wanted)
    return str(answer) == str(wanted)


RARE = 0.05
"""The assumed share of right blind guesses where the answers cannot be counted."""


def measured_questions(questions: Sequence[Question]) -> list[Question]:
    """The questions on which people can agree: all but free text."""
    return [question for question in questions if question.kind != "text"]


def watched_question(questions: Sequence[Question], named: str) -> Question | None:
    """The question that the rules look at: the one named, else the first choice or scale."""
    for question in questions:
        if question.id == named or (not named and question.kind in ("choice", "scale")):
            return question
    return None


def label_of(answer: Any) -> str | None:
    """An answer as a label; a list is compared as a whole."""
    if answer is None:
        return None
    return json.dumps(answer, ensure_ascii=False) if isinstance(answer, list) else str(answer)


def scale_of(question: Question) -> list[str]:
    """All labels that the question offers whatever the item, in their order."""
    return [option.value for option in question.offered({}, {})]


def known_answer(wanted: Any) -> KnownAnswer:
    """The known answer to a question, for the rules."""
    if isinstance(wanted, dict):
        return KnownAnswer(low=float(wanted["from"]), high=float(wanted["to"]))
    return KnownAnswer(frozenset(map(str, wanted if isinstance(wanted, list) else [wanted])))


def gold_text(wanted: Any) -> str:
    """The known answer as a cell of a table: `yes`, `yes|unsure`, `-2..1`."""
    if isinstance(wanted, dict):
        return f"{wanted['from']}..{wanted['to']}"
    return "|".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)


def guess_chance(questions: Sequence[Question], gold: Mapping[str, Any]) -> float:
    """How often a blind guess is right on all known answers of an item."""
    chance = 1.0
    for question in questions:
        if question.id in gold:
            scale = scale_of(question) if question.kind in ("choice", "scale") else []
            accepted = known_answer(gold[question.id]).chance(scale) if scale else RARE
            chance *= accepted
    return max(chance, RARE)
