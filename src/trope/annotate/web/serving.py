"""The service itself: gunicorn with threads, started from the project folder."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trope.annotate.project import Project
from trope.annotate.store.connect import connect
from trope.annotate.web.doctor import examine
from trope.annotate.web.settings import HERE, web_settings
from trope.core.errors import BadInput
from trope.web.serving import is_loopback, run_service, with_static_files

OWNER = "owner"


def application(project: Project, origin: str = "") -> Any:
    """The WSGI application of a project, with its static files."""
    connect(project, **web_settings(origin))
    from django.core.wsgi import get_wsgi_application

    django = get_wsgi_application()
    inner = _behind_encryption(django) if origin else django
    return with_static_files(inner, [HERE / "static"])


def _behind_encryption(inner: Any) -> Any:
    """The application told that people see it by https; the web server before it speaks http."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        return inner(environ | {"wsgi.url_scheme": "https"}, start_response)

    return answer


def owner_link(project: Project, base: str) -> str:
    """A new link for the owner; older ones end."""
    return link_for(project, base, OWNER, "owner")


def link_for(project: Project, base: str, name: str, role: str, *, trusted: bool = False) -> str:
    """A new link for someone, who is invited unless they are known; older ones end."""
    connect(project, **web_settings())
    from django.db import connections

    from trope.annotate.store.models import Person
    from trope.annotate.store.people import invite, renew_invitation

    now = datetime.now(UTC)
    if Person.objects.filter(name=name).exists():
        token = renew_invitation(name, now=now, by="command line")
    else:
        token = invite(name, role=role, now=now, by="command line", trusted=trusted)
    connections.close_all()  # processes that are forked from this one must not share it
    return f"{base}/join/{token}"


def check_place(host: str, origin: str) -> None:
    """Refuse a public place without encryption.

    Raises:
        BadInput: for a host that others can reach, unless there is an https address.
    """
    web_settings(origin)
    if not origin and not is_loopback(host):
        raise BadInput(
            f"{host} can be reached from elsewhere; name the https address that people will see "
            "(--origin https://…) or serve on 127.0.0.1"
        )


def check_safe(project: Project, origin: str) -> None:
    """Refuse to serve the public what the doctor calls unsafe.

    Raises:
        BadInput: with all that is unsafe.
    """
    found = [one for one in examine(project, origin) if one.level == "unsafe"]
    if found:
        faults = "; ".join(f"{one.check}: {one.text}" for one in found)
        raise BadInput(f"{project.folder}: not safe to serve to others ({faults})")


def serve(
    project: Project, *, host: str, port: int, origin: str, workers: int, threads: int
) -> None:
    """Answer requests until stopped."""
    check_place(host, origin)
    run_service(
        lambda: application(project, origin),
        host=host,
        port=port,
        part=("annotation", "annotate"),
        workers=workers,
        threads=threads,
        # a connection a request, and no more of them than a process can soon answer: kept ones
        # stay with the process that took them, and one of two may end up with most of them
        keepalive=0,
        worker_connections=2 * threads,
        graceful_timeout=10,
    )
