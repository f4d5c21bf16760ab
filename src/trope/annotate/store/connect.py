"""A project's database, opened: SQLite in its folder, or the PostgreSQL that its plan names."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from trope.annotate.project import Project
from trope.core.errors import BadInput, MissingExtra

# FULL: what was acknowledged survives a power cut, not only a crash of the process. The log goes
# into the database every 16 MB instead of 4, since whoever commits then waits for that
_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000; "
    "PRAGMA wal_autocheckpoint=4000;"
)


def connect(project: Project, **more: Any) -> None:
    """Point Django at the project, and bring its tables up to date.

    `more` are settings of the web part. A process serves one project at a time: the last one
    that was connected.
    """
    set_up(database_settings(project), SECRET_KEY=project.secret, TROPE_PROJECT=project, **more)
    _migrate(project)


def set_up(database: dict[str, Any] | None = None, **more: Any) -> None:
    """Make Django ready for the tables; without a database, they can be named but not used."""
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


def _migrate(project: Project) -> None:
    from django.core.management import call_command
    from django.db import DatabaseError

    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        where = "the database of the plan" if project.plan.database else project.database
        raise BadInput(f"{where}: cannot be opened ({error}); check that it is yours") from None


def database_settings(project: Project) -> dict[str, Any]:
    """Where the project's database is, as Django wants it."""
    if not project.plan.database:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(project.database),
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "init_command": _PRAGMAS,
                "timeout": 20,
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
            **dict(parse_qsl(address.query)),  # sslmode and the like
        },
    }
