"""Every recipe from small data of our own to a finished data set, by the command."""

import json
import shutil
from itertools import pairwise

import pytest
from recipe_data import NEEDS, SMALL, write_data

from trope.annotate.exchange.items import read_items
from trope.annotate.plan import read_plan
from trope.catalog import RECIPES
from trope.cli.main import run
from trope.recipes.funnel import read_published_counts
from trope.recipes.settings import resolve
from trope.recipes.sources import find_sources
from trope.scale import executors


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory, shipped):
    """Runs a recipe once and gives its folder and what the command printed."""
    folder = tmp_path_factory.mktemp("runs")
    done = {}

    def get(name, capsys):
        if name in NEEDS:
            pytest.importorskip(NEEDS[name])
        if name not in done:
            arguments = ["recipe", "run", name, "--from", str(data), "--out", str(folder / name)]
            arguments += ["--simulate", "--json"]
            for change in SMALL[name]:
                arguments += ["--set", change]
            with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as leave:
                patch.setattr(executors, "load_pipeline", lambda threads: shipped)
                run(arguments)
            assert leave.value.code == 0
            done[name] = json.loads(capsys.readouterr().out)
        return folder / name, done[name]

    return get


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", RECIPES)
def test_run_ends_with_a_finished_data_set(name, finished, capsys):
    folder, said = finished(name, capsys)
    items, judgments, labels = (
        rows(folder / f"{part}.jsonl") for part in ("items", "judgments", "labels")
    )
    ids = [item["id"] for item in items]
    assert ids
    assert len(set(ids)) == len(ids)
    assert [label["item"] for label in labels] == ids
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["finished"], manifest["simulated"]) == (True, True)
    for label in labels:
        assert label["label"] in manifest["labels"] or (label["label"] is None and label["reason"])
    assert {row["item"] for row in judgments} <= set(ids)
    assert all(row["simulated"] and row["annotator"] and row["question"] for row in judgments)
    assert manifest["question"] in {row["question"] for row in judgments}
    assert all(manifest["group_by"] in item["fields"] for item in items)
    assert "simulated" in json.loads((folder / "agreement.json").read_text())["note"]
    assert said["manifest"] == manifest


@pytest.mark.parametrize("name", RECIPES)
def test_marked_words_stand_where_the_items_say(name, finished, capsys):
    folder, _ = finished(name, capsys)
    for item in rows(folder / "items.jsonl"):
        fields = item["fields"]
        if "start" in fields:
            marked = item["text"][fields["start"] : fields["end"]]
            assert marked in (
                fields.get("expression"),
                fields.get("focus_verb"),
                fields.get("name"),
            )


@pytest.mark.parametrize("name", RECIPES)
def test_project_can_be_imported(name, finished, capsys):
    folder, _ = finished(name, capsys)
    plan = read_plan(folder / "project" / "project.toml")
    for part in ("items", "demo"):
        path = folder / "project" / f"{part}.jsonl"
        if path.exists():
            assert len(list(read_items(path, plan))) == len(rows(path))
    assert (folder / "project" / "secret").exists()


@pytest.mark.parametrize("name", RECIPES)
def test_funnel_accounts_for_every_record(name, finished, capsys):
    folder, said = finished(name, capsys)
    steps = said["funnel"]["steps"]
    for before, after in pairwise(steps):
        assert after["in"] == before["out"]
        if after["unit"] == before["unit"]:
            assert after["in"] == after["out"] + sum(after["dropped"].values())
    dropped = rows(folder / "dropped.jsonl")
    assert len(dropped) == sum(sum(step["dropped"].values()) for step in steps)
    assert all(row["reason"] for row in dropped)


@pytest.mark.parametrize("name", RECIPES)
def test_recipe_has_its_papers_and_sensible_published_counts(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    recipe = RECIPES.load(name)
    assert resolve(recipe).seed == 13
    steps = {step.name for step in recipe.steps}
    assert {count.step for count in read_published_counts(recipe.folder)} <= steps
    assert (recipe.folder / "README.md").read_text("utf-8").startswith(f"# {name}")


@pytest.mark.parametrize("name", RECIPES)
def test_missing_data_is_told_with_source_and_licence(name, tmp_path, capsys):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", name, "--from", str(tmp_path), "--out", str(tmp_path / "run")])
    said = capsys.readouterr().err
    assert leave.value.code == 2
    assert said.count("\n") == 1
    assert "not found; it is a file of " in said
    assert "licence " in said
    assert "to get it: " in said
    assert not (tmp_path / "run").exists()


@pytest.mark.shared
@pytest.mark.parametrize("name", RECIPES)
def test_research_data_has_all_that_a_recipe_needs(name, shared):
    recipe = RECIPES.load(name)
    assert find_sources(recipe.needs(resolve(recipe)), shared / "data")


def test_file_that_no_corpus_has_is_told_the_nearest(tmp_path, capsys):
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "semeval2007", "--from", str(tmp_path), "--out", str(tmp_path / "r"),
             "--set", 'sources.texts=["en_ewt-ud-dev.conlu"]'])  # fmt: skip
    assert leave.value.code == 2
    assert "Did you mean 'en_ewt-ud-dev.conllu'?" in capsys.readouterr().err


def test_run_of_another_config_is_refused_on_one_line(finished, data, capsys, shipped, monkeypatch):
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: shipped)
    folder, _ = finished("semeval2007", capsys)
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "semeval2007", "--from", str(data), "--out", str(folder),
             "--set", 'texts=["en_ewt-ud-train.conllu.gz"]'])  # fmt: skip
    said = capsys.readouterr().err
    assert leave.value.code == 2
    assert "config.location.test: 1 there, 908 here" in said


def test_text_of_a_run_names_the_next_command(finished, data, tmp_path, capsys):
    folder, _ = finished("semeval2015", capsys)
    shutil.copytree(folder, tmp_path / "again")
    arguments = ["recipe", "run", "semeval2015", "--from", str(data)]
    arguments += ["--out", str(tmp_path / "again")]
    for change in SMALL["semeval2015"]:
        arguments += ["--set", change]
    with pytest.raises(SystemExit) as leave:
        run(arguments)
    said = capsys.readouterr().out
    assert leave.value.code == 0
    assert f"next: trope annotate import {tmp_path / 'again' / 'project'}" in said
    assert "the crowd is simulated" in said
    assert "paper: trial: 1,025 (Table 2)" in said


def test_plot_of_a_funnel(finished, data, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    folder, _ = finished("semeval2015", capsys)
    arguments = ["recipe", "run", "semeval2015", "--from", str(data), "--out", str(folder)]
    arguments += ["--plot", str(tmp_path / "funnel.svg")]
    for change in SMALL["semeval2015"]:
        arguments += ["--set", change]
    with pytest.raises(SystemExit) as leave:
        run(arguments)
    assert leave.value.code == 0
    assert "harvest" in (tmp_path / "funnel.svg").read_text("utf-8")


def test_list_of_recipes(capsys):
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "list", "--json"])
    assert leave.value.code == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(RECIPES)


def test_unknown_recipe_is_told_the_nearest(tmp_path, capsys):
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "newsmat", "--from", str(tmp_path), "--out", str(tmp_path / "run")])
    assert leave.value.code == 2
    assert "Did you mean 'newsmet'?" in capsys.readouterr().err


def test_old_names_of_settings_are_read_with_a_warning(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text("[compiling]\nmost_a_verb = 3\n")
    recipe = RECIPES.load("tweets2019")
    assert resolve(recipe, path).compiling.most_per_verb == 3
    assert resolve(recipe, None, ["compiling.most_a_verb=4"]).compiling.most_per_verb == 4
    warned = capsys.readouterr().err
    assert f"{path}: the setting 'compiling.most_a_verb' is now called 'most_per_verb'" in warned


def test_interrupted_run_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("trope.recipes.engine.run_recipe", interrupted)
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "mean", "--out", str(tmp_path / "half")])
    assert leave.value.code == 130
    said = f"trope: {tmp_path / 'half'}: interrupted; give the same command to go on"
    assert capsys.readouterr().err.strip() == said
