"""Panels that sign the addresses of their workers: forged, old, used and missing signatures."""

# ruff: noqa: F811 - fixtures are taken by importing them

import re
import stat
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from click.testing import CliRunner
from projects import START, Clock
from test_external_workers import (
    ID,
    OTHER,
    Serve,
    browser,
    clock,  # noqa: F401
    judge,
    serve,  # noqa: F401
    study_link,
)

from trope.annotate.project import PANEL_KEY, Project, make_secret
from trope.annotate.store.database import connect
from trope.annotate.store.models import Person
from trope.annotate.store.people import sign_address
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput


def signed_address(project: Project, token: str, worker: str = ID, **changes: Any) -> str:
    """An address as a panel signs it, good for five minutes from the start on."""
    given = {"expires": int(START.timestamp()) + 300, "more": "", **changes}
    path = f"/outside/{token}?PROLIFIC_PID={worker}&expires={given['expires']}{given['more']}"
    return f"{path}&signature={sign_address(given.get('key') or project.panel_key, path)}"


@pytest.fixture
def panel(serve: Serve) -> tuple[Project, str]:
    """A project that shares a key with a panel, and the link that it signs."""
    project = serve()
    make_secret(project.folder, PANEL_KEY)
    return project, study_link(signed=True)


def test_panel_that_signs_brings_its_workers_and_each_address_works_once(
    panel: tuple[Project, str],
) -> None:
    project, token = panel
    first = signed_address(project, token)
    ann = browser()
    assert "I agree, start" in ann.get(first).content.decode()
    assert ann.post(first).headers["Location"] == "/way"
    judge(ann)
    thief = browser()
    again = thief.post(first)
    assert again.status_code == 404
    assert "opened before" in again.content.decode()
    assert thief.get("/judge").status_code == 401
    later = signed_address(project, token, expires=int(START.timestamp()) + 301)
    assert browser().post(later).status_code == 302, "the panel signs each visit anew"
    assert [person.name for person in Person.objects.all()] == [ID]


@pytest.mark.parametrize("worker", ["w@panel.example", "w%40panel.example"])
def test_form_of_the_page_keeps_what_was_signed(worker: str, panel: tuple[Project, str]) -> None:
    ann = browser()
    page = ann.get(signed_address(*panel, worker=worker)).content.decode()
    action = re.search(r'<form[^>]* action="([^"]+)"', page)
    assert action, page
    assert ann.post(unescape(action[1])).status_code == 302
    assert [person.name for person in Person.objects.all()] == ["w@panel.example"]


def test_who_withdrew_does_not_come_back_by_a_new_signature(panel: tuple[Project, str]) -> None:
    ann = browser()
    ann.post(signed_address(*panel))
    assert ann.post("/withdraw", {"sure": "yes"}).status_code == 200
    later = signed_address(*panel, expires=int(START.timestamp()) + 301)
    assert "You have withdrawn" in browser().post(later).content.decode()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda a: a.partition("&signature=")[0], "not signed"),
        (lambda a: a.partition("&signature=")[0] + "&signature=", "not signed"),
        (lambda a: a.replace(ID, OTHER), "not signed"),
        (lambda a: a.replace("expires=1", "expires=9"), "not signed"),
        (lambda a: a + "&PROLIFIC_PID=" + OTHER, "not signed"),
        (lambda a: a.replace("?", f"?PROLIFIC_PID={OTHER}&"), "not signed"),
        (lambda a: a[:-1] + ("0" if a[-1] != "0" else "1"), "not signed"),
        (lambda a: a[:-64] + a[-64:].upper(), "not signed"),
        (lambda a: a.replace("PROLIFIC_PID", "SESSION_ID=s1&PROLIFIC_PID"), "not signed"),
    ],
)
def test_address_that_the_panel_did_not_sign_brings_nobody(
    change: Callable[[str], str], problem: str, panel: tuple[Project, str]
) -> None:
    answer = browser().post(change(signed_address(*panel)))
    assert answer.status_code == 404
    assert problem in answer.content.decode()
    assert not Person.objects.exists()


def test_signature_of_another_key_or_link_brings_nobody(panel: tuple[Project, str]) -> None:
    project, token = panel
    assert browser().post(signed_address(project, token, key="k" * 64)).status_code == 404
    other = signed_address(project, study_link(signed=True, study="st2"))
    swapped = re.sub(r"/outside/[^?]+", f"/outside/{token}", other)
    assert browser().post(swapped).status_code == 404
    assert not Person.objects.exists()


@pytest.mark.parametrize("expires", ["", "soon", "-5", "1" * 30, "%D9%A3", 0])
def test_signed_address_needs_a_last_second(expires: object, panel: tuple[Project, str]) -> None:
    answer = browser().post(signed_address(*panel, expires=expires))
    assert answer.status_code == 404
    assert "has expired" in answer.content.decode()


def test_signed_address_ends_in_time(panel: tuple[Project, str], clock: Clock) -> None:
    address = signed_address(*panel)
    clock.forward(minutes=6)
    assert "has expired" in browser().post(address).content.decode()
    assert not Person.objects.exists()


def test_signed_link_has_places_and_its_study(serve: Serve) -> None:
    project = serve()
    make_secret(project.folder, PANEL_KEY)
    token = study_link(signed=True, places=1, study="st1")
    wrong = signed_address(project, token, more="&STUDY_ID=st2")
    assert "another study" in browser().post(wrong).content.decode()
    right = {"more": "&STUDY_ID=st1"}
    assert browser().post(signed_address(project, token, **right)).status_code == 302
    full = browser().post(signed_address(project, token, OTHER, **right))
    assert "All places" in full.content.decode()
    strange = browser().post(signed_address(project, token, "%3Cb%3E", **right))
    assert "does not say who you are" in strange.content.decode()


def test_signed_links_are_made_with_a_private_key(serve: Serve) -> None:
    project = serve()
    command = ["annotate", "link", str(project.folder), "--signed"]
    made = CliRunner().invoke(main, command)
    assert made.exit_code == 0, made.output
    key = project.folder / PANEL_KEY
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    kept = project.panel_key
    assert kept not in made.output
    CliRunner().invoke(main, command)
    assert project.panel_key == kept, "a key that is in use stays"
    refused = CliRunner().invoke(main, [*command, "--worker", "W1"])
    assert isinstance(refused.exception, BadInput)
    key.write_text("short")
    connect(project, **web_settings())
    token = study_link(signed=True)
    answer = browser().post(signed_address(project, token, key="short"))
    assert "not signed" in answer.content.decode(), "a key that can be guessed signs nothing"
    with pytest.raises(BadInput, match="32 characters"):
        _ = project.panel_key
