"""Processes beside a model, warm or cold, however they are started: all give the same scores."""

import json
import os
import signal
import subprocess
import sys
from multiprocessing import get_all_start_methods
from pathlib import Path

import pytest

TIMEOUT = 600
"""Seconds; a minute is enough on a slow machine, and a hang takes for ever."""

TEXTS = ["He attacked my argument.", "Rain fell on London."] * 4

# each script prints, per line: way of starting, whether the parent has used its model, scores
POOL = """
import json, multiprocessing, sys
import trope

def rates(text):
    return [token.metaphor for token in trope.analyze(text).tokens]

def work(method, texts):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(rates, texts, chunksize=2)

def alone(texts):
    return [rates(text) for text in texts]
"""

PIPE = """
import json, multiprocessing, sys
import trope.integrations.spacy  # imports spaCy without torch, which would take most of the time
import spacy

nlp = spacy.blank("en")
nlp.add_pipe("trope")

def rates(docs):
    return [[token._.metaphor for token in doc] for doc in docs]

def work(method, texts):
    multiprocessing.set_start_method(method, force=True)
    return rates(nlp.pipe(texts, n_process=2, batch_size=2))

def alone(texts):
    return rates(map(nlp, texts))
"""

MAIN = """
if __name__ == "__main__":
    texts, methods = json.loads(sys.argv[1])
    for state in ("cold", "warm", "after"):
        for method in methods if state != "after" else [""]:
            found = work(method, texts) if method else alone(texts)
            print(json.dumps([method, state, found]), flush=True)
        alone(texts)
"""


@pytest.fixture(scope="module", params=[POOL, PIPE], ids=["pool", "spacy"])
def scores(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], list[list[float]]]:
    """The scores of the texts by way of starting and state of the parent; last, of the parent."""
    if request.param is PIPE:
        pytest.importorskip("spacy", reason="spaCy is not installed (pip install 'trope[spacy]')")
    script = tmp_path_factory.mktemp("processes") / "script.py"
    script.write_text(request.param + MAIN, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script), json.dumps([TEXTS, get_all_start_methods()])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        out = _kill_group(process)
        pytest.fail(f"hangs: not done after {TIMEOUT} seconds; done are {out}")
    assert process.returncode == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    return {(method, state): found for method, state, found in lines}


@pytest.mark.parametrize("state", ["cold", "warm"])
@pytest.mark.parametrize("method", get_all_start_methods())
def test_processes_give_the_scores_of_their_parent(
    scores: dict[tuple[str, str], list[list[float]]], method: str, state: str
) -> None:
    alone = scores["", "after"]
    assert [len(own) for own in alone] == [5, 5] * 4
    assert scores[method, state] == alone


def _kill_group(process: "subprocess.Popen[str]") -> str:
    """End the process and those that it has started; what it had printed."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    return process.communicate()[0]


def test_a_model_is_opened_anew_in_a_forked_process(tmp_path: Path) -> None:
    """Sessions and threads of the parent are not used: the child has none until it asks."""
    if not hasattr(os, "fork"):
        pytest.skip("processes are not forked here")
    code = """
import os, trope
pipeline = trope.Pipeline()
pipeline.analyze("Rain fell.")
assert pipeline.encoder._sessions
child = os.fork()
if child == 0:
    os._exit(len(pipeline.encoder._sessions))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(pipeline.encoder._sessions) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0 True\n"
