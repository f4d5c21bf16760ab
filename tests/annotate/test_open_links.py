"""Open links: whoever opens one gets a place, while there are any, and their own way back in."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from logs import no_link_in_logs  # noqa: F401
from projects import START, Clock, add_items, make_project
from visitors import ticking_clock

from trope.annotate.plan import Plan
from trope.annotate.store.database import connect
from trope.annotate.store.membership import (
    OpenLink,
    close_link,
    make_open_link,
    open_links,
    withdraw,
)
from trope.annotate.store.models import Event, Person
from trope.annotate.store.people import invite, renew_invitation
from trope.annotate.web.service import web_settings
from trope.core.errors import BadInput


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


@pytest.fixture(autouse=True)
def plan(tmp_path: Path, clock: Clock) -> Plan:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    add_items(project, 2)
    return project.plan


def browser() -> Any:
    from django.test import Client

    return Client(HTTP_HOST="localhost")


def link(places: int = 2, days: int = 3) -> str:
    return "/open/" + make_open_link(places=places, days=days, now=START, by="owner")


def form_of(client: Any, address: str) -> dict[str, str]:
    found = re.search(r'name="visit" value="([0-9a-f]{32})"', client.get(address).content.decode())
    assert found
    return {"visit": found[1]}


def join(client: Any, address: str, name: str = "") -> Any:
    return client.post(address, form_of(client, address) | {"name": name})


def own_link(client: Any) -> str:
    page = html.unescape(client.get("/welcome").content.decode())
    found = re.search(r"http://localhost(/join/[\w-]{43})<", page)
    assert found
    return found[1]


def annotators() -> list[str]:
    return sorted(Person.objects.filter(role="annotator").values_list("name", flat=True))


def test_stranger_gets_a_place_consents_and_comes_back_by_their_own_link() -> None:
    first = browser()
    assert join(first, link(), "Ada").headers["Location"] == "/welcome"
    assert annotators() == ["Ada"]
    ada = Person.objects.get(name="Ada")
    assert ada.consented is not None
    address = own_link(first)
    elsewhere = browser()
    assert "Ada" in elsewhere.get(address).content.decode()
    elsewhere.post(address)
    assert elsewhere.get("/me").status_code == 200
    assert elsewhere.get("/judge").status_code == 200


def test_someone_without_a_name_gets_one_that_says_nothing() -> None:
    join(browser(), link())
    assert re.fullmatch(r"guest-[0-9a-f]{6}", annotators()[0])


def test_places_end_and_only_those_who_came_can_come_back() -> None:
    address, first = link(places=1), browser()
    late = browser()
    sent = form_of(late, address)  # opened while there was a place
    join(first, address, "Ada")
    refused = late.post(address, sent | {"name": "Ben"})
    assert refused.status_code == 404
    assert "All places are taken" in refused.content.decode()
    assert "All places are taken" in browser().get(address).content.decode()
    assert annotators() == ["Ada"]
    assert browser().post(own_link(first)).status_code == 302


def test_form_that_is_sent_twice_makes_one_account() -> None:
    address, client, again = link(), browser(), browser()
    sent = form_of(client, address)
    assert client.post(address, sent).headers["Location"] == "/welcome"
    assert again.post(address, sent).headers["Location"] == "/welcome"
    assert own_link(client) == own_link(again)
    assert len(annotators()) == 1
    assert open_links()[0].taken == 1


def test_browser_that_has_a_place_gets_no_second_one() -> None:
    address, client = link(), browser()
    join(client, address, "Ada")
    page = client.post(address, {"visit": "0" * 32, "name": "Ben"})
    assert "You are signed in" in page.content.decode()
    assert annotators() == ["Ada"]


@pytest.mark.parametrize("name", ["Ada", "x" * 101, "a\u202eb"])
def test_name_that_cannot_be_used_takes_no_place(name: str) -> None:
    invite("Ada", now=START)
    assert join(browser(), link(), name).status_code == 422
    assert annotators() == ["Ada"]
    assert open_links()[0].taken == 0


@pytest.mark.parametrize("visit", ["", "abc", "Z" * 32, "0" * 33])
def test_form_of_another_shape_makes_no_account(visit: str) -> None:
    assert browser().post(link(), {"visit": visit}).status_code == 422
    assert not annotators()


def test_guessed_link_is_refused_and_guessing_is_slowed_down() -> None:
    answers = [browser().get(f"/open/{'x' * 42}{n}").status_code for n in range(11)]
    assert answers == [404] * 10 + [429]
    assert browser().post("/open/nobody", {"visit": "0" * 32}).status_code == 429
    assert not annotators()


def test_link_ends_with_its_days_and_when_the_owner_closes_it(clock: Clock) -> None:
    short, address = link(days=1), link(days=9)
    sent = form_of(browser(), address)
    clock.forward(days=2)
    assert "expired" in browser().get(short).content.decode()
    assert close_link(open_links()[0].number, now=clock.now, by="owner")
    assert "closed" in browser().post(address, sent).content.decode()
    assert not annotators()


def test_who_withdraws_keeps_their_place_taken_and_their_link_ends(plan: Plan) -> None:
    address, client = link(places=1), browser()
    join(client, address, "Ada")
    own = own_link(client)
    withdraw(Person.objects.get(name="Ada").pk, plan, now=START)
    assert browser().get(own).status_code == 404
    assert browser().get(address).status_code == 404


def test_renewed_link_ends_the_first_one() -> None:
    client = browser()
    join(client, link(), "Ada")
    own = own_link(client)
    renewed = renew_invitation("Ada", now=START)
    assert browser().get(own).status_code == 404
    assert browser().get(f"/join/{renewed}").status_code == 200


def test_owner_makes_a_link_sees_its_places_and_closes_it() -> None:
    owner = browser()
    owner.post("/join/" + invite("boss", role="owner", now=START))
    page = owner.post("/project/links/open", {"places": "7", "days": "3"}).content.decode()
    found = re.search(r"http://localhost(/open/[\w-]{43})<", page)
    assert found
    token = found[1].rpartition("/")[2]
    join(browser(), found[1], "Ada")
    page = owner.get("/project/links").content.decode()
    assert "1 of 7 places taken" in page
    assert token not in page
    assert token not in str(list(Event.objects.values_list("detail", flat=True)))
    owner.post("/project/links/open", {"close": open_links()[0].number})
    assert "Close this link" not in owner.get("/project/links").content.decode()
    history = owner.get("/project/history").content.decode()
    assert all(
        what in history
        for what in ("made an open link", "joined by an open link", "closed an open link")
    )
    assert open_links()[0].key not in history


@pytest.mark.parametrize("sent", [{"places": "0"}, {"days": "367"}, {"places": "many"}])
def test_owner_is_told_which_number_is_wrong(sent: dict[str, str]) -> None:
    owner = browser()
    owner.post("/join/" + invite("boss", role="owner", now=START))
    assert owner.post("/project/links/open", sent).status_code == 422
    assert not open_links()
    assert owner.post("/project/links/open", {"close": "999"}).status_code == 404


@pytest.mark.parametrize(("places", "days"), [(0, 1), (10_001, 1), (1, 0), (1, 367)])
def test_numbers_have_limits(places: int, days: int) -> None:
    with pytest.raises(BadInput):
        make_open_link(places=places, days=days, now=START, by="")


def test_link_says_why_it_brings_nobody() -> None:
    assert OpenLink(1, "", 2, START, taken=1).problem(START) == ""
    assert OpenLink(1, "", 2, START, taken=2).problem(START) == "full"
