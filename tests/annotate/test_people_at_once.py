"""The way in and out when everything happens at once; the checks run on PostgreSQL too."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bookkeeping import check_books
from projects import START, add_items, make_project
from test_concurrency import YES, at_once, work_until_finished

from trope.annotate.admission import DemoTask, ExternalWorkers, SelectionRules, Withdrawal
from trope.annotate.project import Project
from trope.annotate.store import membership, people, practice, selection
from trope.annotate.store.models import Person, Standing, Trial
from trope.annotate.store.practice import import_demo


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project", k=3, page=4)


def with_demo(project: Project, selection: SelectionRules) -> Project:
    """The project with a demo task of two items, one of them known."""
    rows = [{"id": "d1", "text": "A."}, {"id": "d2", "text": "B.", "gold": YES}]
    path = project.folder / "demo.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_demo(project, path, now=START)
    return Project(
        project.folder, replace(project.plan, demo=DemoTask(items=2, gold=1), selection=selection)
    )


def invited(number: int) -> list[int]:
    for name in range(number):
        people.invite(f"Person {name}", now=START)
    found = list(Person.objects.order_by("pk").values_list("pk", flat=True))
    for person in found:
        Person.objects.filter(pk=person).update(consented=START)
    return found


def do_demo(project: Project, person: int) -> str:
    while task := practice.next_demo(person, project.plan):
        practice.answer_demo(person, task.key, YES, project.plan, now=START)
    return "done"


def check_best_fill_the_places(project: Project) -> None:
    rule = SelectionRules(by="best", best=3, after=8)
    staged = with_demo(project, rule)
    applicants = invited(8)
    results = at_once(lambda n: do_demo(staged, applicants[n]), times=8)
    assert results == ["done"] * 8
    verdicts = list(Standing.objects.values_list("verdict", flat=True))
    assert sorted(verdicts) == ["accepted"] * 3 + ["declined"] * 5


def check_button_pressed_by_many_takes_no_more_than_the_places(project: Project) -> None:
    staged = with_demo(project, SelectionRules(by="owner", best=2))
    for person in invited(6):
        do_demo(staged, person)
    taken = at_once(lambda _: selection.accept_best(staged.plan, now=START, by="Olga"), times=6)
    assert sum(taken) == 2
    assert Standing.objects.filter(verdict="accepted").count() == 2


def check_one_account_a_worker(project: Project) -> None:
    visitor = people.Visitor("w1", "s1", "")
    found = at_once(lambda _: people.admit_worker(visitor, project.plan, now=START), times=8)
    assert {arrival.problem for arrival in found} == {""}
    assert {arrival.person.pk for arrival in found} == {Person.objects.get().pk}


def check_places_for_workers_are_not_overrun(project: Project) -> None:
    plan = replace(project.plan, outside=ExternalWorkers(places=3))
    found = at_once(
        lambda n: people.admit_worker(people.Visitor(f"w{n}", "s", ""), plan, now=START), times=8
    )
    assert sorted(arrival.problem for arrival in found) == [""] * 3 + ["full"] * 5
    assert Person.objects.count() == 3


def check_withdrawal_in_the_middle_of_work(project: Project) -> None:
    erasing = Project(project.folder, replace(project.plan, withdrawal=Withdrawal(answers="erase")))
    add_items(erasing, 20)
    ids = invited(6)

    def work(number: int) -> object:
        if number == 6:
            return membership.withdraw(ids[0], erasing.plan, now=START)
        try:
            return work_until_finished(erasing, ids[number])
        except people.ActionRefused as refused:
            return refused.code

    results = at_once(work, times=7)
    assert not [result for result in results if isinstance(result, Exception)], results
    check_books(erasing)
    for person in ids[1:]:
        work_until_finished(erasing, person)
    check_books(erasing)


CHECKS = [
    check_best_fill_the_places,
    check_button_pressed_by_many_takes_no_more_than_the_places,
    check_one_account_a_worker,
    check_places_for_workers_are_not_overrun,
    check_withdrawal_in_the_middle_of_work,
]


@pytest.mark.parametrize("check", CHECKS)
def test_at_once(check: object, project: Project) -> None:
    check(project)  # type: ignore[operator]


def test_same_demo_form_ten_times_at_once_is_one_answer(project: Project) -> None:
    staged = with_demo(project, SelectionRules(by="owner"))
    (ann,) = invited(1)
    task = practice.next_demo(ann, staged.plan)
    assert task
    results = at_once(
        lambda _: practice.answer_demo(ann, task.key, YES, staged.plan, now=START).pk, times=10
    )
    assert len(set(results)) == 1, results
    assert Trial.objects.count() == 1
    assert Standing.objects.get(pk=ann).demo_done == 1


def test_profile_sent_twice_at_once_is_one_profile(project: Project) -> None:
    (ann,) = invited(1)
    at_once(lambda n: membership.save_profile(ann, {"number": n}, project.plan, now=START), times=5)
    kept = Standing.objects.get(pk=ann).profile
    membership.save_profile(ann, {"number": 99}, project.plan, now=START)
    assert Standing.objects.get(pk=ann).profile == kept
