"""Warned, held, dismissed, reinstated: every step noted, and never over the cap."""

import json
import tempfile
from pathlib import Path
from random import Random

import pytest
from bookkeeping import check_books
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from projects import START, Clock, add_items, make_project
from test_concurrency import at_once, work_until_finished

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.rules.conduct import ConductFinding
from trope.annotate.store import discipline, judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.discipline import apply_findings
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Appeal, Event, Item, Lease, Notice, Person, StoredJudgment
from trope.core.errors import BadInput

STRICT = """
[gold]
share = 0.5
at_least = 4
[quality]
gold_rule = "plain"
warn_after = 2
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = make_project(tmp_path / "p", k=2, page=4, more=STRICT)
    add_items(project, 20, gold=20)
    return project


def join(name: str) -> int:
    found = people.person_by_token(people.invite(name, now=START))
    assert found is not None
    return int(found.pk)


def work_page(project: Project, person: int, clock: Clock, answer: str = "yes") -> int:
    """Judge what is in hand or next; gives the number of items."""
    leases = queue.next_page(person, project.plan, now=clock.now, rng=Random(1)).leases
    for lease in leases:
        clock.forward(seconds=20)
        judgments.submit(person, lease.token, {"metaphor": answer}, project.plan, now=clock.now)
    return len(leases)


def state(person: int) -> str:
    return Person.objects.get(pk=person).state


def test_bad_work_is_warned_then_dismissed_at_the_end_of_a_page(
    project: Project, clock: Clock
) -> None:
    ann = join("Ann")
    assert work_page(project, ann, clock, "no") == 4  # two control items
    assert state(ann) == "active"
    (notice,) = Notice.objects.all()
    assert (notice.kind, notice.rule, notice.put_away) == ("warning", "gold", False)
    assert [n.pk for n in discipline.unread_warnings(Person.objects.get(pk=ann))] == [notice.pk]
    discipline.mark_warnings_read(ann)
    assert discipline.unread_warnings(Person.objects.get(pk=ann)) == []
    work_page(project, ann, clock, "no")
    assert state(ann) == "dismissed"
    assert not StoredJudgment.objects.filter(person_id=ann, state="counted").exists()
    assert queue.next_page(ann, project.plan, now=clock.now, rng=Random(1)).reason == "dismissed"
    told = list(Event.objects.values_list("what", flat=True))
    assert [what for what in told if what not in ("import", "invite")] == [
        "warn",
        "dismiss",
        "finding",
    ]
    check_books(project)


def test_nothing_happens_in_mid_page(project: Project, clock: Clock) -> None:
    ann = join("Ann")
    work_page(project, ann, clock, "no")
    leases = queue.next_page(ann, project.plan, now=clock.now, rng=Random(1)).leases
    for lease in leases[:-1]:
        judgments.submit(ann, lease.token, {"metaphor": "no"}, project.plan, now=clock.now)
        assert state(ann) == "active"
    judgments.submit(ann, leases[-1].token, {"metaphor": "no"}, project.plan, now=clock.now)
    assert state(ann) == "dismissed"


def test_skipping_or_leaving_the_last_item_does_not_help(tmp_path: Path, clock: Clock) -> None:
    project = make_project(tmp_path / "p", page=4, more="[skip]\nallowed = true\n" + STRICT)
    add_items(project, 20, gold=20)
    ann, bob = join("Ann"), join("Bob")
    for _ in range(3):
        for person in (ann, bob):
            page = queue.next_page(person, project.plan, now=clock.now, rng=Random(1))
            for lease in page.leases[:-1]:
                no = {"metaphor": "no"}
                judgments.submit(person, lease.token, no, project.plan, now=clock.now)
            if person == ann and page.leases:
                judgments.skip(person, page.leases[-1].token, project.plan, now=clock.now)
        clock.forward(minutes=31)
        queue.release_expired(now=clock.now)
    assert queue.next_page(bob, project.plan, now=clock.now, rng=Random(1)).reason == "dismissed"
    assert (state(ann), state(bob)) == ("dismissed", "dismissed")
    check_books(project)


def test_good_work_is_left_alone(project: Project, clock: Clock) -> None:
    ann = join("Ann")
    while work_page(project, ann, clock):
        pass
    assert state(ann) == "active"
    assert not Notice.objects.exists()
    assert Person.objects.get(pk=ann).conduct["seen"] > 10


def test_no_submission_asks_more_of_the_database_as_work_grows(
    project: Project, clock: Clock
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    ann, counts = join("Ann"), []
    for _ in range(5):
        leases = queue.next_page(ann, project.plan, now=clock.now, rng=Random(1)).leases
        with CaptureQueriesContext(
            connection,
        ) as caught:
            judgments.submit(ann, leases[0].token, {"metaphor": "yes"}, project.plan, now=clock.now)
        counts.append(len(caught))
    assert len(set(counts)) == 1, counts


def dismissed(project: Project, clock: Clock, name: str = "Ann") -> int:
    """Someone who has failed, with four judgments that counted."""
    person = join(name)
    for _ in range(2):
        work_page(project, person, clock, "no")
    assert state(person) == "dismissed"
    return person


def test_appeal_brings_judgments_back_where_there_is_room(project: Project, clock: Clock) -> None:
    ann = dismissed(project, clock)
    lost = set(StoredJudgment.objects.filter(state="discarded").values_list("item_id", flat=True))
    assert len(lost) == 4
    bob, cy = join("Bob"), join("Cy")
    work_page(project, bob, clock)
    work_page(project, cy, clock)  # the first items are full again
    with pytest.raises(BadInput, match="write 1 to"):
        discipline.appeal(ann, "  ", now=clock.now)
    appeal = discipline.appeal(ann, "The examples say otherwise.", now=clock.now)
    with pytest.raises(BadInput, match="already"):
        discipline.appeal(ann, "Again", now=clock.now)
    full = set(Item.objects.filter(pk__in=lost, open_slots=0).values_list("pk", flat=True))
    assert 0 < len(full) < 4
    discipline.answer_appeal(
        appeal.pk, "You are right.", reinstate_them=True, now=clock.now, by="O"
    )
    states = dict(
        StoredJudgment.objects.filter(item_id__in=lost, person_id=ann).values_list(
            "item_id", "state"
        )
    )
    assert states == {item: "surplus" if item in full else "counted" for item in lost}
    assert state(ann) == "active"
    check_books(project)
    with pytest.raises(BadInput, match="answered"):
        discipline.answer_appeal(appeal.pk, "No.", reinstate_them=False, now=clock.now, by="O")
    event = Event.objects.get(what="reinstate")
    assert (event.who, event.detail["counted"]) == ("O", 4 - len(full))


def test_who_was_pardoned_begins_anew(project: Project, clock: Clock) -> None:
    ann = dismissed(project, clock)
    discipline.reinstate(ann, now=clock.now, by="Olga")
    for _ in range(3):
        work_page(project, ann, clock, "yes")
    assert state(ann) == "active"
    for _ in range(4):
        work_page(project, ann, clock, "no")
    assert state(ann) == "dismissed"
    assert Notice.objects.filter(kind="warning", past=False).count() == 1
    check_books(project)


def test_upheld_appeal_changes_nothing(project: Project, clock: Clock) -> None:
    ann = dismissed(project, clock)
    appeal = discipline.appeal(ann, "Please.", now=clock.now)
    with pytest.raises(BadInput, match="give a reason"):
        discipline.answer_appeal(appeal.pk, " ", reinstate_them=True, now=clock.now, by="Olga")
    discipline.answer_appeal(appeal.pk, "No.", reinstate_them=False, now=clock.now, by="Olga")
    assert state(ann) == "dismissed"
    assert Appeal.objects.get().reinstated is False
    assert Event.objects.filter(what="uphold", who="Olga").count() == 1
    with pytest.raises(BadInput, match="already"):
        discipline.appeal(ann, "Please!", now=clock.now)


def test_hold_returns_work_keeps_judgments_and_draft(project: Project, clock: Clock) -> None:
    ann = join("Ann")
    work_page(project, ann, clock)
    (first, *_) = queue.next_page(ann, project.plan, now=clock.now, rng=Random(1)).leases
    judgments.save_draft(ann, first.token, {"metaphor": ["no"]})
    counted = StoredJudgment.objects.filter(state="counted").count()
    assert discipline.hold(ann, "", "Let us talk.", now=clock.now, by="Olga")
    assert not discipline.hold(ann, "", "Again.", now=clock.now, by="Olga")
    with pytest.raises(people.ActionRefused):
        judgments.submit(ann, first.token, {"metaphor": "no"}, project.plan, now=clock.now)
    assert queue.next_page(ann, project.plan, now=clock.now, rng=Random(1)).reason == "held"
    assert StoredJudgment.objects.filter(state="counted").count() == counted
    assert Lease.objects.get(pk=first.pk).draft == {"metaphor": ["no"]}
    check_books(project)
    assert discipline.reinstate(ann, now=clock.now, by="Olga") == (0, 0)
    assert work_page(project, ann, clock) == 4
    check_books(project)


def test_template_of_the_paper_warns_and_dismisses_who_never_varies(
    tmp_path: Path, clock: Clock
) -> None:
    folder = tmp_path / "scores"
    new_project(folder, "semeval2015")
    paper = open_project(folder)
    connect(paper)
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps({"text": f"Tweet {n}"}) + "\n" for n in range(40)))
    import_items(paper, path, now=START)
    ann, bob = join("Ann"), join("Bob")
    seen = []
    for _ in range(2):
        for person in (ann, bob):
            page = queue.next_page(person, paper.plan, now=clock.now, rng=Random(1))
            for at, lease in enumerate(page.leases):
                score = {"score": 3 if person == ann else at % 3}
                judgments.submit(person, lease.token, score, paper.plan, now=clock.now)
        seen.append((state(ann), Notice.objects.filter(person_id=ann).count(), state(bob)))
    assert seen == [("active", 1, "active"), ("dismissed", 2, "active")]
    assert Person.objects.get(pk=ann).reason == "All of your answers have been the same."
    assert paper.plan.quality.gold_rule == "plain"
    assert paper.plan.quality.outcome("outliers") == "hold"


def test_nothing_to_appeal_against_for_someone_at_work(project: Project, clock: Clock) -> None:
    with pytest.raises(BadInput, match="nothing to appeal"):
        discipline.appeal(join("Ann"), "Why?", now=clock.now)


def test_review_acts_once_and_spares_the_pardoned(project: Project, clock: Clock) -> None:
    ann, bob = join("Ann"), join("Bob")
    findings = [
        ConductFinding("Ann", "speed", "warn", "too fast"),
        ConductFinding("Bob", "copying", "dismiss", "copies 'Ann'"),
        ConductFinding("Ann", "copying", "list", "only told"),
    ]
    assert apply_findings(findings, now=clock.now, by="Olga") == findings[:2]
    assert apply_findings(findings, now=clock.now, by="Olga") == []
    assert (state(ann), state(bob)) == ("active", "dismissed")
    assert "Ann" not in Person.objects.get(pk=bob).reason, "nobody is named to another"
    discipline.reinstate(bob, now=clock.now, by="Olga")
    assert apply_findings(findings, now=clock.now, by="Olga") == []
    assert state(bob) == "active"


def reinstated_while_others_work(project: Project) -> None:
    """Three come back while three others fill the items that were taken from them."""
    add_items(project, 40)
    numbers = [join(f"Person {n}") for n in range(6)]
    for person in numbers[:3]:
        for _ in range(3):
            work_page(project, person, Clock())
        discipline.dismiss(person, "test", now=START)

    def work(number: int) -> object:
        if number < 3:
            return sum(discipline.reinstate(numbers[number], now=START, by="O"))
        return work_until_finished(project, numbers[number])

    results = at_once(work, times=6)
    assert all(isinstance(result, int) for result in results), results
    assert not StoredJudgment.objects.filter(state="discarded").exists()


def test_reinstatement_while_others_work_keeps_the_cap(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=3, page=4)
    reinstated_while_others_work(project)
    check_books(project)


ACTIONS = ("work", "work", "dismiss", "reinstate", "hold", "wait")


@settings(max_examples=20, deadline=None, phases=[Phase.explicit, Phase.generate])
@example(k=1, items=1, steps=[("work", 0), ("dismiss", 0), ("work", 1), ("reinstate", 0)])
@given(
    k=st.integers(1, 2),
    items=st.integers(1, 4),
    steps=st.lists(
        st.tuples(st.sampled_from(ACTIONS), st.integers(0, 2)), min_size=12, max_size=30
    ),
)
def test_whoever_comes_and_goes_no_item_is_over_the_cap(
    k: int, items: int, steps: list[tuple[str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project, clock = make_project(Path(folder) / "p", k=k, page=3), Clock()
        add_items(project, items)
        everyone = [join(f"P{n}") for n in range(3)]
        for action, who in steps:
            person = everyone[who]
            if action == "work":
                work_page(project, person, clock)
            elif action == "dismiss":
                discipline.dismiss(person, "test", now=clock.now)
            elif action == "reinstate":
                discipline.reinstate(person, now=clock.now, by="O")
            elif action == "hold":  # with a page in hand, if there is one to be had
                queue.next_page(person, project.plan, now=clock.now, rng=Random(1))
                discipline.hold(person, "", "test", now=clock.now, by="O")
            else:
                queue.next_page(person, project.plan, now=clock.now, rng=Random(1))
                clock.forward(minutes=40)
                queue.release_expired(now=clock.now)
            check_books(project)
