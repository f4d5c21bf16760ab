"""What is in the repository: files of readable size, and nothing of anyone's own machine."""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import LONG, REPOSITORY

MAX_LINES = 400
FORBIDDEN_NAMES = {"utils.py", "helpers.py", "common.py", "misc.py"}
# places of one machine, put together here so that this file does not hold them itself
PLACES = re.compile(
    "|".join(f"(?<![\\w.]){root}/" for root in ("/work", "/tmp/w", "/root", "/home"))
)


def tracked_files() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git repository, so nothing says which files belong to it")
    return [
        path for name in done.stdout.split("\0") if name and (path := REPOSITORY / name).is_file()
    ]


def named(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def test_python_files_are_short_enough_to_read() -> None:
    files = [path for path in tracked_files() if path.suffix == ".py"]
    sources = [path for path in files if "migrations" not in path.parts]  # written by Django
    assert sources
    long = {
        named(path): lines
        for path in sources
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) >= MAX_LINES
    }
    assert long == {}


def test_no_file_is_named_for_nothing() -> None:
    assert [named(path) for path in tracked_files() if path.name in FORBIDDEN_NAMES] == []


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in tracked_files() if path.match("tests/**/test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_files_that_begin_first_are_there() -> None:
    assert [name for name in LONG if not (REPOSITORY / "tests" / name).is_file()] == []


def test_no_file_names_a_place_of_one_machine() -> None:
    found = []
    for path in tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # weights and pictures
        found += [f"{named(path)}:{n}" for n, line in enumerate(lines, 1) if PLACES.search(line)]
    assert found == []
