"""What the manual promises beside its large subjects: pages read little, events are kept."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from projects import START, Clock, add_items, make_project
from routes import ANNOTATOR, ROUTES
from test_security import address
from test_web import browser, form_token
from visitors import ticking_clock

from trope.annotate.store.database import connect
from trope.annotate.store.discipline import dismiss
from trope.annotate.store.membership import consent
from trope.annotate.store.models import Event, Item, Person, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web.service import web_settings


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


def judge(client: Any, number: int) -> None:
    for _ in range(number):
        form = {"token": form_token(client), "metaphor": "yes"}
        assert client.post("/judge", form).status_code == 302


def test_no_page_of_an_annotator_reads_many_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "p", page=4)
    connect(project, **web_settings())
    add_items(project, 90)
    ann = browser(invite("Ann", now=START))
    judge(ann, 60)
    seen: list[object] = []
    plain = Item.from_db.__func__  # type: ignore[attr-defined]

    def counted(kind: type[Item], *row: Any) -> Item:
        seen.append(row)
        read: Item = plain(kind, *row)
        return read

    monkeypatch.setattr(Item, "from_db", classmethod(counted))
    for name, route in ROUTES.items():
        if ANNOTATOR in route.roles and "GET" in route.methods:
            seen.clear()
            ann.get(address(name), follow=True)
            assert len(seen) <= (50 if name == "earlier" else 2 * 4), name


def test_what_is_done_is_kept_with_time_and_person(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", more="consent = 'Your answers are kept.'")
    connect(project, **web_settings())
    add_items(project, 3)
    olga = browser(invite("Olga", role="owner", now=START))
    assert olga.post("/project/invite", {"name": "Ann"}).status_code == 200
    ann = Person.objects.get(name="Ann")
    consent(ann.pk, project.plan, now=clock.now)
    dismiss(ann.pk, "too fast", now=clock.now, by="Olga")
    kept = {(one.what, one.who) for one in Event.objects.all()}
    assert {("invite", "Olga"), ("consent", "Ann"), ("dismiss", "Olga")} <= kept, kept
    assert "import" in {what for what, _ in kept}
    assert all(one.at.utcoffset() == timedelta() for one in Event.objects.all())


@pytest.mark.parametrize("days", [1, -1])
def test_session_and_limits_survive_a_clock_that_jumps_a_day(
    days: int, tmp_path: Path, clock: Clock
) -> None:
    project = make_project(tmp_path / "p", k=1, page=2)
    connect(project, **web_settings())
    add_items(project, 8)
    ann, bob = (browser(invite(name, now=START)) for name in ("Ann", "Bob"))
    judge(ann, 1)
    clock.forward(days=days)
    judge(ann, 1)
    judge(bob, 1)
    clock.forward(days=-days)
    judge(ann, 1)
    judge(bob, 1)
    items = list(StoredJudgment.objects.values_list("item_id", flat=True))
    assert len(items) == len(set(items)) == 5, "one judgment per item, whatever the clock says"
    assert all(seconds >= 0 for seconds in StoredJudgment.objects.values_list("seconds", flat=True))
