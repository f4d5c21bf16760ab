"""Every address of the service."""

from __future__ import annotations

from django.urls import path

from trope.annotate.web import batching, owning, views
from trope.annotate.web.throttle import slow_guessing

urlpatterns = [
    path("", views.home, name="home"),
    path("join/<str:token>", slow_guessing(views.join), name="join"),
    path("leave", views.leave, name="leave"),
    path("guidelines", views.guidelines, name="guidelines"),
    path("judge", views.work, name="work"),
    path("judge/draft", views.draft, name="draft"),
    path("judge/earlier", views.earlier, name="earlier"),
    path("judge/change/<int:number>", views.change, name="change"),
    path("project", owning.project, name="project"),
    path("project/invite", owning.invite, name="invite"),
    path("project/dismiss/<int:number>", owning.dismiss, name="dismiss"),
    path("project/judgments.csv", owning.export, {"kind": "csv"}, name="export_csv"),
    path("project/judgments.jsonl", owning.export, {"kind": "jsonl"}, name="export_jsonl"),
    # the course of the work
    path("judge/undo", views.undo, name="undo"),
    path("project/batches", batching.list_or_open, name="batches"),
]
