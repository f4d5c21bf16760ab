"""What the pages of trope share: headers that isolate a page, style sheet, and gunicorn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trope.core.errors import MissingExtra

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


GetResponse = Callable[["HttpRequest"], "HttpResponse"]

SHARED_FILES = Path(__file__).parent / "static"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names that reach only this machine."""

# nothing from other sites, no inline code: text that people enter stays text
POLICY = (
    "default-src 'none'; object-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def harden(get_response: GetResponse) -> GetResponse:
    """Middleware that sets the headers of every response."""

    def hardened(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response["Content-Security-Policy"] = POLICY
        response["X-Frame-Options"] = "DENY"
        response["Cross-Origin-Opener-Policy"] = "same-origin"
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        response.setdefault("Cache-Control", "no-store")
        if not response.streaming:  # whole pages are sent in one piece
            response["Content-Length"] = str(len(response.content))
        return response

    return hardened


def with_static_files(application: Any, folders: Sequence[Path]) -> Any:
    """The application with our shared files, and those of the folders, under /static/."""
    from whitenoise import WhiteNoise

    served = WhiteNoise(application, root=SHARED_FILES, prefix="static/", max_age=3600)
    for folder in folders:
        served.add_files(folder, prefix="static/")
    return served


def run_service(
    load: Callable[[], Any],
    *,
    host: str,
    port: int,
    part: tuple[str, str],
    body_limit: int,
    **settings: Any,
) -> None:
    """Answer requests until stopped.

    `load` makes the application and is called in every process, so that none shares a connection.
    `part` is what the service is for and the extra that it needs; a request whose body is longer
    than `body_limit` is not read; `settings` are gunicorn's.
    """
    try:
        from gunicorn.app.base import BaseApplication
    except ModuleNotFoundError as error:
        raise MissingExtra(*part, error.name or "gunicorn") from error
    from trope.web.worker import PatientWorker

    worker = type("Worker", (PatientWorker,), {"body_limit": body_limit})

    class Service(BaseApplication):
        """Gunicorn, configured here instead of by its command line."""

        def load_config(self) -> None:
            """Set the address and the options."""
            shown = f"[{host}]" if ":" in host else host
            usual = {"bind": f"{shown}:{port}", "worker_class": worker, "keepalive": 0}
            # its control socket would be one more file, in the home of whoever starts the service
            usual |= {"loglevel": "warning", "control_socket_disable": True}
            for name, value in (usual | settings).items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            """The application of this process."""
            return load()

    Service().run()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
