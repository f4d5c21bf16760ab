"""Middleware: who may send requests, and how errors are answered.

A refused or failed request is answered by a JSON document for programs, a page for people.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from hashlib import sha256
from ipaddress import ip_address
from secrets import compare_digest
from socket import gethostname
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from trope import __version__
from trope.core.errors import TropeError
from trope.web import LOOPBACK, GetResponse, is_loopback
from trope.web.worker import REFUSED
from trope.workbench.requests import RequestRefused
from trope.workbench.web.bring_pages import check_allowed, receiving
from trope.workbench.web.state import BRING, WorkbenchOptions, the_options

COOKIE = "workbench"
ANYWHERE = ("0.0.0.0", "::")  # all addresses of the machine

_log = logging.getLogger("trope.workbench")

_HEADINGS = {
    403: "Not allowed",
    404: "Page not found",
    413: "Too long",
    503: "Busy",
    500: "Internal error",
}


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
            return _answered(request, answer)
        why = RequestRefused(not_taken.status, not_taken.code, not_taken.message)
        return refusal(request, why)

    return guarded


def _answered(request: HttpRequest, answer: GetResponse) -> HttpResponse:
    """The response; only the address for it takes files, and only where that is allowed."""
    if request.path != BRING or request.method != "POST":
        return answer(request)
    try:
        check_allowed()
    except RequestRefused as refused:
        return refusal(request, refused)
    with receiving(request):
        return answer(request)


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


def refusal(request: HttpRequest, refused: RequestRefused) -> HttpResponse:
    """The response to a refused request."""
    if request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(error_document(refused), status=refused.status)
    else:
        context = {
            "heading": _HEADINGS.get(refused.status, "This request failed"),
            "refused": refused,
        }
        response = render(request, "message.html", context, status=refused.status)
    if refused.status in (429, 503):
        response["Retry-After"] = "5"
    return response


def error_document(refused: RequestRefused) -> dict[str, Any]:
    """The JSON document of a refusal."""
    return {"error": {"code": refused.code, "message": refused.message}}


def wrong_site(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The response to a form from another site."""
    message = "the form was not sent from a page of this workbench; load the page again"
    return refusal(request, RequestRefused(403, "wrong-origin", message))


def wrong_method(request: HttpRequest, allowed: Sequence[str]) -> HttpResponse:
    """The response to a method that an address does not accept."""
    message = f"{request.path} accepts {' and '.join(allowed)}, not {request.method}"
    response = refusal(request, RequestRefused(405, "wrong-method", message))
    response["Allow"] = ", ".join(allowed)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The response to an unknown address."""
    message = f"there is no page {request.path}; start from /"
    return refusal(request, RequestRefused(404, "not-found", message))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The response to a request that Django itself refuses."""
    return refusal(request, RequestRefused(400, "bad-request", "the request is malformed"))


def failed(request: HttpRequest) -> HttpResponse:
    """The response to an error in trope; the terminal shows the details."""
    message = "this is an error in trope; the terminal that runs trope serve shows the details"
    return refusal(request, RequestRefused(500, "internal", message))
