"""What pages show, as plain data: text in segments, questions with their state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trope.annotate.plan import Plan
from trope.annotate.questions import Question
from trope.core.texts import WORD
from trope.lexicon.wordnet import DictionarySense, dictionary_senses

Values = Mapping[str, Sequence[str]]
"""Question id → the values in the form."""

SEEN = "seen"
"""In a form, the questions that were shown: one with nothing chosen was answered with nothing."""

_WORD = re.compile(rf"{WORD}|[^\w\s]+|\s+")
_DIGITS = "1234567890"


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A segment of text, marked or not; `value` is its position if it can be selected."""

    text: str
    marked: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option as the page shows it."""

    value: str
    label: str
    key: str
    help: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A question as the page shows it."""

    question: Question
    choices: tuple[Choice, ...]
    words: tuple[TextSegment, ...]
    text: str
    when: str
    fault: str


def marked_segments(text: str, spans: Sequence[Sequence[int]]) -> Iterator[TextSegment]:
    """The text split where marked spans begin and end."""
    at = 0
    for start, end in sorted((span[0], span[1]) for span in spans):
        if start > at:
            yield TextSegment(text[at:start])
        if end > max(at, start):
            yield TextSegment(text[max(at, start) : end], marked=True)
        at = max(at, end)
    if at < len(text):
        yield TextSegment(text[at:])


def shown_fields(plan: Plan, payload: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """What stands beside the text of an item, with its headings."""
    found = ((one.label or one.field, payload.get(one.field)) for one in plan.shown)
    return [(label, value) for label, value in found if value]


@dataclass(frozen=True, slots=True)
class LookedUpWord:
    """A word of an item with its senses in WordNet."""

    text: str
    senses: tuple[DictionarySense, ...]


_LEAST_LETTERS = 4


def looked_up(plan: Plan, text: str, payload: Mapping[str, Any]) -> list[LookedUpWord]:
    """The senses of the words that the plan names: those highlighted, or all of the text.

    Short words of a text are left out, as most of them are grammar.
    """
    if not plan.senses:
        return []
    spans = payload.get("highlight") or () if plan.senses == "highlight" else [(0, len(text))]
    marked = [text[start:end] for start, end in spans]
    found = dict.fromkeys(word for part in marked for word in re.findall(WORD, part))
    if plan.senses == "text":
        found = dict.fromkeys(word for word in found if len(word) >= _LEAST_LETTERS)
    senses = ((word, dictionary_senses(word)) for word in found)
    return [LookedUpWord(word, own) for word, own in senses if own]


def words(text: str, chosen: Sequence[str]) -> Iterator[TextSegment]:
    """The words of a text with their positions; white space has none."""
    for found in _WORD.finditer(text):
        place = "" if found[0].isspace() else f"{found.start()}-{found.end()}"
        yield TextSegment(found[0], place in chosen, place)


def fields(
    plan: Plan,
    text: str,
    payload: Mapping[str, Any],
    values: Values | None,
    faults: Mapping[str, str],
) -> Iterator[Field]:
    """The questions of an item with the values of the form; None is an empty form."""
    for question in plan.questions:
        choosing = question.kind in ("choice", "multi")
        options = question.candidates(payload) if choosing else question.offered(payload, {})
        if choosing and not options:
            continue
        given = (values or {}).get(question.id, ())
        untouched = question.preselected and question.id not in (values or {}).get(SEEN, ())
        choices = tuple(
            Choice(
                option.value,
                option.shown,
                option.key or _default_key(question, place, option.value),
                option.help,
                untouched or option.value in given,
            )
            for place, option in enumerate(options)
        )
        yield Field(
            question,
            choices,
            tuple(words(text, given)) if question.kind == "spans" else (),
            "\n".join(given) if question.kind == "text" else "",
            json.dumps([{"question": c.question, "values": c.values} for c in question.when]),
            _with_texts(faults.get(question.id, ""), plan),
        )


def _with_texts(fault: str, plan: Plan) -> str:
    """What is wrong with an answer; other questions are named by their text."""
    for question in plan.questions:
        fault = fault.replace(f"answer to {question.id!r}", f"answer to “{question.text}”")
    return fault


def _default_key(question: Question, place: int, value: str) -> str:
    if question.kind == "scale":
        return value if -9 <= int(value) <= 9 else ""
    return _DIGITS[place] if place < len(_DIGITS) else ""


def form_values(answers: Mapping[str, Any], text: str) -> dict[str, list[str]]:
    """The values of a form with these answers."""
    values: dict[str, list[str]] = {SEEN: list(answers)}
    for name, answer in answers.items():
        if isinstance(answer, list) and answer and isinstance(answer[0], list):
            values[name] = [
                piece.value for piece in words(text, ()) if piece.value and _inside(piece, answer)
            ]
        elif isinstance(answer, list):
            values[name] = [str(part) for part in answer]
        else:
            values[name] = [str(answer)]
    return values


def _inside(piece: TextSegment, spans: Sequence[Sequence[int]]) -> bool:
    start, end = map(int, piece.value.split("-"))
    return any(span[0] <= start and end <= span[1] for span in spans)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a list (kind "ol" or "ul")."""

    kind: str
    lines: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """Guidelines as paragraphs and lists: "1." and "-" begin an entry, empty lines divide."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        entries: list[str] = []
        kind = "p"
        for line in paragraph.splitlines():
            marker = re.match(r"(\d+\.|-)\s+(.*)", line)
            if marker:
                if entries and kind == "p":
                    yield Block("p", (" ".join(entries),))
                    entries = []
                kind = "ul" if marker[1] == "-" else "ol"
                entries.append(marker[2])
            elif kind == "p" or not entries:
                entries.append(line.strip())
            else:
                entries[-1] += f" {line.strip()}"
        if kind == "p":
            entries = [" ".join(entries)]
        if any(entries):
            yield Block(kind, tuple(entries))


def consent_blocks(plan: Plan) -> Iterator[Block]:
    """The consent text, with what happens to the answers after a withdrawal."""
    yield from blocks(f"{plan.consent.strip()}\n\n{plan.withdrawal.sentence}")


def return_url(plan: Plan, code: str) -> str:
    """The address that leads an external worker back, with the code; "" without a code."""
    return plan.outside.return_url.replace("{code}", code) if code else ""


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example with its answers in words."""

    pieces: tuple[TextSegment, ...]
    answers: tuple[tuple[str, str], ...]
    note: str


def examples(plan: Plan) -> Iterator[ShownExample]:
    """The worked examples of the guidelines."""
    for example in plan.examples:
        at = example.text.find(example.highlight) if example.highlight else -1
        spans = [(at, at + len(example.highlight))] if at >= 0 else []
        answers = tuple(answers_in_words(plan.questions, example.answers))
        yield ShownExample(tuple(marked_segments(example.text, spans)), answers, example.note)


def answers_in_words(
    questions: Sequence[Question], answers: Mapping[str, Any], text: str = ""
) -> Iterator[tuple[str, str]]:
    """Each answered question with its answer, both in words; spans as their text."""
    for question in questions:
        if question.id not in answers:
            continue
        answer = answers[question.id]
        if question.kind == "spans":
            answer = [f"“{text[start:end]}”" for start, end in answer]
        labels = {option.value: option.shown for option in question.offered({}, {})}
        yield question.text, _in_words(answer, labels)


def _in_words(answer: Any, labels: Mapping[str, str]) -> str:
    if isinstance(answer, dict):
        return f"{answer['from']} to {answer['to']}"
    if isinstance(answer, list):
        return ", ".join(labels.get(str(part), str(part)) for part in answer) or "none"
    return labels.get(str(answer), str(answer))


OUTCOMES = {"off": "nothing", "list": "you are told", "warn": "a warning"} | {
    "hold": "a hold",
    "dismiss": "a dismissal",
}
"""What follows from a rule about people, and what pages call it."""
