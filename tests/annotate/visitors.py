"""Projects with stages, and people in browsers without scripts on their way through them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from projects import START, Clock, add_items, make_project

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.people import invite
from trope.annotate.store.practice import import_demo
from trope.annotate.web import context
from trope.annotate.web.service import web_settings

PROFILE = """
[[profile.questions]]
id = "native"
kind = "choice"
text = "First language?"
options = [{ value = "yes" }, { value = "no" }]
[[profile.eligible]]
question = "native"
values = ["yes"]
"""
TRAINING = """
[[training.items]]
text = "Prices climb."
highlight = "climb"
answers = { metaphor = "yes" }
message = "Prices have no feet."
[[training.items]]
text = "Goats climb."
answers = { metaphor = "no" }
message = "Goats have feet."
"""
DEMO = """
[demo]
items = 4
gold = 2
paid = true
[skip]
allowed = true
limit = 0.5
[pay]
amount = "0.60"
[selection]
"""


def ticking_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time that every page goes by; each look at it takes a second."""
    time = Clock()

    class Ticking:
        @staticmethod
        def now(_: Any) -> Any:
            return time.forward(seconds=1)

    monkeypatch.setattr(context, "datetime", Ticking)
    return time


def staged_project(folder: Path, more: str) -> Project:
    """A served project with these settings, six items and a demo task."""
    project = make_project(folder, more=more)
    connect(project, **web_settings())
    add_items(project, 6)
    rows: list[dict[str, Any]] = [{"id": f"d{n}", "text": f"Demo {n}."} for n in range(1, 6)]
    for n, answer in enumerate(["yes", "yes", "yes", "no"], start=1):
        rows.append({"id": f"k{n}", "text": f"Known {n}.", "gold": {"metaphor": answer}})
    path = folder / "demo.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_demo(project, path, now=START)
    return project


def browser(token: str = "") -> Any:
    """A browser, signed in with that link if there is one."""
    from django.test import Client

    client = Client(HTTP_HOST="localhost")
    if token:
        assert client.post(f"/join/{token}").status_code == 302
    return client


def annotator(name: str, **options: Any) -> Any:
    return browser(invite(name, now=START, **options))


def owner() -> Any:
    return browser(invite("Olga", role="owner", now=START))


def where(client: Any) -> str:
    """The page to which someone is led who wants to judge."""
    answer = client.get("/judge", follow=True)
    return str(answer.request["PATH_INFO"])


def field(client: Any, address: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', client.get(address).content.decode())
    assert found, address
    return found[1]


def judge(client: Any, answer: str = "yes") -> Any:
    return client.post("/judge", {"token": field(client, "/judge", "token"), "metaphor": answer})


def confirm(client: Any) -> Any:
    opened = field(client, "/guidelines", "opened")
    return client.post("/guidelines/read", {"opened": opened})


def do_demo(client: Any, *, known: str = "right") -> None:
    """The whole demo task; control items are answered right, wrong or skipped."""
    while where(client) == "/demo":
        page = client.get("/demo").content.decode()
        key = field(client, "/demo", "token")
        right = "no" if "Known 4" in page else "yes"
        sent = {"token": key, "metaphor": right}
        if "Known" in page and known == "wrong":
            sent["metaphor"] = "yes" if right == "no" else "no"
        if "Known" in page and known == "skipped":
            sent = {"token": key, "action": "skip"}
        assert client.post("/demo", sent).status_code == 302
