"""A project's database: SQLite in its folder, or the PostgreSQL that its plan names.

On SQLite, writers wait in line. By itself SQLite lets a writer that finds the database locked
sleep and try again, for longer each time, so that some wait a second while others pass. A lock on
a file beside it wakes the next one at once.
"""

from __future__ import annotations

import errno
import logging
import os
import random
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from trope.annotate.project import Project
from trope.core.errors import BadInput, MissingExtra
from trope.core.run_folder import wait_for_lock

_log = logging.getLogger("trope.annotate")
_BUSY_S = 20.0
"""Seconds that a command waits for a lock."""

REQUEST_S = 10.0
"""Seconds that all waits of a request for a database that is locked may take together."""

_FIRST_WAIT = 0.9
"""The share of them that a wait on PostgreSQL may take without being told a new limit."""

# FULL: what was acknowledged survives a power cut, not only a crash of the process. The log goes
# into the database every 16 MB instead of 4, since whoever commits then waits for that
_PRAGMAS = (
    f"PRAGMA busy_timeout={_BUSY_S * 1000:.0f}; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
    "PRAGMA wal_autocheckpoint=4000;"
)


def connect(project: Project, **more: Any) -> None:
    """Point Django at the project's database, and bring its tables up to date.

    `more` are settings of the web part. A process serves one project at a time, the last one
    connected.
    """
    longest = _FIRST_WAIT * REQUEST_S if more else _BUSY_S
    set_up(
        database_settings(project, longest),
        SECRET_KEY=project.secret,
        TROPE_PROJECT=project,
        **more,
    )
    if not project.plan.database:
        make_private(project.database)
    from django.db import DatabaseError

    try:
        _check_tables(project)
        _migrate()
    except DatabaseError as error:
        where = "the database of the plan" if project.plan.database else project.database
        raise BadInput(
            f"{where}: cannot be opened ({error}); check its address and your permissions"
        ) from None
    if not last_number_file(project).exists():
        remember_number(project, 0)


def set_up(database: dict[str, Any] | None = None, **more: Any) -> None:
    """Configure Django; without a database, the tables can be imported but not used."""
    try:
        import django
        from django.conf import settings
    except ModuleNotFoundError as error:
        raise MissingExtra("annotation", "annotate", error.name or "django") from error
    database = database or {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
    wanted = {
        "INSTALLED_APPS": ["trope.annotate.store"],
        "USE_TZ": True,
        "TIME_ZONE": "UTC",
        "LOGGING_CONFIG": None,  # Django's own closes the log handlers of whoever calls trope
        **more,
    }
    if not settings.configured:
        settings.configure(DATABASES={"default": database}, **wanted)
        django.setup()
        return
    for name, value in wanted.items():
        setattr(settings, name, value)
    from django.db import connections

    connections["default"].close()
    del connections["default"]  # the next use makes one of the right kind
    connections.settings["default"].update(database)


def make_private(path: Path) -> None:
    """Make an empty database that only its owner can read; SQLite's other files do as it does."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)


def _check_tables(project: Project) -> None:
    """Refuse a database that is not this project's, or not of this version.

    Raises:
        BadInput: it is empty though the project had one, or a newer version made it.
    """
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    where = "the database of the plan" if project.plan.database else str(project.database)
    loader = MigrationLoader(connection)
    applied = {name for app, name in loader.applied_migrations if app == "store"}
    known = {name for app, name in loader.disk_migrations if app == "store"}
    if not applied and last_number_file(project).exists():
        raise BadInput(
            f"{where}: is missing or empty, but this project had a database; restore a backup, or "
            f"delete {last_number_file(project)} to begin anew"
        )
    if newer := sorted(applied - known):
        raise BadInput(f"{where}: was made by a newer version of trope ({newer[0]}); use that one")
    if applied and applied != known:
        _log.warning("%s: was made by an older version of trope; it is brought up to date", where)
    elif applied and (lacking := _lacking_column(connection)):
        raise BadInput(
            f"{where}: has no column {lacking}, so that another version of trope made it; export "
            "with that version and import the files into a new project"
        )


def _lacking_column(connection: Any) -> str:
    """The first column that the tables should have and do not; "" if there is none."""
    from django.apps import apps

    with connection.cursor() as cursor:
        for model in apps.get_app_config("store").get_models():
            name = model._meta.db_table
            there = {
                column.name
                for column in connection.introspection.get_table_description(cursor, name)
            }
            for field in model._meta.concrete_fields:
                if field.column not in there:
                    return f"{name}.{field.column}"
    return ""


def last_number_file(project: Project) -> Path:
    """Outside the database: the number of the last judgment that was acknowledged."""
    return project.folder / "last-judgment"


def remember_number(project: Project, number: int) -> None:
    """Note the number of a judgment that was stored; called once it is."""
    path = last_number_file(project)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(descriptor, b"%020d\n" % number, 0)
    finally:
        os.close(descriptor)


def remembered_number(project: Project) -> int:
    """The number that was noted last; 0 if there is none."""
    try:
        return int(last_number_file(project).read_bytes())
    except (FileNotFoundError, ValueError):
        return 0


def database_settings(project: Project, longest: float = _BUSY_S) -> dict[str, Any]:
    """Django's settings for the project's database.

    `longest` is how many seconds PostgreSQL may be waited for: its locks, and its answers.
    """
    if not project.plan.database:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(project.database),
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "init_command": _PRAGMAS,
                "timeout": _BUSY_S,
            },
        }
    address = urlsplit(project.plan.database)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": address.path.lstrip("/"),
        "USER": unquote(address.username or ""),
        "PASSWORD": unquote(address.password or ""),
        "HOST": address.hostname or "",
        "PORT": str(address.port or ""),
        "CONN_MAX_AGE": None,
        # statements with their values apart from them are prepared once a connection
        "OPTIONS": {
            "server_side_binding": True,
            "prepare_threshold": 2,
            "options": f"-c lock_timeout={longest * 1000:.0f}",
            "connect_timeout": max(int(longest), 2),
            "tcp_user_timeout": int(longest * 1000),
            **dict(parse_qsl(address.query)),  # sslmode and the like
        },
    }


_until: ContextVar[float | None] = ContextVar("until", default=None)
_CLOSE_S = 0.25  # a limit that is off by less need not be set again


@contextmanager
def write_transaction() -> Iterator[None]:
    """A transaction that may write; nothing of it is kept if it ends in an error."""
    from django.db import connection, transaction

    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    line = Path(f"{connection.settings_dict['NAME']}.line")
    with wait_for_lock(line, _time_left()), transaction.atomic():
        yield


@contextmanager
def request_limit() -> Iterator[None]:
    """Within the block, all waits for locks together end after `REQUEST_S`."""
    from django.db import connection

    token = _until.set(time.monotonic() + REQUEST_S)
    limit = _sqlite_limit if connection.vendor == "sqlite" else _postgres_limit
    try:
        with limit(connection):
            yield
    finally:
        _until.reset(token)


def restart_request_limit() -> None:
    """Count the waits of a request anew, once a file that took its time has arrived."""
    if _until.get() is not None:
        _until.set(time.monotonic() + REQUEST_S)


@contextmanager
def _sqlite_limit(connection: Any) -> Iterator[None]:
    told = _BUSY_S

    def limit(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal told
        left = _time_left()
        if told - left > _CLOSE_S or told < left:  # SQLite waits so long for each statement
            told = left
            context["connection"].connection.execute(f"PRAGMA busy_timeout={int(left * 1000)}")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(limit):
        yield


@contextmanager
def _postgres_limit(connection: Any) -> Iterator[None]:
    """A new limit costs a message, so that only requests which have waited already get one."""
    lowered = False

    def tell(seconds: float) -> None:
        connection.connection.execute(f"SET lock_timeout = {max(int(seconds * 1000), 1)}")

    def limit(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal lowered
        left = _time_left()
        if left < _FIRST_WAIT * REQUEST_S:
            lowered = True
            tell(left)
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(limit):
            yield
    finally:
        if lowered and connection.connection is not None:
            with suppress(Exception):  # a connection that is gone begins with the usual limit
                tell(_FIRST_WAIT * REQUEST_S)


def _time_left() -> float:
    until = _until.get()
    return _BUSY_S if until is None else max(until - time.monotonic(), 0.0)


_TRIES = 6

P = ParamSpec("P")
T = TypeVar("T")


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """The function, run again if its transaction lost to another one and nothing was kept of it.

    PostgreSQL ends one of two transactions that wait for each other; the other one goes on, so the
    next try finds nothing in its way.
    """

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        from django.db import OperationalError, connection

        for left in reversed(range(_TRIES)):
            try:
                return work(*args, **kwargs)
            except OperationalError as error:
                if not left or connection.in_atomic_block or not _lost_to_another(error):
                    raise
            time.sleep(random.uniform(0.005, 0.02) * (_TRIES - left))
        raise AssertionError("the last try returns or raises")

    return run


def _lost_to_another(error: BaseException) -> bool:
    psycopg = sys.modules.get("psycopg")
    if psycopg is None:
        return False
    errors = psycopg.errors
    return isinstance(error.__cause__, errors.DeadlockDetected | errors.SerializationFailure)


def lock_name(name: str) -> None:
    """Hold a lock that stands for a name until the transaction ends; on SQLite, all writers do."""
    from django.db import connection

    if connection.vendor == "postgresql":
        number = zlib.crc32(f"trope {name}".encode())
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s::bigint)", [number])


_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO})

_SQLITE = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)

_PRIMARY = 0xFF  # the part of SQLite's code that names the kind


def is_storage_error(error: BaseException) -> bool:
    """Whether the error, or its cause, comes from the disk or the database server.

    A wrong query must not look like a full disk; SQLite and psycopg tell the two apart."""
    cause = error.__cause__
    return _is_own_storage_error(error) or (cause is not None and _is_own_storage_error(cause))


def _is_own_storage_error(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _DISK or isinstance(error, TimeoutError)
    if isinstance(error, sqlite3.Error):
        code: int = getattr(error, "sqlite_errorcode", 0)
        # a trigger raises this after the project was moved to another database
        return code & _PRIMARY in _SQLITE or code == sqlite3.SQLITE_CONSTRAINT_TRIGGER
    psycopg = sys.modules.get("psycopg")  # no need to load it for what does not use it
    if psycopg is None:
        return False
    return isinstance(error, (psycopg.OperationalError, psycopg.errors.RaiseException))
