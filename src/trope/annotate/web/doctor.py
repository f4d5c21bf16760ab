"""Checks for what would be unsafe or slow if a project were served to the public."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from trope import __version__
from trope.annotate.project import CONFIG, DATABASE, PANEL_KEY, SECRET, Project
from trope.annotate.store.database import connect, last_number_file, remembered_number
from trope.annotate.web.service import TOO_LITTLE_DISK, check_sign_on, web_settings
from trope.core.errors import BadInput, TropeError

Level = Literal["ok", "warning", "unsafe"]

OVER_THE_NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "lustre",
    }
)

IN_MEMORY = frozenset({"tmpfs", "ramfs"})
LITTLE_DISK = 1_000_000_000
_DIFFERENT_CHARACTERS = 20  # of a secret: 86 random ones have far more


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check; `text` says what to do if it failed."""

    check: str
    level: Level
    text: str


def examine(
    project: Project, origin: str = "", *, now: datetime | None = None
) -> list[CheckResult]:
    """Every check with its result, for a service at the public address `origin`."""
    moment = now or datetime.now(UTC)
    checks: list[Callable[[], Iterator[CheckResult]]] = [
        lambda: _secret(project),
        lambda: chain(_settings(origin), _sign_on(project)),
        lambda: _database(project),
        lambda: _disk(project),
        lambda: _last_judgment(project),
        lambda: _clock(moment),
        lambda: _versions(),
    ]
    found: list[CheckResult] = []
    broken = _cannot_open(project)
    for check in checks if broken is None else [*checks[:2], checks[3], checks[6]]:
        found += check()
    return found if broken is None else [*found, broken]


def _cannot_open(project: Project) -> CheckResult | None:
    try:
        connect(project)
    except TropeError as error:
        return CheckResult("database", "unsafe", str(error))
    return None


def _secret(project: Project) -> Iterator[CheckResult]:
    path = project.folder / SECRET
    try:
        secret = project.secret
    except TropeError as error:
        yield CheckResult("secret", "unsafe", str(error))
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if len(set(secret)) < _DIFFERENT_CHARACTERS:
        yield CheckResult(
            "secret", "unsafe", f"{path} is easy to guess; delete it and make a new one"
        )
    elif mode & 0o077:
        yield CheckResult("secret", "unsafe", f"others can read {path}; run chmod 600 on it")
    else:
        yield CheckResult("secret", "ok", "long, random, and readable by its owner only")
    if stat.S_IMODE(project.folder.stat().st_mode) & 0o002:
        yield CheckResult(
            "folder", "unsafe", f"anyone can write to {project.folder}; run chmod o-w"
        )
    number = last_number_file(project).name
    names = (CONFIG, DATABASE, f"{DATABASE}-wal", number, "owner-link", PANEL_KEY)
    private = [name for name in names if (project.folder / name).exists()]
    if open_ones := [
        name for name in private if stat.S_IMODE((project.folder / name).stat().st_mode) & 0o077
    ]:
        shown = " ".join(str(project.folder / name) for name in open_ones)
        yield CheckResult("files", "unsafe", f"others can read them: run chmod 600 {shown}")
    else:
        yield CheckResult("files", "ok", f"only their owner can read {', '.join(private)}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield CheckResult("user", "warning", "runs as root; run the service as its own user")


def _settings(origin: str) -> Iterator[CheckResult]:
    try:
        settings = web_settings(origin)
    except TropeError as error:
        yield CheckResult("https", "unsafe", str(error))
        return
    if settings["DEBUG"]:
        yield CheckResult("debug", "unsafe", "is on; it shows internal details to anyone")
    else:
        yield CheckResult("debug", "ok", "off")
    hosts = settings["ALLOWED_HOSTS"]
    if "*" in hosts:
        yield CheckResult(
            "hosts", "unsafe", "the service answers to any host name; give the public address"
        )
    else:
        yield CheckResult("hosts", "ok", f"answers to {', '.join(hosts)} only")
    if not origin:
        yield CheckResult(
            "https", "warning", "no public address; others can only sign in with --origin https://…"
        )
        return
    yield CheckResult("https", "ok", f"{origin}, enforced by browsers")
    wanted = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY")
    missing = [name for name in wanted if not settings[name]]
    if missing or settings["SESSION_COOKIE_SAMESITE"] not in ("Lax", "Strict"):
        yield CheckResult("cookies", "unsafe", f"are sent unprotected ({', '.join(missing)})")
    else:
        yield CheckResult("cookies", "ok", "over https only, hidden from scripts and other sites")


def _sign_on(project: Project) -> Iterator[CheckResult]:
    sign_on = project.plan.sign_on
    if not sign_on.issuer:
        return
    try:
        check_sign_on(project.plan)
    except TropeError as error:
        yield CheckResult("sign-on", "unsafe", str(error))
        return
    also = "links too" if sign_on.owner_links else "without links"
    yield CheckResult("sign-on", "ok", f"with {sign_on.issuer}; owners: {also}")


def _database(project: Project) -> Iterator[CheckResult]:
    from django.db import connection

    if connection.vendor == "postgresql":
        yield from _postgres(project)
        return
    with connection.cursor() as cursor:
        found = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        }
    if found != {"journal_mode": "wal", "synchronous": 2}:
        yield CheckResult(
            "durability", "unsafe", f"SQLite has {found}; it must be wal and 2 (FULL)"
        )
    else:
        yield CheckResult("durability", "ok", "SQLite in WAL with synchronous=FULL")
    yield _file_system(file_system(project.folder), project.folder)


def _file_system(kind: str, folder: Path) -> CheckResult:
    if kind in OVER_THE_NETWORK:
        text = f"{folder} is on {kind}, where SQLite's locks do not work; use a local disk"
        return CheckResult("file system", "unsafe", text)
    if kind in IN_MEMORY:
        text = f"{folder} is on {kind}, which is lost after a restart; use a disk"
        return CheckResult("file system", "unsafe", text)
    if kind == "overlay":
        text = f"{folder} is inside the container and is deleted with it; use a volume"
        return CheckResult("file system", "warning", text)
    return CheckResult("file system", "ok", kind or "unknown on this system")


def _postgres(project: Project) -> Iterator[CheckResult]:
    from django.db import connection

    settings = ("fsync", "full_page_writes", "synchronous_commit")
    found = {}
    with connection.cursor() as cursor:
        for name in settings:
            cursor.execute(f"SHOW {name}")
            found[name] = cursor.fetchone()[0]
    if off := [name for name, value in found.items() if value == "off"]:
        text = f"PostgreSQL has {', '.join(off)} off: a power cut loses saved data"
        yield CheckResult("durability", "unsafe", f"{text}; turn it on")
    else:
        yield CheckResult("durability", "ok", "PostgreSQL writes to disk before it answers")
    address = urlsplit(project.plan.database)
    near = address.hostname in (None, "localhost", "127.0.0.1", "::1")
    if not near and "sslmode=" not in address.query:
        text = (
            "the connection to PostgreSQL may be unencrypted; "
            "add ?sslmode=verify-full to its address"
        )
        yield CheckResult("database", "warning", text)


def _disk(project: Project) -> Iterator[CheckResult]:
    free = shutil.disk_usage(project.folder).free
    shown = f"{free / 1e9:.1f} GB free"
    if free < TOO_LITTLE_DISK:
        yield CheckResult(
            "disk", "unsafe", f"{shown}; nothing can be saved on a full disk: free some space"
        )
    elif free < LITTLE_DISK:
        yield CheckResult("disk", "warning", f"{shown}; free some space before it is full")
    else:
        yield CheckResult("disk", "ok", shown)


def _last_judgment(project: Project) -> Iterator[CheckResult]:
    """Whether the database still has the last judgment that it acknowledged."""
    from trope.annotate.store.reports import last_judgment

    noted, there = remembered_number(project), last_judgment()
    if noted > there:
        text = (
            f"judgments up to number {noted} were acknowledged, the database ends with {there}: an "
            "older copy is in its place, or the end of its log was lost; look for a newer one, "
            f"and delete {last_number_file(project)} if you accept the loss"
        )
        yield CheckResult("judgments", "unsafe", text)
    else:
        yield CheckResult("judgments", "ok", "the last one that was acknowledged is there")


def _clock(now: datetime) -> Iterator[CheckResult]:
    from trope.annotate.store.reports import last_moment

    behind = (last_moment() or now) - now
    if behind > timedelta(minutes=1):
        text = f"is {behind} behind the last stored time; set it, or times and days will be wrong"
        yield CheckResult("clock", "warning", text)
    else:
        zone = time.strftime("%Z") or "unknown"
        yield CheckResult(
            "clock", "ok", f"later than all stored times; zone {zone}, days are in UTC"
        )


def _versions() -> Iterator[CheckResult]:
    import sqlite3

    names = {"Django": "django", "gunicorn": "gunicorn", "WhiteNoise": "whitenoise"}
    shown = [f"trope {__version__}", f"Python {platform.python_version()}"]
    shown.append(f"SQLite {sqlite3.sqlite_version}")
    missing = []
    for name, package in names.items():
        try:
            shown.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        text = f"{', '.join(missing)} not installed: pip install 'trope[annotate]'"
        yield CheckResult("versions", "unsafe", text)
    else:
        yield CheckResult("versions", "ok", ", ".join(shown))


def file_system(path: Path, mounts: str | None = None) -> str:
    """The kind of file system of a path, "" where it is unknown."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    best, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        place = Path(before.split()[4].replace("\\040", " "))
        if path.resolve().is_relative_to(place) and len(place.parts) >= best:
            best, kind = len(place.parts), after.split()[0]
    return kind


def check_safe(project: Project, origin: str) -> None:
    """Refuse to serve a project to the public if a check calls it unsafe.

    Raises:
        BadInput: with all that is unsafe.
    """
    found = [one for one in examine(project, origin) if one.level == "unsafe"]
    if found:
        faults = "; ".join(f"{one.check}: {one.text}" for one in found)
        raise BadInput(f"{project.folder}: not safe to serve to others ({faults})")
