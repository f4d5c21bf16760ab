"""Visits of people who sign on, and the fixtures of tests about them.

A test module takes the fixtures by importing them: `from sign_on_visits import clock, project`.
"""

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from projects import Clock, make_project
from sign_on_provider import CLIENT, SECRET, Provider, running_provider
from visitors import ticking_clock

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Person
from trope.annotate.web import sign_on
from trope.annotate.web.service import web_settings

RULES = """
[[sign_on.admit]]
role = "owner"
emails = ["Olga@example.org"]
[[sign_on.admit]]
role = "adjudicator"
claim = "groups"
values = ["judges"]
[[sign_on.admit]]
role = "annotator"
domains = ["example.org"]
"""


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("TROPE_SIGN_ON_SECRET", SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    sign_on._provider.cache_clear()
    with running_provider() as provider:
        yield provider


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


@pytest.fixture
def project(tmp_path: Path, provider: Provider, clock: Clock) -> Project:
    return served(tmp_path / "p", provider)


def served(folder: Path, provider: Provider, more: str = "", rules: str = RULES) -> Project:
    settings = f'[sign_on]\nissuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\n{more}\n{rules}'
    project = make_project(folder, more=settings)
    connect(project, **web_settings())
    return project


def visited(address: str) -> str:
    """Where the provider sends a browser that it lets in."""
    parts = urlsplit(address)
    line = http.client.HTTPConnection(parts.netloc, timeout=60)
    line.request("GET", f"{parts.path}?{parts.query}")
    answer = line.getresponse()
    line.close()
    assert answer.status == 302
    return str(answer.headers["Location"])


def begun(client: Any) -> str:
    """The address at the provider to which a browser is led."""
    answer = client.get("/sign-on")
    assert answer.status_code == 302, answer.content
    return str(answer.headers["Location"])


def back(client: Any, address: str, **changed: str) -> Any:
    """Come back from the provider, with some parameters changed."""
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("localhost", "/sign-on/return")
    return client.get(f"{parts.path}?{urlencode(dict(parse_qsl(parts.query)) | changed)}")


def signed_on(client: Any, **changed: str) -> Any:
    return back(client, visited(begun(client)), **changed)


def refused(answer: Any, status: int, words: str) -> None:
    """Nobody was signed in, and the page says why."""
    page = answer.content.decode()
    assert (answer.status_code, words in " ".join(page.split())) == (status, True), page
    assert answer.client.get("/project").status_code == 401
    assert not Person.objects.exists()
