"""The same bytes from a real cluster of several nodes, whatever is killed."""

import json
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from corpora_to_detect import contents, start, write_corpus

from builders import FakePipeline
from holds import Hold
from trope.cli.main import main
from trope.core.errors import BadInput
from trope.corpora.files import find_files
from trope.scale import executors
from trope.scale import executors as engine
from trope.scale.executors import RayExecutor
from trope.scale.job import DetectSettings, Executor
from trope.scale.run import DetectProgress, detect
from workers_of_ray import FATAL, FATAL_ONCE, REFUSED, cluster_of_two, of_its_own, stuck_on, watched

pytest.importorskip("ray", reason="ray is not installed: pip install 'trope[scale]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of_two() as started:
        yield started


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))


def run(executor: Executor, out: str, report: Any = lambda progress: None) -> dict[str, int]:
    settings = DetectSettings(
        trope="0", tier="small", model_sha256="0", columns=("text",), tokens=True, shard_rows=7
    )
    return detect(find_files(["corpus"]), settings, Path(out), executor, report=report)


def begun(log: Path) -> int:
    return len(list(log.iterdir()))


def test_the_same_bytes_as_local(cluster: Any, tmp_path: Path) -> None:
    write_corpus(Path("corpus"), texts=120)
    run(executors.LocalExecutor(), "local")
    log = tmp_path / "log"
    told: list[DetectProgress] = []
    run(RayExecutor(load=watched(log)), "ray", told.append)
    assert contents(Path("ray")) == contents(Path("local"))
    assert begun(log) == len(list(Path("ray").glob("part-*"))) == len(told)
    assert [p.position for p in told] == sorted(p.position for p in told)


def test_a_node_that_is_lost_costs_time_alone(cluster: Any, tmp_path: Path) -> None:
    write_corpus(Path("corpus"), texts=160)
    run(executors.LocalExecutor(), "local")
    lost = cluster.add_node(num_cpus=2)
    log, stuck = tmp_path / "log", tmp_path / "stuck"

    def kill_the_node() -> None:
        while not stuck.exists():
            time.sleep(0.01)
        cluster.remove_node(lost, allow_graceful=False)

    killer = threading.Thread(target=kill_the_node)
    killer.start()
    totals = run(RayExecutor(load=stuck_on(lost.node_id, log, stuck)), "ray")
    killer.join()
    shards = len(list(Path("ray").glob("part-*")))
    assert begun(log) > shards, "no shard was under way on the node"
    assert totals["texts"] == sum(p.read_text().count("\n") for p in Path("ray").glob("part-*"))
    assert contents(Path("ray")) == contents(Path("local"))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_driver_killed_and_resumed_is_byte_identical(
    cluster: Any, tmp_path: Path, seed: int
) -> None:
    write_corpus(tmp_path / "corpus", texts=80)
    options = ("--shard-rows", "7", "--columns", "text", "--tokens", "--quiet")
    on_ray = ("--engine", "ray", "--address", cluster.address)
    whole = start("corpus", "--out", "whole", *options, cwd=tmp_path)
    whole.communicate()
    goal = random.Random(seed).randint(1, 6)
    out = tmp_path / "killed"
    hold = Hold(out, "part-*", goal)
    process = start("corpus", "--out", "killed", *options, *on_ray, cwd=tmp_path, hold=hold)
    hold.wait(process)
    process.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGKILL, errors.decode()
    again = start("corpus", "--out", "killed", *options, *on_ray, "--resume", cwd=tmp_path)
    _, errors = again.communicate()
    assert again.returncode == whole.returncode == 1, errors.decode()
    assert contents(out) == contents(tmp_path / "whole")


def test_a_shard_that_ends_every_worker_is_named(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "ATTEMPTS", 2)
    Path("corpus").mkdir()
    Path("corpus/a.txt").write_text(f"Rain fell.\n{FATAL}\n")
    with pytest.raises(BadInput, match=r"a\.txt:1: 2 workers were lost over the 2 texts"):
        run(RayExecutor(load=watched(tmp_path / "log"), workers=1), "ray")


def test_errors_of_workers_come_home_as_they_are(cluster: Any, tmp_path: Path) -> None:
    Path("corpus").mkdir()
    Path("corpus/a.txt").write_text(f"{REFUSED}\n")
    with pytest.raises(BadInput) as raised:
        run(RayExecutor(load=watched(tmp_path / "log"), workers=1), "ray")
    assert str(raised.value) == "a text is refused; leave it out"


def test_workers_must_have_the_same_model(cluster: Any, tmp_path: Path) -> None:
    write_corpus(Path("corpus"), texts=40)
    with pytest.raises(BadInput, match="different models or versions of trope"):
        run(RayExecutor(load=of_its_own(tmp_path / "log")), "ray")


def test_the_command_takes_the_engine_and_the_number_of_workers(cluster: Any) -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    command = ["detect", "a.txt", "--out", "out", "--engine", "ray", "--workers", "1"]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stderr == "out: 1 text, 3 words, 1 metaphor\n"


def test_a_worker_that_is_lost_leaves_no_trace_on_standard_output(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "load_pipeline", watched(tmp_path / "log"))
    Path("a.txt").write_text(f"Rain ate roads.\n{FATAL_ONCE}\n")
    command = ["detect", "a.txt", "--out", "out", "--engine", "ray", "--workers", "1", "--json"]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert (tmp_path / "log" / "ended").exists()
    assert json.loads(done.stdout)["texts"] == 2
