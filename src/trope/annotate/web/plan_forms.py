"""Forms over project.toml, read and shown: settings, questions, worked items and the profile.

What a form does not show stays as the file has it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from importlib.resources import files
from itertools import chain
from typing import Any

from django.http import QueryDict

from trope.annotate.plan import Plan
from trope.annotate.web.content import OUTCOMES

_BETWEEN = " | "
"""What stands between several answers in a form."""

_SETTINGS = files("trope.annotate.web") / "settings.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as the page offers it: its name, what it is called, and the words for its values,
    by value; `asks` if it names a question with a choice or a scale."""

    name: str
    label: str
    values: Mapping[str, str] = field(default_factory=dict)
    asks: bool = False

    @property
    def usual(self) -> Any:
        """Its value in a plan that does not name it."""
        return reduce(getattr, self.name.split("."), Plan("", "", ()))

    def value(self, data: Mapping[str, Any]) -> Any:
        """Its value in a text of project.toml."""
        for part in self.name.split("."):
            data = data.get(part, {}) if isinstance(data, Mapping) else {}
        return self.usual if data == {} else data

    def read(self, form: Mapping[str, str]) -> Any:
        """The value in a form; what is no number is left to the plan to refuse."""
        given, usual = form.get(self.name, "").strip(), self.usual
        if isinstance(usual, bool):
            return self.name in form
        if isinstance(usual, tuple):
            return with_commas(given)
        return as_number(given, type(usual)) if isinstance(usual, int | float) else given


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """Settings that stand together; seldom needed ones are folded."""

    title: str
    settings: tuple[Setting, ...]
    folded: bool = False


@cache
def setting_groups() -> tuple[SettingGroup, ...]:
    """What the page of settings offers."""

    def setting(name: str, about: Any) -> Setting:
        if isinstance(about, str):
            return Setting(name, about)
        values = about["values"]
        if values == "questions":
            return Setting(name, about["label"], asks=True)
        return Setting(name, about["label"], OUTCOMES if values == "outcomes" else values)

    return tuple(
        SettingGroup(
            one["title"],
            tuple(setting(name, about) for name, about in one["settings"].items()),
            one.get("folded", False),
        )
        for one in tomllib.loads(_SETTINGS.read_text("utf-8"))["group"]
    )


def named_faults(faults: Sequence[str]) -> list[str]:
    """What is wrong with settings, each called what the page calls it."""
    groups = setting_groups()
    labels = {one.name: f"{group.title}, {one.label}" for group in groups for one in group.settings}
    split = (fault.partition(": ") for fault in faults)
    return [f"{labels.get(name, name)}{colon}{rest}" for name, colon, rest in split]


def setting_rows(
    data: Mapping[str, Any], faults: Sequence[str] = ()
) -> list[tuple[SettingGroup, list[dict[str, Any]]]]:
    """The groups of settings with the values that a text of project.toml gives them."""
    wrong = {fault.partition(": ")[0] for fault in faults}
    asked = {
        one["id"]: one.get("text", "")
        for one in data.get("questions", ())
        if one.get("kind") in ("choice", "scale")
    }

    def row(one: Setting) -> dict[str, Any]:
        value, usual = one.value(data), one.usual
        options = {"": "–"} | asked if one.asks else one.values
        number = {int: "numeric", float: "decimal"}.get(type(usual), "")
        return {"name": one.name, "label": one.label, "options": list(options.items())} | {
            "value": ", ".join(value) if isinstance(usual, tuple) else value,
            "switch": isinstance(usual, bool),
            "mode": number,
            "fault": one.name in wrong,
        }

    return [(group, [row(one) for one in group.settings]) for group in setting_groups()]


def change_settings(data: dict[str, Any], form: Mapping[str, str]) -> None:
    """Write what the form says into the settings, unless it is what they are anyway."""
    for one in chain.from_iterable(group.settings for group in setting_groups()):
        value, before = one.read(form), one.value(data)
        if value != (list(before) if isinstance(before, tuple) else before):
            inner, (*tables, key) = data, one.name.split(".")
            for table in tables:
                inner = inner.setdefault(table, {})
            inner[key] = value


def as_number(given: str, kind: Callable[[str], Any]) -> Any:
    """The number, or what was written: the plan says what is wrong with that."""
    try:
        return kind(given)
    except ValueError:
        return given


def with_commas(given: str) -> list[str]:
    """The values of a list that was written with commas."""
    return [value.strip() for value in given.split(",") if value.strip()]


def question_row(number: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    """A question as the form shows it."""
    when = raw.get("when", ())
    return {
        "number": number,
        "raw": raw,
        "required": raw.get("required", True),
        "options": "\n".join(_option_line(option) for option in raw.get("options", ())),
        "when": when[0] if len(when) == 1 else None,
        "when_values": ", ".join(when[0]["values"]) if len(when) == 1 else "",
    }


def _option_line(option: Mapping[str, str]) -> str:
    cells = [option.get(name, "") for name in ("value", "label", "key", "help")]
    return " | ".join(cells).rstrip(" |")


def read_questions(
    form: QueryDict, old: Sequence[dict[str, Any]], group: str = "q"
) -> list[dict[str, Any]]:
    """The questions of the form; what it does not show comes from the question of the same id.

    The names of the fields begin with `group`, since a form can have questions of two kinds.
    """
    known = {one.get("id", ""): one for one in old}
    found: list[dict[str, Any]] = []
    for number in form.getlist(group):
        raw = dict(known.get(form.get(f"{group}{number}.was", ""), {}))
        raw |= _read_question(form, f"{group}{number}.", raw)
        if not _has_options(raw):
            raw.pop("options", None)  # left over from another kind
        raw["id"] = raw["id"] or _new_id(raw["text"], [one["id"] for one in found])
        found.append(raw)
    new: dict[str, Any] = {"id": _new_id("", [one["id"] for one in found]), "kind": "choice"}
    new |= {"text": "", "options": [{"value": "yes"}, {"value": "no"}]}
    return rearranged(found, form.get("action", ""), "" if group == "q" else f"{group}.", new)


def _has_options(raw: Mapping[str, Any]) -> bool:
    """Whether the question can have those options: on a scale they name its numbers."""
    if raw["kind"] == "scale":
        return all(isinstance(as_number(one["value"], int), int) for one in raw.get("options", ()))
    return raw["kind"] in ("choice", "multi")


def _read_question(form: QueryDict, name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: form.get(name + key, "").strip() for key in ("id", "kind", "text", "help")}
    read: dict[str, Any] = {**given, "required": bool(form.get(f"{name}required"))}
    if not given["help"] and "help" not in raw:
        del read["help"]
    if "required" not in raw and read["required"]:
        del read["required"]
    if form.get(f"{name}options") or raw.get("options"):
        lines = form.get(f"{name}options", "").splitlines()
        read["options"] = [_read_option(line) for line in lines if line.strip()]
    if given["kind"] == "scale":
        read |= {k: as_number(form.get(name + k, "").strip() or "0", int) for k in ("low", "high")}
    asked, values = form.get(f"{name}when", ""), form.get(f"{name}when_values", "")
    if len(raw.get("when", ())) <= 1 and (asked or raw.get("when")):
        read["when"] = [{"question": asked, "values": with_commas(values)}] if asked else []
    return read


def _read_option(line: str) -> dict[str, str]:
    cells = [cell.strip() for cell in line.split("|")]
    pairs = zip(("value", "label", "key", "help"), cells, strict=False)
    return {name: cell for name, cell in pairs if cell or name == "value"}


def _new_id(text: str, taken: Sequence[str]) -> str:
    """An id for a new question, from its first words."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:4]
    name = "_".join(words)[:30] or "question"
    name = name if name[0].isalpha() else f"q_{name}"
    return next(n for n in chain([name], (f"{name}_{k}" for k in range(2, 99))) if n not in taken)


def rearranged(
    found: list[dict[str, Any]], action: str, group: str, new: dict[str, Any]
) -> list[dict[str, Any]]:
    """The entries after the press of a button of their group that adds, moves or removes one."""
    if not action.startswith(group):
        return found
    what, _, given = action.removeprefix(group).partition("-")
    place = int(given) if given.isdecimal() and int(given) < len(found) else -1
    if what == "add":
        found.append(new)
    elif place >= 0 and what == "remove":
        del found[place]
    elif place > 0 and what == "up":
        found.insert(place - 1, found.pop(place))
    elif 0 <= place < len(found) - 1 and what == "down":
        found.insert(place + 1, found.pop(place))
    return found


def training_rows(data: Mapping[str, Any]) -> dict[str, Any]:
    """Examples, training items and profile as their form shows them."""
    questions = data.get("questions", ())
    profile = data.get("profile", {})
    rows = [question_row(n, one) for n, one in enumerate(profile.get("questions", ()))]
    for row in rows:
        row |= _rule_rows(row["raw"].get("id", ""), profile)
    return {
        "examples": _worked_rows(data.get("examples", ()), questions, "note"),
        "training": _worked_rows(data.get("training", {}).get("items", ()), questions, "message"),
        "profile": rows,
    }


def change_training(data: dict[str, Any], form: QueryDict) -> None:
    """Write what the form says about examples, training items and the profile into the settings."""
    questions, old = data.get("questions", ()), data.get("profile", {})
    examples = _read_worked(form, "examples", questions, "note")
    items = _read_worked(form, "training", questions, "message")
    profile = {"questions": read_questions(form, old.get("questions", []), "profile")}
    profile |= _read_rules(form, profile["questions"], old)
    if examples or "examples" in data:
        data["examples"] = examples
    if items or "items" in data.get("training", {}):
        data.setdefault("training", {})["items"] = items
    for name, found in profile.items():
        if found or name in old:
            data.setdefault("profile", {})[name] = found


def _worked_rows(
    entries: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]], said: str
) -> list[dict[str, Any]]:
    return [
        {"number": number, "text": one.get("text", ""), "highlight": one.get("highlight", "")}
        | {"note": one.get(said, ""), "fields": json.dumps(one.get("fields", {}))}
        | {"answers": [(asked, _written(one, asked)) for asked in questions if _shows(one, asked)]}
        for number, one in enumerate(entries)
    ]


def _shows(entry: Mapping[str, Any], question: Mapping[str, Any]) -> bool:
    """Whether the form has a field for the answer: seldom does free text belong to an example."""
    return question.get("kind") != "text" or question["id"] in entry.get("answers", {})


def _written(entry: Mapping[str, Any], question: Mapping[str, Any]) -> str:
    """An answer as the form shows it: several with |, a range with dots, words by themselves."""
    value = entry.get("answers", {}).get(question["id"], "")
    if isinstance(value, dict) and value.keys() == {"from", "to"}:
        return f"{value['from']}..{value['to']}"
    if question.get("kind") == "spans" and isinstance(value, list):
        words = [entry["text"][one[0] : one[-1]] for one in value]
        return _BETWEEN.join(words) if _places(words, entry["text"]) == value else json.dumps(value)
    return _BETWEEN.join(map(str, value)) if isinstance(value, list) else str(value)


def _read_worked(
    form: QueryDict, group: str, questions: Sequence[Mapping[str, Any]], said: str
) -> list[dict[str, Any]]:
    found = []
    for number in form.getlist(group):
        given = {
            name: form.get(f"{group}{number}.{name}", "").strip().replace("\r\n", "\n")
            for name in ("text", "highlight", "note", "fields")
        }
        answers = {
            asked["id"]: _as_answer(answer, asked, given["text"])
            for asked in questions
            if (answer := form.get(f"{group}{number}.answer.{asked['id']}", "").strip())
        }
        entry: dict[str, Any] = {"text": given["text"], "answers": answers}
        entry |= {"highlight": given["highlight"]} if given["highlight"] else {}
        entry |= {said: given["note"]} if given["note"] or said == "message" else {}
        if fields := _as_fields(given["fields"]):
            entry["fields"] = fields
        found.append(entry)
    new = {"text": "", "answers": {}} | ({"message": ""} if said == "message" else {})
    return rearranged(found, form.get("action", ""), f"{group}.", new)


def _as_fields(given: str) -> dict[str, Any]:
    """The fields of an item, which the form only carries along."""
    try:
        fields = json.loads(given or "{}")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _as_answer(given: str, question: Mapping[str, Any], text: str) -> Any:
    """The answer that the form means; what it cannot mean is left to the plan to refuse."""
    kind, parts = question.get("kind"), [part.strip() for part in given.split("|") if part.strip()]
    if kind == "text":
        return given
    if kind == "spans":
        return _spans(given, parts, text)
    ends = given.split("..")
    if kind == "scale" and len(ends) == 2:
        return {"from": as_number(ends[0], int), "to": as_number(ends[1], int)}
    if kind == "scale":
        parts = [as_number(part, int) for part in parts]
    return parts if kind == "multi" or len(parts) > 1 else (parts or [given])[0]


def _spans(given: str, words: Sequence[str], text: str) -> Any:
    """The places of the words, or those that are written; as given if a word does not occur."""
    if re.fullmatch(r"\[\[\d{1,7}, *\d{1,7}\](, *\[\d{1,7}, *\d{1,7}\])*\]", given):
        return json.loads(given)
    return _places(words, text) if all(word in text for word in words) else given


def _places(words: Sequence[str], text: str) -> list[list[int]]:
    """Where words stand that occur in the text, each at its first place."""
    return [[(at := text.find(word)), at + len(word)] for word in words]


def _rule_rows(name: str, profile: Mapping[str, Any]) -> dict[str, Any]:
    """Who may take part by a question of the profile, and who weighs more; a form has room for one
    rule of each."""
    eligible = [one for one in profile.get("eligible", ()) if one["question"] == name]
    weights = [one for one in profile.get("weights", ()) if one["question"] == name]
    row: dict[str, Any] = {}
    if len(eligible) <= 1:
        row["eligible"] = ", ".join(eligible[0]["values"]) if eligible else ""
    if len(weights) <= 1:
        row["weight_values"] = ", ".join(weights[0]["values"]) if weights else ""
        row["weight"] = weights[0]["weight"] if weights else 1
    return row


def _read_rules(
    form: QueryDict, questions: Sequence[Mapping[str, Any]], old: Mapping[str, Any]
) -> dict[str, Any]:
    """The rules of the form; those that it does not show stay."""
    names = [one["id"] for one in questions]
    eligible, weights = [], []
    numbers = {form.get(f"profile{n}.id", "").strip(): n for n in form.getlist("profile")}
    for name in names:
        field = f"profile{numbers.get(name, '')}."
        if f"{field}eligible" not in form:
            eligible += [one for one in old.get("eligible", ()) if one["question"] == name]
        elif values := with_commas(form[f"{field}eligible"]):
            eligible.append({"question": name, "values": values})
        if f"{field}weight_values" not in form:
            weights += [one for one in old.get("weights", ()) if one["question"] == name]
        elif values := with_commas(form[f"{field}weight_values"]):
            weight = as_number(form.get(f"{field}weight", "").strip(), float)
            weights.append({"question": name, "values": values, "weight": weight})
    return {"eligible": eligible, "weights": weights}
