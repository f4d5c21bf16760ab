"""Recipes on a real cluster of several nodes: the same bytes, whatever is killed."""

import signal
import sys
from pathlib import Path

import pytest
from reading_recipe import PART, hold_of, reading, start
from recipe_data import write_data
from test_recipe_engine import bytes_of
from test_recipe_paths import SMALL

from builders import FakePipeline
from trope.cli.main import run
from trope.core.errors import BadInput
from trope.recipes import engine
from trope.recipes.engine import run_recipe
from trope.recipes.settings import resolve
from trope.scale import executors
from trope.scale import executors as ray_engine
from trope.scale.executors import RayExecutor
from workers_of_ray import FATAL, FATAL_ONCE, cluster_of_two, watched

pytest.importorskip("ray", reason="ray is not installed: pip install 'trope[scale]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def cluster():
    with cluster_of_two(Path(__file__).parent) as started:
        yield started


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "PART", PART)
    return reading(tmp_path / "recipe")


def go(recipe, out, *changes, load=None):
    """A run on Ray, whose workers load their pipeline so; in this process without it."""
    make = executors.LocalExecutor if load is None else lambda: RayExecutor(load=load)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
        settings = resolve(recipe, None, changes)
        return run_recipe(recipe, settings, data=out.parent, out=out, engine=make)


def command(name, data, out, *more):
    arguments = ["recipe", "run", name, "--from", str(data), "--out", str(out), *more]
    for change in SMALL[name]:
        arguments += ["--set", change]
    with pytest.raises(SystemExit) as leave:
        run(arguments)
    return leave.value.code


@pytest.mark.parametrize("name", ["newsmet", "tweets2019"])
def test_shipped_model_gives_the_same_bytes_on_both_engines(
    cluster, name, data, shipped, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(engine, "PART", PART)
    assert command(name, data, tmp_path / "ray", "--simulate", "--engine", "ray") == 0
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: shipped)
    assert command(name, data, tmp_path / "local", "--simulate") == 0
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


def test_worker_that_is_lost_costs_time_alone(cluster, recipe, tmp_path):
    words = f'words=["Rain fell.", "{FATAL_ONCE}"]'
    go(recipe, tmp_path / "local", words)
    log = tmp_path / "log"
    done = go(recipe, tmp_path / "ray", words, load=watched(log))
    assert (log / "ended").exists(), "no worker was lost"
    parts = sorted((tmp_path / "ray" / "steps" / "02-read").glob("[0-9]*"))
    begun = len(list(log.iterdir())) - 1  # beside the file that says that a worker ended
    assert begun > len(parts) == 19
    assert (done.funnel.steps[1].taken, done.funnel.steps[1].dropped) == (95, {"seventh": 13})
    assert bytes_of(tmp_path / "ray") == bytes_of(tmp_path / "local")


@pytest.mark.parametrize(("first", "second"), [("ray", "local"), ("local", "ray")])
def test_run_killed_on_one_engine_goes_on_with_the_other(cluster, recipe, tmp_path, first, second):
    go(recipe, tmp_path / "whole")
    out, log = tmp_path / "killed", tmp_path / "log"
    process = start(tmp_path / "recipe", out, first, address=cluster.address, log=log)
    step = out / "steps" / "02-read"
    hold_of(out).wait(process)
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors.decode()
    there = {path.name for path in step.glob("[0-9]*")}
    assert 4 <= len(there) < 19, "the run was over before it could be killed"
    again = tmp_path / "again"
    go(recipe, out, load=watched(again) if second == "ray" else None)
    if second == "ray":
        assert len(list(again.iterdir())) == 19 - len(there)
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


def test_part_that_ends_every_worker_is_named(cluster, recipe, tmp_path, monkeypatch):
    monkeypatch.setattr(ray_engine, "ATTEMPTS", 2)
    with pytest.raises(BadInput, match=r"0000\.jsonl: 2 workers were lost over its 5 records"):
        go(recipe, tmp_path / "run", f'words=["{FATAL}"]', load=watched(tmp_path / "log"))


def test_ray_that_is_not_installed_is_named_and_not_missed_without_need(
    data, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert command("newsmet", data, tmp_path / "newsmet", "--engine", "ray") == 2
    assert "pip install 'trope[scale]'" in capsys.readouterr().err
    assert not (tmp_path / "newsmet").exists()
    assert command("semeval2007", data, tmp_path / "semeval", "--engine", "ray") == 0


def test_options_of_clusters_need_one(data, tmp_path, capsys):
    assert command("newsmet", data, tmp_path / "run", "--address", "auto") == 2
    assert "--address is for clusters; add --engine ray" in capsys.readouterr().err
