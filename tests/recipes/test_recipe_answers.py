"""Recipes that end with the answers of people, here those that a simulated crowd gave."""

import json
from collections import Counter

import pytest
from answer_exports import decision, export_simulated, read_rows, write_rows

from trope.catalog import RECIPES
from trope.cli.main import run
from trope.recipes.answers import check_export, read_export
from trope.recipes.recipe import Context
from trope.recipes.records import Record, to_line
from trope.recipes.settings import resolve
from trope.release.finished_run import read_run

pytest_plugins = ("run_fixtures",)


def document(path):
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("name", RECIPES)
def test_answers_of_a_crowd_end_in_the_data_set_of_that_crowd(name, projects, go, tmp_path):
    crowd, people = (projects(name, tmp_path / which) for which in ("crowd", "people"))
    assert go(name, crowd, "--simulate") == 0
    export = export_simulated(name, crowd, tmp_path / "export")
    assert go(name, people, "--answers", export) == 0
    theirs, ours = (read_rows(folder / "labels.jsonl") for folder in (crowd, people))
    assert [(row["item"], row["label"], row["score"], row["share"]) for row in ours] == [
        (row["item"], row["label"], row["score"], row["share"]) for row in theirs
    ]
    assert any(row["label"] for row in ours)
    for file in ("gold.jsonl", "gold_plus.jsonl"):
        assert (people / file).exists() == (crowd / file).exists() == (name == "newsmet")
        if name == "newsmet":
            assert (people / file).read_bytes() == (crowd / file).read_bytes()
    for file, apart in (("agreement.json", {"note"}), ("statistics.json", {"note", "selection"})):
        said, had = document(people / file), document(crowd / file)
        assert {key: said[key] for key in said.keys() - apart} == {
            key: had[key] for key in had.keys() - apart
        }
        assert "no crowd is simulated" in said["note"]
        # those who were not chosen have no judgments, and come in no export of them
        if chosen := said.get("selection"):
            assert [row["score"] for row in chosen] == [
                row["score"] for row in had["selection"][: len(chosen)]
            ]
    found = read_run(people)
    assert not found.manifest.simulated
    assert {row.simulated for row in found.judgments} == {False}


def test_release_of_answers_is_not_called_simulated(projects, go, tmp_path, capsys):
    for needed in ("pyarrow", "mlcroissant"):
        pytest.importorskip(
            needed, reason=f"{needed} is not installed (pip install 'trope[release]')"
        )
    crowd, people = (projects("semeval2007", tmp_path / which) for which in ("crowd", "people"))
    assert go("semeval2007", crowd, "--simulate") == 0
    export = export_simulated("semeval2007", crowd, tmp_path / "export")
    assert go("semeval2007", people, "--answers", export) == 0
    said = {}
    for folder in (crowd, people):
        capsys.readouterr()
        with pytest.raises(SystemExit) as leave:
            run(["release", str(folder), "--json", "--shares", "1,0,0"])
        assert leave.value.code == 0
        card = (folder / "release" / "README.md").read_text("utf-8")
        told = json.loads(capsys.readouterr().out)
        said[folder.name] = told["simulated"], "simulated crowd" in card
    assert said == {"crowd": (True, True), "people": (False, False)}


def test_readings_of_two_are_reconciled_as_those_of_the_crowd(tmp_path):
    items = [
        Record(f"n{at}", f"They saw {kind} {at}.", {
            "subset": f"{kind}-{'train' if at % 2 else 'test'}", "name_class": kind,
            "name": kind, "start": 9, "end": 9 + len(kind),
        })
        for at in range(120) for kind in ("location", "organisation")[at % 4 // 2 : at % 4 // 2 + 1]
    ]  # fmt: skip
    recipe = RECIPES.load("semeval2007")
    context = Context(tmp_path, resolve(recipe, None, ["crowd.machine=0.3", "crowd.skill=0.6"]))
    theirs = recipe.simulate(items, context)
    parts = recipe.project(items, context)
    write_rows(tmp_path / "project" / "items.jsonl", parts.items)
    (tmp_path / "project" / "project.toml").write_text(parts.plan, "utf-8")
    for name, rows in (
        ("items", items), ("labels", theirs.labels), ("judgments", theirs.judgments)
    ):  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(map(to_line, rows)))
    export = export_simulated("semeval2007", tmp_path, tmp_path / "export")
    answers = check_export(read_export(export), tmp_path / "project")
    ours = recipe.finish(items, answers, context)
    assert [(one.item, one.label, one.reason) for one in ours.labels] == [
        (one.item, one.label, one.reason) for one in theirs.labels
    ]
    assert len(answers.decisions) > 5
    assert Counter(one.reason for one in ours.labels)["unresolved"] > 3
    assert {one.label for one in ours.labels} > {None, "mixed", "organisation-for-index"}
    assert (ours.agreement, ours.tables) == (theirs.agreement, theirs.tables)

    write_rows(export / "decisions.jsonl", [decision(items[0].id, {}, excluded=True)])
    told = read_export(export).judgments[0][1]
    assert told.item == items[0].id
    ours = recipe.finish(items, check_export(read_export(export), tmp_path / "project"), context)
    assert ours.labels[0].label is None
    assert ours.labels[0].reason == "excluded by an adjudicator"


def test_answers_and_a_simulated_crowd_exclude_each_other(go, tmp_path, capsys):
    assert go("semeval2007", tmp_path / "run", "--answers", tmp_path, "--simulate") == 2
    assert "give one of them" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_tweets_need_a_team_and_test_questions(projects, go, tmp_path, capsys):
    crowd, people = (projects("semeval2015", tmp_path / which) for which in ("crowd", "people"))
    assert go("semeval2015", crowd, "--simulate") == 0
    export = export_simulated("semeval2015", crowd, tmp_path / "export")
    (export / "team.jsonl").rename(tmp_path / "team.jsonl")
    assert go("semeval2015", people, "--answers", export) == 2
    assert "no team judged the trial tweets; put the export" in capsys.readouterr().err
    (tmp_path / "team.jsonl").rename(export / "team.jsonl")
    rows = read_rows(export / "judgments.jsonl")
    write_rows(export / "judgments.jsonl", [row for row in rows if row["state"] != "gold"])
    assert go("semeval2015", people, "--answers", export) == 2
    assert "nobody in the crowd answered a test question" in capsys.readouterr().err
    assert not (people / "labels.jsonl").exists()
