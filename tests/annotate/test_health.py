"""/health and /ready: what a probe learns, with a database that goes away and comes back."""

# ruff: noqa: F811 - the fixture is taken by importing it

import json
import secrets
from pathlib import Path
from typing import Any

import pytest
from postgres_fixture import server  # noqa: F401
from projects import make_project
from visitors import browser

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.web import service
from trope.annotate.web.service import web_settings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(service, "_FRESH_S", 0.0)  # every probe looks
    project = make_project(tmp_path / "p")
    connect(project, **web_settings("https://judge.example"))
    return project


def ready(client: Any) -> tuple[int, dict[str, str]]:
    answer = client.get("/ready")
    return answer.status_code, json.loads(answer.content)["checks"]


ALL_OK = {"database": "ok", "migrations": "ok", "disk": "ok"}


def test_probes_are_answered_to_anyone_by_any_name(project: Project) -> None:
    client = browser()
    for address, found in (
        ("/health", {"status": "ok"}),
        ("/ready", {"status": "ok", "checks": ALL_OK}),
    ):
        answer = client.get(address, HTTP_HOST="10.0.0.7:8000")
        assert (answer.status_code, json.loads(answer.content)) == (200, found)
        assert answer.headers["Cache-Control"] == "no-store"
        assert not answer.cookies
        assert client.head(address).status_code == 200
        assert client.post(address).status_code == 405
    assert client.get("/", HTTP_HOST="10.0.0.7:8000").status_code == 400, "all else asks for a name"


def test_database_file_that_is_gone_is_not_ready_until_it_is_back(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    client = browser()
    assert ready(client) == (200, ALL_OK)
    away = project.database.with_suffix(".away")
    project.database.rename(away)
    for _ in range(20):
        assert ready(client) == (503, {"database": "missing", "disk": "ok"})
        assert client.get("/health").status_code == 200
    away.rename(project.database)
    for _ in range(20):
        assert ready(client) == (200, ALL_OK)
    said = [record.getMessage() for record in caplog.records]
    assert said == ["not ready: database missing", "ready again"], (
        "a change is a line, a probe none"
    )


def test_postgres_that_is_gone_is_not_ready_until_it_is_back(
    server: str, tmp_path: Path, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    name = f"trope_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        moved = make_project(tmp_path / "pg", more=f'database = "{server}/{name}"')
        connect(moved, **web_settings("https://judge.example"))
        client = browser()
        assert ready(client) == (200, ALL_OK)
        admin.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
        ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        admin.execute(ending, [name])
        for _ in range(3):
            assert ready(client) == (503, {"database": "does not answer", "disk": "ok"})
        admin.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
        assert ready(client) == (200, ALL_OK)
        answers = " ".join(str(client.get(address).content) for address in ("/health", "/ready"))
        said = caplog.text
        for secret in (name, server, moved.secret, str(tmp_path)):
            assert secret not in answers + said
        make_project(tmp_path / "other")  # lets go of the database
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_tables_of_an_older_version_are_not_ready(project: Project) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0002_states'")
    assert ready(browser()) == (503, ALL_OK | {"migrations": "not applied"})


def test_full_disk_is_not_ready(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "TOO_LITTLE_DISK", 1 << 62)
    assert ready(browser()) == (503, ALL_OK | {"disk": "full"})


def test_many_probes_look_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    monkeypatch.setattr(service, "_FRESH_S", 60.0)
    client = browser()
    with CaptureQueriesContext(connection) as queries:
        client.get("/ready")
        looked = len(queries)
        for _ in range(50):
            assert client.get("/ready").status_code == 200
            assert client.get("/health").status_code == 200
        assert len(queries) == looked > 0
