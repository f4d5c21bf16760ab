"""A process that is forked after a warm call has a working model."""

import subprocess
import sys

import pytest

TIMEOUT = 240
"""Seconds; loading and a few texts take some, and a hang takes for ever."""

POOL = """
import multiprocessing
import trope

def rates(text):
    return [token.metaphor for token in trope.analyze(text).tokens]

TEXTS = ["He attacked my argument.", "Rain fell on the town."] * 4
warm = [rates(text) for text in TEXTS]
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(rates, TEXTS, chunksize=2) == warm
assert rates(TEXTS[0]) == warm[0]  # and the one it came from goes on
print("done")
"""

PIPE = """
import spacy

nlp = spacy.blank("en")
nlp.add_pipe("trope")
TEXTS = ["He attacked my argument.", "Rain fell on the town."] * 4
warm = [[token._.metaphor for token in nlp(text)] for text in TEXTS]
found = [[token._.metaphor for token in doc] for doc in nlp.pipe(TEXTS, n_process=2, batch_size=2)]
assert found == warm, (found, warm)
print("done")
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="processes are not forked there")
@pytest.mark.parametrize("script", [POOL, PIPE], ids=["pool", "spacy"])
def test_forked_processes_work_after_a_warm_call(script: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        _kill_group(process)
        pytest.fail(f"hangs: not done after {TIMEOUT} seconds")
    assert (process.returncode, out) == (0, "done\n"), err


def _kill_group(process: "subprocess.Popen[str]") -> None:
    """End the process and those that it has forked."""
    import os
    import signal

    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
