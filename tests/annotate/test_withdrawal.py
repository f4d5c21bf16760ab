"""Leaving: what becomes of answers, slots, names and pay of someone who withdraws."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bookkeeping import check_books
from projects import START, Clock, add_items, make_project
from test_external_workers import ID, address, browser, judge, study_link
from visitors import ticking_clock

from trope.annotate.project import Project
from trope.annotate.store import discipline, judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Item, Lease, Person, Standing, StoredJudgment, Trial
from trope.annotate.store.people import invite
from trope.annotate.web.service import web_settings


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


Serve = Callable[..., Project]


@pytest.fixture
def serve(tmp_path: Path, clock: Clock) -> Serve:
    def start(more: str = "", *, items: int = 2, gold: int = 0, **options: Any) -> Project:
        project = make_project(tmp_path / "p", more=more, **options)
        connect(project, **web_settings())
        add_items(project, items, gold=gold)
        return project

    return start


PROFILE = """
[[profile.questions]]
id = "country"
kind = "text"
text = "Country?"
"""


def working(project: Project, clock: Clock) -> tuple[Any, Person]:
    """Someone who has judged two items and a control item, and holds more."""
    ann = browser()
    ann.post(f"/join/{invite('Ann', now=START)}")
    ann.post("/profile", {"country": "Elbonia"})
    person = Person.objects.get(name="Ann")
    for answer in ("yes", "no"):
        judge(ann, answer)
    given = StoredJudgment.objects.filter(person=person).first()
    assert given
    judgments.change(person.pk, given.pk, "t" * 32, {"metaphor": "no"}, project.plan, now=clock.now)
    return ann, person


@pytest.mark.parametrize("answers", ["keep", "erase"])
def test_withdrawal_does_what_the_consent_says(answers: str, serve: Serve, clock: Clock) -> None:
    project = serve(f"[withdrawal]\nanswers = '{answers}'\n{PROFILE}", items=6)
    token = invite("Early", now=START)
    said = browser().get(f"/join/{token}").content.decode()
    assert ("are erased" if answers == "erase" else "are kept without your name") in said
    ann, person = working(project, clock)
    form = queue.leases_of(person.pk)[0].token

    page = ann.get("/withdraw").content.decode()
    assert "cannot undo this" in page
    ann.post("/withdraw")
    assert Person.objects.get(pk=person.pk).state == "active", "only with the button"
    done = ann.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "You have withdrawn" in done

    person.refresh_from_db()
    assert person.state == "withdrawn"
    assert person.name == f"withdrawn-{person.pk}"
    assert Standing.objects.get(pk=person.pk).profile is None
    assert not Lease.objects.exists()
    check_books(project)
    rows = [*StoredJudgment.objects.filter(person=person)]
    assert len(rows) == 3
    if answers == "erase":
        assert [row.answers for row in rows] == [{}] * 3
        assert {row.state for row in rows} == {"erased"}
        assert set(Item.objects.values_list("open_slots", flat=True)) == {2}
    else:
        assert [row.state for row in rows if row.current] == ["counted"] * 2
        assert {"metaphor": "no"} in [row.answers for row in rows]
    noted = json.dumps([[event.who, event.detail] for event in Event.objects.all()])
    assert "Ann" not in noted
    assert Event.objects.get(what="withdraw").detail["answers"] == answers
    assert "Elbonia" not in json.dumps([*Standing.objects.values_list("profile", flat=True)])

    assert ann.get("/judge").status_code == 401, "the session has ended"
    with pytest.raises(people.ActionRefused):
        judgments.submit(person.pk, form, {"metaphor": "yes"}, project.plan, now=clock.now)


def test_freed_items_go_to_others(serve: Serve, clock: Clock) -> None:
    project = serve(f"[withdrawal]\nanswers = 'erase'\n{PROFILE}", items=3, k=1)
    ann, _ = working(project, clock)
    bob = browser()
    bob.post(f"/join/{invite('Bob', now=START)}")
    bob.post("/profile", {"country": "x"})
    assert "no items left for you" in bob.get("/judge").content.decode()
    ann.post("/withdraw", {"sure": "yes"})
    for _ in range(3):
        judge(bob)
    assert StoredJudgment.objects.filter(state="counted").count() == 3
    check_books(project)


def test_link_of_who_has_withdrawn_is_dead(serve: Serve, clock: Clock) -> None:
    serve()
    token = invite("Ann", now=START)
    ann = browser()
    ann.post(f"/join/{token}")
    ann.post("/withdraw", {"sure": "yes"})
    assert browser().post(f"/join/{token}").status_code == 404
    invite("Ann", now=START)  # the name is free again


def test_worker_who_returns_their_place_does_not_come_back(serve: Serve, clock: Clock) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'")
    token = study_link()
    client = browser()
    client.post(address(token))
    judge(client)
    page = client.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "return your place" in page
    assert "DONE77" not in page
    answer = browser().post(address(token))
    assert "You have withdrawn" in answer.content.decode()
    kept = json.dumps(
        [*Person.objects.values_list("name", flat=True), *Standing.objects.values_list("outside")]
    )
    assert ID not in kept, "the id itself is not kept"


def test_pay_of_who_has_withdrawn_stays_on_the_sheet(serve: Serve, clock: Clock) -> None:
    project = serve("[pay]\namount = '3'\n" + PROFILE, items=6)
    ann, person = working(project, clock)
    page = ann.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "2.00 USD" in page
    assert f"withdrawn-{person.pk}" in page
    boss = browser()
    boss.post(f"/join/{invite('Olga', role='owner', now=START)}")
    sheet = boss.get("/project").content.decode()
    assert re.search(
        rf"withdrawn-{person.pk}</a></th>.*?data-head=\"Earned\">2.00</td>", sheet, re.S
    )


def test_demo_answers_are_erased_too(serve: Serve, clock: Clock) -> None:
    project = serve("[withdrawal]\nanswers = 'erase'")
    ann = browser()
    ann.post(f"/join/{invite('Ann', now=START)}")
    person = Person.objects.get(name="Ann")
    Trial.objects.create(
        person=person, part="demo", item="d", answers={"metaphor": "no"}, seconds=1, at=START
    )
    ann.post("/withdraw", {"sure": "yes"})
    assert not Trial.objects.exists()
    check_books(project)


def test_who_has_withdrawn_cannot_be_dismissed_afterwards(serve: Serve, clock: Clock) -> None:
    project = serve(PROFILE, items=6)
    ann, person = working(project, clock)
    ann.post("/withdraw", {"sure": "yes"})
    assert discipline.dismiss(person.pk, "too late", now=clock.now) == 0
    assert StoredJudgment.objects.filter(state="counted", current=True).count() == 2
