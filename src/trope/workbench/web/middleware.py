"""Middleware: who may send requests, and how errors are answered."""

from __future__ import annotations

import logging
from hashlib import sha256
from ipaddress import ip_address
from secrets import compare_digest
from socket import gethostname
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from trope import __version__
from trope.core.errors import TropeError
from trope.web.server import LOOPBACK, GetResponse, is_loopback
from trope.web.worker import REFUSED
from trope.workbench.requests import RequestRefused
from trope.workbench.web.errors import failed, refusal
from trope.workbench.web.state import WorkbenchOptions, the_options

COOKIE = "workbench"
ANYWHERE = ("0.0.0.0", "::")  # all addresses of the machine

_log = logging.getLogger("trope.workbench")


def guard(answer: GetResponse) -> GetResponse:
    """Accepts requests with a known host name and, if one is needed, the token."""

    def guarded(request: HttpRequest) -> HttpResponse:
        options = the_options()
        if not known_host(request.META.get("HTTP_HOST", ""), options):
            message = "the workbench has another host name; use the address that it printed"
            return refusal(request, RequestRefused(400, "wrong-host", message))
        if options.token and not request.path.startswith("/enter/") and not _has_token(request):
            message = "this address needs a token; open the link that `trope serve` printed"
            response = refusal(request, RequestRefused(401, "no-token", message))
            response["WWW-Authenticate"] = "Bearer"
            return response
        not_taken = request.META.get(REFUSED)
        if not_taken is None:
            return answer(request)
        why = RequestRefused(not_taken.status, not_taken.code, not_taken.message)
        return refusal(request, why)

    return guarded


def known_host(header: str, options: WorkbenchOptions) -> bool:
    """Whether a Host header names this machine; other names are how foreign pages get in."""
    name, _ = split_domain_port(header)
    if name in LOOPBACK:
        return is_loopback(options.host) or options.host in ANYWHERE
    if options.host in ANYWHERE:
        return _is_address(name) or name == gethostname().lower()
    return name.strip("[]") == options.host.strip("[]").lower()


def cookie_value(token: str) -> str:
    """The cookie of a browser that has sent the token."""
    return sha256(f"trope workbench {token}".encode()).hexdigest()


@require_safe
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the token of a link for a cookie."""
    known = the_options().token
    if not known or not compare_digest(token.encode(), known.encode()):
        message = "this link is from an earlier start of trope serve; use the newest one"
        raise RequestRefused(401, "wrong-token", message)
    response = redirect("home")
    response.set_cookie(COOKIE, cookie_value(known), httponly=True, samesite="Lax")
    return response


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


class handle_errors:  # noqa: N801 - used like `guard`, but catches errors of views
    """Turns errors of views into responses."""

    def __init__(self, answer: GetResponse) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, unchanged."""
        return self._answer(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A refusal for errors that users can fix; others are logged."""
        if isinstance(error, RequestRefused):
            return refusal(request, error)
        if isinstance(error, TropeError):
            return refusal(request, RequestRefused(400, "bad-input", str(error)))
        _log.error("%s %s", request.method, request.path, exc_info=error)
        return failed(request)


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context that every page needs."""
    return {"version": __version__, "options": the_options()}
