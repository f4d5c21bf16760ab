"""A project from one database to another: SQLite to PostgreSQL, or back.

The old database is held still while rows are copied, compared, and committed to the new one; in
the same breath it is closed to writing, so that a service that still runs on it can acknowledge
nothing that would be lost. Its rows stay, as a further copy.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from django.core.management import call_command
from django.db import DatabaseError, connections, transaction

from trope.annotate.project import CONFIG, Project
from trope.annotate.store.connect import connect, database_settings
from trope.annotate.store.tables import (
    Sum,
    is_empty,
    load,
    rows_of,
    set_sequences,
    sum_of,
    tables,
)
from trope.annotate.store.writing import writing
from trope.core.errors import BadInput
from trope.core.files import atomic_write

_TARGET = "target"
SQLITE = "sqlite"


def move(project: Project, to: str) -> dict[str, Sum]:
    """Move all rows to the database named; gives their numbers and checksums, table by table.

    `to` is a PostgreSQL address, or "sqlite" for the file in the project's folder.

    Raises:
        BadInput: for a database that holds a project already, or copies that differ.
    """
    address = "" if to == SQLITE else to
    if address and not address.startswith(("postgres://", "postgresql://")):
        raise BadInput(f"{to!r} is no database; give postgresql://… or {SQLITE}")
    if address == project.plan.database:
        raise BadInput(f"the project is there already ({_shown(address)})")
    plan_with_database(project.folder / CONFIG, address)  # refuses before anything is done
    connect(project)
    moved = replace(project, plan=replace(project.plan, database=address))
    if not address and moved.database.exists():
        raise BadInput(f"{moved.database}: exists already; put it elsewhere first")
    connections.databases[_TARGET] = connections["default"].settings_dict | database_settings(moved)
    try:
        return _move(project, address)
    except DatabaseError as error:
        raise BadInput(f"{_shown(address)}: cannot be used ({_first_line(error)})") from None
    finally:
        connections[_TARGET].close()
        del connections[_TARGET]
        del connections.databases[_TARGET]


def _move(project: Project, address: str) -> dict[str, Sum]:
    call_command("migrate", database=_TARGET, verbosity=0, interactive=False)
    if not is_empty(_TARGET):
        raise BadInput(f"{_shown(address)}: holds a project already; nothing was moved")
    with writing():
        _hold_still()
        with transaction.atomic(using=_TARGET):
            for model in tables():
                load(model, rows_of(model, "default"), _TARGET)
            set_sequences(_TARGET)
            sums = {model._meta.db_table: _same_sum(model) for model in tables()}
        _close_for_good(address)
    write_database(project.folder, address)
    return sums


def _same_sum(model: type) -> Sum:
    old, new = sum_of(model, "default"), sum_of(model, _TARGET)
    if old != new:
        raise BadInput(f"{model.__name__}: the copy differs from the original; nothing was moved")
    return new


def _hold_still() -> None:
    """Let nobody write; SQLite's transactions that may write do so by themselves."""
    connection = connections["default"]
    if connection.vendor == "postgresql":
        names = ", ".join(model._meta.db_table for model in tables())
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN EXCLUSIVE MODE")


def _close_for_good(address: str) -> None:
    """Make the old database refuse every change; it says where the project has gone."""
    connection = connections["default"]
    gone = f"this project was moved to {_shown(address)}; set database in {CONFIG} so"
    gone = gone.replace("'", "")
    statements = []
    if connection.vendor == "postgresql":
        statements.append(
            "CREATE OR REPLACE FUNCTION trope_moved() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{gone}'; END $$"
        )
    for model in tables():
        name = model._meta.db_table
        if connection.vendor == "postgresql":
            statements.append(
                f"CREATE TRIGGER {name}_moved BEFORE INSERT OR UPDATE OR DELETE ON {name} "
                "FOR EACH STATEMENT EXECUTE FUNCTION trope_moved()"
            )
        else:
            statements += [
                f"CREATE TRIGGER {name}_moved_{change} BEFORE {change} ON {name} "
                f"BEGIN SELECT RAISE(ABORT, '{gone}'); END"
                for change in ("INSERT", "UPDATE", "DELETE")
            ]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def write_database(folder: Path, address: str) -> None:
    """Set `database` in the plan; all else stays as its author wrote it."""
    text = plan_with_database(folder / CONFIG, address)
    with atomic_write(folder / CONFIG) as file:
        file.write(text)


def plan_with_database(path: Path, address: str) -> str:
    """The text of the plan with another database.

    Raises:
        BadInput: for a plan that is written too strangely to be changed.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tables_begin = next((n for n, line in enumerate(lines) if line.startswith("[")), len(lines))
    kept = [
        line
        for number, line in enumerate(lines)
        if number >= tables_begin or not re.match(r"\s*database\s*=", line)
    ]
    # before everything, so that it cannot fall into a table or a text over several lines
    new = "".join([f"database = {json.dumps(address)}\n"] * bool(address) + kept)
    wanted = tomllib.loads(text) | {"database": address}
    try:
        if {"database": ""} | tomllib.loads(new) == wanted:
            return new
    except tomllib.TOMLDecodeError:
        pass
    raise BadInput(f"{path}: cannot be changed; write its line 'database' at its very beginning")


def _shown(address: str) -> str:
    """The address without its password."""
    if not address:
        return "SQLite"
    parts = urlsplit(address)
    return f"postgresql://{parts.hostname or ''}{parts.path}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
