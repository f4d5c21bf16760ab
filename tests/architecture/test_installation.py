"""The package as people install it: built in isolation, by pip and uv, into empty environments."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from conftest import REPOSITORY
from trope.cli.manual import file_name, page, read_entry
from trope.encoder.models import known_models

MOST_BYTES = 60_000_000
BIN = "Scripts" if sys.platform == "win32" else "bin"
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def run(*command: object, **options: Any) -> str:
    """The output of a command, which must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def uv() -> Path:
    """The program uv, which may stand beside another environment's Python."""
    pytest.importorskip("uv", reason="uv is not installed (pip install 'trope[test]')")
    files = distribution("uv").files or ()
    return next(Path(file.locate()) for file in files if file.stem == "uv" and "bin" in file.parts)


@pytest.fixture(scope="session")
def has_index(uv: Path, tmp_path_factory: pytest.TempPathFactory) -> bool:
    """Whether the packages of a build can be had from an index."""
    environment = tmp_path_factory.mktemp("asked") / "env"
    run(uv, "venv", "--quiet", "--python", sys.executable, environment)
    needed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    command = [uv, "pip", "install", "--dry-run", "--quiet", "--python", environment]
    done = subprocess.run(
        [*command, *needed["build-system"]["requires"]], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.fixture(scope="session")
def built(uv: Path, has_index: bool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with source archive and wheel by `python -m build`, the wheel from the archive."""
    pytest.importorskip("build", reason="build is not installed (pip install 'trope[test]')")
    folder = tmp_path_factory.mktemp("dist")
    how = ["--installer", "uv"] if has_index else ["--no-isolation"]
    path = os.pathsep.join([str(uv.parent), os.environ.get("PATH", "")])
    command = (sys.executable, "-m", "build", *how, "--outdir", folder, REPOSITORY)
    run(*command, env=os.environ | {"PATH": path}, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("trope-*.whl")
    return found


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """An environment without any package, not even pip."""
    venv.create(tmp_path / "env", symlinks=sys.platform != "win32")
    return tmp_path / "env"


def share_packages(environment: Path) -> None:
    """Give an environment the packages of this one, less trope: what pip would download."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = Path(run(environment / BIN / "python", "-c", code).strip())
    places = [place for place in sys.path if Path(place).name == "site-packages"]
    (folder / "shared.pth").write_text("\n".join(places) + "\n", encoding="utf-8")


def check_installation(environment: Path, way: str) -> None:
    """The command analyses a sentence with the package of this environment; its pages are there."""
    command = environment / BIN / "trope"
    # elsewhere than in the checkout, and by nothing but the environment
    options: dict[str, Any] = {"cwd": environment, "env": os.environ | {"PYTHONPATH": ""}}
    said = run(command, "analyze", "--json", "Rain hammers roofs.", **options)
    assert '"text":"hammers"' in said.replace('": "', '":"')
    where = run(
        environment / BIN / "python", "-c", "import trope; print(trope.__file__)", **options
    )
    assert Path(where.strip()).resolve().is_relative_to(environment.resolve())
    pages = sorted(path.name for path in (environment / "share/man/man1").glob("trope*.1"))
    assert {"trope.1", "trope-analyze.1"} <= set(pages)
    version = run(command, "--version", **options).strip()
    sys.stdout.write(f"{way}: {version}, analyses a sentence, {len(pages)} manual pages\n")


def test_python_m_build_makes_archive_and_wheel_in_isolation(built: Path, has_index: bool) -> None:
    (archive,) = built.glob("trope-*.tar.gz")
    sizes = [round(path.stat().st_size / 1e6) for path in (archive, *built.glob("*.whl"))]
    sys.stdout.write(f"python -m build: archive {sizes[0]} MB, wheel {sizes[1]} MB\n")
    if not has_index:
        pytest.skip("no index with what a build needs is reachable: built without isolation")


def test_uv_installs_the_wheel_with_all_that_it_needs(
    uv: Path, wheel: Path, has_index: bool, empty: Path
) -> None:
    if not has_index:
        pytest.skip("no index is reachable")
    run(uv, "pip", "install", "--quiet", "--python", empty / BIN / "python", wheel)
    check_installation(empty, "uv pip install trope.whl")
    listed = run(uv, "pip", "list", "--quiet", "--python", empty / BIN / "python")
    assert not re.search(r"^(spacy|torch|django)\b", listed, re.M)


def test_pip_installs_the_checkout(has_index: bool, empty: Path) -> None:
    if not has_index:
        pytest.skip("no index is reachable")
    share_packages(empty)
    run(*PIP, "--python", empty / BIN / "python", "install", "--no-deps", ".", cwd=REPOSITORY)
    check_installation(empty, "pip install .")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a repository with the last commit of the checkout, served as by a host."""
    if not shutil.which("git") or not (REPOSITORY / ".git").exists():
        pytest.skip("needs git and a clone")
    bare = tmp_path / "host" / "trope.git"
    run("git", "clone", "--quiet", "--bare", "--depth", "1", REPOSITORY.as_uri(), bare)
    git = ("git", "-C", bare, "-c", "user.name=trope", "-c", "user.email=trope@example.org")
    commit = run(*git, "commit-tree", "HEAD^{tree}", "-m", "Everything").strip()
    run(*git, "update-ref", "HEAD", commit)
    (bare / "shallow").unlink()
    run(*git, "update-server-info")
    handler = partial(QuietHandler, directory=bare.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"git+http://127.0.0.1:{server.server_port}/trope.git"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    """A server of files that keeps no log."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("way", ["pip", "uv pip"])
def test_an_extra_is_installed_from_a_repository(
    way: str, uv: Path, has_index: bool, empty: Path, address: str
) -> None:
    if not has_index:
        pytest.skip("no index is reachable")
    pytest.importorskip("django", reason="django is not installed (pip install 'trope[annotate]')")
    share_packages(empty)
    python = ("--python", empty / BIN / "python")
    # pip's own build in isolation is slow, and that of the checkout shows it
    commands = {
        "pip": (*PIP, *python, "install", "--no-build-isolation"),
        "uv pip": (uv, "pip", "install", "--quiet", *python),
    }
    here = os.environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    run(*commands[way], "--no-deps", f"trope[annotate] @ {address}", env=here)
    check_installation(empty, f"{way} install 'trope[annotate] @ git+http://…'")
    command = (empty / BIN / "trope", "annotate", "new", empty / "project", "--template", "pairs")
    run(*command, cwd=empty, env=os.environ | {"PYTHONPATH": ""})
    assert (empty / "project").is_dir()


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
