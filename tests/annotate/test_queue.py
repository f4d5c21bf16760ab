"""The queue: exactly k judgments an item, whatever order things happen in."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from bookkeeping import check_books
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from projects import START, Clock, add_items, make_project

from trope.annotate.project import Project
from trope.annotate.store import discipline, judgments, people, queue
from trope.annotate.store.models import Person
from trope.core.errors import BadInput, BadRecord

Invite = Callable[[str], int]
YES = {"metaphor": "yes"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project")


@pytest.fixture
def person(project: Project) -> Callable[[str], int]:
    """Invites someone, and gives their number."""
    from trope.annotate.store.people import invite, person_by_token

    def invited(name: str) -> int:
        found = person_by_token(invite(name, now=START))
        assert found is not None
        return int(found.pk)

    return invited


def page(project: Project, person: int, clock: Clock) -> queue.Page:
    return queue.next_page(person, project.plan, now=clock.now, rng=Random(1))


def tokens(project: Project, person: int, clock: Clock) -> list[str]:
    return [lease.token for lease in page(project, person, clock).leases]


def names(shown: queue.Page) -> list[str]:
    return [lease.item.external_id for lease in shown.leases]


def work_all(project: Project, person: int, clock: Clock) -> int:
    """Judge until nothing is left; gives the number of judgments."""
    done = 0
    while forms := tokens(project, person, clock):
        for token in forms:
            judgments.submit(person, token, YES, project.plan, now=clock.forward(seconds=5))
            done += 1
    return done


def test_page_in_hand_comes_back_until_it_is_done(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 5)
    ann = person("Ann")
    first = page(project, ann, clock)
    assert names(first) == ["i1", "i2", "i3"]
    assert names(page(project, ann, clock)) == ["i1", "i2", "i3"]
    judgments.submit(ann, first.leases[0].token, YES, project.plan, now=clock.now)
    assert names(page(project, ann, clock)) == ["i2", "i3"]
    check_books(project)


def test_everyone_gets_everything_once_until_each_item_has_enough(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 7)
    assert [work_all(project, person(name), clock) for name in ("Ann", "Bob", "Cy")] == [7, 7, 0]
    check_books(project)


def test_nothing_left_is_told_apart_from_a_limit(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", k=5, page=4, more="[caps]\nday = 6\ntotal = 9")
    add_items(project, 10)
    people.invite("Ann", now=START)
    ann = 1
    assert work_all(project, ann, clock) == 6, "the page before the limit is cut to fit"
    assert page(project, ann, clock).reason == "day"
    clock.now = clock.now.replace(day=1)
    assert page(project, ann, clock).reason == "day", "a clock that goes back opens no new day"
    clock.now = START.replace(day=3)
    assert work_all(project, ann, clock) == 3
    assert page(project, ann, clock).reason == "total"
    clock.now = START.replace(day=4)
    assert page(project, ann, clock).reason == "total"


def test_abandoned_work_returns_to_others_and_to_its_owner(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 3)
    ann, bob, cy = person("Ann"), person("Bob"), person("Cy")
    page(project, ann, clock)
    work_all(project, bob, clock)
    assert page(project, cy, clock).reason == "finished"
    clock.forward(minutes=31)
    assert queue.release_expired(now=clock.now) == 3
    check_books(project)
    assert names(page(project, cy, clock)) == ["i1", "i2", "i3"]
    assert page(project, ann, clock).reason == "finished"
    clock.forward(minutes=31)
    assert work_all(project, ann, clock) == 3
    check_books(project)


def test_late_submit_takes_a_slot_if_there_is_one_and_is_kept_if_not(
    tmp_path: Path, clock: Clock
) -> None:
    project = make_project(tmp_path / "p", k=1, page=2)
    add_items(project, 2)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    late = tokens(project, 1, clock)
    clock.forward(minutes=31)
    queue.release_expired(now=clock.now)
    (taken, _) = page(project, 2, clock).leases
    judgments.submit(2, taken.token, YES, project.plan, now=clock.now)
    states = [judgments.submit(1, t, YES, project.plan, now=clock.now).state for t in late]
    assert states == ["surplus", "surplus"], "Bob holds or has judged both"
    check_books(project)

    clock.forward(minutes=31)
    queue.release_expired(now=clock.now)
    add_items_named(project, "late")
    late_again = tokens(project, 2, clock)
    clock.forward(minutes=31)
    queue.release_expired(now=clock.now)
    states = [judgments.submit(2, t, YES, project.plan, now=clock.now).state for t in late_again]
    assert set(states) == {"counted"}
    check_books(project)


def test_late_forms_respect_caps(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", k=5, page=4, more="[caps]\nday = 6")
    add_items(project, 20)
    people.invite("Ann", now=START)
    forms: list[str] = []
    for _ in range(4):  # pages that are opened and left
        forms += tokens(project, 1, clock)
        clock.forward(minutes=31)
        queue.release_expired(now=clock.now)
        Person.objects.update(returned_cursor=10**6)
    held = tokens(project, 1, clock)
    codes = []
    for token in forms:
        try:
            codes.append(judgments.submit(1, token, YES, project.plan, now=clock.now).state)
        except people.ActionRefused as refused:
            codes.append(refused.code)
    assert codes.count("counted") == 6 - len(held)
    assert set(codes) == {"counted", "limit"}
    for token in held:
        judgments.submit(1, token, YES, project.plan, now=clock.now)
    assert Person.objects.get(pk=1).judged == 6
    assert page(project, 1, clock).reason == "day"
    check_books(project)


def test_spent_form_with_another_answer_is_told_so(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 2)
    ann = person("Ann")
    token, _ = tokens(project, ann, clock)
    first = judgments.submit(ann, token, YES, project.plan, now=clock.now)
    assert judgments.submit(ann, token, YES, project.plan, now=clock.now).pk == first.pk
    with pytest.raises(people.ActionRefused, match="with another answer") as caught:
        judgments.submit(ann, token, {"metaphor": "no"}, project.plan, now=clock.now)
    assert caught.value.code == "submitted"
    first.refresh_from_db()
    assert first.answers == YES


def add_items_named(project: Project, name: str) -> None:
    from trope.annotate.store.imports import import_items

    path = project.folder / f"{name}.csv"
    path.write_text(f"id,text\n{name},Another sentence.\n", encoding="utf-8")
    import_items(project, path, now=START)


def test_skipped_item_goes_to_someone_else_and_never_comes_back(
    tmp_path: Path, clock: Clock
) -> None:
    project = make_project(tmp_path / "p", k=1, page=2, more="[skip]\nallowed = true\nlimit = 0.5")
    add_items(project, 2)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    for token in tokens(project, 1, clock):
        judgments.skip(1, token, project.plan, now=clock.now)
    assert page(project, 1, clock).reason == "finished"
    assert names(page(project, 2, clock)) == ["i1", "i2"]
    check_books(project)


def test_item_that_is_returned_and_ahead_too_is_given_once(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", k=2, page=3, more="[skip]\nallowed = true\nlimit = 0.5")
    add_items(project, 3)
    for name in ("Ann", "Bob"):
        people.invite(name, now=START)
    judgments.skip(1, tokens(project, 1, clock)[0], project.plan, now=clock.now)
    assert names(page(project, 2, clock)) == ["i1", "i2", "i3"]
    check_books(project)


def test_skipping_ends_at_its_limit(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", page=9, more="[skip]\nallowed = true\nlimit = 0.1")
    add_items(project, 9)
    people.invite("Ann", now=START)
    forms = tokens(project, 1, clock)
    for token in forms[:3]:
        judgments.skip(1, token, project.plan, now=clock.now)
    with pytest.raises(people.ActionRefused) as caught:
        judgments.skip(1, forms[3], project.plan, now=clock.now)
    assert caught.value.code == "skip_limit"
    assert judgments.submit(1, forms[3], YES, project.plan, now=clock.now).state == "counted"


def test_dismissal_frees_slots_and_ends_the_work(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 5)
    ann, bob, cy = person("Ann"), person("Bob"), person("Cy")
    first = tokens(project, ann, clock)
    judgments.submit(ann, first[0], YES, project.plan, now=clock.now)
    work_all(project, bob, clock)
    assert discipline.dismiss(ann, "answers at random", now=clock.now, by="Owner") == 1
    check_books(project)
    with pytest.raises(people.ActionRefused):
        judgments.submit(ann, first[1], YES, project.plan, now=clock.now)
    assert page(project, ann, clock).reason == "dismissed"
    assert discipline.dismiss(ann, "again", now=clock.now) == 0
    assert work_all(project, cy, clock) == 5
    check_books(project)


def test_change_keeps_history_and_takes_no_second_slot(
    project: Project, person: Invite, clock: Clock
) -> None:
    from trope.annotate.store.rows import judgment_records

    add_items(project, 1)
    ann, bob = person("Ann"), person("Bob")
    (token,) = tokens(project, ann, clock)
    old = judgments.submit(ann, token, YES, project.plan, now=clock.now)
    new = judgments.change(ann, old.pk, "c" * 32, {"metaphor": "no"}, project.plan, now=clock.now)
    assert judgments.change(ann, old.pk, "c" * 32, YES, project.plan, now=clock.now).pk == new.pk
    with pytest.raises(people.ActionRefused):
        judgments.change(bob, new.pk, "d" * 32, YES, project.plan, now=clock.now)
    check_books(project)
    assert [row.answers for row in judgment_records()] == [{"metaphor": "no"}]
    assert [row.current for row in judgment_records(history=True)] == [False, True]


def test_draft_stays_with_the_item_even_after_the_lease_expired(
    project: Project, person: Invite, clock: Clock
) -> None:
    add_items(project, 1)
    ann, bob = person("Ann"), person("Bob")
    (token,) = tokens(project, ann, clock)
    assert judgments.save_draft(ann, token, {"metaphor": ["no"]})
    assert not judgments.save_draft(bob, token, {"metaphor": ["yes"]})
    clock.forward(minutes=31)
    queue.release_expired(now=clock.now)
    (lease,) = page(project, ann, clock).leases
    assert lease.draft == {"metaphor": ["no"]}
    assert lease.token == token


def test_control_items_come_in_their_share_and_take_no_slots(tmp_path: Path, clock: Clock) -> None:
    from trope.annotate.store.models import Person

    project = make_project(tmp_path / "p", k=2, page=5, more="[gold]\nshare = 0.4")
    add_items(project, 9, gold=10)
    people.invite("Ann", now=START)
    shown = names(page(project, 1, clock))
    assert sum(name.startswith("g") for name in shown) == 2
    work_all(project, 1, clock)
    ann = Person.objects.get(pk=1)
    assert (ann.gold_seen, ann.gold_right, ann.judged) == (6, 6, 15)
    check_books(project)


def test_import_is_all_or_nothing(project: Project) -> None:
    from trope.annotate.store.imports import import_items
    from trope.annotate.store.models import Item

    add_items(project, 2)
    path = project.folder / "more.csv"
    path.write_text("id,text\nn1,Fine.\nn2,\n", encoding="utf-8")
    with pytest.raises(BadRecord):
        import_items(project, path, now=START)
    path.write_text("id,text\nn1,Fine.\ni2,Known.\n", encoding="utf-8")
    with pytest.raises(BadInput, match="already has an item 'i2'"):
        import_items(project, path, now=START)
    assert Item.objects.count() == 2


def test_import_that_was_stopped_is_invisible_and_can_be_done_again(
    project: Project, person: Invite, clock: Clock
) -> None:
    from trope.annotate.store.models import Item

    Item.objects.create(external_id="i1", text="Half an import.", place=1, open_slots=2)
    ann = person("Ann")
    assert page(project, ann, clock).reason == "finished"
    add_items(project, 2)
    assert names(page(project, ann, clock)) == ["i1", "i2"]
    assert Item.objects.get(external_id="i1").text == "Sentence number 1."


def test_random_order_is_the_same_for_the_same_seed(tmp_path: Path, clock: Clock) -> None:
    orders = []
    for name in ("a", "b"):
        project = make_project(tmp_path / name, page=12)
        plan = (project.folder / "project.toml").read_text(encoding="utf-8")
        (project.folder / "project.toml").write_text(plan.replace('"given"', '"random"'))
        from trope.annotate.project import open_project

        add_items(open_project(project.folder), 12)
        people.invite("Ann", now=START)
        orders.append(names(page(project, 1, clock)))
    assert orders[0] == orders[1] != sorted(orders[0], key=lambda n: int(n[1:]))


EVENTS = ("page", "page", "submit", "submit", "late", "skip", "expire", "dismiss")


@settings(max_examples=30, deadline=None, derandomize=True, phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), k=st.integers(1, 3), size=st.integers(1, 3))
def test_no_order_of_events_exceeds_the_cap_or_assigns_twice(seed: int, k: int, size: int) -> None:
    rng = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(
            Path(folder) / "p", k=k, page=size, more="[skip]\nallowed = true\nlimit = 1.0"
        )
        clock = Clock()
        add_items(project, 5)
        for name in ("Ann", "Bob", "Cy", "Di"):
            people.invite(name, now=START)
        seen: dict[int, list[str]] = {n: [] for n in range(4)}
        for _ in range(30):
            _do(rng.choice(EVENTS), rng.randrange(4), rng.randrange(10), project, clock, seen)
            check_books(project)


def _do(
    what: str, who: int, which: int, project: Project, clock: Clock, seen: dict[int, list[str]]
) -> None:
    """One event. `seen` are all forms that a person was ever given, so that old ones come late."""
    person = who + 1
    if what == "page":
        seen[who] += tokens(project, person, clock)
    elif what == "expire":
        queue.release_expired(now=clock.forward(minutes=31))
    elif what == "dismiss" and which == 0:
        discipline.dismiss(person, "test", now=clock.now)
    elif seen[who]:
        token = seen[who][which % len(seen[who])]
        if what == "late":
            clock.forward(minutes=31)
        try:
            if what == "skip":
                judgments.skip(person, token, project.plan, now=clock.now)
            else:
                judgments.submit(person, token, YES, project.plan, now=clock.now)
        except people.ActionRefused as refused:
            assert refused.code in ("dismissed", "unknown", "submitted")
