"""What pages show, as plain data: text in segments, questions with their state, settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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

SETTINGS: Mapping[str, Sequence[tuple[str, str, Any]]] = {
    "Items": (
        ("judgments_per_item", "Judgments per item", int),
        ("items_per_page", "Items per page", int),
        ("order", "Order", ("random", "given", "uncertainty")),
        ("lease_minutes", "Minutes until an item that nobody finished is given to others", int),
        ("skip.allowed", "People may skip items", bool),
        ("skip.limit", "Largest share that one person may skip", float),
    ),
    "Limits and pay": (
        ("caps.day", "Most items per person and day (0: no limit)", int),
        ("caps.week", "Most items per person and week", int),
        ("caps.total", "Most items per person", int),
        ("pay.amount", "Pay", str),
        ("pay.per", "Paid per", ("page", "item")),
        ("pay.currency", "Currency", str),
    ),
    "Control items": (
        ("gold.share", "Share of a page", float),
        ("gold.pass_mark", "Share that must be answered right", float),
        ("gold.at_least", "Looked at after so many control items", int),
    ),
    "Before the first item": (
        ("reading.first", "The guidelines are opened and confirmed first", bool),
        ("training.pass_mark", "Share of the training items that must be answered right", float),
        ("demo.items", "Items of the demo task (0: none)", int),
        ("demo.gold", "How many of them have known answers", int),
        ("demo.paid", "The demo task is paid", bool),
        ("selection.by", "After the demo task, these take part", ("", "owner", "pass", "best")),
        ("selection.pass_mark", "Lowest score that is accepted", float),
        ("selection.best", "With best: how many are accepted", int),
        ("selection.after", "With best: after so many applicants", int),
    ),
    "Rules about people: what follows": (
        ("quality.on_gold", "Too many wrong control items", tuple(OUTCOMES)),
        (
            "quality.warn_after",
            "Warned at the earliest after so many control items (0: no warning)",
            int,
        ),
        ("quality.on_constant", "The same answer again and again", tuple(OUTCOMES)),
        ("quality.constant_after", "Equal answers in a row that count as that", int),
        ("quality.on_peers", "Unlike everyone else", tuple(OUTCOMES)),
        ("quality.on_speed", "Too fast", tuple(OUTCOMES)),
        ("quality.on_straight_line", "Answers in a pattern", tuple(OUTCOMES)),
        ("quality.on_copying", "Like one other person", tuple(OUTCOMES)),
    ),
    "Disputes": (
        ("adjudication.spread", "On a scale: answers farther apart than this are disputed", int),
        ("adjudication.unresolved", "Disputes that nobody settled", ("aggregate", "exclude")),
    ),
    "Models": (
        ("models.show", "People see of a model", ("blind", "suggest", "audit")),
        ("models.run", "Name of the run (empty: the first)", str),
        ("models.blind_share", "Share of items without a suggestion", float),
        ("models.sample", "Items that people judge in an audit", int),
    ),
}
"""What the page of settings offers: the name of a setting, what it says, its values."""


_WORDS: Mapping[tuple[str, str], str] = {
    ("order", "given"): "as in the file",
    ("order", "uncertainty"): "most uncertain first",
    ("selection.by", ""): "everyone",
    ("selection.by", "owner"): "whom you choose",
    ("selection.by", "pass"): "all with that score",
    ("selection.by", "best"): "the best with that score",
    ("adjudication.unresolved", "aggregate"): "get the usual label",
    ("adjudication.unresolved", "exclude"): "get no label",
    ("models.show", "blind"): "nothing",
    ("models.show", "suggest"): "its answer, to correct",
    ("models.show", "audit"): "nothing; they judge a sample",
}
"""What pages call the values of a setting, where the value alone does not say it."""


def _in_page_words(name: str, value: str) -> str:
    usual = OUTCOMES if name.startswith("quality.on_") else {}
    return _WORDS.get((name, value), usual.get(value, value))


def named_faults(faults: Sequence[str]) -> list[str]:
    """What is wrong with settings, each called what the page calls it."""
    labels = {
        name: f"{group}, {label}" for group, rows in SETTINGS.items() for name, label, _ in rows
    }
    split = (fault.partition(": ") for fault in faults)
    return [f"{labels.get(name, name)}{colon}{rest}" for name, colon, rest in split]


def setting_rows(
    data: Mapping[str, Any], faults: Sequence[str] = ()
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The groups of settings with the values that a text of project.toml gives them."""
    wrong = {fault.partition(": ")[0] for fault in faults}

    def row(name: str, label: str, kind: Any) -> dict[str, Any]:
        table, _, key = name.rpartition(".")
        inner = data.get(table, {}) if table else data
        value = inner.get(key, _usual(name))
        values = kind if isinstance(kind, tuple) else ()
        options = [(one, _in_page_words(name, one)) for one in values]
        number = "decimal" if kind is float else "numeric" if kind is int else ""
        return {"name": name, "label": label, "value": value, "options": options} | {
            "switch": kind is bool,
            "mode": number,
            "fault": name in wrong,
        }

    return [(group, [row(*one) for one in rows]) for group, rows in SETTINGS.items()]


def _usual(name: str) -> Any:
    """The value of a setting that the plan does not name."""
    value: Any = Plan("", "", ())
    for part in name.split("."):
        value = getattr(value, part)
    return value


def change_settings(data: dict[str, Any], form: Mapping[str, str]) -> None:
    """Write what the form says into the settings, unless it is what they are anyway."""
    for name, _, kind in chain.from_iterable(SETTINGS.values()):
        table, _, key = name.rpartition(".")
        inner = data.get(table, {}) if table else data
        given = form.get(name, "").strip()
        value = name in form if kind is bool else as_number(given, kind)
        if value != inner.get(key, _usual(name)):
            inner = data.setdefault(table, {}) if table else data
            inner[key] = value


def as_number(given: str, kind: Any) -> Any:
    """The number, or what was written: the plan says what is wrong with that."""
    try:
        return kind(given) if kind in (int, float) else given
    except ValueError:
        return given
