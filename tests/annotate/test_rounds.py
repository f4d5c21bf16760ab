"""Rounds: which items come next, and that none is lost or judged twice however people work."""

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from postgres_fixture import server  # noqa: F401
from projects import START, Clock, add_items, answer_all, make_project
from test_concurrency import at_once, work_until_finished
from test_model_answers import judge_all, person_of
from test_postgres import on_postgres  # noqa: F401

from trope.annotate.exchange.records import ToolRecord
from trope.annotate.project import Project
from trope.annotate.rules.rounds import label_texts, order_pool
from trope.annotate.store import judgments, queue
from trope.annotate.store.imports import import_items
from trope.annotate.store.judgment_imports import import_tool_file
from trope.annotate.store.model_measures import asked_question, begin_round
from trope.annotate.store.models import Batch, Event, Item, State, StoredJudgment
from trope.annotate.store.slots import (
    all_batches,
    hold_back,
    open_next_batch,
    open_round,
    opened_place,
    round_items,
)
from trope.cli.main import main
from trope.core.errors import BadInput, MissingExtra
from trope.core.judgments import Judgment
from trope.corpora.records import TextRecord

FIRE = [f"the debate caught fire on day {n}" for n in range(15)]
SHOES = [f"she bought brown shoes in shop {n}" for n in range(15)]
LABELLED = [(text, "yes") for text in FIRE] + [(text, "no") for text in SHOES]


# Orders
def test_uncertainty_puts_what_lies_between_first():
    pool = ["the debate caught fire", "she bought brown shoes", "the shoes caught fire in shop 3"]
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    for by in ("uncertainty", "disagreement"):
        found = order_pool(pool, LABELLED, by, size=1, seed=0)
        assert (found.places[0], found.by, found.note) == (2, by, "")
        assert sorted(found.places) == [0, 1, 2]


def test_disagreement_of_models_comes_before_that_of_light_ones():
    answers = [["yes", "yes", "yes"], ["yes", "no", "no"], []]
    found = order_pool(["a", "b", "c"], [], "disagreement", size=1, seed=0, answers=answers)
    assert found.places[0] == 1


def test_novelty_puts_what_is_unlike_the_judged_first_and_then_what_is_unlike_that():
    pool = [*SHOES[:3], "prices soar like kites", "prices soar like old kites", *FIRE[:2]]
    found = order_pool(pool, [(SHOES[3], "no")], "novelty", size=3, seed=0)
    first, second, _ = found.places[:3]
    assert {first, second} & {3, 4} and {first, second} & {5, 6}
    assert sorted(found.places) == list(range(7))


@pytest.mark.parametrize("by", ["uncertainty", "disagreement", "novelty", "random"])
def test_the_same_seed_gives_the_same_order(by):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    pool = [*FIRE, *SHOES]
    one, same, other = (order_pool(pool, LABELLED, by, size=9, seed=s).places for s in (1, 1, 2))
    assert one == same and sorted(one) == sorted(other) == list(range(30))
    assert by != "random" or one != other


@pytest.mark.parametrize(
    ("labelled", "note"),
    [(LABELLED[:19], "19 of 20 items"), (LABELLED[:15] * 2, "all labels so far are equal"),
     ([], "0 of 20 items")],
)  # fmt: skip
def test_without_labels_a_round_is_random_and_says_so(labelled, note):
    found = order_pool([*FIRE, *SHOES], labelled, "uncertainty", size=5, seed=3)
    assert found.by == "random" and note in found.note
    assert found.places == order_pool([*FIRE, *SHOES], [], "random", size=5, seed=3).places


def test_labels_are_those_of_most_people_and_ties_have_none():
    rows = [("a", "x", "yes"), ("a", "y", "yes"), ("a", "z", "no"), ("b", "x", "yes"),
            ("b", "y", "no"), ("gone", "x", "no")]  # fmt: skip
    given = [Judgment(item, who, label) for item, who, label in rows]
    assert label_texts(given, {"a": "A", "b": "B"}) == [("A", "yes")]


# The store
def begin(project: Project, by: str, size: int, seed: int = 0):
    question = asked_question(project.plan, "")
    return begin_round(project, question, by, size=size, seed=seed, now=START)


def check_places() -> None:
    """Places are a permutation, batches cover them, and what is open is what is opened."""
    state = State.objects.get()
    places = sorted(Item.objects.values_list("place", flat=True))
    assert places == list(range(1, state.published + 1))
    ranges = list(Batch.objects.order_by("first").values_list("first", "last", "opened"))
    if ranges:
        assert ranges[0][0] == 1 and ranges[-1][1] == state.published
        assert all(one[1] + 1 == other[0] for one, other in pairwise(ranges))
        assert state.opened == max([last for _, last, opened in ranges if opened], default=0)


def test_the_first_round_holds_back_what_nobody_has_reached(tmp_path):
    project = make_project(tmp_path / "p", k=1, page=3)
    add_items(project, 12, gold=2)
    ada = person_of()
    queue.next_page(ada, project.plan, now=START, rng=Random(1))
    had = set(Item.objects.filter(lease__isnull=False).values_list("external_id", flat=True))
    begun = begin(project, "random", 4, seed=5)
    assert (begun.opened.name, begun.opened.items, begun.opened.left) == ("round 1: random", 4, 5)
    check_places()
    judge_all(project, ada, "yes")
    judged = set(StoredJudgment.objects.values_list("item__external_id", flat=True))
    assert had <= judged and len(judged) == 3 + 4
    assert [one.name for one in all_batches()] == [
        "items before rounds", "round 1: random", "items of later rounds (4)"]  # fmt: skip
    second = begin(project, "novelty", 50)
    assert (second.opened.items, second.opened.left) == (5, 0)
    judge_all(project, ada, "no")
    assert StoredJudgment.objects.filter(item__is_gold=False).count() == 12
    check_places()
    check_books(project)
    with pytest.raises(BadInput, match="no items are left"):
        begin(project, "random", 1)


def test_a_round_follows_the_labels_so_far(tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    project = make_project(tmp_path / "p", k=1, page=30)
    known = [{"id": f"k{n}", "text": text} for n, (text, _) in enumerate(LABELLED)]
    pool = [{"id": f"p{n}", "text": text} for n, text in enumerate([*FIRE[:5], *SHOES[:5]])]
    between = {"id": "between", "text": "the shoes caught fire in shop 3"}
    for name, rows in (("known", known), ("pool", [*pool, between])):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        import_items(project, path, now=START)
    ada, clock = person_of(), Clock()
    for lease in queue.next_page(ada, project.plan, now=START, rng=Random(1)).leases:
        said = {"metaphor": "yes" if "fire" in lease.item.text else "no"}
        judgments.submit(ada, lease.token, said, project.plan, now=clock.forward(seconds=5))
    bob = person_of("Bob")
    begun = begin(project, "uncertainty", 1)
    assert (begun.by, begun.labelled, begun.note) == ("uncertainty", 30, "")
    page = queue.next_page(bob, project.plan, now=clock.now, rng=Random(1)).leases
    assert [lease.item.external_id for lease in page] == ["between"]
    check_books(project)


def test_models_that_disagree_choose_the_round(tmp_path):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 9)
    for name in ("one", "two"):
        answer_all(name)
    answer = Item.objects.get(external_id="i7").modelanswer_set.last()
    type(answer).objects.filter(pk=answer.pk).update(answers={"metaphor": "no"})
    begin(project, "disagreement", 1)
    assert Item.objects.get(external_id="i7").place == 1 == opened_place()


def test_items_of_a_waiting_batch_alone_are_chosen_and_others_keep_waiting(tmp_path):
    project = make_project(tmp_path / "p", k=1, more='[batches]\nfield = "part"\n')
    rows = [
        {"id": f"{part}{n}", "text": f"{part} {n}", "part": part}
        for part in "abc"
        for n in range(4)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    import_items(project, path, now=START)
    begin(project, "random", 3, seed=1)
    names = [(one.name, one.items, one.opened is not None) for one in all_batches()]
    assert names == [("a", 4, True), ("round 1: random", 3, True), ("b", 1, False), ("c", 4, False)]
    opened = Item.objects.filter(place__lte=opened_place()).values_list("external_id", flat=True)
    assert {name[0] for name in opened} == {"a", "b"}
    check_places()


def test_a_round_whose_model_cannot_be_trained_leaves_everything_as_it_was(tmp_path, monkeypatch):
    project = make_project(tmp_path / "p", k=1, page=25)
    add_items(project, 40)
    ada, clock = person_of(), Clock()
    for number, lease in enumerate(
        queue.next_page(ada, project.plan, now=START, rng=Random(1)).leases
    ):
        said = {"metaphor": "yes" if number % 2 else "no"}
        judgments.submit(ada, lease.token, said, project.plan, now=clock.forward(seconds=5))

    def refuse(*args, **kwargs):
        raise MissingExtra("the model of a round", "systems", "scikit-learn")

    monkeypatch.setattr("trope.annotate.rules.rounds.fit_linear", refuse)
    with pytest.raises(MissingExtra, match=r"trope\[systems\]"):
        begin(project, "uncertainty", 5)
    assert opened_place() == 40 and not all_batches()


def test_items_that_are_added_after_a_round_wait_for_the_next(tmp_path):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 6)
    begin(project, "random", 2)
    path = tmp_path / "more.jsonl"
    path.write_text('{"id": "new", "text": "New."}\n')
    import_items(project, path, now=START)
    assert opened_place() == 2
    check_places()
    assert Event.objects.filter(what="round").values_list("detail", flat=True)[0] == {
        "round": "round 1: random", "by": "random", "items": 2}  # fmt: skip


def test_a_file_of_another_tool_without_new_items_opens_nothing(tmp_path):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 6)
    begin(project, "random", 2)
    known = TextRecord("i1", "Sentence number 1.", 2)
    row = ToolRecord(known, "Bo", {"metaphor": ["yes"]})
    added = import_tool_file(project, tmp_path / "old.csv", lambda: [row], now=START)
    assert (added.items, added.judgments) == (0, 1)
    assert opened_place() == 2
    check_places()


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("page"), st.integers(0, 2)),
        st.tuples(st.just("judge"), st.integers(0, 2)),
        st.tuples(st.just("round"), st.integers(1, 4)),
        st.tuples(st.just("late"), st.integers(1, 4)),
        st.tuples(st.just("expire"), st.just(0)),
        st.tuples(st.just("add"), st.integers(1, 3)),
    ),
    max_size=16,
)


@settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None)
@given(actions=ACTIONS, seed=st.integers(0, 99))
def test_nothing_is_lost_or_doubled_however_rounds_and_people_meet(actions, seed):
    """Whatever happened: at the end everyone has judged everything that was left for them."""
    with TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "p", k=2, page=2)
        add_items(project, 9, gold=1)
        team, clock, rng = [person_of(name) for name in ("Ada", "Bob", "Cy")], Clock(), Random(seed)
        added = 0
        for what, number in actions:
            clock.forward(seconds=9)
            if what in ("page", "judge"):
                page = queue.next_page(team[number], project.plan, now=clock.now, rng=rng)
                for lease in page.leases[:1] if what == "judge" else ():
                    said = {"metaphor": "yes"}
                    judgments.submit(team[number], lease.token, said, project.plan, now=clock.now)
            elif what == "expire":
                clock.forward(hours=2)
            elif what == "add":
                path = Path(folder) / "more.jsonl"
                rows = [{"id": f"n{added + n}", "text": f"More {n}."} for n in range(number)]
                path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
                import_items(project, path, now=clock.now)
                added += number
            else:
                _round(project, team, number, rng, clock, late=what == "late")
            check_places()
            check_books(project)
        _finish(project, team, clock)


def _round(project, team, size, rng, clock, *, late):
    """A round; a late one was planned before somebody took a page."""
    try:
        hold_back(now=clock.now)
        order = round_items()
        rng.shuffle(order)
        if late:
            queue.next_page(team[0], project.plan, now=clock.now, rng=rng)
        open_round(order, size, by="random", now=clock.now, who="")
    except BadInput as error:
        assert "another round" in str(error)


def _finish(project, team, clock):
    while Batch.objects.filter(opened=None).exists():
        try:
            begin(project, "random", 100)
        except BadInput:
            open_next_batch(now=clock.now)
    clock.forward(hours=2)
    idle = 0
    while idle < 2:  # what one lets expire is found by the others
        before = StoredJudgment.objects.count()
        for person in team:
            while leases := queue.next_page(
                person, project.plan, now=clock.now, rng=Random(1)
            ).leases:
                for lease in leases:
                    said = {"metaphor": "no"}
                    judgments.submit(person, lease.token, said, project.plan, now=clock.now)
        clock.now += timedelta(hours=2)
        idle = idle + 1 if StoredJudgment.objects.count() == before else 0
    assert not Item.objects.filter(open_slots__gt=0).exists()
    check_books(project)
    check_places()


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_rounds_while_people_take_and_judge_items_at_once(database, tmp_path, request):
    if database == "postgres":
        project = request.getfixturevalue("on_postgres")
    else:
        project = make_project(tmp_path / "p", k=3, page=4)
    add_items(project, 40)
    team = [person_of(f"Person {number}") for number in range(4)]

    def work(number: int) -> int:
        if number < 4:
            return work_until_finished(project, team[number])
        return sum(begin(project, "random", 4, seed).opened.items for seed in range(3))

    results = at_once(work, times=5)
    ended = [one for one in results if not isinstance(one, int)]
    assert all(isinstance(one, BadInput) and "no items are left" in str(one) for one in ended)
    check_places()
    check_books(project)
    _finish(project, team, Clock())
    assert StoredJudgment.objects.filter(current=True, state="counted").count() == 120


# The command
def test_the_command_opens_a_round_and_says_what_it_did(tmp_path):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 30)
    words = ["annotate", "round", str(project.folder), "--by", "uncertainty", "--size", "5"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "round 1: random: 5 items opened, after 0 labels; 25 left" in done.stdout
    assert "0 of 20 items that a model needs have a label" in done.stderr
    done = CliRunner().invoke(main, [*words[:3], "--by", "novelty", "--json"])
    assert json.loads(done.stdout)["opened"] == {"name": "round 2: novelty", "items": 25, "left": 0}


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--question", "mood"], "'mood' is not a choice or a scale; the project has metaphor"),
     (["--size", "0"], "0 is not in the range"), (["--by", "luck"], "'luck' is not one of")],
)  # fmt: skip
def test_rounds_that_cannot_be(tmp_path, more, said):
    project = make_project(tmp_path / "p", k=1)
    add_items(project, 3)
    words = ["annotate", "round", str(project.folder), "--by", "random", *more]
    done = CliRunner().invoke(main, words)
    assert done.exit_code and said in f"{done.output} {done.exception}"


def test_a_project_without_items_has_no_round(tmp_path):
    project = make_project(tmp_path / "p")
    with pytest.raises(BadInput, match="add items"):
        begin(project, "random", 1)
