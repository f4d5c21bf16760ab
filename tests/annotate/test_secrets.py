"""Secrets: none by default, none stored as they are, and guessing is slowed down."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from datetime import timedelta
from pathlib import Path

import pytest
from projects import START, Clock, make_project
from test_security import clock, public_client, served
from test_web import browser

from trope.annotate.project import Project, open_project
from trope.annotate.rules.rate_limit import ADDRESSES, GuessLimit
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Person
from trope.annotate.store.people import invite
from trope.core.errors import BadInput, MissingData


def test_there_is_no_default_secret(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    other = make_project(tmp_path / "q")
    assert project.secret != other.secret
    assert (project.folder / "secret").stat().st_mode & 0o077 == 0
    (project.folder / "secret").write_text("short")
    with pytest.raises(BadInput):
        connect(open_project(project.folder))
    (project.folder / "secret").unlink()
    with pytest.raises(MissingData):
        connect(open_project(project.folder))


def test_only_the_hash_of_a_link_is_stored(served: Project) -> None:
    token = invite("Ann", now=START)
    assert len(token) >= 43  # 256 bits
    browser(token)
    stored = json.dumps([*Person.objects.values(), *Event.objects.values()], default=str)
    assert token not in stored


def test_guessing_of_links_is_slowed_down_and_ends(served: Project, clock: Clock) -> None:
    token = invite("Ann", now=START)
    guesser = browser(REMOTE_ADDR="192.0.2.1")
    statuses = [guesser.get(f"/join/guess{n}").status_code for n in range(12)]
    assert statuses == [404] * 10 + [429] * 2
    blocked = guesser.post(f"/join/{token}")
    assert blocked.status_code == 429, "even the right one is not looked at"
    assert 0 < int(blocked.headers["Retry-After"]) <= 300
    assert browser(REMOTE_ADDR="192.0.2.2").get(f"/join/{token}").status_code == 200
    clock.forward(minutes=5, seconds=1)
    assert guesser.get(f"/join/{token}").status_code == 200


def test_guessing_from_many_places_is_slowed_down_too(served: Project, clock: Clock) -> None:
    token = invite("Ann", now=START)
    signed_in = browser(invite("Bob", now=START))
    for n in range(500):
        browser(REMOTE_ADDR=f"2001:db8::{n:x}").get("/join/guess")
    assert browser(REMOTE_ADDR="192.0.2.9").get(f"/join/{token}").status_code == 429
    assert signed_in.get("/judge").status_code == 200, "those who are in notice nothing"
    clock.forward(minutes=6)
    assert browser(REMOTE_ADDR="192.0.2.9").get(f"/join/{token}").status_code == 200


def test_right_links_never_count_as_guesses(served: Project, clock: Clock) -> None:
    for n in range(30):  # a class that opens its links from one address
        token = invite(f"Pupil {n}", now=START)
        assert browser(REMOTE_ADDR="192.0.2.7").post(f"/join/{token}").status_code == 302


def test_address_that_a_client_claims_is_not_believed(served: Project, clock: Clock) -> None:
    guesser = browser(REMOTE_ADDR="192.0.2.1")
    for n in range(11):
        status = guesser.get("/join/guess", HTTP_X_FORWARDED_FOR=f"198.51.100.{n}").status_code
    assert status == 429
    behind = public_client(served)
    for n in range(11):
        claim = f"198.51.100.{n}, 203.0.113.5"  # the web server adds the last one
        status = behind.get("/join/guess", HTTP_X_FORWARDED_FOR=claim).status_code
    assert status == 429
    other = behind.get("/join/guess", HTTP_X_FORWARDED_FOR="203.0.113.6")
    assert other.status_code == 404


def test_guesses_are_forgotten_in_time_and_in_number() -> None:
    guesses, now = GuessLimit(each=2, together=10**9), START
    for n in range(ADDRESSES + 5):
        guesses.note_failure(f"address {n}", now)
        guesses.note_failure(f"address {n}", now)
    assert not guesses.wait("address 0", now), "the oldest had to go"
    assert guesses.wait(f"address {ADDRESSES}", now) == guesses.within
    assert not guesses.wait(f"address {ADDRESSES}", now - timedelta(days=1)), "a clock set back"


def test_refusals_are_logged_without_secrets(
    served: Project, caplog: pytest.LogCaptureFixture
) -> None:
    token = invite("Ann", now=START)
    ann = browser(token, REMOTE_ADDR="192.0.2.1")
    ann.get("/join/wrong-one\nforged line")
    ann.get("/project")
    said = [record.getMessage() for record in caplog.records if "security" in record.name]
    number = Person.objects.get(name="Ann").pk
    assert said == [
        "invalid link, from '192.0.2.1'",
        f"person {number} asked for '/project' without its role",
    ]
    assert token not in caplog.text
