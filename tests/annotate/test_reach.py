"""What annotators may see and send: nothing known, nothing of others, nothing that is not asked."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from projects import START, add_items, make_project
from routes import ROUTES
from test_security import NAMES, served
from test_web import browser, form_token

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Lease, Person, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web.service import web_settings

GOLD_PLAN = """
[skip]
allowed = true
limit = 1.0
[gold]
share = 0.5
[[questions]]
id = "why"
kind = "text"
required = false
text = "Why?"
"""


def all_pages(client: Any, rng: Random, known: set[str]) -> Iterator[tuple[str, str]]:
    """Every response to random use of every address that an annotator can reach."""
    while True:
        page = client.get("/judge")
        yield "/judge", page.content.decode()
        found = re.search(r'name="token" value="(\w+)"', page.content.decode())
        if not found:
            break
        form: dict[str, Any] = {"token": found[1], "metaphor": rng.choice(["yes", "no", "", "?"])}
        if rng.random() < 0.3:
            yield "draft", client.post("/judge/draft", form).content.decode()
        form["action"] = rng.choice(["submit", "submit", "skip"])
        extra = {"HTTP_X_TROPE": "next"} if rng.random() < 0.5 else {}
        yield "submit", client.post("/judge", form, **extra).content.decode()
        for name in NAMES:
            arguments = dict(ROUTES[name].arguments)
            if "number" in arguments:
                arguments["number"] = rng.randint(1, 12)
            from django.urls import reverse

            path = reverse(name, kwargs=arguments)
            if name not in ("join", "sign_out", "work"):
                yield path, client.get(path).content.decode()
                if rng.random() < 0.1:
                    yield path, client.post(path, form).content.decode()


@pytest.mark.parametrize("seed", range(4))
def test_gold_never_reaches_an_annotator(seed: int, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", page=4, more=GOLD_PLAN)
    connect(project, **web_settings())
    rows: list[dict[str, Any]] = [{"id": f"i{n}", "text": f"Sentence {n}."} for n in range(8)]
    known = {"metaphor": "yes", "why": "zebra-314"}
    rows += [{"id": f"okapi{n}", "text": f"Sentence {n + 8}.", "gold": known} for n in range(6)]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)
    ann = browser(invite("Ann", now=START))
    pages = list(all_pages(ann, Random(seed), set()))
    assert StoredJudgment.objects.filter(item__is_gold=True).exists()
    for where, page in pages:
        # a random token may spell any word
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)
        # warnings and the person's own page tell how many were right, never which
        told = re.sub(r"were not right\.|right to appeal|\d+ of \d+ right", "", page.lower())
        for sign in ("zebra-314", "okapi", "gold", "control", "is_gold", "right"):
            assert sign not in told.replace("copyright", ""), (where, sign)


def test_control_item_looks_like_any_other(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", page=4, more="[gold]\nshare = 0.5")
    connect(project, **web_settings())
    add_items(project, 8, gold=4)
    ann = browser(invite("Ann", now=START))
    ann.post("/judge", {"token": form_token(ann), "metaphor": "no"})  # later, undo is offered
    shapes: dict[bool, set[str]] = {True: set(), False: set()}
    for _ in range(7):
        page = ann.get("/judge").content.decode()
        token = form_token(ann)
        is_gold = Lease.objects.select_related("item").get(token=token).item.is_gold
        shape = re.sub(r'value="\w{20,}"|\d+|Sentence number|Control', "", page)
        shapes[is_gold].add(shape)
        ann.post("/judge", {"token": token, "metaphor": "no"})
    assert shapes[True]
    assert shapes[True] == shapes[False]


_NOT_OFFERED = ["maybe", "", "YES", "' OR 1=1 --", "yes\r\nSet-Cookie: a=b", "é" * 3000]


@pytest.mark.parametrize(
    ("answer", "status"), [*((answer, 422) for answer in _NOT_OFFERED), ("yes\0", 400)]
)
def test_answer_that_is_not_offered_is_refused(answer: str, status: int, served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    form = {"token": form_token(ann), "metaphor": answer}
    assert ann.post("/judge", form).status_code == status
    assert not StoredJudgment.objects.exists()


def test_fields_that_a_form_does_not_have_are_ignored(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    form = {"token": form_token(ann), "metaphor": "no", "state": "gold", "person": "1"}
    ann.post("/judge?metaphor=yes", form | {"gold_right": "1", "judged": "999", "role": "owner"})
    (stored,) = StoredJudgment.objects.all()
    assert stored.answers == {"metaphor": "no"}
    assert Person.objects.get(name="Ann").role == "annotator"
    assert Person.objects.get(name="Ann").judged == 1


def test_work_of_others_cannot_be_reached(served: Project) -> None:
    ann, bob = (browser(invite(name, now=START)) for name in ("Ann", "Bob"))
    form = {"token": form_token(ann), "metaphor": "yes"}
    assert bob.post("/judge", form).status_code == 409
    assert bob.post("/judge/draft", form).status_code == 409
    ann.post("/judge", form)
    number = StoredJudgment.objects.get().pk
    assert bob.get(f"/judge/change/{number}").status_code == 404
    assert bob.post(f"/judge/change/{number}", form).status_code == 404
    assert StoredJudgment.objects.count() == 1


def test_nobody_works_before_agreeing(served: Project) -> None:
    token = invite("Ann", now=START)
    ann = browser(token)
    Person.objects.filter(name="Ann").update(consented=None)
    for answer in (ann.get("/judge"), ann.post("/judge", {"token": "x", "metaphor": "yes"})):
        assert (answer.status_code, answer.headers["Location"]) == (302, "/way")
    assert ann.get("/way").headers["Location"] == "/agree"
    assert not Lease.objects.exists()
