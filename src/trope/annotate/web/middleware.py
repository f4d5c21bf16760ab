"""What happens around every request: who asks, what is refused, how guessing is slowed down.

After too many wrong links from one address, further wrong ones are told to wait; a right one always
works, since 256 random bits cannot be guessed. New accounts of an open link are limited by address,
too. Each process of the service counts for itself and in memory; with two processes, twice the
stated number passes.
"""

from __future__ import annotations

import logging
import math
import re
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache, wraps
from pathlib import Path
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render

from trope import __version__
from trope.annotate.store.database import (
    is_storage_error,
    request_limit,
    restart_request_limit,
)
from trope.annotate.store.people import ActionRefused, find_person
from trope.annotate.store.slots import plan_version
from trope.annotate.web import context
from trope.core.texts import unstorable_character
from trope.web import GetResponse
from trope.web.worker import REFUSED

if TYPE_CHECKING:
    from trope.annotate.store.models import Person


View = Callable[..., HttpResponse]
ADDRESSES = 10_000
"""Addresses that are remembered; the one that was quiet for longest is forgotten first."""


@dataclass(slots=True)
class RateLimit:
    """What happened from which address, and whether once more is too often."""

    each: int
    within: timedelta
    _times: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)

    def wait(self, address: str, now: datetime) -> timedelta:
        """How long the address has to wait; nothing if it may go on."""
        oldest = _recent(self._times.get(address, deque()), now - self.within, now, self.each)
        return oldest + self.within - now if oldest else timedelta()

    def note(self, address: str, now: datetime) -> None:
        """Count once more."""
        self._times.setdefault(address, deque(maxlen=self.each)).append(now)
        self._times.move_to_end(address)
        while len(self._times) > ADDRESSES:
            self._times.popitem(last=False)


def _recent(times: deque[datetime], since: datetime, now: datetime, most: int) -> datetime | None:
    """The oldest of the times that together are too many; None if they are not.

    A time of the future is left over from a clock that went back, and is forgotten.
    """
    while times and not since < times[0] <= now:
        times.popleft()
    return times[0] if len(times) >= most else None


class PersonMiddleware:
    """Sets `request.person`, and turns a refusal into a page."""

    def __init__(self, answer: GetResponse) -> None:
        self._answer = answer
        hide_links_in_logs()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Set the person, then answer the request."""
        request.get_host()  # Django looks at it only when asked; a wrong one is answered with 400
        request.person, request.paused = None, False
        if refused := request.META.get(REFUSED):
            return context.message_page(request, "Not accepted", refused.message, refused.status)
        with request_limit():
            try:
                request.person = signed_in(request)
                if request.person is None:
                    context.renew_plan(plan_version())
                else:
                    context.renew_plan(request.person.plan_version or 0)
                    request.paused = bool(request.person.paused)
            except DatabaseError as error:
                return unavailable_page(request, error)
            return self._answer(request)

    def process_view(
        self, request: HttpRequest, view: View, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Refuse a form unread that the person may not send, and one that is not text."""
        if request.method != "POST":
            return None
        roles = getattr(view, "roles", None)
        if refused := context.refuse_role(request, roles) if roles else None:
            return refused
        if not getattr(view, "takes_files", False):
            return _refuse_form(request)
        receiver = context.SentFileHandler(request)
        request.upload_handlers = [receiver]
        if refused := _refuse_form(request):
            receiver.upload_interrupted()
        restart_request_limit()
        return refused

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A page for refused actions, and for a database that is not available."""
        if isinstance(error, ActionRefused):
            context = {"heading": "That did not work", "message": str(error), "code": error.code}
            return render(request, "message.html", context, status=409)
        return unavailable_page(request, error) if is_storage_error(error) else None


_SECRET = re.compile(r"/(join/|outside/|open/|sign-on/return\?)[^\s'\"]+")


def hide_links_in_logs() -> None:
    """Leave the secret part of links out of whatever this process logs, by whichever library."""
    make = logging.getLogRecordFactory()
    if getattr(make, "hides_links", False):
        return

    def without_links(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        said = record.getMessage()
        if _SECRET.search(said):
            record.msg, record.args = _SECRET.sub(r"/\1…", said), ()
        return record

    without_links.hides_links = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(without_links)


def _refuse_form(request: HttpRequest) -> HttpResponse | None:
    """The page for a form that cannot be read, or that holds what cannot be stored."""
    try:
        given = [part for name, values in request.POST.lists() for part in (name, *values)]
    except (BadRequest, SuspiciousOperation, MultiPartParserError, UnreadablePostError) as error:
        problem = str(error) or "it is malformed"
    else:
        found = next(filter(None, map(unstorable_character, given)), "")
        problem = f"it contains {found}" if found else ""
    if not problem:
        return None
    request._post_parse_error = False
    return context.message_page(request, "Not accepted", f"The form was refused: {problem}", 400)


def signed_in(request: HttpRequest) -> Person | None:
    """The person of the session; it ends when they sign out or get a new link."""
    number, key, until = (request.session.get(name) for name in ("person", "key", "until"))
    if not isinstance(number, int) or not isinstance(key, str):
        return None
    if until is not None and context.now() > datetime.fromisoformat(until):
        return None
    person = find_person(number)
    if person is None or not compare_digest(_key(person), key):
        return None
    return None if until is None and must_sign_on(person) else person


def sign_in(request: HttpRequest, person: Person, *, until: datetime | None = None) -> None:
    """Begin the person's session, with a new CSRF token; one by sign-on has a last moment."""
    from django.middleware.csrf import rotate_token

    request.session.flush()
    request.session["person"], request.session["key"] = person.pk, _key(person)
    if until is not None:
        request.session["until"] = until.isoformat()
    rotate_token(request)


def must_sign_on(person: Person) -> bool:
    """Whether the plan lets the person come in by sign-on only."""
    return person.role == "owner" and not context.plan().sign_on.owner_links


def _key(person: Person) -> str:
    """What a session must hold: it changes with the link, and when the person signs out."""
    return f"{person.token_hash[:16]}.{person.sessions_ended}"


OWNER_STEPS = (
    ("items", "Items"),
    ("questions", "Questions"),
    ("training_form", "Training"),
    ("settings", "Settings"),
    ("links", "Invite"),
    ("history", "History"),
    ("plan_file", "File"),
)
"""The pages on which an owner sets a project up."""


def page_context(request: HttpRequest) -> dict[str, Any]:
    """The context of every page."""
    return {
        "plan": settings.TROPE_PROJECT.plan,
        "person": getattr(request, "person", None),
        "version": __version__,
        "paused": getattr(request, "paused", False),
        "steps": OWNER_STEPS,
    }


_log = logging.getLogger("trope.annotate")
HEADING = "Not saved"

MESSAGE = (
    "The service cannot save anything at the moment, so your last step was not saved. Everything "
    "before it is safe. Please wait a moment, then go back and submit it again."
)


def unavailable_page(request: HttpRequest, error: Exception) -> HttpResponse:
    """Status 503 as a page, or as JSON if the client asks for it; the cause goes to the log."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    _log.error("%s %s: nothing was stored (%s)", request.method, request.path, first)
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


GUESSES, ARRIVALS = (10, timedelta(minutes=5)), (20, timedelta(hours=1))
"""Wrong links, and new accounts of open links, from one address within a time."""


@lru_cache(maxsize=4)
def _limit_of(folder: Path, each: int, within: timedelta) -> RateLimit:
    """What is counted for the project that this process serves."""
    return RateLimit(each, within)


def seconds_to_wait(request: HttpRequest, limit: tuple[int, timedelta]) -> int:
    """Count a request against a limit; how long its address has to wait, 0 if it may go on."""
    counted, address, now = (
        _limit_of(settings.TROPE_PROJECT.folder, *limit),
        address_of(request),
        context.now(),
    )
    with _lock:
        if (wait := counted.wait(address, now)) > timedelta():
            return math.ceil(wait.total_seconds())
        counted.note(address, now)
    return 0


def slow_guessing(view: View) -> View:
    """The view of a secret link; its answers 401, 403 and 404 count as wrong guesses."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code not in (401, 403, 404):
            return response
        _log.warning("invalid link, from %r", address_of(request))
        wait = seconds_to_wait(request, GUESSES)
        return wait_page(request, wait, "Too many invalid links were tried.") if wait else response

    return guarded


def address_of(request: HttpRequest) -> str:
    """The client's address; behind our own web server, the one that server reports."""
    direct = str(request.META.get("REMOTE_ADDR", ""))
    forwarded = str(request.META.get("HTTP_X_FORWARDED_FOR", ""))
    if settings.TROPE_BEHIND_SERVER and forwarded:
        # the last one is what our server saw; those before it are what the client claims
        return forwarded.rpartition(",")[2].strip()
    return direct


def wait_page(request: HttpRequest, seconds: int, why: str) -> HttpResponse:
    """Status 429, with the reason."""
    context = {"heading": "Please wait", "message": f"{why} Try yours again in a while."}
    response = render(request, "message.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response
