"""What happens around every request: who asks, and what is not allowed."""

from __future__ import annotations

from secrets import compare_digest
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from trope import __version__
from trope.annotate.store.judging import Refused
from trope.annotate.store.models import Person
from trope.annotate.trouble import is_trouble
from trope.annotate.web.trouble import unavailable
from trope.web.headers import Answer


class know_person:  # noqa: N801 - used like `harden`, but catches errors of views too
    """Sets `request.person`, and turns a refusal into a page."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The response, with the person known on the way."""
        request.get_host()  # Django looks at it only when asked; a wrong one is answered with 400
        request.person = None
        try:
            request.person = signed_in(request)
        except DatabaseError as error:
            return unavailable(request, error)
        return self._answer(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """A page for what the rules do not allow, and for a database that cannot be used."""
        if isinstance(error, Refused):
            context = {"heading": "That did not work", "message": str(error), "code": error.code}
            return render(request, "message.html", context, status=409)
        return unavailable(request, error) if is_trouble(error) else None


def signed_in(request: HttpRequest) -> Person | None:
    """Whose session it is; it ends when the person leaves or gets a new link."""
    number, key = request.session.get("person"), request.session.get("key")
    if not isinstance(number, int) or not isinstance(key, str):
        return None
    person = Person.objects.select_related("standing").filter(pk=number).first()
    return person if person and compare_digest(_key(person), key) else None


def sign_in(request: HttpRequest, person: Person) -> None:
    """Begin the person's session, with a new CSRF token."""
    from django.middleware.csrf import rotate_token

    request.session.flush()
    request.session["person"], request.session["key"] = person.pk, _key(person)
    rotate_token(request)


def _key(person: Person) -> str:
    """What a session must hold: it changes with the link, and when the person leaves."""
    return f"{person.token_hash[:16]}.{person.sessions_ended}"


def frame(request: HttpRequest) -> dict[str, Any]:
    """What every page shows."""
    return {
        "plan": settings.TROPE_PROJECT.plan,
        "person": getattr(request, "person", None),
        "version": __version__,
    }
