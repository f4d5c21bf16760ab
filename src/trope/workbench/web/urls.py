"""Every address of the workbench."""

from __future__ import annotations

from django.urls import path, re_path

from trope.workbench.web import api, corpus_pages, middleware, text_pages

handler400 = middleware.bad_request
handler404 = middleware.not_found
handler500 = middleware.failed

urlpatterns = [
    path("", text_pages.home, name="home"),
    path("t/<slug:name>", text_pages.shown, name="shown"),
    path("t/<slug:name>/shades.css", text_pages.shade_rules, name="shades"),
    re_path(
        r"^t/(?P<name>[0-9a-f]+)\.(?P<form>json|csv|html)$", text_pages.download, name="download"
    ),
    path("kept", text_pages.kept, name="kept"),
    path("kept/delete", text_pages.delete, name="delete"),
    path("enter/<str:token>", middleware.enter, name="enter"),
    *api.addresses(),
    path("api/openapi.json", api.describe, name="openapi"),
    *corpus_pages.addresses(),
]
