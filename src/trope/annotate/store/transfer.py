"""All tables as rows, and a project moved from one database to another (SQLite, PostgreSQL).

Every table goes along, with all its columns, so that nothing is forgotten when a table is added. A
table's checksum is over its rows in the order of their ids, and does not depend on the database.

The old database is locked while rows are copied, compared, and committed to the new one; in the
same transaction it is closed for writing, so that a service that still runs on it can acknowledge
nothing that would be lost. Its rows stay, as a further copy.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, connections, transaction

from trope.annotate.project import CONFIG, Project
from trope.annotate.store.database import (
    connect,
    database_settings,
    make_private,
    write_transaction,
)
from trope.core.errors import BadInput
from trope.core.files import atomic_write

_CHUNK = 1_000


@dataclass(frozen=True, slots=True)
class TableChecksum:
    """How many rows a table has, and their checksum."""

    rows: int
    sha256: str


def tables() -> list[Any]:
    """The tables of a project, each after those that it refers to."""
    left = list(apps.get_app_config("store").get_models())
    found: list[Any] = []
    while left:
        ready = [m for m in left if not (_refers_to(m) & set(left)) - {m}]
        found += ready or left
        left = [m for m in left if m not in found]
    return found


def _refers_to(model: Any) -> set[Any]:
    return {f.related_model for f in model._meta.concrete_fields if f.is_relation}


def rows_of(model: Any, using: str) -> Iterator[dict[str, Any]]:
    """The rows of a table as JSON can hold them, in the order of their ids."""
    names = [field.attname for field in model._meta.concrete_fields]
    rows = model.objects.using(using).order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=_CHUNK):
        yield {name: _plain(value) for name, value in zip(names, row, strict=True)}


def line_of(row: dict[str, Any]) -> str:
    """The row as a line that is the same whatever database it comes from."""
    return json.dumps(_normalised(row), ensure_ascii=False, sort_keys=True) + "\n"


def table_checksum(model: Any, using: str) -> TableChecksum:
    """The number of rows of a table and their checksum."""
    checksum, number = hashlib.sha256(), 0
    for row in rows_of(model, using):
        checksum.update(line_of(row).encode())
        number += 1
    return TableChecksum(number, checksum.hexdigest())


def load_rows(model: Any, rows: Iterable[dict[str, Any]], using: str) -> None:
    """Add the rows to an empty table."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    source = iter(rows)
    while part := list(islice(source, _CHUNK)):
        made = []
        for row in part:
            if strange := row.keys() - fields.keys():
                raise BadInput(
                    f"a row has the unknown column {sorted(strange)[0]!r} for {model.__name__}; "
                    "use the version of trope that wrote it"
                )
            made.append(model(**{n: fields[n].to_python(v) for n, v in row.items()}))
        model.objects.using(using).bulk_create(made)


def set_sequences(using: str) -> None:
    """Let new rows be numbered after the imported ones (PostgreSQL)."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)


def is_empty(using: str) -> bool:
    """Whether no table holds a row."""
    return not any(model.objects.using(using).exists() for model in tables())


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else value


def _normalised(value: Any) -> Any:
    """The value with numbers as one database may return another's: 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _normalised(part) for name, part in value.items()}
    return [_normalised(part) for part in value] if isinstance(value, list) else value


_TARGET = "target"
SQLITE = "sqlite"


def move(project: Project, to: str) -> dict[str, TableChecksum]:
    """Move all rows to another database; returns their number and checksum for each table.

    `to` is a PostgreSQL address, or "sqlite" for the file in the project's folder.

    Raises:
        BadInput: for a database that already holds a project, or copies that differ.
    """
    address = "" if to == SQLITE else to
    if address and not address.startswith(("postgres://", "postgresql://")):
        raise BadInput(f"{to!r} is not a database; give postgresql://… or {SQLITE}")
    if address == project.plan.database:
        raise BadInput(f"the project is already there ({_shown(address)})")
    plan_with_database(project.folder / CONFIG, address)  # refuses before anything is done
    connect(project)
    moved = replace(project, plan=replace(project.plan, database=address))
    if not address and moved.database.exists():
        raise BadInput(f"{moved.database}: already exists; move it away first")
    if not address:
        make_private(moved.database)
    connections.databases[_TARGET] = connections["default"].settings_dict | database_settings(moved)
    try:
        return _move_rows(project, address)
    except DatabaseError as error:
        raise BadInput(f"{_shown(address)}: is not available ({_first_line(error)})") from None
    finally:
        connections[_TARGET].close()
        del connections[_TARGET]
        del connections.databases[_TARGET]


def _move_rows(project: Project, address: str) -> dict[str, TableChecksum]:
    call_command("migrate", database=_TARGET, verbosity=0, interactive=False)
    if not is_empty(_TARGET):
        raise BadInput(f"{_shown(address)}: already holds a project; nothing was moved")
    with write_transaction():
        _hold_still()
        with transaction.atomic(using=_TARGET):
            for model in tables():
                load_rows(model, rows_of(model, "default"), _TARGET)
            set_sequences(_TARGET)
            sums = {model._meta.db_table: _compared_checksum(model) for model in tables()}
        _close_for_good(address)
    write_database(project.folder, address)
    return sums


def _compared_checksum(model: type) -> TableChecksum:
    old, new = table_checksum(model, "default"), table_checksum(model, _TARGET)
    if old != new:
        raise BadInput(f"{model.__name__}: the copy differs from the original; nothing was moved")
    return new


def _hold_still() -> None:
    """Block all writers; on SQLite, write transactions do so by themselves."""
    connection = connections["default"]
    if connection.vendor == "postgresql":
        names = ", ".join(model._meta.db_table for model in tables())
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN EXCLUSIVE MODE")


def _close_for_good(address: str) -> None:
    """Make the old database refuse every change, with the new address."""
    connection = connections["default"]
    gone = f"this project was moved to {_shown(address)}; set database in {CONFIG} accordingly"
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
    """Set `database` in the plan; all else stays as it is."""
    text = plan_with_database(folder / CONFIG, address)
    with atomic_write(folder / CONFIG, private=True) as file:
        file.write(text)


def plan_with_database(path: Path, address: str) -> str:
    """The text of the plan with another database.

    Raises:
        BadInput: for a plan that cannot be changed automatically.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tables_begin = next((n for n, line in enumerate(lines) if line.startswith("[")), len(lines))
    kept = [
        line
        for number, line in enumerate(lines)
        if number >= tables_begin or not re.match(r"\s*database\s*=", line)
    ]
    # at the very beginning, so that it is not inside a table or a multi-line string
    new = "".join([f"database = {json.dumps(address)}\n"] * bool(address) + kept)
    wanted = tomllib.loads(text) | {"database": address}
    try:
        if {"database": ""} | tomllib.loads(new) == wanted:
            return new
    except tomllib.TOMLDecodeError:
        pass
    raise BadInput(
        f"{path}: cannot be changed automatically; put the line 'database' at the very beginning"
    )


def _shown(address: str) -> str:
    """The address without its password."""
    if not address:
        return "SQLite"
    parts = urlsplit(address)
    return f"postgresql://{parts.hostname or ''}{parts.path}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
