"""Steps, funnel, resume and refusal, on a recipe over numbers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from toy_recipe import toy

from trope.core.errors import BadConfig, BadInput, BadRecord, MissingData
from trope.recipes import engine
from trope.recipes.engine import run_recipe
from trope.recipes.settings import differences, resolve

TOY = Path(__file__).with_name("toy_recipe.py")


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "PART", 10)
    return toy(tmp_path / "recipe")


def go(recipe, out, *changes, simulate=False):
    settings = resolve(recipe, None, changes)
    return run_recipe(recipe, settings, data=out.parent, out=out, simulate=simulate)


def bytes_of(folder):
    """Every file of a run but the secret, which is random on purpose."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "secret"
    }


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_number_is_kept_or_dropped_with_a_reason(recipe, tmp_path):
    done = go(recipe, tmp_path / "run")
    count, even, total, sample = done.funnel.steps
    assert (count.taken, count.kept, count.dropped) == (95, 95, {})
    assert (even.taken, even.kept, even.dropped) == (95, 48, {"odd": 47})
    assert even.groups == {"high": 43, "low": 5}
    assert total.facts == {"sum": sum(range(0, 95, 2))}
    assert (sample.kept, sample.dropped) == (20, {"not-drawn": 28})
    items, dropped = (rows(tmp_path / "run" / f"{name}.jsonl") for name in ("items", "dropped"))
    assert len(items) == 20
    assert all(item["fields"]["half"] * 2 == item["fields"]["value"] for item in items)
    assert {row["id"] for row in dropped} | {item["id"] for item in items} == {
        f"n{number}" for number in range(95)
    }
    assert {(row["step"], row["reason"]) for row in dropped} == {
        ("even", "odd"),
        ("sample", "not-drawn"),
    }


def test_reasons_have_one_order_however_they_were_read(recipe, tmp_path):
    funnel = go(recipe, tmp_path / "run").funnel
    found = []
    for dropped in ({"few": 2, "odd": 7, "even": 2}, {"even": 2, "few": 2, "odd": 7}):
        steps = (msgspec.structs.replace(funnel.steps[0], dropped=dropped), *funnel.steps[1:])
        found.append(msgspec.structs.replace(funnel, steps=steps).describe())
    assert found[0] == found[1]
    assert [line.split()[1] for line in found[0].splitlines()[2:5]] == ["7", "2", "2"]


def test_funnel_names_reasons_and_published_counts(recipe, tmp_path):
    said = go(recipe, tmp_path / "run").funnel.describe()
    assert "48 after even (high 43, low 5)" in said
    assert "− 47 odd" in said
    assert "paper: low: about 7 (2)" in said
    assert f"sum: {sum(range(0, 95, 2)):,}" in said
    told = json.loads((tmp_path / "run" / "funnel.json").read_text())
    assert [(step["in"], step["out"]) for step in told["steps"]][1] == (95, 48)
    assert told["published"][0]["printed"] == "about 7"


def test_manifest_tells_settings_seed_versions_and_checksums(recipe, tmp_path):
    done = go(recipe, tmp_path / "run", "sample=3", simulate=True)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest == done.manifest
    assert manifest["config"]["sample"] == 3
    assert (manifest["seed"], manifest["finished"], manifest["simulated"]) == (1, True, True)
    assert manifest["versions"]["python"]
    files = {row["path"]: row for row in manifest["outputs"]}
    assert {"items.jsonl", "judgments.jsonl", "labels.jsonl", "agreement.json"} <= set(files)
    assert "project/secret" not in files
    assert files["items.jsonl"]["bytes"] == (tmp_path / "run" / "items.jsonl").stat().st_size


def test_same_settings_give_the_same_bytes_and_another_seed_others(recipe, tmp_path):
    go(recipe, tmp_path / "one", simulate=True)
    go(recipe, tmp_path / "two", simulate=True)
    go(recipe, tmp_path / "other", "seed=2", simulate=True)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert (tmp_path / "one" / "items.jsonl").read_bytes() != (
        tmp_path / "other" / "items.jsonl"
    ).read_bytes()


@pytest.mark.parametrize("death", ["n0", "n57", "sum", "crowd"])
def test_killed_run_goes_on_and_ends_with_the_same_bytes(recipe, tmp_path, death):
    def start(out, **environment):
        return subprocess.run(
            [sys.executable, str(TOY), str(tmp_path / "recipe"), str(out)],
            env={**os.environ, **environment},
            check=False,
        ).returncode

    assert start(tmp_path / "whole") == 0
    assert start(tmp_path / "killed", DIE_AT=death) == -signal.SIGKILL
    before = bytes_of(tmp_path / "killed")
    assert json.loads(before["manifest.json"])["finished"] is False
    parts = [name for name in before if name.startswith("steps/02-even/0")]
    assert len(parts) == {"n0": 0, "n57": 5, "sum": 10, "crowd": 10}[death]
    assert start(tmp_path / "killed") == 0
    assert bytes_of(tmp_path / "killed") == bytes_of(tmp_path / "whole")


def test_run_that_goes_on_does_not_do_again_what_is_done(recipe, tmp_path, monkeypatch):
    go(recipe, tmp_path / "run")
    monkeypatch.setenv("DIE_AT", "n0")  # would kill this process if the step ran again
    again = go(recipe, tmp_path / "run", simulate=True)
    assert set(again.seconds) == {"data set"}
    assert (tmp_path / "run" / "labels.jsonl").is_file()


def test_altered_step_and_all_after_it_are_made_again(recipe, tmp_path):
    go(recipe, tmp_path / "run")
    right = bytes_of(tmp_path / "run")
    (tmp_path / "run" / "steps" / "02-even" / "0001.jsonl").write_text("")
    again = go(recipe, tmp_path / "run")
    assert set(again.seconds) == {"even", "sum", "sample", "data set"}
    assert bytes_of(tmp_path / "run") == right


def test_folder_of_another_config_is_refused_with_the_difference(recipe, tmp_path):
    go(recipe, tmp_path / "run")
    before = bytes_of(tmp_path / "run")
    with pytest.raises(BadInput, match=r"config\.inner\.share: 0\.5 there, 0\.25 here"):
        go(recipe, tmp_path / "run", "inner.share=0.25")
    assert bytes_of(tmp_path / "run") == before


def test_folders_of_others_are_refused(recipe, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match=r"thesis\.tex, which trope recipe did not write"):
        go(recipe, tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        go(recipe, tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"command": "detect"}')
    with pytest.raises(BadRecord, match="is not a manifest of trope recipe"):
        go(recipe, tmp_path / "other")


def test_two_runs_at_once_in_one_folder_are_refused(recipe, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    go(recipe, tmp_path / "run")
    with (tmp_path / "run" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BadInput, match="another trope recipe is running"):
            go(recipe, tmp_path / "run")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("nubmers = 3", "unknown key 'nubmers'"),
        ("[inner]\nshare = 1.5", r"inner\.share: .*<= 1"),
        ("numbers = 0", r"numbers: .*>= 1"),
        ('numbers = "many"', r"numbers: must be a whole number, not text"),
        ("numbers = ", "Invalid value"),
    ],
)
def test_bad_settings_are_refused_by_file_and_key(recipe, tmp_path, content, words):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(BadConfig, match=words) as caught:
        resolve(recipe, path)
    assert str(caught.value).startswith(f"{path}: ")


def test_settings_of_the_command_line_win_over_the_file(recipe, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("numbers = 7\n[inner]\nshare = 0.1")
    settings = resolve(recipe, path, ["inner.share=0.9"])
    assert (settings.numbers, settings.inner.share, settings.sample) == (7, 0.9, 20)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("numbers=0", "--set numbers=0: numbers"),
        ("no.such=1", "unknown key 'no'"),
        ("numbers", "write it as key=value"),
        ("=3", "write it as key=value"),
    ],
)
def test_bad_settings_of_the_command_line_are_refused(recipe, change, words):
    with pytest.raises(BadInput, match=words):
        resolve(recipe, None, [change])


def test_settings_file_that_is_not_there(recipe, tmp_path):
    with pytest.raises(MissingData, match="give the path of a TOML file"):
        resolve(recipe, tmp_path / "none.toml")


def test_differences_name_keys_that_only_one_has():
    assert differences({"a": {"b": 1}, "c": 2}, {"a": {"b": 1}, "d": 3}) == [
        "c: 2 there, nothing here",
        "d: nothing there, 3 here",
    ]
