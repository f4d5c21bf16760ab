"""Locks on files: one holder at a time, freed by the end of a process, no file removed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from trope.core import files
from trope.core.files import atomic_write
from trope.core.run_folder import lock_file, wait_for_lock

HOLD = """
import sys
from pathlib import Path
from trope.core.run_folder import lock_file
lock = lock_file(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_has_one_holder_and_its_file_stays(tmp_path):
    path = tmp_path / ".lock"
    lock = lock_file(path)
    with pytest.raises(BlockingIOError):
        lock_file(path)
    lock.release()
    assert path.is_file()
    lock_file(path).release()


def test_a_killed_process_frees_its_lock(tmp_path):
    path = tmp_path / ".lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BlockingIOError):
            lock_file(path)
        holder.kill()
        holder.wait()
        lock_file(path).release()


def test_threads_that_wait_pass_one_after_the_other(tmp_path):
    inside = passed = 0
    crowded = []

    def work():
        nonlocal inside, passed
        for _ in range(20):
            with wait_for_lock(tmp_path / "queue", 60):
                inside += 1
                crowded.append(inside > 1)
                inside -= 1
                passed += 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed == 80 and not any(crowded)


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_a_durable_file_is_on_the_disk_with_its_name(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def note(descriptor):
        synced.append(os.path.realpath(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the names of open files are not known here")
    monkeypatch.setattr(files.os, "fsync", note)  # type: ignore[attr-defined]
    with atomic_write(tmp_path / "a.txt") as file:
        file.write("x")
    assert synced[-1] == str(tmp_path.resolve())
    assert len(synced) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows waits on another lock")
def test_a_file_that_cannot_be_opened_closes_nobody_elses(tmp_path):
    with wait_for_lock(tmp_path / "queue", 60):
        pass
    with pytest.raises(FileNotFoundError), wait_for_lock(tmp_path / "gone" / "queue", 60):
        pass
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(8)]  # take the freed numbers
    with wait_for_lock(tmp_path / "other", 60):
        pass
    null = Path(os.devnull).stat()
    assert all(os.path.samestat(os.fstat(number), null) for number in others)
    for number in others:
        os.close(number)


def test_wait_ends_in_time_and_the_next_one_gets_the_lock(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / "queue").open("w") as held:  # as by another process
        fcntl.flock(held, fcntl.LOCK_EX)
        for _ in range(2):
            with pytest.raises(TimeoutError), wait_for_lock(tmp_path / "queue", 0.02):
                pytest.fail("somebody else has the lock")
    for _ in range(2):
        with (
            wait_for_lock(tmp_path / "queue", 60),
            (tmp_path / "queue").open() as other,
            pytest.raises(BlockingIOError),
        ):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
