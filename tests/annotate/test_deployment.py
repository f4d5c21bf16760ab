"""The files of deploy/ parse and name what exists, and the entrypoint works without a container."""

# ruff: noqa: F811 - the fixture is taken by importing it

import ast
import os
import re
import secrets
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import click
import pytest
from postgres_fixture import server  # noqa: F401

from conftest import REPOSITORY
from ports import free_port
from trope.annotate import chat
from trope.annotate.web.service import READY
from trope.cli.main import main

DEPLOY = REPOSITORY / "deploy"
ENTRYPOINT = (DEPLOY / "entrypoint.sh").read_text(encoding="utf-8")
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
KEYS = {
    "build", "image", "command", "restart", "init", "read_only", "tmpfs", "cap_drop", "ports",
    "security_opt", "environment", "secrets", "volumes", "depends_on", "healthcheck",
}  # fmt: skip
"""Those keys of a service, of the Compose specification, that the file uses."""


def compose() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return read


def instructions() -> list[list[str]]:
    """Each instruction of the Containerfile with its words; continued lines are one."""
    lines = CONTAINERFILE.replace("\\\n", " ").splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def test_compose_file_names_only_what_it_defines() -> None:
    file = compose()
    assert set(file) == {"name", "services", "secrets", "volumes"}
    for name, one in file["services"].items():
        assert set(one) <= KEYS, name
        for volume in one["volumes"]:
            source = volume.split(":")[0]
            assert source in file["volumes"] or (DEPLOY / source).is_file(), volume
        assert set(one.get("secrets", ())) <= set(file["secrets"]), name
        for other, asked in one.get("depends_on", {}).items():
            watched = file["services"][other]
            assert asked == {"condition": "service_healthy"}
            assert "healthcheck" in watched or "build" in watched, f"{other} has no health check"


def test_our_containers_have_no_more_rights_than_they_need() -> None:
    services = compose()["services"]
    ours = [one for one in services.values() if "build" in one]
    assert len(ours) == 2
    for one in ours:
        assert one["read_only"] is True
        assert (one["cap_drop"], one["tmpfs"]) == (["ALL"], ["/tmp"])
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert "ports" not in one, "only the proxy is reached from outside"
        assert (DEPLOY / one["build"]["context"] / one["build"]["dockerfile"]).is_file()


def test_no_secret_is_in_the_files() -> None:
    for one in compose()["services"].values():
        for name, value in one.get("environment", {}).items():
            assert not re.search("PASSWORD|SECRET|KEY", name) or name.endswith("_FILE"), name
            assert not re.search(r"://[^@/]*:[^@/]*@", str(value)), "no password in an address"
    assert not re.search(r"^(ENV|ARG) .*(PASSWORD|SECRET|KEY)", CONTAINERFILE, flags=re.MULTILINE)
    for secret in compose()["secrets"].values():
        ignored = ["git", "check-ignore", "-q", f"deploy/{secret['file']}"]
        assert subprocess.run(ignored, cwd=REPOSITORY, check=False).returncode in (0, 128)


def test_settings_of_the_compose_file_are_read_by_the_entrypoint() -> None:
    handled = set(re.findall(r"^(\w+)\)$", ENTRYPOINT, flags=re.MULTILINE))
    for one in compose()["services"].values():
        if "build" not in one:
            continue
        assert set(one["command"]) <= handled
        for name in one["environment"]:
            assert re.search(rf"\$\{{?{name}\b", ENTRYPOINT) or name in (chat.URL, chat.MODEL)
        for name in one["secrets"]:
            assert f"$secrets/{name}" in ENTRYPOINT
    assert "{$TROPE_SITE}" in (DEPLOY / "Caddyfile").read_text(encoding="utf-8")


def test_commands_of_the_entrypoint_exist_and_have_these_options() -> None:
    lines = ENTRYPOINT.replace("\\\n", " ").splitlines()
    used = [
        shlex.split(found[1], comments=True)
        for line in lines
        if (found := re.search(r"\btrope (annotate [^;|]*)", line)) and ': "' not in line
    ]
    assert {words[1] for words in used} == {"new", "move", "serve", "backup"}
    for words in used:
        command: click.Command = main
        with click.Context(main) as context:
            for word in words[:2]:
                assert isinstance(command, click.Group)
                found = command.get_command(context, word)
                assert found is not None, words
                command = found
        options = {name for one in command.params for name in one.opts}
        assert {word for word in words if word.startswith("--")} <= options, words


def test_container_file_copies_what_is_there_and_runs_as_nobody_in_particular() -> None:
    steps = instructions()
    assert [words[0] for words in steps].count("FROM") == 2
    assert steps[0][1].startswith("python:3.11"), "the version of constraints.txt"
    copied = [word for words in steps if words[0] == "COPY" and "--from=build" not in words
              for word in words[1:-1] if not word.startswith("--")]  # fmt: skip
    assert [name for name in copied if not (REPOSITORY / name).exists()] == []
    sent = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").split("\n")
    assert {line[1:] for line in sent if line.startswith("!")} == set(copied)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {project["readme"], *project["license-files"], "hatch_build.py", "pyproject.toml"}
    assert needed <= set(copied)
    (extra,) = re.findall(r"'\.\[(\w+)\]'", CONTAINERFILE)
    assert extra in project["optional-dependencies"]
    (user,) = [words[1] for words in steps if words[0] == "USER"]
    assert int(user) > 0
    volumes = [words for words in steps if words[0] == "VOLUME"]
    for place in re.findall(r"\$\{TROPE_(?:PROJECT|BACKUPS):-(/\w+)\}", ENTRYPOINT):
        assert f'"{place}"' in " ".join(volumes[0])


def test_health_check_of_the_image_asks_for_readiness() -> None:
    (check,) = [words for words in instructions() if words[0] == "HEALTHCHECK"]
    program = re.search(r"CMD (\[.*\])", " ".join(check))
    assert program
    command = ast.literal_eval(program[1])
    assert command[:2] == ["python", "-c"]
    ast.parse(command[2])
    assert f"http://127.0.0.1:8000{READY}'" in command[2]
    assert '--port "${TROPE_PORT:-8000}"' in ENTRYPOINT


def programs(folder: Path) -> Path:
    """A folder with the command `trope`, and with a `sleep` that ends who waits."""
    folder.mkdir()
    for name, line in (
        ("trope", f'exec {shlex.quote(sys.executable)} -m trope "$@"'),
        ("sleep", 'echo "slept $1"; kill "$PPID"'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    usual = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    bin_folder = tmp_path / "bin"
    path = f"{bin_folder if bin_folder.exists() else programs(bin_folder)}:{usual['PATH']}"
    folders = {"TROPE_PROJECT": str(tmp_path / "project"), "TROPE_SECRETS": str(tmp_path / "run")}
    home = {"HOME": str(tmp_path / "nowhere"), "PYTHONDONTWRITEBYTECODE": "1"}
    return usual | {"PATH": path} | folders | home | more


def entrypoint(*words: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", str(DEPLOY / "entrypoint.sh"), *words],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def started(env: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    service = subprocess.Popen(
        ["sh", str(DEPLOY / "entrypoint.sh")], env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        yield service
    finally:
        service.terminate()
        service.communicate()


def answer_of(address: str, service: "subprocess.Popen[str]") -> str:
    """What the service answers to a probe, as soon as it listens."""
    while service.poll() is None:
        try:
            with urlopen(Request(address, headers={"Host": "probe.local"}), timeout=60) as answer:
                return str(answer.read().decode())
        except (URLError, ConnectionError) as error:
            if not isinstance(getattr(error, "reason", error), ConnectionError):
                raise
    raise AssertionError("the service has ended")


def test_entrypoint_makes_a_project_serves_it_and_backs_it_up(server: str, tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    name, port = f"trope_test_{secrets.token_hex(6)}", free_port()
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        env = environment(
            tmp_path,
            TROPE_ORIGIN="https://judge.example",
            TROPE_TEMPLATE="",  # as the compose file hands it on
            TROPE_DATABASE=f"{server}/{name}",
            TROPE_HOST="127.0.0.1",
            TROPE_PORT=str(port),
            TROPE_BACKUPS=str(tmp_path / "backups"),
            TROPE_KEEP="1",
        )
        with started(env) as service:
            assert '"migrations": "ok"' in answer_of(f"http://127.0.0.1:{port}/ready", service)
        project = tmp_path / "project"
        assert f'database = "{server}/{name}"' in (project / "project.toml").read_text()
        assert (project / "owner-link").read_text().startswith("https://judge.example/join/")
        assert [path for path in project.iterdir() if path.stat().st_mode & 0o077] == []
        assert not (tmp_path / "nowhere").exists(), "nothing is written to the home folder"
        for _ in range(2):
            done = entrypoint("backup", env=env)
            assert "0 judgments" in done.stdout, done.stderr
            assert "slept 86400" in done.stdout
        assert len(list((tmp_path / "backups").iterdir())) == 1
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_entrypoint_says_which_setting_is_missing(tmp_path: Path) -> None:
    done = entrypoint("serve", env=environment(tmp_path))
    assert done.returncode != 0
    assert "TROPE_ORIGIN: is the https address" in done.stderr
    assert not (tmp_path / "project").exists()


def test_entrypoint_hands_secrets_on_from_files_and_runs_any_command(tmp_path: Path) -> None:
    env = environment(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "database_password").write_text("a 'b' $c\n")
    (tmp_path / "run" / "sign_on_secret").write_text("d\n")
    (tmp_path / "bin" / "trope").write_text(
        '#!/bin/sh\necho "$PGPASSWORD|$TROPE_SIGN_ON_SECRET|$*"\n'
    )
    done = entrypoint("annotate", "doctor", "/project dir", env=env)
    assert done.stdout == "a 'b' $c|d|annotate doctor /project dir\n"
