"""Backups: the whole project in one file, written while people work, and restored from it.

For SQLite the file holds a copy of the database, made by SQLite's own online backup; for PostgreSQL
all rows, read in one snapshot. A manifest has the checksum of every part.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from django.db import DatabaseError, connections, transaction

from trope import __version__
from trope.annotate.project import CONFIG, DATABASE, PANEL_KEY, SECRET, Project, open_project
from trope.annotate.store.database import connect, is_storage_error
from trope.annotate.store.transfer import (
    is_empty,
    line_of,
    load_rows,
    rows_of,
    set_sequences,
    table_checksum,
)
from trope.annotate.store.transfer import tables as all_tables
from trope.core.errors import BadInput, TropeError
from trope.core.files import replace_durably
from trope.core.progress import counted
from trope.core.run_folder import lock_file

_MANIFEST = "manifest.json"
_FORMAT = 1
_PLAIN_FILES = (CONFIG, SECRET, PANEL_KEY, "items.jsonl", "demo.jsonl")
_PIECE = 1 << 20
_RATIO, _ANY_SIZE = 100, 100_000_000
"""A backup unpacks to at most so many times its size; a small one to so many bytes."""

# what zipfile and json raise for files that were cut off, altered or made to mislead
_DAMAGE = (
    BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    LookupError,
    ValueError,
    TypeError,
    OverflowError,
    MemoryError,
    DatabaseError,
)


def backup(project: Project, file: Path) -> dict[str, int]:
    """Write the backup; returns the number of rows of each table.

    It holds the project's secret, so only its owner can read it.

    Raises:
        BadInput: for a file that exists.
    """
    if file.exists():
        raise BadInput(f"{file}: already exists; choose another name")
    connect(project)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BadInput(f"{file.parent}: is not a folder; choose another one") from None
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as folder:
        whole = Path(folder) / "backup"
        private = os.open(whole, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(private, "wb") as out, ZipFile(out, "w", ZIP_DEFLATED) as archive:
            counts = _write(project, archive, Path(folder))
        replace_durably(whole, file)
    return counts


@dataclass(frozen=True, slots=True)
class KeptBackup:
    """A backup in a folder of backups: its file, its rows, and older files that were removed."""

    file: Path
    rows: dict[str, int]
    removed: tuple[Path, ...] = ()


def backup_into(
    folder: Path, project: Project, *, now: datetime, keep: int | None = None
) -> KeptBackup:
    """Write a backup named by project and time (UTC) into a folder.

    The newest `keep` of the project's backups stay there, always with the one that was just
    written; other files are left alone. What a run that was killed left behind is removed.

    Raises:
        BadInput: another backup of the project is running.
    """
    name = project.folder.resolve().name
    try:
        lock = lock_file(project.folder / "backup.lock")
    except BlockingIOError:
        raise BadInput(
            f"{project.folder}: another backup is running; run them less often, or wait for it"
        ) from None
    try:
        dated = re.compile(re.escape(name) + r"-\d{8}T\d{6}Z\.zip")
        for left in folder.glob(f".{name}-*"):
            if dated.match(left.name[1:]) and left.is_dir():
                shutil.rmtree(left)
        file = _free_name(folder, name, now)
        rows = backup(project, file)
        older = [one for one in folder.iterdir() if dated.fullmatch(one.name) and one != file]
        newest = sorted(older, key=lambda one: one.name, reverse=True)
        removed = tuple(newest[keep - 1 :]) if keep else ()
        for one in removed:
            one.unlink()
    finally:
        lock.release()
    return KeptBackup(file, rows, removed)


def _free_name(folder: Path, name: str, now: datetime) -> Path:
    """The file for a backup of this second, or of the next one that has none yet."""
    while True:
        file = folder / f"{name}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"
        if not file.exists():
            return file
        now += timedelta(seconds=1)


def _write(project: Project, archive: ZipFile, folder: Path) -> dict[str, int]:
    sums: dict[str, str] = {}
    for name in _PLAIN_FILES:
        if (project.folder / name).is_file():
            sums[name] = _put(archive, name, iter([(project.folder / name).read_bytes()]))
    if project.plan.database:
        counts = _write_tables(archive, sums)
    else:
        copy = folder / DATABASE
        counts = _copy_sqlite(project.database, copy)
        with copy.open("rb") as file:
            sums[DATABASE] = _put(archive, DATABASE, iter(lambda: file.read(_PIECE), b""))
    manifest = {"trope": __version__, "format": _FORMAT, "files": sums, "rows": counts}
    archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))
    return counts


def _copy_sqlite(source: Path, copy: Path) -> dict[str, int]:
    """A consistent copy, made while others write."""
    with closing(sqlite3.connect(source, timeout=20)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        if (state := new.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise BadInput(f"{source}: the database is damaged ({state}); nothing was backed up")
        names = [model._meta.db_table for model in all_tables()]
        return {name: new.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}


def _write_tables(archive: ZipFile, sums: dict[str, str]) -> dict[str, int]:
    counts: dict[str, int] = {}

    def lines(model: Any) -> Iterator[bytes]:
        for row in rows_of(model, "default"):
            counts[model._meta.db_table] += 1
            yield line_of(row).encode()

    with transaction.atomic():
        with connections["default"].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for model in all_tables():
            name = f"tables/{model._meta.db_table}.jsonl"
            counts[model._meta.db_table] = 0
            sums[name] = _put(archive, name, lines(model))
    return counts


def _put(archive: ZipFile, name: str, pieces: Iterator[bytes]) -> str:
    """Write a part of the archive; returns its checksum."""
    checksum = hashlib.sha256()
    with archive.open(name, "w", force_zip64=True) as out:
        for piece in pieces:
            checksum.update(piece)
            out.write(piece)
    return checksum.hexdigest()


def restore(file: Path, folder: Path, *, database: str | None = None) -> dict[str, int]:
    """Restore a backup into a new folder; returns the number of rows of each table.

    `database` is where the rows of a PostgreSQL backup go: another address, or "" for SQLite.

    Raises:
        BadInput: for a file that is not a backup or is damaged, or a folder that is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: is not empty; choose a new folder")
    try:
        with ZipFile(file) as archive:
            manifest = _checked_manifest(archive, file)
            return _restore(archive, manifest, file, folder, database)
    except TropeError:
        raise
    except FileNotFoundError:
        raise BadInput(f"{file}: not found; check the file name") from None
    except _DAMAGE as error:
        if is_storage_error(error):
            raise
        raise BadInput(f"{file}: is not a backup of trope, or is damaged") from None


def _checked_manifest(archive: ZipFile, file: Path) -> dict[str, Any]:
    """The manifest, once every part agrees with it."""
    unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > _RATIO * file.stat().st_size + _ANY_SIZE:
        raise BadInput(
            f"{file}: would unpack to {unpacked / 1e9:.1f} GB, far more than a backup does; "
            "nothing was restored"
        )
    try:
        manifest: dict[str, Any] = json.loads(archive.read(_MANIFEST))
        files = dict(manifest["files"])
    except (KeyError, ValueError, TypeError):
        raise BadInput(f"{file}: is not a backup of trope") from None
    if manifest.get("format") != _FORMAT:
        raise BadInput(f"{file}: was written by trope {manifest.get('trope')}; use that version")
    allowed = {*_PLAIN_FILES, DATABASE, *(f"tables/{m}.jsonl" for m in manifest["rows"])}
    if strange := {*files, *archive.namelist()} - allowed - {_MANIFEST}:
        raise BadInput(f"{file}: holds the unexpected file {sorted(strange)[0]!r}")
    for name, wanted in files.items():
        checksum = hashlib.sha256()
        with archive.open(name) as part:
            while piece := part.read(_PIECE):
                checksum.update(piece)
            if checksum.hexdigest() != wanted:
                raise BadInput(f"{file}: {name} is damaged; use another backup")
    return manifest


def _restore(
    archive: ZipFile, manifest: dict[str, Any], file: Path, folder: Path, database: str | None
) -> dict[str, int]:
    rows: dict[str, int] = manifest["rows"]
    if DATABASE in manifest["files"] and database is not None:
        raise BadInput(f"{file}: holds a SQLite database; restore it, then use 'annotate move'")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        for name in (*_PLAIN_FILES, DATABASE):
            if name in manifest["files"]:
                with archive.open(name) as part, _private(made / name) as out:
                    shutil.copyfileobj(part, out, _PIECE)
        if DATABASE not in manifest["files"]:
            _restore_tables(archive, made, file, rows, database)
        made.chmod(0o755)
        if folder.exists():
            folder.rmdir()  # it is empty
        made.replace(folder)
    except BaseException:
        shutil.rmtree(made)
        raise
    return rows


def _restore_tables(
    archive: ZipFile, made: Path, file: Path, rows: dict[str, int], database: str | None
) -> None:
    project = open_project(made)
    if database is not None:
        from trope.annotate.store.transfer import write_database

        write_database(made, database)
        project = replace(project, plan=replace(project.plan, database=database))
    connect(project)
    if not is_empty("default"):
        raise BadInput(
            f"{file}: the database of its plan already holds a project; name another with "
            "--database postgresql://…"
        )
    with transaction.atomic():
        for model in all_tables():
            name = model._meta.db_table
            if name in rows:
                with archive.open(f"tables/{name}.jsonl") as part:
                    load_rows(model, map(json.loads, part), "default")
                if table_checksum(model, "default").rows != rows[name]:
                    raise BadInput(f"{file}: the rows of {name} do not match the manifest")
        set_sequences("default")
    connections["default"].close()


def _private(path: Path) -> IO[bytes]:
    """A new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def describe(counts: dict[str, int]) -> str:
    """The numbers of rows in words."""
    items, people, judgments = (
        counts.get(f"store_{kind}", 0) for kind in ("item", "person", "judgment")
    )
    return ", ".join(
        (
            counted(items, "item"),
            counted(people, "person", "people"),
            counted(judgments, "judgment"),
        )
    )
