"""Those who are held, dismissed or gone at a stage before work, and what the owner can do then."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from projects import START
from visitors import (
    DEMO,
    annotator,
    browser,
    do_demo,
    field,
    judge,
    owner,
    staged_project,
    ticking_clock,
    where,
)

from trope.annotate.project import Project
from trope.annotate.store import discipline, membership, people, practice, queue, selection
from trope.annotate.store.models import (
    Appeal,
    Event,
    Notice,
    Person,
    Standing,
    StoredJudgment,
    Trial,
)
from trope.core.errors import BadInput

BEST = DEMO + 'by = "owner"\nbest = 1\npass_mark = 0.0\n[gold]\nshare = 0.5\n'


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    ticking_clock(monkeypatch)
    return staged_project(tmp_path / "p", BEST)


def number(name: str) -> int:
    return int(Person.objects.get(name=name).pk)


def answer_one(client: Any, answer: str = "yes") -> int:
    form = {"token": field(client, "/demo", "token"), "metaphor": answer}
    return int(client.post("/demo", form).status_code)


@pytest.mark.parametrize("how", ["hold", "dismiss"])
def test_who_is_stopped_in_the_demo_task_goes_on_there_when_reinstated(
    how: str, staged: Project
) -> None:
    ann = annotator("Ann")
    assert answer_one(ann) == 302
    pk = number("Ann")
    client = owner()
    client.post(f"/project/person/{pk}/discipline", {"action": how, "reason": "Let us talk."})
    assert where(ann) == "/judge"
    page = ann.get("/judge").content.decode()
    assert "Let us talk." in page
    assert "right to appeal" in page
    assert ann.get("/demo").status_code == 302
    with pytest.raises(people.ActionRefused):
        practice.answer_demo(pk, "d1", {"metaphor": "yes"}, staged.plan, now=START)
    assert ann.post("/me/appeal", {"text": "I read with care."}).status_code == 302
    appeal = Appeal.objects.get().pk
    client.post(f"/project/appeal/{appeal}", {"action": "reinstate", "answer": "You do."})
    assert where(ann) == "/demo"
    assert "2 of 4" in ann.get("/demo").content.decode()
    do_demo(ann)
    assert where(ann) == "/waiting"


def test_rules_of_work_do_not_look_at_the_demo_task(staged: Project) -> None:
    ann = annotator("Ann")
    do_demo(ann, known="wrong")
    assert Trial.objects.filter(right=False).count() == 2
    person = Person.objects.get(name="Ann")
    assert (person.conduct, person.gold_seen, Notice.objects.count()) == ({}, 0, 0)


def test_dismissed_applicant_is_not_ranked_and_cannot_be_accepted(staged: Project) -> None:
    ann, bob = annotator("Ann"), annotator("Bob")
    do_demo(ann)
    do_demo(bob, known="wrong")
    pk = number("Ann")
    discipline.dismiss(pk, "Two accounts.", now=START)
    assert [row.ranked.applicant.name for row in selection.ranking(staged.plan)] == ["Bob"]
    assert not selection.accept(pk, now=START, by="Olga")
    assert owner().post(f"/project/applicants/{pk}", {"verdict": "accept"}).status_code == 404
    assert selection.accept_best(staged.plan, now=START, by="Olga") == 1
    assert Standing.objects.get(person__name="Bob").verdict == "accepted"
    discipline.reinstate(pk, now=START, by="Olga", reason="A mistake.")
    assert where(ann) == "/waiting", "the place has gone to someone else; the owner may add one"
    assert selection.accept(pk, now=START, by="Olga")
    assert where(ann) == "/judge"


def test_hold_keeps_the_place_and_dismissal_frees_it(staged: Project) -> None:
    ann = annotator("Ann")
    do_demo(ann)
    pk = number("Ann")
    assert selection.accept(pk, now=START, by="Olga")
    assert selection.places_left(staged.plan) == 0
    discipline.hold(pk, "", "A question.", now=START, by="Olga")
    assert selection.places_left(staged.plan) == 0
    discipline.dismiss(pk, "No answer.", now=START)
    assert selection.places_left(staged.plan) == 1
    discipline.reinstate(pk, now=START, by="Olga")
    assert selection.places_left(staged.plan) == 0
    assert where(ann) == "/judge", "who was accepted stays so"


def test_withdrawal_ends_an_appeal_for_good(staged: Project) -> None:
    ann = annotator("Ann", trusted=True)
    judge(ann)
    pk = number("Ann")
    discipline.dismiss(pk, "Too fast.", now=START)
    ann.post("/me/appeal", {"text": "My name is Ann and I type fast."})
    appeal = Appeal.objects.get().pk
    assert "Withdraw" in ann.get("/me").content.decode()
    assert ann.post("/withdraw", {"sure": "yes"}).status_code == 200
    client = owner()
    assert "type fast" not in client.get("/project/review").content.decode()
    answer = client.post(f"/project/appeal/{appeal}", {"action": "reinstate", "answer": "Yes."})
    assert answer.status_code == 422
    closed = Appeal.objects.get()
    assert (closed.text, closed.reinstated, closed.answer) == ("", False, membership.WITHDREW)
    assert "type fast" not in str(list(Event.objects.values_list("who", "detail")))
    assert discipline.reinstate(pk, now=START, by="Olga") == (0, 0)
    assert not discipline.hold(pk, "", "Wait.", now=START, by="Olga")
    assert discipline.dismiss(pk, "Again.", now=START) == 0
    assert Person.objects.get(pk=pk).state == "withdrawn"
    page = client.get(f"/project/person/{pk}").content.decode()
    assert "has withdrawn" in page
    assert "Reinstate" not in page
    check_books(staged)


def test_withdrawal_of_someone_dismissed_erases_and_frees_no_slot_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking_clock(monkeypatch)
    project = staged_project(tmp_path / "p", '[withdrawal]\nanswers = "erase"\n')
    ann = annotator("Ann")
    for _ in range(3):
        judge(ann)
    pk = number("Ann")
    discipline.dismiss(pk, "Too fast.", now=START)
    membership.withdraw(pk, project.plan, now=START)
    assert set(StoredJudgment.objects.values_list("state", flat=True)) == {"erased"}
    check_books(project)


def test_reinstatement_by_hand_answers_the_appeal(staged: Project) -> None:
    annotator("Ann", trusted=True)
    pk = number("Ann")
    discipline.hold(pk, "", "A question.", now=START, by="Olga")
    appeal = discipline.appeal(pk, "Ask me.", now=START)
    discipline.reinstate(pk, now=START, by="Olga", reason="All is well.")
    found = Appeal.objects.get(pk=appeal.pk)
    assert (found.reinstated, found.answer, found.by) == (True, "All is well.", "Olga")
    with pytest.raises(BadInput, match="already been answered"):
        discipline.answer_appeal(appeal.pk, "No.", reinstate_them=False, now=START, by="Olga")


def test_adjudicator_passes_no_stages(staged: Project) -> None:
    token = people.invite("Judy", role="adjudicator", now=START)
    judy = browser()
    assert judy.post(f"/join/{token}").headers["Location"] == "/adjudicate"
    assert judy.get("/", follow=True).request["PATH_INFO"] == "/adjudicate"
    for address in ("/way", "/demo", "/judge", "/withdraw", "/me", "/project"):
        assert judy.get(address).status_code == 403
    page = judy.get("/guidelines").content.decode()
    assert "I have read this" not in page
    assert "Withdraw" not in page


def test_dismissed_worker_who_comes_back_by_a_link_reads_why(staged: Project) -> None:
    token = people.invite("Ann", now=START)
    browser(token)
    discipline.dismiss(number("Ann"), "Two accounts.", now=START)
    again = browser()
    assert again.post(f"/join/{token}").headers["Location"] == "/judge"
    assert "Two accounts." in again.get("/judge").content.decode()
    assert "I have read this" not in again.get("/guidelines").content.decode()
    assert not queue.next_page(number("Ann"), staged.plan, now=START, rng=Random(1)).leases
