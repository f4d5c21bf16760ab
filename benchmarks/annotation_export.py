"""Export of a million judgments and import of 100,000 items: how fast, and in how much memory.

python benchmarks/annotation_export.py [--judgments 1000000] [--items 100000]

Each is done by the command in its own process, at full size and at a tenth of it: memory that
does not grow with the rows is the same both times.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import machine
import record

from trope.annotate.project import new_project, open_project

_K = 5
_AT = "2026-03-02 09:00:00"
_GROWTH = 1.15  # of peak memory at ten times the rows: more than that is growth


@dataclass(frozen=True)
class Run:
    """What one command took."""

    rows: int
    seconds: float
    peak_mb: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and keep the figures; status 1 where memory grows with the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = {
            "annotate.export": pair(export, folder, options.judgments, "jsonl"),
            "annotate.export.csv": pair(export, folder, options.judgments, "csv"),
            "annotate.export.parquet": pair(export, folder, options.judgments, "parquet"),
            "annotate.import": pair(import_items, folder, options.items, "jsonl"),
        }
    keep(runs, options.results)
    grown = [
        name for name, (small, large) in runs.items() if large.peak_mb > _GROWTH * small.peak_mb
    ]
    for name, (small, large) in runs.items():
        print(
            f"{name}: {large.rows / large.seconds:,.0f} rows/s, peak {large.peak_mb:.0f} MB for "
            f"{large.rows:,} rows, {small.peak_mb:.0f} MB for {small.rows:,}"
        )
    for name in grown:
        print(f"{name}: memory grows with the rows", file=sys.stderr)
    return 1 if grown else 0


def pair(measure, folder: Path, rows: int, kind: str) -> tuple[Run, Run]:
    """The run at a tenth of the size, and at full size."""
    return measure(folder, rows // 10, kind), measure(folder, rows, kind)


def export(folder: Path, rows: int, kind: str) -> Run:
    """Export this many judgments."""
    place = folder / f"judgments-{rows}"
    if not place.exists():
        fill(place, rows)
    out = folder / f"out.{kind}"
    return run(rows, "annotate", "export", place, "--format", kind, "--out", out)


def import_items(folder: Path, rows: int, kind: str) -> Run:
    """Import this many items."""
    place, path = folder / f"items-{rows}", folder / f"items.{kind}"
    new_project(place, "semeval2015")
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {"id": f"n{number}", "text": f"The tide of words number {number} rose again."}
            file.write(json.dumps(row) + "\n")
    return run(rows, "annotate", "import", place, path)


def fill(place: Path, judgments: int) -> None:
    """A project with this many judgments, five of each item, written directly to the database."""
    from trope.annotate.store.database import connect

    new_project(place, "semeval2015")
    project = open_project(place)
    connect(project)
    from django.db import connections

    connections.close_all()
    items = judgments // _K
    with closing(sqlite3.connect(project.database)) as database, database:
        database.execute("PRAGMA synchronous=OFF")
        for table, rows in (
            ("store_person", people()),
            ("store_item", item_rows(items)),
            ("store_judgment", judgment_rows(items)),
        ):
            insert(database, table, rows)
        database.execute(
            "INSERT INTO store_state (published, opened, imports, plan, paused)"
            " VALUES (?, ?, 1, 0, false)",
            (items, items),
        )


def insert(database: sqlite3.Connection, table: str, rows: Iterator[dict]) -> None:
    """Add the rows; columns that they do not name get what an empty one of their kind holds."""
    columns = database.execute(f"PRAGMA table_info({table})").fetchall()
    first = next(rows)
    empty = {
        name: "" if kind.startswith(("varchar", "text")) else 0
        for _, name, kind, needed, default, _ in columns
        if needed and default is None
    }
    names = list(empty | first)
    marks = ", ".join("?" * len(names))
    statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
    database.execute(statement, list((empty | first).values()))
    database.executemany(statement, (list((empty | row).values()) for row in rows))


def people() -> Iterator[dict]:
    """Fifty annotators."""
    for number in range(1, 51):
        person = {"id": number, "name": f"Person {number}", "token_hash": f"{number}"}
        yield person | {"joined": _AT, "tally_on": _AT[:10], "state": "active", "role": "annotator"}


def item_rows(number: int) -> Iterator[dict]:
    """Items with all their judgments."""
    for at in range(1, number + 1):
        text = f"The tide of words number {at} rose again over the harbour."
        yield {"id": at, "external_id": f"n{at}", "text": text, "payload": "{}", "place": at}


def judgment_rows(items: int) -> Iterator[dict]:
    """Five judgments of each item, by people in turn."""
    for at in range(items * _K):
        yield {
            "id": at + 1,
            "item_id": at // _K + 1,
            "person_id": (at // _K + at % _K) % 50 + 1,
            "token": f"{at:032x}",
            "answers": json.dumps({"score": at % 11 - 5}),
            "seconds": 7.25,
            "at": _AT,
            "state": "counted",
            "current": 1,
        }


def run(rows: int, *command: object) -> Run:
    """The command in a process of its own."""
    return Run(rows, *machine.measure_command(*command))


def keep(runs: dict[str, tuple[Run, Run]], results: Path) -> None:
    """Put the figures into the file of results."""
    note = f"one process, SQLite, {machine.cpu_model()}"
    figures = []
    for name, (small, large) in runs.items():
        unit = "items_per_s" if name.endswith("import") else "rows_per_s"
        speed = large.rows / large.seconds
        figures += [
            record.measured(f"{name}.{unit}", [speed], n=large.rows, note=f"with start-up; {note}"),
            record.measured(f"{name}.peak_mb", [large.peak_mb], n=large.rows, note=note),
            record.measured(f"{name}.peak_mb_at_a_tenth", [small.peak_mb], n=small.rows, note=note),
        ]
    kept = record.read_evaluation(results) if results.is_file() else None
    record.keep(
        figures,
        tier=kept.tier if kept else "small",
        model_sha256=kept.model_sha256 if kept else "",
        path=results,
    )


if __name__ == "__main__":
    sys.exit(main())
