"""The owner's page of batches."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from trope.annotate.store import batches
from trope.annotate.web.views import now, only


@require_http_methods(["GET", "POST"])
@only("owner")
def list_or_open(request: HttpRequest) -> HttpResponse:
    """The batches with their progress; a press of the button opens the next one."""
    if request.method == "POST":
        batches.open_next(now=now(), by=request.person.name)
        return redirect("batches")
    return render(request, "batches.html", {"batches": batches.all_batches()})
