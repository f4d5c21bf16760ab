"""Refusals: one JSON shape for programs, one page for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from trope.workbench.refused import Refused


def refusal(request: HttpRequest, refused: Refused) -> HttpResponse:
    """The response that says no."""
    if request.path.startswith("/api/"):
        response: HttpResponse = JsonResponse(error_document(refused), status=refused.status)
    else:
        context = {
            "heading": _HEADINGS.get(refused.status, "That did not work"),
            "refused": refused,
        }
        response = render(request, "message.html", context, status=refused.status)
    if refused.status in (429, 503):
        response["Retry-After"] = "5"
    return response


def error_document(refused: Refused) -> dict[str, Any]:
    """What programs get instead of an answer."""
    return {"error": {"code": refused.code, "message": refused.message}}


_HEADINGS = {
    403: "Not allowed",
    404: "There is no such page",
    413: "Too long",
    503: "Busy",
    500: "Something went wrong here",
}


def wrong_site(request: HttpRequest, reason: str = "") -> HttpResponse:
    """For a form that does not come from one of our own pages."""
    message = "the form did not come from a page of this workbench; load the page again"
    return refusal(request, Refused(403, "wrong-origin", message))


def wrong_method(request: HttpRequest, allowed: Sequence[str]) -> HttpResponse:
    """For a method that an address does not take."""
    message = f"{request.path} takes {' and '.join(allowed)}, not {request.method}"
    response = refusal(request, Refused(405, "wrong-method", message))
    response["Allow"] = ", ".join(allowed)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For an address that there is not."""
    message = f"{request.path} leads nowhere; start from /"
    return refusal(request, Refused(404, "not-found", message))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """For a request that Django itself refuses."""
    return refusal(request, Refused(400, "bad-request", "the request cannot be read"))


def failed(request: HttpRequest) -> HttpResponse:
    """For an error of ours; the terminal has the details."""
    message = "an error of trope, not of yours; the terminal it was started from says more"
    return refusal(request, Refused(500, "internal", message))
