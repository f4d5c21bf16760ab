"""Recipes that end with what people said in the annotation service."""

import json
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from answer_exports import read_rows

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from trope.annotate.project import new_project, open_project
from trope.annotate.store.database import connect
from trope.cli.main import run

with tempfile.TemporaryDirectory() as _folder:  # tables can be imported only after a first project
    new_project(Path(_folder) / "first", "pairs")
    connect(open_project(Path(_folder) / "first"))

from trope.annotate.store import adjudication, judgments, people, queue
from trope.annotate.store.models import Item

pytest_plugins = ("run_fixtures",)


def document(path):
    return json.loads(path.read_text("utf-8"))


def annotate(*words):
    with pytest.raises(SystemExit) as leave:
        run(["annotate", *map(str, words)])
    assert leave.value.code == 0


def judged_headlines(folder):
    """A run whose project three people have judged by `headline_form`; gives its items."""
    project, items = folder / "project", read_rows(folder / "items.jsonl")
    assert len(items) > 5
    annotate("import", project, project / "items.jsonl")
    people_judge(project, items)
    return items


def people_judge(project, items):
    """Three people judge headlines; the last of them has not come to the last headline."""
    opened = open_project(project)
    connect(opened)
    now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    place = {item["id"]: at for at, item in enumerate(items)}
    for reader in range(3):
        person = people.person_by_token(people.invite(f"Reader {reader}", now=now))
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
                judgments.submit(person.pk, lease.token, said, opened.plan, now=now)
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
    now = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
    judge = people.person_by_token(people.invite("Judge", role="adjudicator", now=now))
    word = items[3]["fields"]["metaphorical"][4]
    settled = {
        "sentence": "literal",
        "verb": "literal",
        "more_metaphorical": [word],
        "metaphorical_same_meaning": [word],
    }
    for at, said, out in ((3, settled, False), (1, {}, True)):
        item = Item.objects.get(external_id=items[at]["id"])
        adjudication.decide(item.pk, judge.pk, f"t{at}", said, note="", excluded=out, now=now)
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
