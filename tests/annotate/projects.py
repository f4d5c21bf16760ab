"""Projects on real SQLite files, with people and items of our own making."""

import json
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from trope.annotate.project import Project, new_project, open_project

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)  # a Monday

PLAN = """
title = "Test"
guidelines = "Read, then choose."
items_per_page = {page}
judgments_per_item = {k}
lease_minutes = 30
order = "given"
{more}
[[questions]]
id = "metaphor"
kind = "choice"
text = "Is it a metaphor?"
options = [{{ value = "yes" }}, {{ value = "no" }}]
"""


@dataclass
class Clock:
    """The time of a test; it moves when told."""

    now: datetime = START

    def forward(self, **how: float) -> datetime:
        self.now += timedelta(**how)
        return self.now


def make_project(folder: Path, *, k: int = 2, page: int = 3, more: str = "") -> Project:
    """A project with one yes-no question, whose tables exist."""
    from trope.annotate.store.database import connect

    new_project(folder, "pairs")
    (folder / "project.toml").write_text(PLAN.format(k=k, page=page, more=more), encoding="utf-8")
    project = open_project(folder)
    copy_tables(project)
    connect(project)
    return project


def copy_tables(project: Project) -> None:
    """Give a new project the empty tables of another: making them takes most of a short test."""
    if _EMPTY and not project.plan.database:
        project.database.write_bytes(_EMPTY)
        project.database.chmod(0o600)


def add_items(project: Project, number: int, *, gold: int = 0) -> None:
    """So many items i1, i2 …, and control items g1, g2 … whose answer is yes."""
    from trope.annotate.store.imports import import_items

    rows = [{"id": f"i{n}", "text": f"Sentence number {n}."} for n in range(1, number + 1)]
    rows += [
        {"id": f"g{n}", "text": f"Control {n}.", "gold": {"metaphor": "yes"}}
        for n in range(1, gold + 1)
    ]
    path = project.folder / "added.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)


def answer_all(name: str = "m", answer: str = "yes", **more: Any) -> Any:
    """A run of a model that gave this answer to every item."""
    from trope.annotate.store.model_answers import (
        GivenAnswer,
        begin_run,
        store_answers,
        unanswered_items,
    )

    run = begin_run(name, "heads", {"model": "made"}, now=START)
    given = [GivenAnswer(item, {"metaphor": answer}, **more) for item in unanswered_items(run)]
    store_answers(run, given, now=START)
    return run


def _first_project() -> bytes:
    """Connect to a first project, before which tables cannot be imported; gives its database."""
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "first")
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        return project.database.read_bytes()


_EMPTY = b""
_EMPTY = _first_project()
