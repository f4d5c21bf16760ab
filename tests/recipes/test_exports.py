"""Exports of the service on their way into a run: what is refused, what is left out, what stays."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from answer_exports import AT, decision, form, read_rows, write_rows
from toy_recipe import toy

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.recipes import engine
from trope.recipes.engine import run_recipe
from trope.recipes.settings import resolve

TOY = Path(__file__).with_name("toy_recipe.py")


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "PART", 10)
    return toy(tmp_path / "recipe")


@pytest.fixture
def items(recipe, tmp_path):
    """The ids of a run that has its project and waits for people."""
    go(recipe, tmp_path / "run")
    return [item["id"] for item in read_rows(tmp_path / "run" / "items.jsonl")]


def go(recipe, out, **how):
    return run_recipe(recipe, resolve(recipe), data=out.parent, out=out, **how)


def bytes_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "secret"
    }


def all_yes(items):
    return [form(item, "Ada", {"q": "yes"}, number=at) for at, item in enumerate(items, start=1)]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (form("nobody", "Ada", {"q": "yes"}), "about item 'nobody', which this run does not have"),
        (
            form("ITEM", "Bob", {"q": "maybe"}),
            "the answer 'maybe' to 'q' is not one of the answers",
        ),
        (form("ITEM", "Bob", {"z": "yes"}), "answers 'z', which the project does not ask"),
        (
            {**form("ITEM", "Bob", {"q": "no"}), "digest": "0123456789abcdef"},
            "is about another text than item 'ITEM' of this run",
        ),
        (form("ITEM", "Ada", {"q": "no"}), "'Ada' already judged item 'ITEM' in line 1"),
        (
            {**form("ITEM", "Bob", {}), "simulated": True},
            "is a judgment of a simulated crowd, not of a person",
        ),
        ({"item": "ITEM", "annotator": "Bob", "question": "q", "label": "yes"}, "has no 'state'"),
        ({**form("ITEM", "Bob", {}), "state": "good"}, "has the state 'good'"),
    ],
)
def test_line_at_fault_is_named_with_the_remedy(recipe, items, tmp_path, row, words):
    row = {**row, "item": row["item"].replace("ITEM", items[0])}
    path = write_rows(tmp_path / "said.jsonl", [*all_yes(items), row])
    before = bytes_of(tmp_path / "run")
    with pytest.raises(BadRecord) as caught:
        go(recipe, tmp_path / "run", answers=path)
    said = str(caught.value)
    assert said.startswith(f"{path}:{len(items) + 1}: ")
    assert words.replace("ITEM", items[0]) in said
    assert "trope annotate export RUN/project" in said
    assert bytes_of(tmp_path / "run") == before


def test_export_without_judgments_is_refused(recipe, items, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingData, match=r"judgments\.jsonl: not found; export the judgments"):
        go(recipe, tmp_path / "run", answers=tmp_path / "empty")
    skipped = write_rows(tmp_path / "a.jsonl", [form(items[0], "Ada", {}, state="skipped")])
    with pytest.raises(BadInput, match="has no judgment that counts; export again"):
        go(recipe, tmp_path / "run", answers=skipped)


def test_what_does_not_count_is_left_out_and_told(recipe, items, tmp_path):
    rows = [
        form(items[0], "Ada", {"q": "no"}),
        {**form(items[0], "Bob", {"q": "maybe"}), "current": False},  # changed later
        form(items[0], "Cid", {"q": "yes"}, state="surplus"),
        form(items[1], "Cid", {"q": "yes"}, state="discarded"),
        form("control", "Cid", {"q": "yes"}, state="gold"),
    ]
    done = go(recipe, tmp_path / "run", answers=write_rows(tmp_path / "said.jsonl", rows))
    judged = done.funnel.steps[-1]
    assert (judged.taken, judged.kept) == (len(items), 1)
    assert judged.dropped == {"too-few-judgments": len(items) - 1}
    assert judged.facts["not counted"] == {
        "discarded": 1,
        "surplus": 1,
        "test question that is no item": 1,
    }
    first, second, *_ = read_rows(tmp_path / "run" / "labels.jsonl")
    assert (first["label"], second["label"]) == ("no", None)
    assert second["reason"] == "too few judgments: 0 of 1"
    (row,) = read_rows(tmp_path / "run" / "judgments.jsonl")
    assert (row["annotator"], row["simulated"]) == ("a01", False)


def test_decisions_are_checked_and_the_last_holds(recipe, items, tmp_path):
    folder = tmp_path / "export"
    write_rows(folder / "judgments.jsonl", all_yes(items))
    strange = decision("nobody", {"q": "no"})
    write_rows(folder / "decisions.jsonl", [strange | {"current": False}, strange])
    with pytest.raises(BadRecord, match=r"decisions\.jsonl:2: is about item 'nobody'"):
        go(recipe, tmp_path / "run", answers=folder)
    write_rows(folder / "decisions.jsonl", [decision(items[0], {"q": "x"})])
    with pytest.raises(BadRecord, match=r"decisions\.jsonl:1: item .* the answer 'x' to 'q'"):
        go(recipe, tmp_path / "run", answers=folder)
    write_rows(folder / "decisions.jsonl", [decision(items[0], {}, excluded=True)])
    done = go(recipe, tmp_path / "run", answers=folder)
    assert done.funnel.steps[-1].dropped == {"excluded-by-an-adjudicator": 1}


def test_trials_are_checked(recipe, items, tmp_path):
    folder = tmp_path / "export"
    write_rows(folder / "judgments.jsonl", all_yes(items))
    write_rows(folder / "trials.jsonl", [{"item": items[0], "at": AT}])
    with pytest.raises(
        BadRecord,
        match=r"trials\.jsonl:1: is not an answer to the demo task; export it with --what trials",
    ):
        go(recipe, tmp_path / "run", answers=folder)


def test_same_answers_give_the_same_bytes_and_others_are_refused(recipe, items, tmp_path):
    path = write_rows(tmp_path / "said.jsonl", all_yes(items))
    go(recipe, tmp_path / "run", answers=path)
    right = bytes_of(tmp_path / "run")
    go(recipe, tmp_path / "run", answers=path)
    go(recipe, tmp_path / "fresh", answers=path)
    assert bytes_of(tmp_path / "run") == bytes_of(tmp_path / "fresh") == right
    assert set(json.loads(right["manifest.json"])["answers"]) == {"judgments"}
    other = write_rows(tmp_path / "other.jsonl", all_yes(items)[1:])
    for how, words in (
        ({"answers": other}, r"answers\.judgments: '\w+' there, '\w+' here"),
        ({"simulate": True}, "simulated: False there, True here"),
        ({}, r"answers\.judgments: '\w+' there, nothing here"),
    ):
        with pytest.raises(BadInput, match=words):
            go(recipe, tmp_path / "run", **how)
        assert bytes_of(tmp_path / "run") == right


def test_people_do_not_take_the_place_of_a_simulated_crowd(recipe, items, tmp_path):
    go(recipe, tmp_path / "run", simulate=True)
    path = write_rows(tmp_path / "said.jsonl", all_yes(items))
    with pytest.raises(BadInput, match="simulated: True there, False here"):
        go(recipe, tmp_path / "run", answers=path)


def test_answers_of_a_run_are_not_those_of_its_simulated_crowd(recipe, items, tmp_path):
    go(recipe, tmp_path / "crowd", simulate=True)
    with pytest.raises(BadRecord, match=r"judgments\.jsonl:1: is a judgment of a simulated"):
        go(recipe, tmp_path / "run", answers=tmp_path / "crowd")


def test_run_that_was_killed_with_answers_goes_on(recipe, items, tmp_path):
    path = write_rows(tmp_path / "said.jsonl", all_yes(items))

    def start(out, **environment):
        command = [sys.executable, str(TOY), str(tmp_path / "recipe"), str(out), str(path)]
        return subprocess.run(command, env={**os.environ, **environment}, check=False).returncode

    assert start(tmp_path / "killed", DIE_AT="people") == -signal.SIGKILL
    assert json.loads((tmp_path / "killed" / "manifest.json").read_text())["finished"] is False
    assert start(tmp_path / "killed") == 0
    assert start(tmp_path / "whole") == 0
    assert bytes_of(tmp_path / "killed") == bytes_of(tmp_path / "whole")
