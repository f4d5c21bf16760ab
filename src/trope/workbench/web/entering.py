"""The way in for a browser on another machine: a link with the token, kept as a cookie."""

from __future__ import annotations

from secrets import compare_digest

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from trope.workbench.refused import Refused
from trope.workbench.web.middleware import COOKIE, cookie_value
from trope.workbench.web.state import the_options


@require_safe
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the token of a link for a cookie."""
    known = the_options().token
    if not known or not compare_digest(token.encode(), known.encode()):
        raise Refused(401, "wrong-token", "that link is of another start; use the newest one")
    response = redirect("home")
    response.set_cookie(COOKIE, cookie_value(known), httponly=True, samesite="Lax")
    return response
