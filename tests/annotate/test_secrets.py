"""Secrets: none by default, none stored as they are, and guessing is slowed down."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import errno
import json
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner
from django.db import OperationalError
from logs import no_link_in_logs
from projects import START, Clock, make_project
from test_security import clock, public_client, served
from test_web import browser

from trope.annotate.project import Project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Person
from trope.annotate.store.people import invite, make_link_token
from trope.annotate.web.middleware import ADDRESSES, RateLimit
from trope.cli.main import main
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


def test_guessing_of_links_is_slowed_down_and_right_links_still_work(
    served: Project, clock: Clock
) -> None:
    token = invite("Ann", now=START)
    guesser = browser(REMOTE_ADDR="192.0.2.1")
    statuses = [guesser.get(f"/join/guess{n}").status_code for n in range(12)]
    assert statuses == [404] * 10 + [429] * 2
    blocked = guesser.post("/join/guess")
    assert 0 < int(blocked.headers["Retry-After"]) <= 300
    assert guesser.get(f"/join/{token}").status_code == 200, "someone else behind that address"
    assert browser(REMOTE_ADDR="192.0.2.2").get("/join/guess").status_code == 404
    clock.forward(minutes=5, seconds=1)
    assert guesser.get("/join/guess").status_code == 404


def test_guessing_from_many_places_locks_nobody_out(served: Project, clock: Clock) -> None:
    token = invite("Ann", now=START)
    for n in range(501):
        browser(REMOTE_ADDR=f"2001:db8::{n:x}").get("/join/guess")
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
    guesses, now = RateLimit(2, timedelta(minutes=5)), START
    for n in range(ADDRESSES + 5):
        guesses.note(f"address {n}", now)
        guesses.note(f"address {n}", now)
    assert not guesses.wait("address 0", now), "the oldest had to go"
    assert guesses.wait(f"address {ADDRESSES}", now) == guesses.within
    assert not guesses.wait(f"address {ADDRESSES}", now - timedelta(days=1)), "a clock set back"


def test_links_are_in_no_log_line(served: Project, caplog: pytest.LogCaptureFixture) -> None:
    from django.test import Client

    token = invite("Ann", now=START)
    signed = make_link_token(now=START, days=3)
    strict = Client(
        enforce_csrf_checks=True, raise_request_exception=False, headers={"host": "localhost"}
    )
    for path in (f"/join/{token}", f"/outside/{signed}?PROLIFIC_PID=p&SESSION_ID=s"):
        assert strict.post(path).status_code == 403  # no CSRF token
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trope.annotate.store.people.person_by_token", lambda _: 1 / 0)
        assert strict.get(f"/join/{token}").status_code == 500
        full = OperationalError("locked")
        full.__cause__ = OSError(errno.ENOSPC, "no space left")
        patch.setattr("trope.annotate.store.people.person_by_token", Mock(side_effect=full))
        assert strict.get(f"/join/{token}").status_code == 503
    assert caplog.text.count("/join/…") >= 3
    assert "/outside/…" in caplog.text
    assert token not in caplog.text
    assert signed not in caplog.text


def test_owners_link_is_printed_on_a_terminal_only(
    served: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trope.annotate.web.service.serve", lambda *_, **__: None)
    command = ["annotate", "serve", str(served.folder)]
    assert "/join/" in CliRunner().invoke(main, command).output
    monkeypatch.setenv("JOURNAL_STREAM", "8:1234")
    output = CliRunner().invoke(main, command).output
    assert "/join/" not in output
    assert "owner-link" in output
    kept = served.folder / "owner-link"
    assert "/join/" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


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
