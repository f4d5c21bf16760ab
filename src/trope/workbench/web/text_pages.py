"""The text view."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def home(request: HttpRequest) -> HttpResponse:
    """Where a text is pasted or dropped."""
    return render(request, "text.html")
