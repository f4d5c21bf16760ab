"""What happens around every request: who may ask, and how errors are told."""

from __future__ import annotations

import logging
from hashlib import sha256
from ipaddress import ip_address
from secrets import compare_digest
from socket import gethostname
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port

from trope import __version__
from trope.core.errors import TropeError
from trope.web.server import LOOPBACK, GetResponse, is_loopback
from trope.workbench.refused import Refused
from trope.workbench.web.answers import failed, refusal
from trope.workbench.web.intake import REFUSED
from trope.workbench.web.state import Options, the_options

COOKIE = "workbench"
ANYWHERE = ("0.0.0.0", "::")  # every address of the machine

_log = logging.getLogger("trope.workbench")


def guard(answer: GetResponse) -> GetResponse:
    """Lets those in who ask for this machine by a name of its own, and have the token."""

    def guarded(request: HttpRequest) -> HttpResponse:
        options = the_options()
        if not known_host(request.META.get("HTTP_HOST", ""), options):
            message = "the workbench does not go by that name; use the address that it printed"
            return refusal(request, Refused(400, "wrong-host", message))
        if options.token and not request.path.startswith("/enter/") and not _has_token(request):
            message = "a token is needed; open the link that `trope serve` printed"
            response = refusal(request, Refused(401, "no-token", message))
            response["WWW-Authenticate"] = "Bearer"
            return response
        not_taken = request.META.get(REFUSED)
        return answer(request) if not_taken is None else refusal(request, not_taken)

    return guarded


def known_host(header: str, options: Options) -> bool:
    """Whether a Host header names us; another name is how foreign pages reach into a machine."""
    name, _ = split_domain_port(header)
    if name in LOOPBACK:
        return is_loopback(options.host) or options.host in ANYWHERE
    if options.host in ANYWHERE:
        return _is_address(name) or name == gethostname().lower()
    return name.strip("[]") == options.host.strip("[]").lower()


def cookie_value(token: str) -> str:
    """What a browser keeps once it has shown the token."""
    return sha256(f"trope workbench {token}".encode()).hexdigest()


def _has_token(request: HttpRequest) -> bool:
    token = the_options().token
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return compare_digest(given.strip().encode(), token.encode())
    kept = request.COOKIES.get(COOKIE, "")
    return compare_digest(kept.encode(), cookie_value(token).encode())


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


class explain:  # noqa: N801 - used like `guard`, but catches errors of views
    """Turns errors of views into answers."""

    def __init__(self, answer: GetResponse) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, unchanged."""
        return self._answer(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A refusal for what people can mend; the rest goes to the log."""
        if isinstance(error, Refused):
            return refusal(request, error)
        if isinstance(error, TropeError):
            return refusal(request, Refused(400, "bad-input", str(error)))
        _log.error("%s %s", request.method, request.path, exc_info=error)
        return failed(request)


def frame(request: HttpRequest) -> dict[str, Any]:
    """What every page shows."""
    return {"version": __version__, "options": the_options()}
