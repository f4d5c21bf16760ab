"""What every view needs: the plan, the time, the roles, and the content of an item's page."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from trope.annotate.plan import Plan
from trope.annotate.web import content

View = Callable[..., HttpResponse]
_log = logging.getLogger("trope.annotate.security")
HOMES = {"owner": "project", "adjudicator": "disputes", "annotator": "work"}


def only(*roles: str) -> Callable[[View], View]:
    """Restrict a view to these roles; others get a page that says why."""

    def wrap(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            return refuse_role(request, roles) or view(request, *args, **kwargs)

        checked.roles = roles  # type: ignore[attr-defined]  # for `refuse_role` before a form is read
        return checked

    return wrap


def refuse_role(request: HttpRequest, roles: Sequence[str]) -> HttpResponse | None:
    """The page for someone who has none of the roles."""
    if request.person is None:
        return message_page(
            request,
            "Please use your link",
            "This page is for invited people. Open the link that you received.",
            401,
        )
    if request.person.role not in roles:
        _log.warning("person %d asked for %r without its role", request.person.pk, request.path)
        return message_page(request, "No access", "Your role does not include this page.", 403)
    return None


def now() -> datetime:
    """The current time; tests replace it."""
    return datetime.now(UTC)


def plan() -> Plan:
    """The plan of the project that is served."""
    return settings.TROPE_PROJECT.plan


def item_context(item: Any, token: str, values: Any, faults: dict[str, str]) -> dict[str, Any]:
    """The content of an item's page, for any kind of item."""
    return {
        "token": token,
        "pieces": content.marked_segments(item.text, item.payload.get("highlight", ())),
        "shown": [(s.label or s.field, item.payload.get(s.field, "")) for s in plan().shown],
        "senses": content.looked_up(plan(), item.text, item.payload),
        "fields": content.fields(plan(), item.text, item.payload, values, faults),
        "faults": faults,
        "guidelines": in_html(plan().guidelines),
    }


@lru_cache(maxsize=8)
def in_html(guidelines: str) -> str:
    """The guidelines on every item's page, rendered once."""
    return render_to_string("blocks.html", {"blocks": content.blocks(guidelines)})


def message_page(request: HttpRequest, heading: str, message: str, status: int) -> HttpResponse:
    """A page with a heading and one paragraph."""
    context = {"heading": heading, "message": message}
    return render(request, "message.html", context, status=status)
