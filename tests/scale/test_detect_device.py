"""Detection on a graphics processor: its processes, and what is resumed on which device."""

import json
import os
import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpora_to_detect import contents
from detect_in_process import trope

from metaphor_model import write_model
from trope import Pipeline
from trope.cli import engines
from trope.core.errors import BadInput
from trope.corpora.files import find_files
from trope.encoder import device
from trope.encoder.device import GraphicsCard
from trope.scale.executors import CardExecutor, LocalExecutor, _Crew, describe
from trope.scale.folder import DetectManifest
from trope.scale.job import DetectSettings, Executor, Shard
from trope.scale.run import detect
from trope.scale.shards import MadeShard

pytest.importorskip("torch")

TEXTS = [f"The tax crushed shop {number}." for number in range(40)]


@pytest.fixture(autouse=True)
def own_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `on_card` replaces in this process is put back."""
    monkeypatch.setattr(device, "find_card", device.find_card)


def pretended() -> GraphicsCard:
    """This machine's processor as if it were a card."""
    return GraphicsCard("a card", "cpu", "float32", 8 << 30)


def on_card(folder: Path, threads: int | None) -> Pipeline:
    """A pipeline of a process that has such a card."""
    device.find_card = pretended
    return Pipeline(folder=folder, threads=threads, device="cuda")


def killed_once(marker: Path, work: Any, pipeline: Pipeline, shard: Shard) -> MadeShard:
    """Work whose process is killed in the middle of the second shard, the first time."""
    if shard.number == 1 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(pipeline, shard)


def killed_always(work: Any, pipeline: Pipeline, shard: Shard) -> MadeShard:
    """Work whose process is killed over the third shard, whoever does it."""
    if shard.number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return work(pipeline, shard)


def settings(ran_on: str = "cuda") -> DetectSettings:
    return DetectSettings(
        trope="0", tier="small", model_sha256="", tokens=True, shard_rows=5, device=ran_on
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_model(tmp_path_factory.mktemp("model"))
    (made / "texts.txt").write_text("\n".join(TEXTS))
    return made


class Wrapped:
    """Another executor, whose work is done in another way."""

    def __init__(self, executor: Executor, change: Any) -> None:
        self.executor, self.change = executor, change
        self.model = executor.model

    def run(self, work: Any, jobs: Any) -> Any:
        return self.executor.run(partial(self.change, work), jobs)


def run(folder: Path, out: Path, executor: Any, *, ran_on: str = "cuda", **options: Any) -> Any:
    files = find_files([str(folder / "texts.txt")])
    return detect(files, settings(ran_on), out, executor, **options)


@pytest.fixture(scope="module")
def executor(folder: Path) -> CardExecutor:
    return CardExecutor(partial(on_card, folder), workers=2)


@pytest.fixture
def one_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> LocalExecutor:
    from trope.scale import executors

    monkeypatch.setattr(executors, "load_pipeline", lambda threads: Pipeline(folder=folder))
    return LocalExecutor(threads=1)


def test_processes_write_what_one_writes(
    folder: Path, tmp_path: Path, executor: CardExecutor, one_process: LocalExecutor
) -> None:
    assert executor.model == describe(on_card(folder, 1))
    assert (executor.model.device, one_process.model.device) == ("cuda", "cpu")
    assert run(folder, tmp_path / "one", one_process)["texts"] == len(TEXTS)
    assert run(folder, tmp_path / "two", executor)["texts"] == len(TEXTS)
    # scores of this model are exact on both, and the settings are the same
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_killed_process_loses_and_doubles_nothing(
    folder: Path, tmp_path: Path, executor: CardExecutor
) -> None:
    run(folder, tmp_path / "whole", executor)
    marker = tmp_path / "killed"
    run(folder, tmp_path / "again", Wrapped(executor, partial(killed_once, marker)))
    assert marker.exists()
    assert contents(tmp_path / "whole") == contents(tmp_path / "again")


def test_texts_that_kill_every_process_are_named(folder: Path, tmp_path: Path) -> None:
    executor = CardExecutor(partial(on_card, folder), workers=2)
    with pytest.raises(BadInput, match=r"texts\.txt:11: 5 workers were lost over the 5 texts"):
        run(folder, tmp_path / "lost", Wrapped(executor, killed_always))


def test_a_process_has_one_thread_for_products(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    executor = CardExecutor(partial(on_card, folder), workers=1)
    [(_, found)] = executor.run(threads_of_torch, [Shard(0, (), 0)])
    assert found == 1


def threads_of_torch(pipeline: Pipeline, shard: Shard) -> int:
    import torch

    return torch.get_num_threads()


def test_errors_of_a_process_are_those_of_the_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no device 'gpu'"):
        CardExecutor(partial(of_no_device, folder), workers=1)


def of_no_device(folder: Path, threads: int | None) -> Pipeline:
    return Pipeline(folder=folder, threads=threads, device="gpu")


def stopped(folder: Path, out: Path, executor: Any, ran_on: str) -> None:
    """A run that is stopped after its second shard."""

    class Stopped(Exception):
        pass

    def stop(progress: Any) -> None:
        if progress.texts >= 10:
            raise Stopped

    with pytest.raises(Stopped):
        run(folder, out, executor, ran_on=ran_on, report=stop)


def test_another_device_resumes_only_what_may_be_mixed(
    folder: Path, tmp_path: Path, one_process: LocalExecutor
) -> None:
    out = tmp_path / "out"
    stopped(folder, out, one_process, "cpu")
    with pytest.raises(BadInput, match="device was 'cpu', is 'cuda', which --mix-devices allows"):
        run(folder, out, one_process, resume=True)
    assert run(folder, out, one_process, resume=True, mix_devices=True)["texts"] == len(TEXTS)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["settings"]["device"] == "cpu, cuda"
    assert manifest["state"] == "done"


def test_a_mixed_run_stays_mixed(folder: Path, tmp_path: Path, one_process: LocalExecutor) -> None:
    out = tmp_path / "out"
    stopped(folder, out, one_process, "cpu, cuda")
    with pytest.raises(BadInput, match="device was 'cpu, cuda', is 'cpu'"):
        run(folder, out, one_process, ran_on="cpu", resume=True)
    run(folder, out, one_process, ran_on="cpu", resume=True, mix_devices=True)
    assert json.loads((out / "manifest.json").read_text())["settings"]["device"] == "cpu, cuda"


def test_folders_from_before_devices_were_named_are_of_the_processor() -> None:
    import msgspec

    old = {"trope": "0", "tier": "small", "model_sha256": ""}
    whole = {"command": "detect", "state": "done", "settings": old, "inputs": []}
    assert msgspec.convert(whole, DetectManifest).settings.device == "cpu"


def test_the_command_needs_a_card_for_cuda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without() -> GraphicsCard:
        raise BadInput("torch finds no graphics processor; check its driver, or use --device cpu")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(device, "find_card", without)
    Path("in.txt").write_text("The tax crushed shops.\n")
    with pytest.raises(BadInput, match="torch finds no graphics processor"):
        trope("in.txt", "--out", "out", "--device", "cuda")
    assert not Path("out").exists()
    assert trope("in.txt", "--out", "out", "--device", "auto", "--counts-only").exit_code == 0
    assert json.loads(Path("out/manifest.json").read_text())["settings"]["device"] == "cpu"


def test_workers_follow_the_memory_of_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        engines, "open_card", lambda name: GraphicsCard("a card", "cuda", "", 5 << 30)
    )
    monkeypatch.setattr(engines, "usable_cores", lambda: 12)
    from trope.scale import executors

    monkeypatch.setattr(
        executors, "CardExecutor", lambda load, **options: asked.update(options, load=load)
    )
    engines.load_executor("local", None, device="cuda")
    assert (asked["workers"], asked["threads"]) == (2, 1)
    assert asked["load"].keywords == {"device": "cuda"}
    engines.load_executor("local", None, device="cuda", workers=7)
    assert asked["workers"] == 7
    with pytest.raises(BadInput, match="--address is for clusters"):
        engines.load_executor("local", None, device="cuda", address="h:1")
    with pytest.raises(BadInput, match="--workers is for clusters"):
        engines.load_executor("local", None, workers=2)
    with pytest.raises(BadInput, match="name cpu or cuda with --engine ray"):
        engines.load_executor("ray", None, device="auto")


class PretendedRay:
    """A cluster of so many processors and cards, which never has room for a worker."""

    def __init__(self, **resources: float) -> None:
        self.resources = resources
        self.asked: list[dict[str, Any]] = []

    def cluster_resources(self) -> dict[str, float]:
        return self.resources

    def remote(self, **needs: Any) -> Any:
        def start(*_: object) -> Any:
            self.asked.append(needs)
            return SimpleNamespace(describe=SimpleNamespace(remote=object))

        return lambda actor: SimpleNamespace(remote=start)

    def wait(self, answers: Any, timeout: float) -> Any:
        return [], answers


def test_workers_of_ray_share_the_cards() -> None:
    ray = PretendedRay(CPU=40.0, GPU=2.0)
    _Crew(ray, on_card, None, 1, cards=True).grow()
    assert len(ray.asked) == 32
    assert {(needs["num_cpus"], needs["num_gpus"]) for needs in ray.asked} == {(1, 1 / 16)}
    ray = PretendedRay(CPU=40.0)
    _Crew(ray, on_card, None, 1).grow()
    assert (len(ray.asked), ray.asked[0]["num_gpus"]) == (40, 0)


def test_a_cluster_without_a_card_says_so() -> None:
    crew = _Crew(PretendedRay(CPU=40.0), on_card, None, 1, cards=True)
    with pytest.raises(BadInput, match=r"no machine of the Ray cluster .*ray start --num-gpus"):
        crew.first()
