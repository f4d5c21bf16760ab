"""Every address of the service."""

from __future__ import annotations

from django.urls import path

from trope.annotate.web import choosing, entering, owning, views

urlpatterns = [
    path("", views.home, name="home"),
    path("join/<str:token>", views.join, name="join"),
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
]

# the way in and out
urlpatterns += [
    path("way", entering.way, name="way"),
    path("agree", entering.agree, name="agree"),
    path("profile", entering.profile, name="profile"),
    path("guidelines/read", entering.confirm_reading, name="confirm_reading"),
    path("training", entering.training, name="training"),
    path("training/<int:number>", entering.worked, name="worked"),
    path("demo", entering.demo, name="demo"),
    path("practice/draft", entering.practice_draft, name="practice_draft"),
    path("waiting", entering.waiting, name="waiting"),
    path("withdraw", entering.withdraw, name="withdraw"),
    path("outside/<str:token>", entering.arrive, name="arrive"),
    path("project/applicants", choosing.applicants, name="applicants"),
    path("project/applicants/best", choosing.accept_best, name="accept_best"),
    path("project/applicants/<int:number>", choosing.settle, name="settle"),
    path("project/link", choosing.make_link, name="make_link"),
    path("project/trials.jsonl", choosing.trials, name="trials"),
]
