"""All tables of a project as rows, from one database to a file or to another database.

Every table that there is goes along, with all its columns, so that nothing is forgotten when a
table is added. A table's checksum is over its rows in the order of their ids, and does not depend
on the database that holds them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connections

from trope.core.errors import BadInput

_CHUNK = 1_000


@dataclass(frozen=True, slots=True)
class Sum:
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
    return json.dumps(_even(row), ensure_ascii=False, sort_keys=True) + "\n"


def sum_of(model: Any, using: str) -> Sum:
    """The number of rows of a table and their checksum."""
    checksum, number = hashlib.sha256(), 0
    for row in rows_of(model, using):
        checksum.update(line_of(row).encode())
        number += 1
    return Sum(number, checksum.hexdigest())


def load(model: Any, rows: Iterable[dict[str, Any]], using: str) -> None:
    """Add the rows to an empty table."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    source = iter(rows)
    while part := list(islice(source, _CHUNK)):
        made = []
        for row in part:
            if strange := row.keys() - fields.keys():
                raise BadInput(
                    f"a row has {sorted(strange)[0]!r}, which {model.__name__} has not; "
                    "use the version of trope that wrote it"
                )
            made.append(model(**{n: fields[n].to_python(v) for n, v in row.items()}))
        model.objects.using(using).bulk_create(made)


def set_sequences(using: str) -> None:
    """Let new rows be numbered after those that came with their numbers (PostgreSQL)."""
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


def _even(value: Any) -> Any:
    """The value with numbers as one database may return another's: 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _even(part) for name, part in value.items()}
    return [_even(part) for part in value] if isinstance(value, list) else value
