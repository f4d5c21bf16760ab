"""Workflows of continuous integration: nothing in them is dead, loose or missing."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'trope[systems]')")

FOLDER = REPOSITORY / ".github" / "workflows"
FILES = sorted(FOLDER.iterdir())


def workflow(path: Path) -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = workflow(path)["jobs"]
    return found


def commands(path: Path) -> list[str]:
    steps = (step for job in jobs(path).values() for step in job["steps"])
    return [step["run"] for step in steps if "run" in step]


def test_workflows_are_files_that_run() -> None:
    assert {path.name for path in FILES} == {"ci.yml", "release.yml"}  # none disabled by its name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_job_may_do_little_and_ends(path: Path) -> None:
    assert workflow(path)["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in jobs(path).values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_version(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@(release/)?v\d+", name)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_value_of_a_matrix_that_is_asked_for_exists(path: Path) -> None:
    for name, job in jobs(path).items():
        matrix = job.get("strategy", {}).get("matrix", {})
        text = yaml.safe_dump(job)
        assert set(re.findall(r"matrix\.([\w-]+)", text)) == set(matrix), name
        for key, value in re.findall(r"matrix\.([\w-]+) *[!=]= *'([^']*)'", text):
            assert value in map(str, matrix[key]), f"{name}: {key} is never {value}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_that_is_called_is_there(path: Path) -> None:
    rules = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.M)
    for command in commands(path):
        assert set(re.findall(r"\bmake (\w+)", command)) <= set(rules)
        for place in re.findall(r"\btests/[\w./-]+", command):
            assert (REPOSITORY / place).exists(), place


def test_every_python_system_and_extra_is_tried() -> None:
    found = jobs(FOLDER / "ci.yml")
    matrix = found["test"]["strategy"]["matrix"]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert matrix["python"] == pythons
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    for_users = set(project["optional-dependencies"]) - {"all", "dev", "docs", "lint", "test"}
    assert set(found["extra"]["strategy"]["matrix"]["extra"]) == for_users


def test_hooks_before_a_commit_check_with_the_versions_of_the_tests() -> None:
    constraints = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    for source in hooks["repos"]:
        if source["repo"] != "local":
            name = source["repo"].rsplit("/", 1)[1].removesuffix("-pre-commit")
            assert f"\n{name}=={source['rev'].removeprefix('v')}\n" in constraints
