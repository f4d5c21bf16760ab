"""Killed at any point and resumed, a run leaves the same bytes as one that nobody disturbed."""

import random
import signal
from pathlib import Path

import pytest
from corpora_to_detect import contents, start, write_corpus

from holds import Hold

OPTIONS = ("--shard-rows", "7", "--columns", "text", "--tokens", "--quiet")
KILLS = 6


def run(cwd: Path, out: str, *more: str) -> int:
    process = start("corpus", "--out", out, *OPTIONS, *more, cwd=cwd)
    _, errors = process.communicate()
    assert process.returncode in (0, 1), errors.decode()
    return process.returncode


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_killed_and_resumed_is_byte_identical(tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    write_corpus(tmp_path / "corpus", texts=120)
    whole = run(tmp_path, f"whole.{form}")
    rng = random.Random(3)
    shards = len(list((tmp_path / f"whole.{form}").glob("part-*")))
    out = tmp_path / f"killed.{form}"
    reached = []
    for _ in range(KILLS):
        # the kill comes when a chosen shard has appeared, somewhere inside the next one
        goal = (reached[-1] if reached else 0) + rng.randint(0, 3)
        hold = Hold(out, "part-*", goal)
        process = start("corpus", "--out", out.name, *OPTIONS, "--resume", cwd=tmp_path, hold=hold)
        hold.wait(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        reached.append(len(list(out.glob("part-*"))) if out.is_dir() else 0)
        assert reached[-1] < shards, "the run was over before it could be killed"
    assert reached == sorted(reached)
    assert reached[-1] > 0
    assert run(tmp_path, out.name, "--resume") == whole == 1
    assert contents(out) == contents(tmp_path / f"whole.{form}")


def test_resuming_does_not_do_again_what_is_done(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", texts=60)
    assert run(tmp_path, "out") == 1
    before = {path: path.stat().st_ino for path in (tmp_path / "out").iterdir()}
    assert run(tmp_path, "out", "--resume") == 1
    assert {path: path.stat().st_ino for path in (tmp_path / "out").iterdir()} == before


@pytest.mark.parametrize("damage", [b"", b"something else"])
def test_a_shard_that_was_damaged_is_made_again(tmp_path: Path, damage: bytes) -> None:
    write_corpus(tmp_path / "corpus", texts=60)
    run(tmp_path, "out")
    wanted = contents(tmp_path / "out")
    shard = tmp_path / "out" / "part-00002.jsonl"
    shard.write_bytes(damage)
    kept = (tmp_path / "out" / "part-00001.jsonl").stat().st_ino
    assert run(tmp_path, "out", "--resume") == 1
    assert contents(tmp_path / "out") == wanted
    assert (tmp_path / "out" / "part-00001.jsonl").stat().st_ino == kept


def test_two_runs_cannot_share_a_folder(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", texts=120)
    hold = Hold(tmp_path / "out", "part-*", 1)
    first = start("corpus", "--out", "out", *OPTIONS, cwd=tmp_path, hold=hold)
    try:
        hold.wait(first)
        second = start("corpus", "--out", "out", *OPTIONS, "--resume", cwd=tmp_path)
        _, errors = second.communicate()
        assert second.returncode == 2
        assert errors.decode() == (
            "trope: out: another trope detect is running there; wait for it, or stop it\n"
        )
    finally:
        first.kill()
        first.communicate()
