"""A database that cannot be used just now: said plainly, with nothing called saved."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

_log = logging.getLogger("trope.annotate")

HEADING = "Not saved"
MESSAGE = (
    "The service cannot store anything at the moment, so your last step was not saved. What was "
    "saved before is safe. Please wait a little, then go back and send it again."
)


def unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    """Status 503 as a page, or as JSON for those who ask for it; the cause goes to the log."""
    _log.error("%s %s: nothing was stored (%s)", request.method, request.path, error)
    if "application/json" in request.headers.get("Accept", ""):
        content = {"ok": False, "code": "unavailable", "message": MESSAGE}
        response: HttpResponse = JsonResponse(content, status=503)
    else:
        context = {"heading": HEADING, "message": MESSAGE}
        response = render(request, "message.html", context, status=503)
    response["Retry-After"] = "30"
    return response
