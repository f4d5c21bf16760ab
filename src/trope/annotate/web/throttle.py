"""Guessing of links is slowed down: after too many wrong ones, none is looked at for a while.

Each process of the service counts for itself and in memory, so that guessing never makes the
database write; with two processes, twice the stated number of guesses passes.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from trope.annotate.rules.throttling import Guesses
from trope.annotate.web import views

View = Callable[..., HttpResponse]

_log = logging.getLogger("trope.annotate.security")
_lock = threading.Lock()


@lru_cache(maxsize=1)
def guesses_at(folder: Path) -> Guesses:
    """What was guessed at the project in the folder, the one that this process serves."""
    return Guesses()


def slow_guessing(view: View) -> View:
    """The view of a secret link; its answers 401, 403 and 404 count as wrong guesses."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        address, now = address_of(request), views.now()
        guesses = guesses_at(settings.TROPE_PROJECT.folder)
        with _lock:
            wait = guesses.wait(address, now).total_seconds()
        if wait > 0:
            _log.warning("link not looked at: too many guesses from %r", address)
            return _later(request, math.ceil(wait))
        response = view(request, *args, **kwargs)
        if response.status_code in (401, 403, 404):
            _log.warning("link that leads nowhere, from %r", address)
            with _lock:
                guesses.note_failure(address, now)
        return response

    return guarded


def address_of(request: HttpRequest) -> str:
    """Where a request comes from; behind our own web server, what that server says."""
    direct = str(request.META.get("REMOTE_ADDR", ""))
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    if settings.TROPE_BEHIND_SERVER and forwarded:
        # the last one is what our server saw; those before it are what the client claims
        return forwarded.rpartition(",")[2].strip()
    return direct


def _later(request: HttpRequest, seconds: int) -> HttpResponse:
    message = "Too many links that lead nowhere were tried. Try yours again in some minutes."
    context = {"heading": "Please wait", "message": message}
    response = render(request, "message.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
