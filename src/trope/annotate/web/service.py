"""The service: Django's settings, and gunicorn with threads, started from the project folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.core.errors import BadInput
from trope.web import LOOPBACK, is_loopback, run_service, with_static_files

HERE = Path(__file__).parent
BODY_LIMIT = 1_000_000
"""Most bytes of a form, with all that it carries; a larger one is not read."""

UPLOAD_LIMIT = 50_000_000
"""Most bytes of a form of an owner that brings a file."""

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
        "LOGGING_CONFIG": None,
    }


OWNER = "owner"


def application(project: Project, origin: str = "", upload_limit: int = UPLOAD_LIMIT) -> Any:
    """The WSGI application of a project, with its static files."""
    connect(project, **web_settings(origin, upload_limit))
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


def serve(
    project: Project,
    *,
    host: str,
    port: int,
    origin: str,
    workers: int,
    threads: int,
    upload_limit: int = UPLOAD_LIMIT,
) -> None:
    """Answer requests until stopped."""
    check_place(host, origin)
    run_service(
        lambda: application(project, origin, upload_limit),
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
