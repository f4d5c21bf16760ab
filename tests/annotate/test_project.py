"""A project folder: its plan is checked as a whole, its templates are plans themselves."""

import json
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from trope.annotate.exchange.items import read_items
from trope.annotate.plan import read_plan
from trope.annotate.project import TEMPLATES, VARIANTS, new_project, open_project
from trope.annotate.questions import Question, joined_spans, read_answers
from trope.cli.main import main
from trope.core.errors import BadConfig, BadInput, BadRecord, MissingData, UnknownName


@pytest.mark.parametrize("template", [*TEMPLATES, *VARIANTS])
def test_every_template_is_a_valid_project_whose_sample_fits_it(
    template: str, tmp_path: Path
) -> None:
    new_project(tmp_path / "p", template)
    project = open_project(tmp_path / "p")
    assert project.plan.template == template
    assert len(list(read_items(tmp_path / "p" / "items.jsonl", project.plan))) >= 2


def test_secret_is_long_private_and_different_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        new_project(tmp_path / name, "spans")
    secrets = {open_project(tmp_path / name).secret for name in ("a", "b")}
    assert len(secrets) == 2
    assert min(map(len, secrets)) >= 50
    assert stat.S_IMODE((tmp_path / "a" / "secret").stat().st_mode) == 0o600


def test_project_without_secret_has_no_default_one(tmp_path: Path) -> None:
    new_project(tmp_path, "spans")
    (tmp_path / "secret").unlink()
    with pytest.raises(MissingData):
        open_project(tmp_path).secret  # noqa: B018


def test_new_writes_over_nothing(tmp_path: Path) -> None:
    new_project(tmp_path, "spans")
    with pytest.raises(BadInput, match="already exists"):
        new_project(tmp_path, "pairs")


def test_unknown_template_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="'newsmet'"):
        new_project(tmp_path / "p", "newsmat")
    assert not (tmp_path / "p").exists()


def test_command_makes_a_project(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["annotate", "new", str(tmp_path / "p"), "--template", "pairs"]
    )
    assert result.exit_code == 0, result.output
    assert open_project(tmp_path / "p").plan.title == "Which is more metaphorical?"


FAULTY = """
title = "x"
guidelines = "y"
colour = "red"
items_per_page = 0

[gold]
share = 2.0
rate = 1

[pay]
amount = "much"
"""


def test_all_faults_of_the_shape_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "project.toml").write_text(FAULTY, encoding="utf-8")
    with pytest.raises(BadConfig) as caught:
        read_plan(tmp_path / "project.toml")
    text = str(caught.value)
    for word in ("'colour'", "'questions'", "'gold.rate'"):
        assert word in text


def test_all_faults_of_the_sense_come_at_once(tmp_path: Path) -> None:
    sound = FAULTY.replace('colour = "red"', "").replace("rate = 1", "")
    questions = """
[[questions]]
id = "a"
kind = "choice"
text = "?"
[[questions]]
id = "b"
kind = "scale"
text = "?"
low = 3
high = 1
when = [{ question = "z", values = ["1"] }]
"""
    (tmp_path / "project.toml").write_text(sound + questions, encoding="utf-8")
    with pytest.raises(BadConfig) as caught:
        read_plan(tmp_path / "project.toml")
    text = str(caught.value)
    for word in ("items_per_page", "gold.share", "pay.amount", "needs options", "low below high"):
        assert word in text
    assert "'z'" in text
    assert len(caught.value.faults) == 6


def plan_questions(template: str, folder: Path) -> tuple[Question, ...]:
    new_project(folder, template)
    return open_project(folder).plan.questions


def test_candidates_follow_the_first_two_answers(tmp_path: Path) -> None:
    questions = plan_questions("newsmet", tmp_path)
    payload = {"literal": ["ends", "stops"], "metaphorical": ["kills"]}
    form = {
        "sentence": ["metaphorical"],
        "verb": ["metaphorical"],
        "more_literal": ["ends"],
        "literal_same_meaning": ["ends"],
        "more_metaphorical": ["kills"],
    }
    answers, faults = read_answers(questions, form, text="x", payload=payload)
    assert not faults
    assert answers["more_literal"] == ["ends"]
    assert "more_metaphorical" not in answers, "it was not shown"

    form["literal_same_meaning"] = ["stops", "ends"]
    answers, faults = read_answers(questions, form, text="x", payload=payload)
    assert not faults
    assert answers["literal_same_meaning"] == ["ends"], "stops was taken out one question before"
    form["literal_same_meaning"] = ["invented"]
    _, faults = read_answers(questions, form, text="x", payload=payload)
    assert set(faults) == {"literal_same_meaning"}

    mixed = {"sentence": ["metaphorical"], "verb": ["literal"]}
    answers, faults = read_answers(questions, mixed, text="x", payload=payload)
    assert (set(answers), faults) == ({"sentence", "verb"}, {})


def test_a_tweet_that_is_not_understood_needs_no_more_answers(tmp_path: Path) -> None:
    questions = plan_questions("tweets2019", tmp_path)
    assert read_answers(questions, {"understood": ["no"]}, text="x", payload={}) == (
        {"understood": "no"},
        {},
    )
    _, faults = read_answers(questions, {"understood": ["yes"]}, text="x", payload={})
    assert set(faults) == {"metaphorical", "certainty"}


@pytest.mark.parametrize("value", ["6", "-6", "1.5", "", "five"])
def test_only_points_of_the_scale_are_answers(value: str, tmp_path: Path) -> None:
    questions = plan_questions("semeval2015", tmp_path)
    answers, faults = read_answers(questions, {"score": [value]}, text="x", payload={})
    assert answers == {}
    assert set(faults) == {"score"}


def test_spans_join_over_white_space_and_stay_within_the_text() -> None:
    text = "🙂 ab cd, ef"
    assert list(joined_spans([(5, 7), (2, 4), (9, 11)], text)) == [(2, 7), (9, 11)]
    spans = Question("s", "spans", "?")
    answers, _ = read_answers([spans], {"s": ["2-4", "5-7"]}, text=text, payload={})
    assert answers == {"s": [[2, 7]]}
    assert text[2:7] == "ab cd"
    for bad in ("0-12", "4-2", "-1-3", "a-b", "3"):
        assert read_answers([spans], {"s": [bad]}, text=text, payload={})[1]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "b", "text": " "}, "no text"),
        ({"id": "a", "text": "again"}, "is already in line 1"),
        ({"id": "b", "text": "one one", "highlight": "one"}, "2 times"),
        ({"id": "b", "text": "one", "highlight": "two"}, "not in the text"),
        ({"id": "b", "text": "one", "highlight": [[0, 9]]}, "within the text"),
        ({"id": "b", "text": "one", "gold": {"metaphor": "yes"}}, "not a question"),
        ({"id": "b", "text": "one", "gold": {"metaphorical": "perhaps"}}, "not offered"),
        ({"id": "b", "text": "one", "gold": "yes"}, "JSON object"),
    ],
)
def test_bad_item_is_named_by_its_line(
    row: dict[str, object], problem: str, tmp_path: Path
) -> None:
    new_project(tmp_path, "tweets2019")
    path = tmp_path / "bad.jsonl"
    rows = [{"id": "a", "text": "Fine."}, row]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    with pytest.raises(BadRecord, match=problem) as caught:
        list(read_items(path, open_project(tmp_path).plan))
    assert caught.value.line == 2


def test_items_of_a_table_have_their_gold_in_columns(tmp_path: Path) -> None:
    new_project(tmp_path, "newsmet")
    path = tmp_path / "items.csv"
    path.write_text(
        "id,text,highlight,literal,gold.verb\n"
        'x,"Storm, hail eat coast",eat,damage; erode,metaphorical\n',
        encoding="utf-8",
    )
    (item,) = read_items(path, open_project(tmp_path).plan)
    assert item.payload == {
        "highlight": [[12, 15]],
        "literal": ["damage", "erode"],
        "metaphorical": [],
    }
    assert item.gold == {"verb": "metaphorical"}


def test_old_names_of_settings_are_read_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_project(tmp_path, "spans")
    path = tmp_path / "project.toml"
    text = path.read_text(encoding="utf-8")
    old = text.replace("judgments_per_item", "judgments_an_item")
    path.write_text(old.replace("items_per_page", "items_a_page"), encoding="utf-8")
    plan = read_plan(path)
    assert (plan.judgments_per_item, plan.items_per_page) == (3, 5)
    told = capsys.readouterr().err
    assert "'judgments_an_item' is now called 'judgments_per_item'" in told
    assert "'items_a_page' is now called 'items_per_page'" in told
