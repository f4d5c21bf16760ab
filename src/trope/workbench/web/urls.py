"""Every address of the workbench."""

from __future__ import annotations

from django.urls import path

from trope.workbench.web import answers, entering, text_pages

handler400 = answers.bad_request
handler404 = answers.not_found
handler500 = answers.failed

urlpatterns = [
    path("", text_pages.home, name="home"),
    path("enter/<str:token>", entering.enter, name="enter"),
]
