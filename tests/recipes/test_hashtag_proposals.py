"""Hashtags that the semeval2015 recipe proposes, and people accept."""

import csv
import json
import random

import pytest
from answer_exports import export_simulated
from test_own_sources import go, rows, write_table

pytest.importorskip("sklearn", reason="scikit-learn is not installed (trope[systems])")

MOODS = ("joy", "delight", "bliss", "fun", "luck")
THINGS = ("delay", "queue", "printer", "meeting", "heating", "invoice", "lift", "alarm")


def tweets():
    """#deadpan shares its words with #sarcasm, #hiking with nothing; #rare occurs once."""
    rng = random.Random(4)
    found = []
    for at in range(90):
        moan = f"Oh what {rng.choice(MOODS)}, the {rng.choice(THINGS)} again, number {at}, so happy"
        walk = f"We climbed the northern ridge before sunrise on day {at} with bread and water"
        text, tag = ((moan, "#sarcasm"), (moan, "#deadpan"), (walk, "#hiking"))[at % 3]
        found.append((f"{at}", f"{text} {tag}"))
    return [*found, ("rare", "Oh what joy, another alarm and the lift is out #rare")]


@pytest.fixture
def posts(tmp_path):
    table = write_table(tmp_path / "posts.csv", tweets(), ("id", "text"))
    changes = ["general=false", "near=2.0", f"sources.tweets={table}:text"]
    return ["semeval2015", *(word for change in changes for word in ("--set", change))]


def sheet(run):
    with (run / "hashtags.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def accept(run, **answers):
    found = sheet(run)
    with (run / "hashtags.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(found[0]))
        out.writeheader()
        out.writerows({**row, "accept": answers.get(row["hashtag"], "")} for row in found)


def categories(run):
    return sorted({item["fields"]["category"] for item in rows(run / "items.jsonl")})


def test_harvest_goes_on_with_what_a_person_accepts_in_the_sheet(posts, tmp_path, capsys):
    run = tmp_path / "run"
    assert go(run, *posts) == 0
    said = capsys.readouterr().out
    assert "proposed: 2 in hashtags.csv" in said
    assert [row["hashtag"] for row in sheet(run)] == ["deadpan", "hiking"]
    first = sheet(run)[0]
    assert (first["nearest"], first["kind"], first["tweets"]) == ("sarcasm", "sarcasm", "30")
    assert float(first["similarity"]) > float(sheet(run)[1]["similarity"])
    assert len(rows(run / "items.jsonl")) == 30
    accept(run, deadpan="irony", hiking="no")
    assert go(run, *posts) == 0
    assert "accepted: #deadpan (irony)" in capsys.readouterr().out
    assert len(rows(run / "items.jsonl")) == 60
    assert categories(run) == ["irony", "sarcasm"]
    assert sheet(run)[0]["accept"] == "irony"
    before = (run / "items.jsonl").read_bytes()
    assert go(run, *posts) == 0
    assert (run / "items.jsonl").read_bytes() == before


def test_hashtags_are_accepted_by_a_setting_too(posts, tmp_path, capsys):
    run = tmp_path / "run"
    assert go(run, *posts, "--set", 'hashtags.accept=["#Deadpan", "rare:irony"]') == 0
    assert "accepted: #deadpan (sarcasm), #rare (irony)" in capsys.readouterr().out
    assert len(rows(run / "items.jsonl")) == 61
    assert go(tmp_path / "other", *posts, "--set", 'hashtags.accept=["rare"]') == 2
    said = capsys.readouterr().err
    assert "'rare' was not proposed and has no kind; write rare:sarcasm or rare:irony" in said


def test_answer_that_is_none_is_refused_with_its_line(posts, tmp_path, capsys):
    run = tmp_path / "run"
    assert go(run, *posts) == 0
    before = (run / "items.jsonl").read_bytes()
    accept(run, deadpan="perhaps")
    capsys.readouterr()
    assert go(run, *posts) == 2
    said = capsys.readouterr().err
    assert f"{run / 'hashtags.csv'}:2: accept is 'perhaps'; write one of yes, no" in said
    assert (run / "items.jsonl").read_bytes() == before


def test_nothing_is_proposed_where_there_is_nothing_to_start_from(posts, tmp_path, capsys):
    run = tmp_path / "run"
    assert go(run, *posts, "--set", 'hashtags.sarcasm=["unseen"]', "--json") == 0
    step = json.loads(capsys.readouterr().out)["funnel"]["steps"][1]
    assert step["facts"]["proposed"] == "none, since no tweet has a known hashtag"
    assert not (run / "hashtags.csv").exists()


def test_sheet_that_was_edited_after_people_judged_is_refused(posts, tmp_path, capsys):
    assert go(tmp_path / "crowd", *posts, "--simulate") == 0
    answers = export_simulated("semeval2015", tmp_path / "crowd", tmp_path / "answers")
    run = tmp_path / "run"
    assert go(run, *posts, "--answers", answers) == 0
    before = (run / "labels.jsonl").read_bytes()
    proposed = (run / "hashtags.csv").read_bytes()
    accept(run, deadpan="yes")
    capsys.readouterr()
    assert go(run, *posts, "--answers", answers) == 2
    said = capsys.readouterr().err
    assert f"{run / 'hashtags.csv'}: was changed after people judged; restore it" in said
    (run / "hashtags.csv").write_bytes(proposed)
    assert go(run, *posts, "--answers", answers) == 0
    assert (run / "labels.jsonl").read_bytes() == before
