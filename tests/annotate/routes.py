"""What every address of the service is for: a new one needs a line here, or tests fail.

To add yours: its name in urls.py, the roles that it answers (the empty one is a stranger), the
methods that it takes, and arguments of its address that lead nowhere.
"""

from dataclasses import dataclass, field

STRANGER, ANNOTATOR, ADJUDICATOR, OWNER = ROLES = ("", "annotator", "adjudicator", "owner")


@dataclass(frozen=True)
class Route:
    """Who may use an address, how, and arguments for it."""

    roles: tuple[str, ...]
    methods: str = "GET"
    arguments: dict[str, object] = field(default_factory=dict)


FILES = (
    "export_csv",
    "export_jsonl",
    "answers_csv",
    "labels_csv",
    "labels_jsonl",
    "labelled_csv",
    "labelled_jsonl",
    "labelled_parquet",
    "agreement_json",
    "agreement_md",
    "trials",
    "pay_csv",
    "history_csv",
    "decisions_csv",
    "models_csv",
)
"""Addresses that answer with a download, which is no page."""

ROUTES = {
    "home": Route(ROLES),
    "join": Route(ROLES, "GET POST", {"token": "nobody"}),
    "sign_out": Route(ROLES, "POST"),
    "sign_on": Route(ROLES),
    "sign_on_return": Route(ROLES),
    "guidelines": Route((ANNOTATOR, ADJUDICATOR, OWNER)),
    "work": Route((ANNOTATOR,), "GET POST"),
    "draft": Route((ANNOTATOR,), "POST"),
    "earlier": Route((ANNOTATOR,)),
    "change": Route((ANNOTATOR,), "GET POST", {"number": 999_999}),
    "project": Route((OWNER,)),
    "invite": Route((OWNER,), "POST"),
    "dismiss": Route((OWNER,), "POST", {"number": 999_999}),
    "export_csv": Route((OWNER,)),
    "export_jsonl": Route((OWNER,)),
    # joining and withdrawing
    "arrive": Route(ROLES, "GET POST", {"token": "nobody"}),
    "open_link": Route(ROLES, "GET POST", {"token": "nobody"}),
    "welcome": Route((ANNOTATOR,)),
    "open_links": Route((OWNER,), "POST"),
    "current_stage": Route((ANNOTATOR,)),
    "agree": Route((ANNOTATOR,), "GET POST"),
    "profile": Route((ANNOTATOR,), "GET POST"),
    "confirm_reading": Route((ANNOTATOR,), "POST"),
    "training": Route((ANNOTATOR,), "GET POST"),
    "worked": Route((ANNOTATOR,), "GET", {"number": 999_999}),
    "demo": Route((ANNOTATOR,), "GET POST"),
    "practice_draft": Route((ANNOTATOR,), "POST"),
    "waiting": Route((ANNOTATOR,)),
    "withdraw": Route((ANNOTATOR,), "GET POST"),
    "applicants": Route((OWNER,)),
    "accept_best": Route((OWNER,), "POST"),
    "set_verdict": Route((OWNER,), "POST", {"number": 999_999}),
    "make_link": Route((OWNER,), "POST"),
    # files for the owner
    "answers_csv": Route((OWNER,)),
    "labels_csv": Route((OWNER,)),
    "labels_jsonl": Route((OWNER,)),
    "labelled_csv": Route((OWNER,)),
    "labelled_jsonl": Route((OWNER,)),
    "labelled_parquet": Route((OWNER,)),
    "agreement_json": Route((OWNER,)),
    "agreement_md": Route((OWNER,)),
    "decisions_csv": Route((OWNER,)),
    "models_csv": Route((OWNER,)),
    "release": Route((OWNER,), "GET POST"),
    "trials": Route((OWNER,)),
    "pay_csv": Route((OWNER,)),
    # quality
    "me": Route((ANNOTATOR,)),
    "mark_warnings_read": Route((ANNOTATOR,), "POST"),
    "appeal": Route((ANNOTATOR,), "POST"),
    "pay": Route((OWNER,)),
    "settle": Route((OWNER,), "POST"),
    "person": Route((OWNER,), "GET", {"number": 999_999}),
    "discipline": Route((OWNER,), "POST", {"number": 999_999}),
    "answer_appeal": Route((OWNER,), "POST", {"number": 999_999}),
    "review": Route((OWNER,), "GET POST"),
    "quality": Route((OWNER,)),
    "labels": Route((OWNER,)),
    "tables": Route((OWNER,)),
    "models": Route((OWNER,), "GET POST"),
    "model_run": Route((OWNER,), "POST", {"name": "nothing"}),
    "disputes": Route((ADJUDICATOR, OWNER)),
    "decided": Route((ADJUDICATOR, OWNER)),
    "dispute": Route((ADJUDICATOR, OWNER), "GET POST", {"number": 999_999}),
    # setting a project up
    "new": Route((OWNER,), "GET POST"),
    "items": Route((OWNER,), "GET POST"),
    "mapping": Route((OWNER,), "GET POST", {"token": "nothing"}),
    "edit_item": Route((OWNER,), "GET POST", {"number": 999_999}),
    "questions": Route((OWNER,), "GET POST"),
    "training_form": Route((OWNER,), "GET POST"),
    "settings": Route((OWNER,), "GET POST"),
    "plan_file": Route((OWNER,), "GET POST"),
    "links": Route((OWNER,), "GET POST"),
    "pause": Route((OWNER,), "POST"),
    "history": Route((OWNER,)),
    "history_csv": Route((OWNER,)),
    "version": Route((OWNER,), "GET", {"number": 999_999}),
    # the course of the work
    "undo": Route((ANNOTATOR,), "POST"),
    "batches": Route((OWNER,), "GET POST"),
}
