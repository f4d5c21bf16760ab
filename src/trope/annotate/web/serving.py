"""The service itself: gunicorn with threads, started from the project folder."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from trope.annotate.project import Project
from trope.annotate.store.connect import connect
from trope.annotate.web.doctor import examine
from trope.annotate.web.settings import HERE, web_settings
from trope.core.errors import BadInput, MissingExtra

OWNER = "owner"


def application(project: Project, origin: str = "") -> Any:
    """The WSGI application of a project, with its static files."""
    connect(project, **web_settings(origin))
    from django.core.wsgi import get_wsgi_application
    from whitenoise import WhiteNoise

    django = get_wsgi_application()
    inner = _behind_encryption(django) if origin else django
    return WhiteNoise(inner, root=HERE / "static", prefix="static/", max_age=3600)


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
    if not origin and not _loopback(host):
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
    try:
        from gunicorn.app.base import BaseApplication
    except ModuleNotFoundError as error:
        raise MissingExtra("annotation", "annotate", error.name or "gunicorn") from error

    class Service(BaseApplication):
        """Gunicorn, told by us instead of by its command line."""

        def load_config(self) -> None:
            """Set where and how."""
            shown = f"[{host}]" if ":" in host else host
            self.cfg.set("bind", f"{shown}:{port}")
            self.cfg.set("workers", workers)
            self.cfg.set("worker_class", "gthread")
            self.cfg.set("threads", threads)
            # a connection a request, and no more of them than a process can soon answer: kept ones
            # stay with the process that took them, and one of two may end up with most of them
            self.cfg.set("keepalive", 0)
            self.cfg.set("worker_connections", 2 * threads)
            self.cfg.set("graceful_timeout", 10)
            self.cfg.set("loglevel", "warning")

        def load(self) -> Any:
            """The application; called in every worker, so that none shares a connection."""
            return application(project, origin)

    Service().run()


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
