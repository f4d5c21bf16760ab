"""The doctor names what is unsafe, and the public service refuses it."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from projects import START, add_items, make_project

from trope.annotate.project import Project
from trope.annotate.store import database, judgments, people, queue
from trope.annotate.web import doctor
from trope.annotate.web.doctor import check_safe, examine, file_system
from trope.cli.main import main
from trope.core.errors import BadInput

ORIGIN = "https://judge.example"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(doctor, "file_system", lambda path: "ext4")
    monkeypatch.setattr(doctor.os, "geteuid", lambda: 1000)  # type: ignore[attr-defined]
    project = make_project(tmp_path / "p")
    add_items(project, 1)
    return project


def levels(project: Project, origin: str = ORIGIN, **more: object) -> dict[str, str]:
    return {one.check: one.level for one in examine(project, origin, **more)}  # type: ignore[arg-type]


def test_sound_project_has_no_finding_and_is_served(project: Project) -> None:
    assert set(levels(project).values()) == {"ok"}
    check_safe(project, ORIGIN)
    assert {"secret", "debug", "hosts", "https", "cookies", "durability", "disk", "clock"} <= set(
        levels(project)
    )


def test_weak_or_open_secret_is_unsafe(project: Project) -> None:
    secret = project.folder / "secret"
    secret.chmod(0o644)
    assert levels(project)["secret"] == "unsafe"
    with pytest.raises(BadInput, match="secret: others can read"):
        check_safe(project, ORIGIN)
    secret.chmod(0o600)
    secret.write_text("ab" * 40, encoding="ascii")
    assert levels(project)["secret"] == "unsafe"
    secret.write_text("short", encoding="ascii")
    assert levels(project)["secret"] == "unsafe"


def test_folder_that_anyone_can_write_to_is_unsafe(project: Project) -> None:
    project.folder.chmod(0o777)
    assert levels(project)["folder"] == "unsafe"


def test_origin_without_encryption_is_unsafe_and_none_is_a_warning(project: Project) -> None:
    assert levels(project, "http://judge.example")["https"] == "unsafe"
    assert levels(project, "")["https"] == "warning"


@pytest.mark.parametrize(
    ("setting", "value", "check"),
    [
        ("DEBUG", True, "debug"),
        ("ALLOWED_HOSTS", ["*"], "hosts"),
        ("SESSION_COOKIE_SECURE", False, "cookies"),
        ("SESSION_COOKIE_SAMESITE", "None", "cookies"),
    ],
)
def test_unsafe_settings_are_found(
    setting: str, value: object, check: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = doctor.web_settings(ORIGIN) | {setting: value}  # type: ignore[attr-defined]
    monkeypatch.setattr(doctor, "web_settings", lambda origin: settings)
    assert levels(project)[check] == "unsafe"


@pytest.mark.parametrize(
    ("kind", "level"),
    [("nfs4", "unsafe"), ("tmpfs", "unsafe"), ("overlay", "warning"), ("xfs", "ok")],
)
def test_file_systems(
    kind: str, level: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "file_system", lambda path: kind)
    assert levels(project)["file system"] == level


def test_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = (
        f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:5 / {tmp_path} rw shared:1 - nfs4 host:/x rw\n"
    )
    assert file_system(tmp_path / "p", mounts) == "nfs4"
    assert file_system(Path("/elsewhere"), mounts) == "ext4"
    assert file_system(Path("/"), None)


def test_weaker_durability_is_found(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(database, "_PRAGMAS", "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    assert levels(project)["durability"] == "unsafe"


@pytest.mark.parametrize(
    ("free", "level"), [(10**7, "unsafe"), (5 * 10**8, "warning"), (10**12, "ok")]
)
def test_disk(free: int, level: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": free})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)  # type: ignore[attr-defined]
    assert levels(project)["disk"] == level


def test_clock_that_went_back_is_found(project: Project) -> None:
    assert levels(project, now=START + timedelta(seconds=1))["clock"] == "ok"
    assert levels(project, now=START - timedelta(days=1))["clock"] == "warning"


def test_database_that_cannot_be_opened_is_a_finding(project: Project) -> None:
    from django.db import connections

    connections.close_all()
    for path in project.folder.glob("project.db*"):
        path.unlink()
    project.database.write_bytes(b"no database at all" * 100)
    assert levels(project)["database"] == "unsafe"


def test_command_tells_and_ends_with_one(project: Project) -> None:
    run = CliRunner().invoke
    result = run(main, ["annotate", "doctor", str(project.folder), "--origin", ORIGIN, "--json"])
    assert result.exit_code == 0, result.output
    assert {"check", "level", "text"} == set(json.loads(result.output)["findings"][0])
    result = run(main, ["annotate", "doctor", str(project.folder)])
    assert result.exit_code == 1
    assert "warning  https: no public address" in result.output


def test_serve_refuses_what_is_unsafe(project: Project) -> None:
    (project.folder / "secret").chmod(0o644)
    result = CliRunner().invoke(
        main, ["annotate", "serve", str(project.folder), "--origin", ORIGIN, "--port", "1"]
    )
    assert isinstance(result.exception, BadInput)
    assert "not safe to serve to others" in str(result.exception)


def test_files_that_others_can_read_are_unsafe(project: Project) -> None:
    for name in ("project.toml", "project.db"):
        assert (project.folder / name).stat().st_mode & 0o077 == 0
        (project.folder / name).chmod(0o644)
        assert levels(project)["files"] == "unsafe"
        (project.folder / name).chmod(0o600)
    assert levels(project)["files"] == "ok"


def test_database_that_lost_what_it_had_acknowledged_is_found(project: Project) -> None:
    from django.db import connections

    people.invite("Ann", now=START)
    connections["default"].cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    older = project.database.read_bytes()
    (lease,) = queue.next_page(1, project.plan, now=START, rng=Random(1)).leases
    judgments.submit(1, lease.token, {"metaphor": "yes"}, project.plan, now=START)
    assert levels(project)["judgments"] == "ok"
    connections.close_all()
    for path in project.folder.glob("project.db-*"):
        path.unlink()
    project.database.write_bytes(older)
    assert levels(project)["judgments"] == "unsafe"
