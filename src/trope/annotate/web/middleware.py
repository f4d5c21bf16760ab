"""What happens around every request: who asks, what is refused, how guessing is slowed down.

Guesses of links are limited: after too many wrong ones, none is checked for a while. Each process
of the service counts for itself and in memory, so that guessing never makes the database write;
with two processes, twice the stated number of guesses passes.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from trope import __version__
from trope.annotate.rules.rate_limit import GuessLimit
from trope.annotate.store.database import is_storage_error, request_limit
from trope.annotate.store.people import ActionRefused, find_person
from trope.annotate.web import context
from trope.web import GetResponse
from trope.web.worker import REFUSED

if TYPE_CHECKING:
    from trope.annotate.store.models import Person


View = Callable[..., HttpResponse]


class PersonMiddleware:
    """Sets `request.person`, and turns a refusal into a page."""

    def __init__(self, answer: GetResponse) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the person, then answer the request."""
        request.get_host()  # Django looks at it only when asked; a wrong one is answered with 400
        request.person = None
        if refused := request.META.get(REFUSED):
            return context.message_page(request, "Not accepted", refused.message, refused.status)
        with request_limit():
            try:
                request.person = signed_in(request)
            except DatabaseError as error:
                return unavailable_page(request, error)
            return self._answer(request)

    def process_view(
        self, request: HttpRequest, view: View, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Refuse a form unread that the person may not send."""
        roles = getattr(view, "roles", None)
        return context.refuse_role(request, roles) if roles and request.method == "POST" else None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A page for refused actions, and for a database that is not available."""
        if isinstance(error, ActionRefused):
            context = {"heading": "That did not work", "message": str(error), "code": error.code}
            return render(request, "message.html", context, status=409)
        return unavailable_page(request, error) if is_storage_error(error) else None


def signed_in(request: HttpRequest) -> Person | None:
    """The person of the session; it ends when they sign out or get a new link."""
    number, key = request.session.get("person"), request.session.get("key")
    if not isinstance(number, int) or not isinstance(key, str):
        return None
    person = find_person(number)
    return person if person and compare_digest(_key(person), key) else None


def sign_in(request: HttpRequest, person: Person) -> None:
    """Begin the person's session, with a new CSRF token."""
    from django.middleware.csrf import rotate_token

    request.session.flush()
    request.session["person"], request.session["key"] = person.pk, _key(person)
    rotate_token(request)


def _key(person: Person) -> str:
    """What a session must hold: it changes with the link, and when the person signs out."""
    return f"{person.token_hash[:16]}.{person.sessions_ended}"


def page_context(request: HttpRequest) -> dict[str, Any]:
    """The context of every page."""
    return {
        "plan": settings.TROPE_PROJECT.plan,
        "person": getattr(request, "person", None),
        "version": __version__,
    }


_log = logging.getLogger("trope.annotate")
HEADING = "Not saved"

MESSAGE = (
    "The service cannot save anything at the moment, so your last step was not saved. Everything "
    "before it is safe. Please wait a moment, then go back and submit it again."
)


def unavailable_page(request: HttpRequest, error: Exception) -> HttpResponse:
    """Status 503 as a page, or as JSON if the client asks for it; the cause goes to the log."""
    _log.error("%s %s: nothing was stored (%s)", request.method, request.path, error)
    if "application/json" in request.headers.get("Accept", ""):
        content = {"ok": False, "code": "unavailable", "message": MESSAGE}
        response: HttpResponse = JsonResponse(content, status=503)
    else:
        context = {"heading": HEADING, "message": MESSAGE}
        response = render(request, "message.html", context, status=503)
    response["Retry-After"] = "30"
    return response


_log = logging.getLogger("trope.annotate.security")
_lock = threading.Lock()


@lru_cache(maxsize=1)
def guesses_at(folder: Path) -> GuessLimit:
    """The guesses counted for the project that this process serves."""
    return GuessLimit()


def slow_guessing(view: View) -> View:
    """The view of a secret link; its answers 401, 403 and 404 count as wrong guesses."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        address, now = address_of(request), context.now()
        guesses = guesses_at(settings.TROPE_PROJECT.folder)
        with _lock:
            wait = guesses.wait(address, now).total_seconds()
        if wait > 0:
            _log.warning("link not checked: too many guesses from %r", address)
            return _wait_page(request, math.ceil(wait))
        response = view(request, *args, **kwargs)
        if response.status_code in (401, 403, 404):
            _log.warning("invalid link, from %r", address)
            with _lock:
                guesses.note_failure(address, now)
        return response

    return guarded


def address_of(request: HttpRequest) -> str:
    """The client's address; behind our own web server, the one that server reports."""
    direct = str(request.META.get("REMOTE_ADDR", ""))
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    if settings.TROPE_BEHIND_SERVER and forwarded:
        # the last one is what our server saw; those before it are what the client claims
        return forwarded.rpartition(",")[2].strip()
    return direct


def _wait_page(request: HttpRequest, seconds: int) -> HttpResponse:
    message = "Too many invalid links were tried. Try yours again in a few minutes."
    context = {"heading": "Please wait", "message": message}
    response = render(request, "message.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
