"""The course of the work: doubtful items first, batches one after another, the last one undone."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from hypothesis import given
from hypothesis import strategies as st
from projects import START, Clock, add_items, make_project
from test_web import browser, form_token

from trope.annotate.project import Project
from trope.annotate.rules.assignment import doubt_score, giving_order, group_by_batch
from trope.annotate.store import judgments, people, queue, slots
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Event, Item, Lease, Person, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web.content import form_values
from trope.annotate.web.service import web_settings
from trope.core.errors import BadInput, BadRecord

YES = {"metaphor": "yes"}


def add(project: Project, rows: list[dict[str, Any]]) -> None:
    path = project.folder / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)


def page(project: Project, person: int, now: Any = START) -> list[Lease]:
    return list(queue.next_page(person, project.plan, now=now, rng=Random(1)).leases)


def names(leases: list[Lease]) -> list[str]:
    return [lease.item.external_id for lease in leases]


# --- order -------------------------------------------------------------------------------------


@given(st.lists(st.floats(-5, 5), max_size=30), st.sampled_from(["random", "given", "uncertainty"]))
def test_every_order_is_of_all_items(doubts: list[float], order: Any) -> None:
    items = giving_order(len(doubts), order, Random(1), doubts)
    assert sorted(items) == list(range(len(doubts)))
    if order == "uncertainty":
        ordered = [doubts[item] for item in items]
        assert ordered == sorted(ordered, reverse=True)
    if order == "given":
        assert items == sorted(items)


@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=20))
def test_batches_hold_every_item_once_and_come_as_named(given_names: list[str]) -> None:
    gathered = group_by_batch(range(len(given_names)), given_names)
    assert [n for _, members in gathered for n in sorted(members)] == sorted(
        range(len(given_names)), key=lambda n: (gathered_place(gathered, given_names[n]), n)
    )
    assert all(given_names[n] == name for name, members in gathered for n in members)
    shown = [name for name, _ in gathered if name]
    assert shown == list(dict.fromkeys(name for name in given_names if name))


def gathered_place(gathered: list[tuple[str, list[int]]], name: str) -> int:
    return [batch for batch, _ in gathered].index(name)


def test_probability_near_a_half_is_most_doubtful() -> None:
    assert sorted([0.9, 0.5, 0.2], key=lambda p: -doubt_score(p, "probability")) == [0.5, 0.2, 0.9]


@pytest.mark.parametrize(
    ("measure", "wanted"), [("value", ["c", "a", "b"]), ("probability", ["a", "b", "c"])]
)
def test_doubtful_items_come_first(measure: str, wanted: list[str], tmp_path: Path) -> None:
    more = f'[uncertainty]\nfield = "p"\nmeasure = "{measure}"'
    project = make_project(tmp_path / "p", more=more)
    plan = (project.folder / "project.toml").read_text().replace('"given"', '"uncertainty"')
    project = remade(project, plan)
    scores = {"a": 0.5, "b": 0.3, "c": 0.95}
    add(project, [{"id": name, "text": name, "p": p} for name, p in scores.items()])
    people.invite("Ann", now=START)
    assert names(page(project, 1)) == wanted


def remade(project: Project, plan: str) -> Project:
    from trope.annotate.project import open_project

    (project.folder / "project.toml").write_text(plan)
    changed = open_project(project.folder)
    connect(changed)
    return changed


@pytest.mark.parametrize("value", ["", "much", None, "nan", "inf", 1.2])
def test_item_without_a_usable_number_is_refused_by_its_line(value: Any, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", more='[uncertainty]\nmeasure = "probability"')
    plan = (project.folder / "project.toml").read_text().replace('"given"', '"uncertainty"')
    project = remade(project, plan)
    rows = [{"id": "a", "text": "a", "uncertainty": 0.5}, {"id": "b", "text": "b"}]
    if value is not None:
        rows[1]["uncertainty"] = value
    with pytest.raises(BadRecord, match=r"more\.jsonl:2: .*'uncertainty'"):
        add(project, rows)
    assert not Item.objects.exists()


# --- batches -----------------------------------------------------------------------------------

ROWS = [
    {"id": f"{batch}{n}", "text": "A sentence.", "part": batch} for n in (1, 2) for batch in "xyz"
]


def batched(folder: Path, opening: str, k: int = 1) -> Project:
    more = f'[batches]\nfield = "part"\nopen = "{opening}"'
    project = make_project(folder, k=k, page=10, more=more)
    add(project, ROWS)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    return project


def judge(project: Project, leases: list[Lease]) -> None:
    for lease in leases:
        judgments.submit(lease.person_id, lease.token, YES, project.plan, now=START)


def test_batches_open_one_after_another_by_the_owner(tmp_path: Path) -> None:
    project = batched(tmp_path / "p", "owner")
    first = page(project, 1)
    assert names(first) == ["x1", "x2"]
    judge(project, first)
    assert page(project, 1) == []
    assert slots.open_next_batch(now=START, by="Olga") == "y"
    second = page(project, 1)
    assert names(second) == ["y1", "y2"]
    judge(project, second)
    assert [(b.name, b.items, b.full) for b in slots.all_batches()] == [
        ("x", 2, 2),
        ("y", 2, 2),
        ("z", 2, 0),
    ]
    assert slots.open_next_batch(now=START) == "z"
    assert slots.open_next_batch(now=START) == ""
    assert [e.detail["batch"] for e in Event.objects.filter(what="open")] == ["y", "z"]
    check_books(project)


def test_batches_open_by_themselves_when_nothing_is_left_to_give(tmp_path: Path) -> None:
    project = batched(tmp_path / "p", "automatic", k=2)
    judge(project, page(project, 1))
    assert page(project, 1) == [], "the first batch still needs someone else"
    bobs = page(project, 2)
    assert names(bobs) == ["x1", "x2"]
    assert names(page(project, 1)) == ["y1", "y2"], "all of the first is judged or in hand"
    check_books(project)


def test_later_imports_wait_behind_batches_that_are_closed(tmp_path: Path) -> None:
    project = batched(tmp_path / "p", "owner")
    add(project, [{"id": "w1", "text": "New.", "part": "w"}, {"id": "n1", "text": "No batch."}])
    for opened in ("x1 x2", "y1 y2", "z1 z2", "n1", "w1"):
        leases = page(project, 1)
        assert names(leases) == opened.split()
        judge(project, leases)
        slots.open_next_batch(now=START)
    with pytest.raises(BadInput, match="already is a batch 'x'"):
        add(project, [{"id": "x9", "text": "Again.", "part": "x"}])
    assert not Item.objects.filter(external_id="x9").exists()


def test_items_without_a_batch_are_open_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=1, page=10, more='[batches]\nfield = "part"')
    people.invite("Ann", now=START)
    add(project, [*ROWS, {"id": "free", "text": "No batch."}])
    assert names(page(project, 1)) == ["free", "x1", "x2"]


def test_owner_opens_a_batch_on_the_page(tmp_path: Path) -> None:
    project = batched(tmp_path / "p", "owner")
    connect(project, **web_settings())
    owner = browser(invite("Olga", role="owner", now=START))
    assert "/project/batches" in owner.get("/project").content.decode()
    assert owner.get("/project/batches").content.decode().count("not yet") == 2
    assert owner.post("/project/batches").status_code == 302
    assert owner.get("/project/batches").content.decode().count("not yet") == 1


# --- undo --------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(tmp_path / "p", k=1, more="[skip]\nallowed = true\n[caps]\nday = 3")
    add_items(made, 6)
    people.invite("Ann", now=START)
    return made


def undo(project: Project, now: Any = START, person: int = 1) -> None:
    judgments.undo(person, project.plan, form_values, now=now)


def test_undone_judgment_is_in_hand_again_with_its_answers(project: Project) -> None:
    first = page(project, 1)[0]
    judgments.submit(1, first.token, YES, project.plan, now=START)
    undo(project)
    again = page(project, 1)
    assert names(again) == ["i1", "i2", "i3"]
    assert again[0].draft["metaphor"] == ["yes"]
    assert again[0].token != first.token
    assert Person.objects.get(pk=1).judged == Person.objects.get(pk=1).judged_day == 0
    check_books(project)
    new = judgments.submit(1, again[0].token, {"metaphor": "no"}, project.plan, now=START)
    assert new.replaces is not None
    assert new.replaces.answers == YES
    assert StoredJudgment.objects.filter(current=True).count() == 1
    assert Person.objects.get(pk=1).judged == 1
    check_books(project)


def test_form_that_was_undone_sent_again_stores_nothing(project: Project) -> None:
    first = page(project, 1)[0]
    judgments.submit(1, first.token, YES, project.plan, now=START)
    undo(project)
    judgments.submit(1, first.token, YES, project.plan, now=START)
    assert StoredJudgment.objects.filter(current=True).count() == 0
    check_books(project)


def test_undo_twice_takes_back_two(project: Project) -> None:
    for lease in page(project, 1)[:2]:
        judgments.submit(1, lease.token, YES, project.plan, now=START)
    undo(project)
    undo(project)
    assert names(page(project, 1)) == ["i1", "i2", "i3"]
    with pytest.raises(people.ActionRefused) as refused:
        undo(project)
    assert refused.value.code == "nothing_to_undo"
    check_books(project)


def test_undone_skip_takes_its_slot_back_unless_someone_has_it(project: Project) -> None:
    people.invite("Bob", now=START)
    first = page(project, 1)[0]
    judgments.skip(1, first.token, project.plan, now=START)
    undo(project)
    assert names(page(project, 1))[0] == "i1"
    assert Person.objects.get(pk=1).skipped == 0
    check_books(project)
    judgments.skip(1, page(project, 1)[0].token, project.plan, now=START)
    assert "i1" in names(page(project, 2))
    with pytest.raises(people.ActionRefused) as refused:
        undo(project)
    assert refused.value.code == "too_late"
    check_books(project)


def test_undo_ends_with_the_time_of_a_lease(project: Project) -> None:
    first = page(project, 1)[0]
    judgments.submit(1, first.token, YES, project.plan, now=START)
    with pytest.raises(people.ActionRefused):
        undo(project, now=Clock().forward(minutes=31))
    assert StoredJudgment.objects.filter(current=True).count() == 1


def test_undone_item_that_is_not_judged_again_goes_to_others(project: Project) -> None:
    people.invite("Bob", now=START)
    first = page(project, 1)[0]
    judgments.submit(1, first.token, YES, project.plan, now=START)
    undo(project)
    later = Clock().forward(minutes=45)
    assert "i1" in names(page(project, 2, now=later))
    check_books(project)


def test_first_answer_to_a_control_item_stands_after_undo(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", page=2, more="[gold]\nshare = 0.5")
    add_items(project, 4, gold=2)
    people.invite("Ann", now=START)
    control = next(lease for lease in page(project, 1) if lease.item.is_gold)
    judgments.submit(1, control.token, {"metaphor": "no"}, project.plan, now=START)
    undo(project)
    again = next(lease for lease in page(project, 1) if lease.item.is_gold)
    stored = judgments.submit(1, again.token, YES, project.plan, now=START)
    assert stored.answers == YES
    assert stored.gold_right is False
    person = Person.objects.get(pk=1)
    assert (person.gold_seen, person.gold_right) == (1, 0)


def test_undo_by_its_form(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    add_items(project, 2)
    ann = browser(invite("Ann", now=START))
    assert "/judge/undo" not in ann.get("/judge").content.decode()
    ann.post("/judge", {"token": form_token(ann), "metaphor": "yes"})
    assert "/judge/undo" in ann.get("/judge").content.decode()
    assert ann.post("/judge/undo").headers["Location"] == "/judge"
    shown = ann.get("/judge").content.decode()
    assert "Sentence number 1." in shown
    assert 'value="yes" data-key="1" checked' in shown
    assert ann.post("/judge/undo").status_code == 409
