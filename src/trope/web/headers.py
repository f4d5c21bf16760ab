"""Headers that isolate a page, and the server that sends it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]

# nothing from elsewhere, nothing written into the page itself: text that people bring stays text
POLICY = (
    "default-src 'none'; object-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def harden(answer: Answer) -> Answer:
    """Headers of every response."""

    def hardened(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        response["Content-Security-Policy"] = POLICY
        response["X-Frame-Options"] = "DENY"
        response["Cross-Origin-Opener-Policy"] = "same-origin"
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"
        response.setdefault("Cache-Control", "no-store")
        if not response.streaming:  # whole pages travel in one piece
            response["Content-Length"] = str(len(response.content))
        return response

    return hardened
