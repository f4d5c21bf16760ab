"""The owner's page: how far the work is, what waits, and the one next step."""

import json
import re
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from projects import START, add_items, make_project
from visitors import browser, owner

from trope.annotate.project import Project
from trope.annotate.store import adjudication, discipline, judgments, overview, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Item, StoredJudgment
from trope.annotate.web import context
from trope.annotate.web.service import web_settings


@pytest.fixture(autouse=True)
def _at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "now", lambda: START)


def project(folder: Path, items: int = 4, **plan: Any) -> Project:
    found = make_project(folder, page=10, **plan)
    connect(found, **web_settings())
    if items:
        add_items(found, items)
    return found


def invite(name: str) -> int:
    person = people.person_by_token(people.invite(name, now=START))
    assert person is not None
    return int(person.pk)


def judge(served: Project, person: int, no: str = "", *, most: int = 10_000) -> None:
    """Someone judges what they are given: no for the items in `no`, yes for all others."""
    done = 0
    while done < most:
        leases = queue.next_page(person, served.plan, now=START, rng=Random(1)).leases
        if not leases:
            return
        for lease in leases[: most - done]:
            said = {"metaphor": "no" if lease.item.external_id in no.split() else "yes"}
            at = START + timedelta(minutes=StoredJudgment.objects.count())
            judgments.submit(person, lease.token, said, served.plan, now=at)
            done += 1


def words(client: Any) -> str:
    """What the page says."""
    page = client.get("/project").content.decode()
    return " ".join(re.sub(r"<[^>]+>", "", page).split())


def step(client: Any) -> tuple[str, str]:
    """The label of the primary button, and where it leads."""
    page = client.get("/project").content.decode()
    found = re.findall(r'<a class="button" id="next" href="([^"]+)">([^<]+)<', page)
    assert len(found) == 1
    return found[0][1], found[0][0]


def waiting(client: Any) -> dict[str, int]:
    page = client.get("/project").content.decode()
    listed = re.search(r'<ul class="list waiting">(.*?)</ul>', page, re.S)
    rows = re.findall(r"<li><a [^>]+>([^<]+)</a> <strong>(\d+)<", listed[1]) if listed else []
    return {name: int(number) for name, number in rows}


def test_the_next_step_from_an_empty_project_to_a_release(tmp_path: Path) -> None:
    served = project(tmp_path / "p", items=0)
    client = owner()
    assert step(client) == ("Add items", "/project/items")
    add_items(served, 4)
    assert step(client) == ("Invite people", "/project/links")
    assert "those who are done" not in client.get("/project").content.decode(), "nobody is"
    ann = invite("Ann")
    assert step(client) == ("Invite more people", "#invite")
    ben = invite("Ben")
    assert step(client) == ("Invite more people", "#invite")
    assert "Nobody has judged yet" in words(client)
    client.post("/project/pause", {"pause": "1"})
    assert step(client) == ("Let people go on", "/project/settings")
    client.post("/project/pause", {})
    judge(served, ann)
    judge(served, ben, "i2 i3")
    assert step(client) == ("Settle 2 disputes", "/adjudicate")
    assert waiting(client) == {"Disputes": 2}
    for item in Item.objects.filter(external_id__in=("i2", "i3")):
        token = f"{item.pk:032d}"
        adjudication.decide(
            item.pk, ann, token, {"metaphor": "no"}, note="", excluded=False, now=START
        )
    assert step(client) == ("Release the data set", "/project/release")
    assert waiting(client) == {}


def test_two_people_on_three_judgments_are_told_and_can_settle(tmp_path: Path) -> None:
    served = project(tmp_path / "p", k=3)
    ann, ben = invite("Ann"), invite("Ben")
    client = owner()
    assert step(client) == ("Invite more people", "#invite")
    said = words(client)
    assert "2 people can judge, and every item wants 3 judgments" in said
    assert "Invite 1 more" in said
    judge(served, ann)
    assert adjudication.count_disputes(served.plan) == 0
    judge(served, ben, "i2")
    assert step(client) == ("Settle 1 dispute", "/adjudicate")
    assert "4 items still want judgments (3 per item)" in words(client)
    assert "Sentence number 2." in client.get("/adjudicate").content.decode()
    item = Item.objects.get(external_id="i2")
    page = client.get(f"/adjudicate/{item.pk}").content.decode()
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token
    sent = client.post(f"/adjudicate/{item.pk}", {"token": token[1], "metaphor": "no"})
    assert sent.status_code == 302
    assert step(client) == ("Invite another person", "#invite")
    cleo = invite("Cleo")
    assert step(client) == ("See the answers so far", "/project/quality")
    judge(served, cleo)
    assert step(client) == ("Release the data set", "/project/release")


def test_a_dispute_waits_for_whoever_can_still_judge(tmp_path: Path) -> None:
    served = project(tmp_path / "p", k=3, more="[skip]\nallowed = true\nlimit = 1.0\n")
    ann, ben, cleo = invite("Ann"), invite("Ben"), invite("Cleo")
    judge(served, ann)
    judge(served, ben, "i1 i2")
    assert adjudication.count_disputes(served.plan) == 0
    lease = queue.next_page(cleo, served.plan, now=START, rng=Random(1)).leases[0]
    judgments.skip(cleo, lease.token, served.plan, now=START)
    found = adjudication.next_disputes(served.plan)
    assert [one.item.external_id for one in found] == ["i1"], "Cleo has skipped it"
    discipline.dismiss(cleo, "left", now=START, by="Olga")
    assert adjudication.count_disputes(served.plan) == 2


def test_one_judgment_is_no_dispute_though_nobody_is_left(tmp_path: Path) -> None:
    served = project(tmp_path / "p", k=2)
    ann = invite("Ann")
    judge(served, ann, "i1")
    discipline.dismiss(invite("Ben"), "left", now=START, by="Olga")
    assert adjudication.count_disputes(served.plan) == 0
    assert step(owner())[0] == "Invite another person"


def test_what_waits_is_listed(tmp_path: Path) -> None:
    more = '[selection]\nby = "owner"\nbest = 3\n[batches]\nfield = "batch"\n'
    served = project(tmp_path / "p", items=0, more=more)
    path = served.folder / "made.jsonl"
    rows = [{"id": f"b{n}", "text": f"Text {n}", "batch": "12"[n % 2]} for n in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(served, path, now=START)
    client = owner()
    assert waiting(client) == {"Next batch to open": 1}
    token = people.invite("Ann", now=START)
    ann = people.person_by_token(token)
    assert ann is not None
    discipline.hold(ann.pk, "", "too fast", now=START, by="Olga")
    assert waiting(client) == {"Next batch to open": 1, "People on hold": 1}
    browser(token).post("/me/appeal", {"text": "I was careful."})
    assert waiting(client) == {"Next batch to open": 1, "Appeals": 1}
    invite("Ben")
    assert step(client) == ("Answer 1 appeal", "/project/review")


def test_an_import_that_stopped_is_named(tmp_path: Path) -> None:
    served = project(tmp_path / "p")
    last = Item.objects.order_by("-place").first()
    assert last is not None
    Item.objects.create(external_id="x", text="x", place=last.place + 1, open_slots=2)
    client = owner()
    assert step(client) == ("Add the items again", "/project/items")
    assert waiting(client) == {"An import that stopped": 1}
    assert served.plan.judgments_per_item == 2


def test_agreement_has_an_interval_and_a_trend(tmp_path: Path) -> None:
    served = project(tmp_path / "p", items=60)
    rng = Random(3)
    wrong = " ".join(f"i{n}" for n in range(1, 61) if rng.random() < (0.5 if n < 31 else 0.1))
    no = " ".join(f"i{n}" for n in range(1, 61) if n % 2)
    differs = " ".join(sorted(set(no.split()) ^ set(wrong.split())))
    judge(served, invite("Ann"), no)
    judge(served, invite("Ben"), differs)
    found = overview.project_overview(served).agreement
    assert found is not None
    assert found.now.n == 60
    assert found.now.low is not None
    assert found.now.value is not None
    assert found.now.low < found.now.value
    assert len(found.points) == 5
    first, last = found.points[0].value, found.points[-1].value
    assert first is not None
    assert last is not None
    assert first < last
    page = owner().get("/project").content.decode()
    assert "Agreement over time" in page
    assert f"{first:.2f} on the first items, {last:.2f} on the latest" in page


def test_a_large_project_is_looked_at_once_in_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = project(tmp_path / "p")
    ann = invite("Ann")
    judge(served, ann, most=1)
    fresh = overview.project_overview(served)
    assert overview.project_overview(served) is not fresh
    monkeypatch.setattr(overview, "FRESH", 0)
    kept = overview.project_overview(served)
    judge(served, ann, most=1)
    assert overview.project_overview(served) is kept
    monkeypatch.setattr("trope.annotate.store.overview.time.monotonic", lambda: 1e12)
    assert overview.project_overview(served).progress.judgments == 2


def test_speed_and_pay_are_shown_for_everyone(tmp_path: Path) -> None:
    served = project(tmp_path / "p", more='[pay]\namount = "0.50"\nper = "item"\n')
    judge(served, invite("Ann"))
    people_table = owner().get("/project").content.decode()
    row = re.search(r">Ann</a>(.*?)</tr>", people_table, re.S)
    assert row
    cells = dict(re.findall(r'data-head="([^"]+)">\s*([^<\s]+)', row[1]))
    assert (cells["Judged"], cells["Earned"]) == ("4", "2.00")
    assert float(cells["Seconds per item"]) >= 0
