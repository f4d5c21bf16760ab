"""The service: Django's settings, and gunicorn with threads, started from the project folder.

It answers to those who watch over it: /health (the process lives) and /ready (it can save).
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.core.errors import BadInput, MissingExtra
from trope.web import LOOPBACK, GetResponse, is_loopback, run_service, with_static_files

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from trope.annotate.web.downloads import MakeRelease

_log = logging.getLogger("trope.annotate")
HERE = Path(__file__).parent
BODY_LIMIT = 1_000_000
"""Most bytes of a form, with all that it carries; a larger one is not read."""

UPLOAD_LIMIT = 50_000_000
"""Most bytes of a form of an owner that brings a file."""

TOO_LITTLE_DISK = 100_000_000
"""With fewer free bytes, the service is not ready for more work."""

SIGN_ON_SECRET = "TROPE_SIGN_ON_SECRET"
"""The variable of the environment with the client secret of sign-on."""

HEALTH, READY = "/health", "/ready"
_FRESH_S = 1.0  # /ready looks at the database at most so often

FILE_PATHS = ("/project/new", "/project/items")


def web_settings(origin: str = "", upload_limit: int = UPLOAD_LIMIT) -> dict[str, Any]:
    """What Django needs beside the database.

    `origin` is the public address (https://…) under which browsers see the service; without it
    the service answers on this machine only.

    Raises:
        BadInput: for an origin that is not https.
    """
    public = bool(origin)
    address = urlsplit(origin)
    if public and (address.scheme != "https" or not address.hostname or address.path.strip("/")):
        raise BadInput(
            f"{origin!r} is not a public address; give one such as https://judge.example"
        )
    return {
        "DEBUG": False,
        "ALLOWED_HOSTS": [address.hostname] if public else list(LOOPBACK),
        "TROPE_BEHIND_SERVER": public,  # which is trusted about the client's address
        "CSRF_TRUSTED_ORIGINS": [f"https://{address.netloc}"] if public else [],
        "ROOT_URLCONF": "trope.annotate.web.urls",
        "MIDDLEWARE": [
            "trope.web.harden",
            "trope.annotate.web.service.answer_probes",
            "django.middleware.security.SecurityMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            # before the next one, which reads the form: who may not send one is refused unread
            "trope.annotate.web.middleware.PersonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [HERE / "templates"],
                "OPTIONS": {"context_processors": ["trope.annotate.web.middleware.page_context"]},
            }
        ],
        # sessions are signed cookies, so that no page waits for the database
        "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_AGE": 14 * 24 * 3600,
        "SESSION_COOKIE_SECURE": public,
        # the prefix makes browsers refuse the cookie from any other host, and without encryption
        "SESSION_COOKIE_NAME": "__Host-session" if public else "session",
        "CSRF_COOKIE_NAME": "__Host-csrf" if public else "csrf",
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SECURE": public,
        "SECURE_HSTS_SECONDS": 31_536_000 if public else 0,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": public,
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        "SECURE_REFERRER_POLICY": "same-origin",
        "DATA_UPLOAD_MAX_MEMORY_SIZE": BODY_LIMIT,
        "FILE_UPLOAD_HANDLERS": [],  # no form sends files, but for those that owners send
        "DATA_UPLOAD_MAX_NUMBER_FILES": 2,
        "TROPE_UPLOAD_LIMIT": upload_limit,
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": 5_000,
        "USE_I18N": False,
    }


OWNER = "owner"


def application(
    project: Project,
    origin: str = "",
    release: MakeRelease | None = None,
    upload_limit: int = UPLOAD_LIMIT,
) -> Any:
    """The WSGI application of a project, with its static files; `release` makes its releases."""
    connect(project, **web_settings(origin, upload_limit), TROPE_RELEASE=release)
    from django.core.wsgi import get_wsgi_application

    django = get_wsgi_application()
    inner = _behind_encryption(django) if origin else django
    from trope.web.worker import read_whole_body

    files = dict.fromkeys(FILE_PATHS, max(upload_limit, BODY_LIMIT))
    return read_whole_body(with_static_files(inner, [HERE / "static"]), BODY_LIMIT, files=files)


def _behind_encryption(inner: Any) -> Any:
    """The application behind a web server that adds https."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        return inner(environ | {"wsgi.url_scheme": "https"}, start_response)

    return answer


def owner_link(project: Project, base: str) -> str:
    """A new link for the owner; older links end."""
    return link_for(project, base, OWNER, "owner")


def link_for(project: Project, base: str, name: str, role: str, *, trusted: bool = False) -> str:
    """A new link for someone, who is invited if unknown; older links end."""
    connect(project, **web_settings())
    from django.db import connections

    from trope.annotate.store.people import invite, is_known, renew_invitation

    now = datetime.now(UTC)
    if is_known(name):
        token = renew_invitation(name, now=now, by="command line")
    else:
        token = invite(name, role=role, now=now, by="command line", trusted=trusted)
    connections.close_all()  # processes that are forked from this one must not share it
    return f"{base}/join/{token}"


def check_place(host: str, origin: str) -> None:
    """Refuse a public address without encryption.

    Raises:
        BadInput: for a host that others can reach, unless there is an https address.
    """
    web_settings(origin)
    if not origin and not is_loopback(host):
        raise BadInput(
            f"{host} can be reached from other machines; give the https address that people see "
            "(--origin https://…) or serve on 127.0.0.1"
        )


def check_sign_on(plan: Plan) -> None:
    """Refuse sign-on that cannot work.

    Raises:
        MissingExtra: what it needs is not installed.
        BadInput: the client secret is not in the environment.
    """
    if not plan.sign_on.issuer:
        return
    for module in ("authlib", "joserfc", "requests"):
        if find_spec(module) is None:
            raise MissingExtra("sign-on", "sso", module)
    if not os.environ.get(SIGN_ON_SECRET):
        raise BadInput(
            f"sign-on needs the client secret that the provider gave you; set {SIGN_ON_SECRET}"
        )


@contextmanager
def only_server(project: Project) -> Iterator[None]:
    """Be the only server of the project; the lock belongs to this process and ends with it.

    Raises:
        BadInput: another process serves it.
    """
    import fcntl

    with (project.folder / "serve.lock").open("a") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(
                f"{project.folder}: is already being served; stop that server first, or give it "
                "more processes with --workers"
            ) from None
        yield


def answer_probes(get_response: GetResponse) -> GetResponse:
    """Middleware that answers /health and /ready to anyone, before hosts and sessions are read: a
    probe comes from inside, by an address that no visitor uses."""
    readiness = Readiness()

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path not in (HEALTH, READY):
            return get_response(request)
        from django.http import HttpResponseNotAllowed, JsonResponse

        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        checks = readiness.checks() if request.path == READY else {}
        ready = all(state == "ok" for state in checks.values())
        found: dict[str, object] = {"status": "ok" if ready else "unavailable"}
        response = JsonResponse(
            found | ({"checks": checks} if checks else {}), status=200 if ready else 503
        )
        response._has_been_logged = True  # a change is logged once, not every probe
        return response

    return answer


class Readiness:
    """Whether this process can save: the last look at database, tables and disk.

    One thread looks at a time, and the others repeat the last answer, so that a database that hangs
    and any number of probes keep one thread busy.
    """

    def __init__(self) -> None:
        self._looking = threading.Lock()
        self._checks: dict[str, str] = {}
        self._until = 0.0

    def checks(self) -> dict[str, str]:
        """Each check with "ok" or, in a word or two, what is wrong."""
        if time.monotonic() >= self._until and self._looking.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._looking.release()
        return self._checks or {"database": "not checked yet"}

    def _look(self) -> None:
        from django.conf import settings

        project: Project = settings.TROPE_PROJECT
        found = _readiness_of_database(project) | {"disk": _readiness_of_disk(project)}
        if found != self._checks:
            wrong = [f"{name} {state}" for name, state in found.items() if state != "ok"]
            if wrong:
                _log.warning("not ready: %s", ", ".join(wrong))
            elif self._checks:
                _log.warning("ready again")
        self._checks, self._until = found, time.monotonic() + _FRESH_S


def _readiness_of_database(project: Project) -> dict[str, str]:
    from django.db import DatabaseError, InterfaceError, connection
    from django.db.migrations.recorder import MigrationRecorder

    if not project.plan.database and not project.database.exists():
        return {"database": "missing"}  # an open connection would still read the deleted file
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except (DatabaseError, InterfaceError):
        connection.close()  # the next look begins with a new one
        return {"database": "does not answer"}
    lacking = _known_migrations() - applied
    return {"database": "ok", "migrations": "not applied" if lacking else "ok"}


@lru_cache(maxsize=1)
def _known_migrations() -> set[tuple[str, str]]:
    from django.db.migrations.loader import MigrationLoader

    return set(MigrationLoader(None).disk_migrations)


def _readiness_of_disk(project: Project) -> str:
    try:
        return "full" if shutil.disk_usage(project.folder).free < TOO_LITTLE_DISK else "ok"
    except OSError:
        return "does not answer"


def serve(
    project: Project,
    *,
    host: str,
    port: int,
    origin: str,
    workers: int,
    threads: int,
    release: MakeRelease | None = None,
    upload_limit: int = UPLOAD_LIMIT,
) -> None:
    """Answer requests until stopped; for `release` see `downloads`."""
    check_place(host, origin)
    check_sign_on(project.plan)
    run_service(
        lambda: application(project, origin, release, upload_limit),
        host=host,
        port=port,
        part=("annotation", "annotate"),
        workers=workers,
        threads=threads,
        body_limit=BODY_LIMIT,
        # no more than a process can answer soon: one of two may end up with most of them
        worker_connections=2 * threads,
        graceful_timeout=10,
    )
