"""Models in a project: their quality, and rates corrected by what people judged."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from projects import START, Clock, add_items, answer_all, make_project
from test_model_answers import SUGGEST, judge_all, person_of

from trope.annotate.project import Project
from trope.annotate.store import judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.model_answers import (
    GivenAnswer,
    ModelAnswer,
    begin_run,
    store_answers,
    unanswered_items,
)
from trope.annotate.store.model_measures import asked_question, project_quality, project_rates
from trope.annotate.store.slots import hold_back, open_round, round_items
from trope.annotate.web.service import web_settings
from trope.cli.main import main


def made(folder: Path, items: int = 80, judged: int = 40, more: str = "") -> Project:
    """Every second item is a metaphor; people say so, the model errs on every fifth item."""
    project = make_project(folder, k=1, page=judged, more=more)
    rows = [
        {"id": f"i{n}", "text": "word " * (n % 7 + 1), "half": "first" if n % 4 < 2 else "second"}
        for n in range(items)
    ]
    path = folder / "made.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)
    run = begin_run("large", "heads", {"model": "made"}, now=START)
    given = [
        GivenAnswer(item, {"metaphor": truth(item.id, wrong=int(item.id[1:]) % 5 == 0)})
        for item in unanswered_items(run)
    ]
    store_answers(run, given, now=START)
    judge_page(project, person_of())
    return project


def truth(item: str, *, wrong: bool = False) -> str:
    return "yes" if (int(item[1:]) % 2 == 0) != wrong else "no"


def judge_page(project: Project, person: int) -> None:
    clock = Clock()
    for lease in queue.next_page(person, project.plan, now=START, rng=Random(1)).leases:
        said = {"metaphor": truth(lease.item.external_id)}
        judgments.submit(person, lease.token, said, project.plan, now=clock.forward(seconds=9))


def test_rates_are_those_of_the_formula(tmp_path):
    project = made(tmp_path / "p")
    found = project_rates(project.plan, asked_question(project.plan, ""))
    assert (found.question, found.model, found.notes) == ("metaphor", "large", ())
    rates = {one.label: one.rate for one in found.rates}
    yes = rates["yes"]
    assert (yes.judged, yes.items, yes.model) == (40, 80, 0.5)
    # 40 judged: 20 yes by people, 20 by the model, 16 by both: λ = (0.4 − 0.25) / 0.25
    assert yes.weight == pytest.approx(0.6)
    assert yes.corrected.value == pytest.approx(0.5)
    assert rates["no"].corrected.value == pytest.approx(0.5)


def test_rates_of_groups_and_their_difference(tmp_path):
    project = made(tmp_path / "p", items=120, judged=100)
    found = project_rates(project.plan, asked_question(project.plan, "metaphor"), group="half")
    assert [(one.group, one.label) for one in found.rates] == [
        ("first", "no"), ("first", "yes"), ("second", "no"), ("second", "yes")]  # fmt: skip
    assert {one.rate.judged for one in found.rates} == {50}
    difference = found.differences["yes"].corrected
    assert difference.low < 0 < difference.high


def test_the_command_prints_rates_and_what_an_interval_needs(tmp_path):
    project = made(tmp_path / "p")
    words = ["annotate", "rates", str(project.folder), "--model", "large"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "metaphor, model large"
    assert lines[4] == "    model      50.0 % of 80"
    assert "an interval half as wide needs about" in lines[5]
    done = CliRunner().invoke(main, [*words, "--width", "0.1", "--beyond", "--json"])
    document = json.loads(done.stdout)
    assert document["rates"][0]["judgments_needed"] > document["rates"][0]["rate"]["judged"]
    assert document["rates"][0]["rate"]["beyond"] is True


def test_what_was_judged_with_the_answer_in_view_does_not_count(tmp_path):
    project = make_project(tmp_path / "p", k=1, page=40, more=SUGGEST)
    add_items(project, 40)
    answer_all("m", "yes")
    judge_all(project, person_of(), "no")
    found = project_rates(project.plan, asked_question(project.plan, ""))
    shown = sum(project.plan.shows_suggestion(f"i{n}") for n in range(1, 41))
    assert 0 < shown < 40
    assert {one.rate.judged for one in found.rates} == {40 - shown}
    assert f"{shown} items were judged with a model's answer in view" in found.notes[0]
    (quality,) = project_quality(project.plan)["metaphor"]
    assert (quality.model, quality.items) == ("m", 40 - shown)
    assert quality.anchoring.suggested_judgments == shown
    assert quality.anchoring.difference.value == 0


def test_what_another_model_suggested_is_no_judgment_of_people_alone(tmp_path):
    project = make_project(tmp_path / "p", k=1, page=40, more=SUGGEST)
    add_items(project, 40)
    answer_all("m", "yes")
    answer_all("other", "no")
    judge_all(project, person_of(), "yes")
    shown = sum(project.plan.shows_suggestion(f"i{n}") for n in range(1, 41))
    _, other = project_quality(project.plan)["metaphor"]
    assert (other.model, other.items, other.anchoring) == ("other", 40 - shown, None)


def test_a_sample_that_is_not_random_is_told(tmp_path):
    project = made(tmp_path / "p")
    hold_back(now=START)
    open_round(round_items(), 5, by="uncertainty", now=START, who="")
    found = project_rates(project.plan, asked_question(project.plan, ""))
    assert "given out by uncertainty" in found.notes[0]
    ModelAnswer.objects.filter(item__external_id="i39").delete()
    found = project_rates(project.plan, asked_question(project.plan, ""))
    assert found.notes[0] == "1 items without an answer of the model are left out"


def test_a_group_without_judgments_is_named(tmp_path):
    project = made(tmp_path / "p", items=8, judged=2)
    found = project_rates(project.plan, asked_question(project.plan, ""), group="half")
    assert {one.group for one in found.rates} == {"first"}
    assert "nothing is judged in: second" in found.notes
    assert all("cannot correct a model" in one.rate.notes[0] for one in found.rates)


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--model", "small"], "'small' has no answers here; models: large"),
     (["--question", "mood"], "'mood' is not a choice or a scale"),
     (["--width", "2"], "2.0 is not in the range")],
)  # fmt: skip
def test_rates_that_cannot_be(tmp_path, more, said):
    project = made(tmp_path / "p")
    done = CliRunner().invoke(main, ["annotate", "rates", str(project.folder), *more])
    assert done.exit_code and said in f"{done.output} {done.exception}"


def test_a_project_without_models_or_judgments_says_what_to_do(tmp_path):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 3)
    words = ["annotate", "rates", str(project.folder)]
    assert "trope annotate model" in str(CliRunner().invoke(main, words).exception)
    answer_all()
    assert "let people judge some" in str(CliRunner().invoke(main, words).exception)


def test_agree_compares_the_models_of_a_project(tmp_path):
    project = made(tmp_path / "p", items=80, judged=40)
    done = CliRunner().invoke(
        main, ["agree", str(project.folder), "--models", str(project.folder), "--json"]
    )
    assert done.exit_code == 0, f"{done.output} {done.exception}"
    (question,) = json.loads(done.stdout)["questions"]
    (model,) = question["models"]
    assert (model["model"], model["items"], len(model["lengths"])) == ("large", 40, 3)
    assert model["agreement"][0]["model"]["value"] == pytest.approx(0.8)
    ModelAnswer.objects.all().delete()
    again = CliRunner().invoke(
        main, ["agree", str(project.folder), "--models", str(project.folder)]
    )
    assert "no model has answered" in str(again.exception)


def test_the_owner_reads_how_good_a_model_is(tmp_path):
    project = made(tmp_path / "p", items=80, judged=40)
    page = owners_page(project)
    for part in (
        "Compared on 40 items with 40 answers of people",
        "cannot be tested yet",
        "the test asks for 3 annotators or more; there are 1",
        "equal 0.80 (",
        "Words in the text",
    ):
        assert part in page, part
    assert "What suggestions change" not in page


def test_the_owner_reads_what_suggestions_change(tmp_path):
    project = make_project(tmp_path / "p", k=1, page=40, more=SUGGEST)
    add_items(project, 40)
    answer_all("m", "yes")
    judge_all(project, person_of(), "yes")
    page = owners_page(project)
    assert "gave the same one in 1.00 (1.00 to 1.00) of" in page


def owners_page(project: Project) -> str:
    """What the page says, without its markup."""
    from django.test import Client

    connect(project, **web_settings())
    client = Client(HTTP_HOST="localhost")
    client.post(f"/join/{people.invite('Olga', now=START, role='owner')}")
    page = client.get("/project/models").content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split()).replace("( ", "(")
