"""The wheel: everything that the package reads is in it, and it stays small."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trope.cli.manual import file_name, page, read_entry
from trope.encoder.models import known_models

MOST_BYTES = 60_000_000


PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip(
        "hatchling", reason="hatchling is not installed (pip install 'trope[test]')"
    )
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY)
    (built,) = folder.glob("trope-*.tar.gz")
    return built


@pytest.fixture(scope="session")
def build_packages(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """What an isolated build installs, in a folder; nothing where pip reaches no index."""
    folder = tmp_path_factory.mktemp("build")
    needed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    command = [*PIP, "download", "--retries", "0", "--dest", str(folder)]
    command += [f"-c{REPOSITORY / 'constraints.txt'}", *needed["build-system"]["requires"]]
    done = subprocess.run(command, check=False, capture_output=True, cwd=folder)
    return folder if done.returncode == 0 else None


@pytest.fixture(scope="session")
def wheel(
    sdist: Path, build_packages: Path | None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The wheel as `pip install trope-….tar.gz` builds it, isolated where there is an index."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [*PIP, "wheel", "--no-deps", "--no-cache-dir", "--wheel-dir", str(folder)]
    if build_packages is None:
        command += ["--no-build-isolation"]
    else:
        command += ["--no-index", "--find-links", str(build_packages)]
    done = subprocess.run(
        [*command, str(sdist)], check=False, capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("trope-*.whl")
    return built


def test_wheel_is_built_in_isolation(wheel: Path, build_packages: Path | None) -> None:
    if build_packages is None:
        pytest.skip("pip reaches no index with what a build needs: built without isolation")
    assert wheel.is_file()


@pytest.fixture(scope="session")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_is_small_enough(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST_BYTES


def test_wheel_is_for_every_platform(wheel: Path) -> None:
    assert re.fullmatch(r"trope-[\d.]+-py3-none-any\.whl", wheel.name)


def test_wheel_holds_the_weights_that_its_list_names(names: set[str]) -> None:
    for tier, model in known_models().items():
        files = {f"trope/encoder/weights/{tier}/{file.name}" for file in model.files}
        assert files <= names


def test_wheel_holds_every_file_of_the_package(names: set[str]) -> None:
    source = REPOSITORY / "src"
    there = {
        path.relative_to(source).as_posix()
        for path in (source / "trope").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".log"
    }
    assert there <= names
    assert not [name for name in names if name.endswith(".log")]
    assert "trope/py.typed" in there
    assert {".toml", ".txt", ".html", ".jsonl", ".onnx"} <= {Path(name).suffix for name in there}


def test_wheel_holds_nothing_but_the_package_and_its_licences(names: set[str]) -> None:
    ours = r"trope/|trope-[\d.]+\.dist-info/|trope-[\d.]+\.data/data/share/man/man1/"
    strange = [n for n in names if not re.match(ours, n)]
    assert strange == []
    assert {Path(name).name for name in names} >= {"LICENSE", "NOTICE", "METADATA"}


def test_wheel_holds_the_manual_pages_of_its_commands(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        pages = {
            Path(name).name: archive.read(name).decode()
            for name in archive.namelist()
            if "/share/man/man1/" in name
        }
    assert pages == {
        file_name(entry): page(entry) for entry in (read_entry(), *read_entry().commands)
    }


def test_wheel_registers_the_command_and_the_spacy_component(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (entry,) = [n for n in archive.namelist() if n.endswith("entry_points.txt")]
        said = archive.read(entry).decode()
    assert "trope = trope.cli.main:run" in said
    assert "trope = trope.integrations.spacy:create_component" in said


def test_wheel_reads_a_sentence_by_itself(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import trope; print(trope.__file__); "
        "print(*(t.upos for t in trope.analyze('Rain hammers roofs.').tokens))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    place, tags = done.stdout.splitlines()
    assert place.startswith(str(tmp_path))
    assert tags == "NOUN VERB NOUN PUNCT"
