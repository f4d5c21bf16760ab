"""Recipes that end with the answers of people, in the service and in exports of our own."""

import json
import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from answer_exports import decision, export_simulated, read_rows, write_rows
from recipe_data import NEEDS, SMALL, write_data

from trope.catalog import RECIPES
from trope.cli.main import run
from trope.recipes.answer_files import check_export, read_export
from trope.recipes.recipe import Context
from trope.recipes.records import Record, to_line
from trope.recipes.settings import resolve
from trope.release.finished_run import read_run
from trope.scale import local


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def go(data, shipped):
    """Gives a command of a recipe; the exit code comes back."""

    def start(name, out, *options):
        arguments = ["recipe", "run", name, "--from", str(data), "--out", str(out)]
        for change in SMALL[name]:
            arguments += ["--set", change]
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as leave:
            patch.setattr(local, "load_pipeline", lambda threads: shipped)
            run([*arguments, *map(str, options)])
        return leave.value.code

    return start


@pytest.fixture(scope="module")
def projects(go, tmp_path_factory):
    """Runs a recipe up to its project once, and gives copies of it."""
    folder = tmp_path_factory.mktemp("projects")

    def copy(name, out):
        if name in NEEDS:
            pytest.importorskip(NEEDS[name])
        if not (folder / name).exists():
            assert go(name, folder / name) == 0
        return shutil.copytree(folder / name, out)

    return copy


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


def annotate(*words):
    with pytest.raises(SystemExit) as leave:
        run(["annotate", *map(str, words)])
    assert leave.value.code == 0


def judged_headlines(folder):
    """A run whose project three people have judged by `headline_form`; gives its items."""
    pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")
    project, items = folder / "project", read_rows(folder / "items.jsonl")
    assert len(items) > 5
    annotate("import", project, project / "items.jsonl")
    people_judge(project, items)
    return items


def people_judge(project, items):
    """Three people judge headlines; the last of them has not come to the last headline."""
    from trope.annotate.project import open_project
    from trope.annotate.store.connect import connect

    opened = open_project(project)
    connect(opened)
    from trope.annotate.store import judging, people, queue

    now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    place = {item["id"]: at for at, item in enumerate(items)}
    for reader in range(3):
        person = people.person_of(people.invite(f"Reader {reader}", now=now))
        page = queue.next_page(person.pk, opened.plan, now=now, rng=Random(reader))
        while page.leases:
            waiting = [
                lease
                for lease in page.leases
                if not (reader == 2 and place[lease.item.external_id] == len(items) - 1)
            ]
            if not waiting:
                break
            for lease in waiting:
                now += timedelta(seconds=8)
                at = place[lease.item.external_id]
                said = headline_form(at, reader, items[at]["fields"])
                judging.submit(person.pk, lease.token, said, opened.plan, now=now)
            page = queue.next_page(person.pk, opened.plan, now=now, rng=Random(reader))


def headline_form(at, reader, fields):
    """What a reader says of a headline: alike, divided, or of three minds, by its place."""
    if at % 4 == 0:  # a metaphor; two of three keep the first literal verb, all the second
        kept = fields["literal"][:2] if reader < 2 else fields["literal"][1:2]
        return {
            "sentence": "metaphorical",
            "verb": "metaphorical",
            "more_literal": fields["literal"][:3],
            "literal_same_meaning": kept,
        }
    if at % 4 == 1 or (at % 4 == 2 and reader == 0):
        word = fields["metaphorical"][reader : reader + 1]  # each another
        return {
            "sentence": "literal",
            "verb": "literal",
            "more_metaphorical": word,
            "metaphorical_same_meaning": word,
        }
    if at % 4 == 2:
        return {"sentence": "metaphorical", "verb": "literal"}
    return {"sentence": ("metaphorical", "invalid", "literal")[reader], "verb": "invalid"}


def wanted_gold(at, fields):
    both = {0: "metaphorical", 1: "literal"}.get(at % 4)
    return {
        "label": both or "metaphorical",
        "verb": both or "literal",
        "accepted": fields["literal"][:2] if at % 4 == 0 else [],
    }


def test_people_in_the_service_make_the_gold_of_headlines(projects, go, tmp_path, capsys):
    folder = projects("newsmet", tmp_path / "run")
    project = folder / "project"
    plan = (project / "project.toml").read_text("utf-8")
    (project / "project.toml").write_text(f"# ours\n{plan}", "utf-8")
    items = judged_headlines(folder)
    export = tmp_path / "judgments.jsonl"
    annotate("export", project, "--out", export)
    capsys.readouterr()
    assert go("newsmet", folder, "--answers", export) == 0
    said = capsys.readouterr().out

    last = len(items) - 1
    decided = [at for at in range(last) if at % 4 != 3]
    gold = read_rows(folder / "gold.jsonl")
    assert [row["id"] for row in gold] == [items[at]["id"] for at in decided]
    for at, row in zip(decided, gold, strict=True):
        wanted = wanted_gold(at, items[at]["fields"])
        assert {key: row[key] for key in wanted} == wanted
    plus = read_rows(folder / "gold_plus.jsonl")
    assert Counter(row["item"] for row in plus) == {
        items[at]["id"]: 2 for at in decided if at % 4 == 0
    }
    labels = {row["item"]: row for row in read_rows(folder / "labels.jsonl")}
    assert labels[items[last]["id"]]["reason"] == "too few judgments: 2 of 3"
    assert labels[items[last]["id"]]["label"] is None
    assert labels[items[3]["id"]]["reason"].startswith("unresolved: tie")

    step = document(folder / "funnel.json")["steps"][-1]
    assert (step["name"], step["in"], step["out"]) == ("judged", len(items), len(decided))
    assert step["dropped"]["too-few-judgments"] == 1
    assert step["facts"]["annotators"] == 3
    gone = {row["id"]: row["reason"] for row in read_rows(folder / "dropped.jsonl")}
    assert gone[items[last]["id"]] == "too-few-judgments"
    judgments = read_rows(folder / "judgments.jsonl")
    assert {row["annotator"] for row in judgments} == {"a01", "a02", "a03"}
    assert not any(row["simulated"] or row["item"] == items[last]["id"] for row in judgments)
    assert document(folder / "manifest.json")["simulated"] is False
    assert (project / "project.toml").read_text("utf-8").startswith("# ours\n")
    assert f"judged by people: {len(decided)} of {len(items)} items have a label" in said
    assert f"next: trope release {folder}" in said


def test_adjudicator_settles_what_divides_people(projects, go, tmp_path):
    folder = projects("newsmet", tmp_path / "run")
    project, items = folder / "project", judged_headlines(folder)
    from trope.annotate.store import adjudicating, people
    from trope.annotate.store.models import Item

    now = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
    judge = people.person_of(people.invite("Judge", role="adjudicator", now=now))
    word = items[3]["fields"]["metaphorical"][4]
    settled = {
        "sentence": "literal",
        "verb": "literal",
        "more_metaphorical": [word],
        "metaphorical_same_meaning": [word],
    }
    for at, said, out in ((3, settled, False), (1, {}, True)):
        item = Item.objects.get(external_id=items[at]["id"])
        adjudicating.decide(item.pk, judge.pk, f"t{at}", said, note="", excluded=out, now=now)
    for what in ("judgments", "decisions", "trials"):
        annotate("export", project, "--what", what, "--out", tmp_path / "all" / f"{what}.jsonl")
    assert go("newsmet", folder, "--answers", tmp_path / "all") == 0
    gold = {row["id"]: row for row in read_rows(folder / "gold.jsonl")}
    assert gold[items[3]["id"]]["label"] == "literal"
    assert gold[items[3]["id"]]["accepted"] == [word]
    assert items[1]["id"] not in gold
    labels = {row["item"]: row for row in read_rows(folder / "labels.jsonl")}
    assert (labels[items[3]["id"]]["votes"], labels[items[3]["id"]]["share"]) == (3, None)
    assert labels[items[1]["id"]]["reason"] == "excluded by an adjudicator"
    judgments = read_rows(folder / "judgments.jsonl")
    assert {row["annotator"] for row in judgments} == {"a01", "a02", "a03"}


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
    assert "nobody of the crowd answered a test question" in capsys.readouterr().err
    assert not (people / "labels.jsonl").exists()
