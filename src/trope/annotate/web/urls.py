"""Every address of the service."""

from __future__ import annotations

from django.urls import path

from trope.annotate.web import (
    annotator_pages,
    downloads,
    item_pages,
    model_pages,
    onboarding,
    owner_pages,
    quality_pages,
    setup_pages,
    sign_on,
)
from trope.annotate.web.middleware import slow_guessing

urlpatterns = [
    path("", onboarding.home, name="home"),
    path("join/<str:token>", slow_guessing(onboarding.join), name="join"),
    path("leave", onboarding.sign_out, name="sign_out"),
    path("sign-on", sign_on.begin, name="sign_on"),
    path("sign-on/return", sign_on.finish, name="sign_on_return"),
    path("guidelines", annotator_pages.guidelines, name="guidelines"),
    path("judge", annotator_pages.work, name="work"),
    path("judge/draft", annotator_pages.draft, name="draft"),
    path("judge/earlier", annotator_pages.earlier, name="earlier"),
    path("judge/change/<int:number>", annotator_pages.change, name="change"),
    path("project", owner_pages.project, name="project"),
    path("project/invite", owner_pages.invite, name="invite"),
    path("project/dismiss/<int:number>", owner_pages.dismiss, name="dismiss"),
]

# joining and withdrawing
urlpatterns += [
    path("way", onboarding.current_stage, name="current_stage"),
    path("agree", onboarding.agree, name="agree"),
    path("profile", onboarding.profile, name="profile"),
    path("guidelines/read", onboarding.confirm_reading, name="confirm_reading"),
    path("training", onboarding.training, name="training"),
    path("training/<int:number>", onboarding.worked, name="worked"),
    path("demo", onboarding.demo, name="demo"),
    path("practice/draft", onboarding.practice_draft, name="practice_draft"),
    path("waiting", onboarding.waiting, name="waiting"),
    path("withdraw", annotator_pages.withdraw, name="withdraw"),
    path("outside/<str:token>", slow_guessing(onboarding.external_link), name="arrive"),
    path("open/<str:token>", slow_guessing(onboarding.open_link), name="open_link"),
    path("welcome", annotator_pages.welcome, name="welcome"),
    path("project/applicants", owner_pages.applicants, name="applicants"),
    path("project/applicants/best", owner_pages.accept_best, name="accept_best"),
    path("project/applicants/<int:number>", owner_pages.set_verdict, name="set_verdict"),
    path("project/link", owner_pages.make_link, name="make_link"),
]

# the course of the work
urlpatterns += [
    path("judge/undo", annotator_pages.undo, name="undo"),
    path("project/batches", item_pages.batches_page, name="batches"),
]

# files for the owner
urlpatterns += [
    path("project/judgments.csv", downloads.judgments, {"kind": "csv"}, name="export_csv"),
    path("project/judgments.jsonl", downloads.judgments, {"kind": "jsonl"}, name="export_jsonl"),
    path("project/answers.csv", downloads.answers, name="answers_csv"),
    path("project/labels.csv", downloads.labels, {"kind": "csv"}, name="labels_csv"),
    path("project/labels.jsonl", downloads.labels, {"kind": "jsonl"}, name="labels_jsonl"),
    path("project/labelled.csv", downloads.labelled, {"kind": "csv"}, name="labelled_csv"),
    path("project/labelled.jsonl", downloads.labelled, {"kind": "jsonl"}, name="labelled_jsonl"),
    path(
        "project/labelled.parquet", downloads.labelled, {"kind": "parquet"}, name="labelled_parquet"
    ),
    path("project/agreement.json", downloads.agreement, {"kind": "json"}, name="agreement_json"),
    path("project/agreement.md", downloads.agreement, {"kind": "md"}, name="agreement_md"),
    path("project/decisions.csv", downloads.decisions, name="decisions_csv"),
    path("project/models.csv", downloads.model_answers, name="models_csv"),
    path("project/release", downloads.release, name="release"),
    path("project/trials.jsonl", downloads.trials, name="trials"),
    path("project/pay.csv", downloads.pay, name="pay_csv"),
]

# quality: what is done about people, agreement, labels, adjudication
urlpatterns += [
    path("me", annotator_pages.me, name="me"),
    path("me/warnings", annotator_pages.mark_warnings_read, name="mark_warnings_read"),
    path("me/appeal", annotator_pages.appeal, name="appeal"),
    path("project/pay", downloads.pay_page, name="pay"),
    path("project/pay/settle", downloads.settle, name="settle"),
    path("project/person/<int:number>", quality_pages.person, name="person"),
    path("project/person/<int:number>/discipline", quality_pages.discipline, name="discipline"),
    path("project/appeal/<int:number>", quality_pages.appeal, name="answer_appeal"),
    path("project/review", quality_pages.review, name="review"),
    path("project/quality", quality_pages.agreement, name="quality"),
    path("project/labels", quality_pages.labels, name="labels"),
    path("project/tables", quality_pages.tables, name="tables"),
    path("project/models", model_pages.models, name="models"),
    path("project/models/<str:name>", model_pages.run, name="model_run"),
    path("adjudicate", quality_pages.disputes, name="disputes"),
    path("adjudicate/decided", quality_pages.decided, name="decided"),
    path("adjudicate/<int:number>", quality_pages.dispute, name="dispute"),
]

# setting a project up, and who changed what
urlpatterns += [
    path("project/new", setup_pages.new, name="new"),
    path("project/items", item_pages.items, name="items"),
    path("project/items/file/<str:token>", item_pages.mapping, name="mapping"),
    path("project/items/<int:number>", item_pages.item, name="edit_item"),
    path("project/questions", setup_pages.questions, name="questions"),
    path("project/training", setup_pages.training_form, name="training_form"),
    path("project/settings", setup_pages.settings_page, name="settings"),
    path("project/file", setup_pages.plan_file, name="plan_file"),
    path("project/links", owner_pages.links, name="links"),
    path("project/links/open", owner_pages.open_links, name="open_links"),
    path("project/pause", owner_pages.pause, name="pause"),
    path("project/history", owner_pages.history, name="history"),
    path("project/history.csv", owner_pages.history_csv, name="history_csv"),
    path("project/history/<int:number>", owner_pages.version, name="version"),
]
