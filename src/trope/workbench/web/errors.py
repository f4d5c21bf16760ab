"""Refused and failed requests: a JSON document for programs, a page for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from trope.workbench.requests import RequestRefused


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


_HEADINGS = {
    403: "Not allowed",
    404: "Page not found",
    413: "Too long",
    503: "Busy",
    500: "Internal error",
}


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
