"""Models as annotators: what is kept of them, and what people see of it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from projects import START, Clock, add_items, answer_all, make_project

from trope.annotate.project import Project, open_project
from trope.annotate.store import judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.model_answers import (
    AskedItem,
    GivenAnswer,
    ModelAnswer,
    ModelRun,
    all_runs,
    begin_run,
    model_labels,
    store_answers,
    suggested_labels,
    unanswered_items,
)
from trope.annotate.store.models import Item, Lease, StoredJudgment
from trope.annotate.store.reports import progress
from trope.annotate.store.setup import plan_mark, replace_item, save_plan
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadConfig, BadInput

SUGGEST = '[models]\nshow = "suggest"\nblind_share = 0.5\n'


def person_of(name: str = "Ada") -> int:
    found = people.person_by_token(people.invite(name, now=START))
    assert found is not None
    return int(found.pk)


def judge_all(project: Project, person: int, answer: str) -> None:
    clock = Clock()
    while leases := queue.next_page(person, project.plan, now=clock.now, rng=Random(1)).leases:
        for lease in leases:
            clock.forward(seconds=7)
            said = {"metaphor": answer}
            judgments.submit(person, lease.token, said, project.plan, now=clock.now)


def test_answers_of_models_are_no_judgments_and_take_no_slots(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 4, gold=1)
    answer_all()
    answer_all("other", "no")
    assert StoredJudgment.objects.count() == 0
    assert progress(project.plan).judgments == 0
    check_books(project)
    [question] = project.plan.questions
    assert model_labels(question) == {
        "m": dict.fromkeys(["i1", "i2", "i3", "i4", "g1"], "yes"),
        "other": dict.fromkeys(["i1", "i2", "i3", "i4", "g1"], "no"),
    }


def test_same_answers_again_are_kept_once_and_failed_ones_are_asked_for_again(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 3)
    run = begin_run("m", "chat", {"model": "x"}, now=START)
    one, two, three = unanswered_items(run)
    failed = GivenAnswer(two, {}, error="unavailable", tokens_in=5)
    wrong = GivenAnswer(three, {}, error="invalid", tokens_in=5, tokens_out=1)
    store_answers(run, [GivenAnswer(one, {"metaphor": "no"}), failed, wrong], now=START)
    assert [item.id for item in unanswered_items(run)] == ["i2"]
    store_answers(run, [GivenAnswer(two, {"metaphor": "yes"})] * 2, now=START)
    store_answers(run, [GivenAnswer(two, {"metaphor": "no"})], now=START)
    assert not list(unanswered_items(run))
    [found] = all_runs()
    assert (found.answered, found.errors, found.run.tokens_in) == (2, {"invalid": 1}, 10)
    assert model_labels(project.plan.questions[0]) == {"m": {"i1": "no", "i2": "yes"}}


def test_run_goes_on_with_its_own_settings_only(tmp_path: Path) -> None:
    add_items(make_project(tmp_path / "p"), 1)
    begin_run("m", "chat", {"model": "x", "temperature": 0}, now=START)
    begin_run("m", "chat", {"model": "x", "temperature": 0}, now=START, budget=2.0)
    assert ModelRun.objects.get().budget == 2.0
    with pytest.raises(BadInput, match="another temperature"):
        begin_run("m", "chat", {"model": "x", "temperature": 1}, now=START)
    with pytest.raises(BadInput, match="is no name of a run"):
        begin_run("../m", "chat", {}, now=START)


def test_items_that_an_owner_deletes_take_their_answers_along(tmp_path: Path) -> None:
    add_items(make_project(tmp_path / "p"), 2)
    run = answer_all()
    Item.objects.filter(external_id="i1").delete()
    gone = AskedItem(999, "gone", "", {})
    store_answers(run, [GivenAnswer(gone, {"metaphor": "no"})], now=START)
    assert ModelAnswer.objects.count() == 1


def test_answer_to_a_text_that_an_owner_replaced_meanwhile_is_not_kept(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 1)
    run = begin_run("m", "chat", {"model": "x"}, now=START)
    [asked] = unanswered_items(run)
    replace_item(asked.pk, "Another text.", {}, project.plan, now=START, by="Olga")
    store_answers(run, [GivenAnswer(asked, {"metaphor": "no"})], now=START)
    [again] = unanswered_items(run)
    assert again.text == "Another text."
    store_answers(run, [GivenAnswer(again, {"metaphor": "no"})], now=START)
    with pytest.raises(BadInput, match="it stays as it is"):
        replace_item(asked.pk, "A third text.", {}, project.plan, now=START, by="Olga")


def test_blind_project_shows_nothing_of_a_model(tmp_path: Path, client: Any) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 6)
    answer_all()
    page = opened(project, client)
    assert "Is it a metaphor?" in page
    assert "suggest" not in page
    assert "checked" not in page
    assert Lease.objects.exclude(suggestion={}).count() == 0


def opened(project: Project, client: Any, name: str = "Ada") -> str:
    """The first item of someone new."""
    connect(project, **web_settings())
    client.post(f"/join/{people.invite(name, now=START)}")
    return str(client.get("/judge").content.decode())


@pytest.fixture
def client() -> Any:
    from django.test import Client

    return Client(HTTP_HOST="localhost")


def test_suggestions_fill_in_the_form_and_both_answers_are_kept(
    tmp_path: Path, client: Any
) -> None:
    project = make_project(tmp_path / "p", k=1, page=20, more=SUGGEST)
    add_items(project, 20, gold=2)
    answer_all(answer="yes")
    page = opened(project, client)
    shown: dict[str, Mapping[str, Any]] = {}
    for number in range(20):
        token = re.search(r'name="token" value="(\w+)"', page)
        assert token
        lease = Lease.objects.get(token=token[1])
        suggested = bool(lease.suggestion)
        shown[lease.item.external_id] = lease.suggestion
        assert suggested == project.plan.shows_suggestion(lease.item.external_id)
        assert ("Confirm and continue" in page) == suggested
        assert ('value="yes" data-key="1" checked' in page) == suggested
        assert page.count("(suggested)") == suggested
        answer = {"token": token[1], "metaphor": "no" if number % 2 else "yes"}
        page = client.post("/judge", answer, headers={"X-Trope": "next"}).content.decode()
    assert 2 < sum(map(bool, shown.values())) < 18
    rows = list(suggested_labels(project.plan.questions[0]))
    assert {row.item for row in rows if row.run} == {i for i, s in shown.items() if s}
    assert {row.changed for row in rows if not row.run} == {False}
    assert {(row.label, row.changed) for row in rows if row.run} == {("yes", False), ("no", True)}
    assert all(row.seconds >= 0 for row in rows)
    written = exported(project, "--format", "csv").splitlines()
    head = written[0].split(",")
    cells = [dict(zip(head, line.split(","), strict=False)) for line in written[1:]]
    assert {(c["suggested"], c["changed"]) for c in cells} == {
        ("", ""),
        ("m", "False"),
        ("m", "True"),
    }


def exported(project: Project, *options: str) -> str:
    command = ["annotate", "export", str(project.folder), *options]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return done.output


def test_judgment_with_a_suggestion_goes_out_and_comes_back(tmp_path: Path) -> None:
    more = '[models]\nshow = "suggest"\nblind_share = 0\n'
    project = make_project(tmp_path / "p", k=1, more=more)
    add_items(project, 3)
    answer_all(answer="no")
    judge_all(project, person_of(), "yes")
    first = exported(project, "--history")
    assert json.loads(first.splitlines()[0])["changed"] is True
    assert '"suggestion": {"answers": {"metaphor": "no"}, "run": "m"}' in first
    again = make_project(tmp_path / "again", k=1, more=more)
    add_items(again, 3)
    command = ["annotate", "import", str(again.folder), str(tmp_path / "j.jsonl"), "--judgments"]
    bad = first.replace('{"answers": {"metaphor": "no"}, "run": "m"}', '"m"')
    (tmp_path / "j.jsonl").write_text(bad, encoding="utf-8")
    refused = CliRunner().invoke(main, command)
    assert "j.jsonl:1: has a suggestion without answers" in str(refused.exception)
    (tmp_path / "j.jsonl").write_text(first, encoding="utf-8")
    assert CliRunner().invoke(main, command).exit_code == 0
    assert exported(again, "--history") == first


def test_suggestion_stays_with_a_judgment_that_is_taken_back_or_changed(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=1, more='[models]\nshow = "suggest"\nblind_share = 0')
    add_items(project, 1)
    answer_all(answer="no")
    person, plan = person_of(), project.plan
    [lease] = queue.next_page(person, plan, now=START, rng=Random(1)).leases
    shown = {"run": "m", "answers": {"metaphor": "no"}}
    judgments.submit(person, lease.token, {"metaphor": "no"}, plan, now=START)
    judgments.undo(person, plan, lambda answers, text: {}, now=START)
    [lease] = queue.next_page(person, plan, now=START, rng=Random(1)).leases
    assert lease.suggestion == shown
    given = judgments.submit(person, lease.token, {"metaphor": "yes"}, plan, now=START)
    new = judgments.change(person, given.pk, "t" * 32, {"metaphor": "no"}, plan, now=START)
    assert (given.suggestion, new.suggestion) == (shown, shown)


def test_audit_gives_people_a_random_sample_of_what_the_model_answered(tmp_path: Path) -> None:
    audit = '[models]\nshow = "audit"\nsample = {}\n'
    project = make_project(tmp_path / "p", k=2, more=audit.format(5))
    add_items(project, 20)
    answer_all()
    assert queue.draw_audit(project.plan) == 5
    assert queue.draw_audit(project.plan) == 5  # the same ones
    sample = set(ModelAnswer.objects.filter(sampled=True).values_list("item_id", flat=True))
    assert progress(project.plan).wanted == 10
    for name in ("Ada", "Bo"):
        judge_all(project, person_of(name), "no")
    judged = StoredJudgment.objects.filter(state="counted")
    assert set(judged.values_list("item_id", flat=True)) == sample
    assert progress(project.plan).complete == 5
    check_books(project)
    (project.folder / "project.toml").write_text(
        (project.folder / "project.toml").read_text("utf-8").replace("sample = 5", "sample = 8"),
        encoding="utf-8",
    )
    larger = open_project(project.folder).plan
    assert queue.draw_audit(larger) == 8
    assert progress(larger).wanted == 16
    for name in ("Cy", "Di"):
        judge_all(project, person_of(name), "no")
    assert StoredJudgment.objects.filter(state="counted").count() == 16
    check_books(project)


def test_project_that_no_longer_audits_gets_its_slots_back(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=1, more='[models]\nshow = "audit"\nsample = 2')
    add_items(project, 6)
    answer_all()
    queue.draw_audit(project.plan)
    judge_all(project, person := person_of(), "no")
    assert StoredJudgment.objects.count() == 2
    text = (project.folder / "project.toml").read_text("utf-8").replace('"audit"', '"blind"')
    save_plan(project, text, seen=plan_mark(project), now=START, by="Olga")
    blind = open_project(project.folder)
    judge_all(blind, person, "no")
    assert StoredJudgment.objects.count() == 6
    check_books(blind)


@pytest.mark.parametrize("wrong", ["blind_share = 1.5", "sample = 0", 'show = "always"'])
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(BadConfig, match=r"models|show"):
        make_project(tmp_path / "p", more=f"[models]\n{wrong}")


def test_export_of_answers_has_settings_and_raw_ones_only_if_asked_for(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 1)
    answer_all(raw="what it said", tokens_in=7, confidence=0.8)
    [row] = map(json.loads, exported(project, "--what", "models").splitlines())
    assert row["answers"] == {"metaphor": "yes"}
    assert (row["run"], row["model"], row["tokens_in"], row["confidence"]) == ("m", "made", 7, 0.8)
    assert "raw" not in row
    assert "what it said" in exported(project, "--what", "models", "--raw", "--format", "csv")


def test_owner_sees_runs_with_tokens_costs_and_errors(tmp_path: Path, client: Any) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 2)
    run = begin_run("m", "chat", {"model": "x<b>"}, now=START, prices=(1.0, 2.0), budget=5.0)
    one, two = unanswered_items(run)
    given = GivenAnswer(one, {"metaphor": "no"}, tokens_in=500_000, tokens_out=250_000)
    store_answers(run, [given, GivenAnswer(two, {}, error="invalid")], now=START)
    connect(project, **web_settings())
    client.post(f"/join/{people.invite('Olga', now=START, role='owner')}")
    page = client.get("/project/models").content.decode()
    for part in ("x&lt;b&gt;", "1 of 2", "1 invalid", "500000", "1.0000 of 5.00", "see nothing of"):
        assert part in page, part
