"""Runs of recipes on small data, for modules that say `pytest_plugins = ("run_fixtures",)`."""

import shutil

import pytest
from recipe_data import NEEDS, SMALL, write_data

from trope.cli.main import run
from trope.scale import executors


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def go(data, shipped):
    """Gives a command of a recipe; the exit code comes back."""

    def start(name, out, *options):
        arguments = ["recipe", "run", name, "--from", str(data), "--out", str(out)]
        for change in SMALL[name]:
            arguments += ["--set", change]
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as leave:
            patch.setattr(executors, "load_pipeline", lambda threads: shipped)
            run([*arguments, *map(str, options)])
        return leave.value.code

    return start


@pytest.fixture(scope="module")
def projects(go, tmp_path_factory):
    """Runs a recipe up to its project once, and gives copies of it."""
    folder = tmp_path_factory.mktemp("projects")

    def copy(name, out):
        if name in NEEDS:
            pytest.importorskip(NEEDS[name])
        if not (folder / name).exists():
            assert go(name, folder / name) == 0
        return shutil.copytree(folder / name, out)

    return copy
