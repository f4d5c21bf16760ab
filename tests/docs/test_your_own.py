"""Every script of examples/your-own runs from files to a loaded release, as its reader would."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import REPOSITORY

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

EXAMPLES = REPOSITORY / "examples" / "your-own"
SCRIPTS = sorted(EXAMPLES.glob("*/run.py"))


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """A script in a folder of its own; nothing is read from the network."""
    here = {"PYTHONPATH": str(REPOSITORY / "src"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | here | {"HF_HOME": str(folder / "hub"), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.parent.name)
def test_example_runs(script: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="datasets is not installed")
    copy = tmp_path / "your-own"
    shutil.copytree(EXAMPLES, copy)
    done = run(tmp_path, str(copy / script.parent.name / script.name), "work")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    # the last line says what `datasets` found in the release
    assert done.stdout.splitlines()[-1].startswith("loaded with datasets: "), done.stdout


PLAY = """
import sys
from pathlib import Path

sys.path.insert(0, {examples!r})
from people import judge, trope

trope("annotate", "new", "project", "--template", {template!r})


def answer(item, person):
{answer}


judge(Path("project"), Path("answers"), answer)
"""


def play(folder: Path, template: str, answer: str) -> "subprocess.CompletedProcess[str]":
    """Three people on the sample items of a template; `answer` is the body of their function."""
    script = PLAY.format(examples=str(EXAMPLES), template=template, answer=answer)
    (folder / "play.py").write_text(script, encoding="utf-8")
    return run(folder, "play.py")


def judgments(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "answers" / "judgments.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_people_mark_words(tmp_path: Path) -> None:
    answer = '    return {"metaphors": [word for word in ("caught", "fire") if word in item.text]}'
    done = play(tmp_path, "spans", answer)
    assert done.returncode == 0, done.stdout + done.stderr
    given = judgments(tmp_path)
    assert {row["annotator"] for row in given} == {"person1", "person2", "person3"}
    marked = {row["item"]: row["answers"]["metaphors"] for row in given}
    assert marked == {"p1": [[11, 22]], "p2": [], "p3": []}  # "caught fire" is one span


def test_people_pass_profile_guidelines_and_demo_task(tmp_path: Path) -> None:
    answer = """
    yes = any(word in " ".join(item.marked) for word in ("heart", "weight", "energy", "mood"))
    return {"understood": "yes", "metaphorical": "yes" if yes else "no", "certainty": "certain"}
"""
    done = play(tmp_path, "tweets2019", answer)
    assert done.returncode == 0, done.stdout + done.stderr
    given = judgments(tmp_path)
    assert len({row["item"] for row in given}) * 3 == len(given)
    trials = (tmp_path / "answers" / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["part"] for line in trials} == {"demo"}


def test_people_who_fail_the_demo_task_are_named(tmp_path: Path) -> None:
    done = play(tmp_path, "newsmet", '    return {"sentence": "invalid", "verb": "invalid"}')
    assert done.returncode != 0
    assert "person1 could not finish: Your application is being reviewed" in done.stderr
