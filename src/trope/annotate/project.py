"""A project is a folder: what is asked (project.toml), what was answered (a database), a secret."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from trope.annotate.plan import Plan, read_plan
from trope.core.errors import BadInput, MissingData, UnknownName
from trope.core.files import atomic_write

Role = Literal["owner", "adjudicator", "annotator"]
ROLES: tuple[Role, ...] = ("owner", "adjudicator", "annotator")
CONFIG, DATABASE, SECRET = "project.toml", "project.db", "secret"
PANEL_KEY = "panel-key"
_SHORTEST_KEY = 32


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder that has been read."""

    folder: Path
    plan: Plan

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
    if template not in (known := (*TEMPLATES, *VARIANTS)):
        raise UnknownName("template", template, known)
    if (folder / CONFIG).exists():
        raise BadInput(f"{folder / CONFIG}: already exists; choose another folder")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder}: is not a folder; choose another name")
    for name, kind in ((SAMPLE, "items.jsonl"), (DEMO, "demo.jsonl"), (CONFIG, "toml")):
        source = files("trope.annotate") / "templates" / f"{template}.{kind}"
        if name == DEMO and not source.is_file():
            continue  # not every project has a demo task
        with atomic_write(folder / name, private=True) as file:
            file.write(source.read_text("utf-8"))
    if not (folder / SECRET).exists():
        make_secret(folder)
