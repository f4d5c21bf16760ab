"""A project is a folder: what is asked (project.toml), what was answered (a database), a secret."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
