"""A project is a folder: what is asked (project.toml), what was answered (a database), a secret."""

from __future__ import annotations

import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from trope.annotate.plan import Plan, read_plan
from trope.core.errors import BadInput, MissingData, UnknownName
from trope.core.files import atomic_write

Role = Literal["owner", "adjudicator", "annotator"]
ROLES: tuple[Role, ...] = ("owner", "adjudicator", "annotator")
CONFIG, DATABASE, SECRET = "project.toml", "project.db", "secret"
PANEL_KEY, UPLOADS = "panel-key", "uploads"
_SHORTEST_KEY = 32


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder that has been read."""

    folder: Path
    plan: Plan
    version: int = 0  # of the plan, counted by the database; 0: not asked yet

    @property
    def database(self) -> Path:
        """The SQLite file, which is used unless the plan names a PostgreSQL database."""
        return self.folder / DATABASE

    @property
    def secret(self) -> str:
        """The key that signs sessions; there is no default."""
        path = self.folder / SECRET
        if not path.is_file():
            raise MissingData(path, "copy it back, or make a new one with 'trope annotate new'")
        secret = path.read_text(encoding="ascii").strip()
        if len(secret) < 50:
            raise BadInput(f"{path}: is too short for a secret; delete it and make a new one")
        return secret

    @property
    def panel_key(self) -> str:
        """The key with which a panel signs the addresses of its workers."""
        path = self.folder / PANEL_KEY
        if not path.is_file():
            raise MissingData(path, "make one with 'trope annotate link --signed', or copy it back")
        key = path.read_text(encoding="utf-8").strip()
        if len(key) < _SHORTEST_KEY:
            raise BadInput(
                f"{path}: must have {_SHORTEST_KEY} characters or more; use a longer key"
            )
        return key


def open_project(folder: str | Path) -> Project:
    """The project in a folder."""
    folder = Path(folder)
    if not (folder / CONFIG).is_file():
        raise MissingData(folder / CONFIG, "make a project with 'trope annotate new'")
    return Project(folder, read_plan(folder / CONFIG))


def make_secret(folder: Path, name: str = SECRET) -> None:
    """Write a new secret that only the file's owner can read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(folder / name, flags, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(64) + "\n")


BLANK = "blank"
"""The template with one question, for a task of one's own."""

TEMPLATES = ("tweets2019", "newsmet", "semeval2015", "semeval2007", "spans", "pairs", "words")
VARIANTS = ("tweets2019-highlight",)
"""Variants of a study's task."""

SAMPLE, DEMO = "items.jsonl", "demo.jsonl"


def new_project(folder: Path, template: str) -> None:
    """Make a project folder; existing files are not overwritten.

    Raises:
        UnknownName: for an unknown template.
        BadInput: for a folder that already holds a project.
    """
    if template not in (known := (*TEMPLATES, *VARIANTS, BLANK)):
        raise UnknownName("template", template, known)
    if (folder / CONFIG).exists():
        raise BadInput(f"{folder / CONFIG}: already exists; choose another folder")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is not a folder; choose another name")
    copy_samples(folder, template)
    with atomic_write(folder / CONFIG, private=True) as file:
        file.write(template_text(template))
    if not (folder / SECRET).exists():
        make_secret(folder)


def template_text(template: str) -> str:
    """The project.toml of a template."""
    return (files("trope.annotate") / "templates" / f"{template}.toml").read_text("utf-8")


def copy_samples(folder: Path, template: str) -> None:
    """Put the sample items of a template, and those of its demo task, into a folder."""
    for name in (SAMPLE, DEMO):
        source = files("trope.annotate") / "templates" / f"{template}.{name}"
        if source.is_file():  # not every project has a demo task
            with atomic_write(folder / name, private=True) as file:
                file.write(source.read_text("utf-8"))


HEAD_TASKS = {
    "word": "metaphor",
    "text": "metaphor",
    "words": "metaphor",
    "any": "metaphor",
    "sentiment": "sentiment",
    "class": "metonymy",
    "reading": "metonymy",
    "pattern": "metonymy",
}
"""What a head can be asked, and its task: whether the highlighted words are metaphorical, whether
the text is, which words are, whether any is; its score; class, reading and pattern of a name."""

_HEADS = {
    "words": ("metaphorical=word:yes/no",),
    "tweets2019": ("metaphorical=word:yes/no",),
    "tweets2019-highlight": ("label=any:metaphor/not_metaphor", "words=words"),
    "newsmet": ("sentence=text:metaphorical/literal", "verb=word:metaphorical/literal"),
    "spans": ("metaphors=words",),
    "semeval2015": ("score=sentiment",),
    "semeval2007": (
        "class=class",
        "reading=reading",
        "location_pattern=pattern",
        "organisation_pattern=pattern",
    ),
}


def usual_heads(plan: Plan) -> list[str]:
    """The heads of the plan's template, as they are named; none for a template of one's own."""
    asked = {question.id for question in plan.questions}
    return [n for n in _HEADS.get(plan.template, ()) if n.split("=")[0] in asked]


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def settings_text(data: Mapping[str, Any], within: str = "") -> str:
    """Settings as TOML; `tomllib` reads the same settings from it."""
    lines = [f"{_key(name)} = {_toml(value)}" for name, value in data.items() if _is_value(value)]
    parts = ["\n".join(lines)] if lines else []
    for name, value in data.items():
        if _is_value(value):
            continue
        place = f"{within}{_key(name)}"
        if isinstance(value, Mapping):
            parts.append(f"[{place}]\n{settings_text(value, f'{place}.')}".rstrip())
            continue
        for entry in value:
            inner = "\n".join(f"{_key(own)} = {_toml(said)}" for own, said in entry.items())
            parts.append(f"[[{place}]]\n{inner}".rstrip())
    return "\n\n".join(parts) + "\n"


def _is_value(value: Any) -> bool:
    """Whether a setting stands on its line, and not in a table of its own."""
    if isinstance(value, list):
        return not value or not all(isinstance(entry, Mapping) for entry in value)
    return not isinstance(value, Mapping)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _quoted(name)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return _lines(value) if "\n" in value else _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_pairs(value))} }}" if value else "{}"
    if isinstance(value, list):
        inner = [_inline(entry) for entry in value]
        if any(isinstance(entry, Mapping) for entry in value):
            return "[\n" + "".join(f"  {entry},\n" for entry in inner) + "]"
        return f"[{', '.join(inner)}]"
    return str(value)  # numbers; dates and times as ISO writes them


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    return (f"{_key(name)} = {_inline(value)}" for name, value in table.items())


def _inline(value: Any) -> str:
    """A value on one line, as tables within a line need it."""
    if isinstance(value, str):
        return _quoted(value)
    return f"[{', '.join(map(_inline, value))}]" if isinstance(value, list) else _toml(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines(text: str) -> str:
    inner = "\n".join(_quoted(line)[1:-1] for line in text.split("\n"))
    return f'"""\n{inner}"""'


_LONGEST = 200
"""Lines of a setting that is no text: what is longer is written anew."""


class _TooOdd(Exception):
    """A text of settings that is written in a way that `edited_text` does not follow."""


@dataclass(slots=True)
class _Section:
    """The head of a table and its settings: the comments above each, its text, name and value."""

    head: str = ""
    path: tuple[str, ...] = ()
    listed: bool = False  # one of several, [[such]]
    lines: list[tuple[str, str, str, Any]] = field(default_factory=list)

    @property
    def id(self) -> Any:
        return next((value for _, _, name, value in self.lines if name == "id"), None)


def edited_text(text: str, data: Mapping[str, Any]) -> str:
    """A text of settings with those of `data` instead; comments and what did not change stay.

    A text that is written in an odd way is written anew, without its comments.
    """
    try:
        made = _edited(text if text.endswith("\n") else f"{text}\n", data)
        if tomllib.loads(made) == data:
            return made
    except (_TooOdd, tomllib.TOMLDecodeError):
        pass
    return settings_text(data)


def _edited(text: str, data: Mapping[str, Any]) -> str:
    sections, rest = _sections(text)
    made, done = [], set()
    for section in sections:
        own = _at(data, section.path)
        if not section.listed:
            apart = {s.path[len(section.path)] for s in _below(sections, section.path)}
            made.append(_edited_section(section, own, apart) if isinstance(own, Mapping) else "")
        elif section.path not in done:
            done.add(section.path)
            made.append(_edited_list(section.path, sections, own or []))
    known = {section.path[0] for section in sections if section.path}
    known |= {name for _, _, name, _ in sections[0].lines}
    tables = {n: v for n, v in data.items() if n not in known and not _is_value(v)}
    return "".join(made) + rest + (f"\n{settings_text(tables)}" if tables else "")


def _at(data: Any, path: Sequence[str]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _below(sections: Sequence[_Section], path: tuple[str, ...]) -> list[_Section]:
    size = len(path)
    return [s for s in sections if len(s.path) > size and s.path[:size] == path]


def _edited_section(section: _Section, own: Mapping[str, Any], apart: set[str]) -> str:
    """Its text with the settings of `own`, but for those that stand `apart`, in other tables."""
    made = [section.head]
    for above, text, name, value in section.lines:
        if name in own:
            changed = f"{_key(name)} = {_toml(own[name])}{_remark(text)}\n"
            made.append(above + (text if own[name] == value else changed))
    apart = apart | {name for _, _, name, _ in section.lines}
    new = {name: value for name, value in own.items() if name not in apart}
    if not section.path:  # tables of the whole file follow at its end
        new = {name: value for name, value in new.items() if _is_value(value)}
    return "".join(made) + "".join(f"{_key(n)} = {_toml(v)}\n" for n, v in new.items())


def _edited_list(
    path: tuple[str, ...], sections: Sequence[_Section], entries: Sequence[Mapping[str, Any]]
) -> str:
    """The tables of a list in the order of its entries; comments stay with the same id."""
    if _below(sections, path):
        raise _TooOdd
    old = [section for section in sections if section.path == path]
    head = f"\n[[{'.'.join(map(_key, path))}]]\n"
    by_id = {section.id: section for section in old if section.id is not None}
    made = []
    for place, entry in enumerate(entries):
        same_place = old[place] if place < len(old) and not by_id else None
        before = by_id.get(entry.get("id"), same_place) or _Section(head, path)
        made.append(_edited_section(before, entry, set()))
    return "".join(made)


def _remark(text: str) -> str:
    """The comment behind a setting of one line."""
    for found in re.finditer(r"\s*#", text if text.count("\n") == 1 else ""):
        try:
            tomllib.loads(text[: found.start()])
        except tomllib.TOMLDecodeError:
            continue  # a # within a string
        return text[found.start() :].rstrip("\n")
    return ""


def _sections(text: str) -> tuple[list[_Section], str]:
    """The tables of a text, first what stands above them, and what follows the last setting."""
    sections = [_Section()]
    rest = ""
    for above, body, parsed in _statements(text):
        if not body:
            rest = above
        elif body.lstrip().startswith("["):
            sections.append(_Section(above + body, _path(parsed), body.lstrip().startswith("[[")))
        else:
            ((name, value),) = parsed.items()
            sections[-1].lines.append((above, body, name, value))
    return sections, rest


def _path(parsed: Any) -> tuple[str, ...]:
    path = []
    while parsed:
        ((name, inner),) = parsed.items()
        path.append(name)
        parsed = inner[0] if isinstance(inner, list) else inner
    return tuple(path)


def _statements(text: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Comments and empty lines, the head or setting below them, and what that says."""
    above, body = "", ""
    tried = 0
    for line in re.findall(".*\n", text):
        if not body and (not line.strip() or line.lstrip().startswith("#")):
            above += line
            continue
        body += line
        if body.count('"""') % 2 or body.count("'''") % 2:
            continue  # within a text of several lines
        try:
            parsed = tomllib.loads(body)
        except tomllib.TOMLDecodeError as error:
            if (tried := tried + 1) > _LONGEST:
                raise _TooOdd from error
            continue  # a list of several lines
        yield above, body, parsed
        above, body, tried = "", "", 0
    if body:
        raise _TooOdd
    yield above, "", {}
