"""Every address of the service."""

from __future__ import annotations

from django.urls import path

from trope.annotate.web import (
    adjudicating,
    batching,
    choosing,
    downloads,
    entering,
    owning,
    personal,
    quality,
    views,
)
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
    path("outside/<str:token>", slow_guessing(entering.arrive), name="arrive"),
    path("project/applicants", choosing.applicants, name="applicants"),
    path("project/applicants/best", choosing.accept_best, name="accept_best"),
    path("project/applicants/<int:number>", choosing.settle, name="settle"),
    path("project/link", choosing.make_link, name="make_link"),
]

# the course of the work
urlpatterns += [
    path("judge/undo", views.undo, name="undo"),
    path("project/batches", batching.list_or_open, name="batches"),
]

# files for the owner
urlpatterns += [
    path("project/judgments.csv", downloads.judgments, {"kind": "csv"}, name="export_csv"),
    path("project/judgments.jsonl", downloads.judgments, {"kind": "jsonl"}, name="export_jsonl"),
    path("project/answers.csv", downloads.answers, name="answers_csv"),
    path("project/labels.csv", downloads.labels, {"kind": "csv"}, name="labels_csv"),
    path("project/labels.jsonl", downloads.labels, {"kind": "jsonl"}, name="labels_jsonl"),
    path("project/trials.jsonl", downloads.trials, name="trials"),
    path("project/pay.csv", downloads.pay, name="pay_csv"),
]

# quality: what is done about people, agreement, labels, adjudication
urlpatterns += [
    path("me", personal.me, name="me"),
    path("me/warnings", personal.put_away, name="put_away"),
    path("me/appeal", personal.appeal, name="appeal"),
    path("project/pay", quality.pay, name="pay"),
    path("project/person/<int:number>", quality.person, name="person"),
    path("project/person/<int:number>/discipline", quality.discipline, name="discipline"),
    path("project/appeal/<int:number>", quality.appeal, name="answer_appeal"),
    path("project/review", quality.review, name="review"),
    path("project/quality", quality.agreement, name="quality"),
    path("project/labels", quality.labels, name="labels"),
    path("project/tables", quality.tables, name="tables"),
    path("adjudicate", adjudicating.disputes, name="disputes"),
    path("adjudicate/decided", adjudicating.decided, name="decided"),
    path("adjudicate/<int:number>", adjudicating.dispute, name="dispute"),
]
