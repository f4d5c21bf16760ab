"""Training and demo task: what is next, and answers to it (writes; one short transaction each).

Training items are in the plan, demo items in a table of their own. Neither has slots, and their
answers are not judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from django.db.models import Max

from trope.annotate.exchange.items import read_items
from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.questions import is_right
from trope.annotate.rules.assignment import in_turn, may_skip, seconds_spent, shuffled_in
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.membership import NOT_TRAINED, locked_standing
from trope.annotate.store.models import DemoItem, Event, Standing, Trial, TrialPart
from trope.annotate.store.people import ActionRefused
from trope.annotate.store.selection import decide
from trope.annotate.store.slots import lock_places
from trope.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class PracticeItem:
    """A training or demo item as a page shows it, without its known answers."""

    part: str
    key: str
    text: str
    payload: dict[str, Any]
    number: int
    of: int

    @property
    def is_demo(self) -> bool:
        """Whether it is an item of the demo task."""
        return self.part == TrialPart.DEMO


def next_training(standing: Standing, plan: Plan) -> PracticeItem | None:
    """The next training item, if any is left."""
    number = standing.trained
    if number >= len(plan.training.items):
        return None
    return training_task(number + 1, plan)


def training_task(number: int, plan: Plan) -> PracticeItem:
    """The training item of that number, from 1."""
    item = plan.training.items[number - 1]
    payload = dict(item.fields)
    if item.highlight:
        at = item.text.index(item.highlight)
        payload["highlight"] = [[at, at + len(item.highlight)]]
    return PracticeItem(
        TrialPart.TRAINING, str(number), item.text, payload, number, len(plan.training.items)
    )


def next_demo(person_id: int, plan: Plan) -> PracticeItem | None:
    """The person's next demo item, if any is left."""
    keys = demo_keys(person_id, plan)
    done = set(
        Trial.objects.filter(person_id=person_id, part=TrialPart.DEMO).values_list(
            "item", flat=True
        )
    )
    left = [key for key in keys if key not in done]
    if not left:
        return None
    item = DemoItem.objects.defer("gold").get(external_id=left[0])
    return PracticeItem(
        "demo", left[0], item.text, item.payload, len(keys) - len(left) + 1, len(keys)
    )


def demo_keys(person_id: int, plan: Plan) -> list[str]:
    """The demo items in the person's own order; everyone gets the same ones."""
    rng = Random(f"{plan.seed}:{person_id}")
    gold = _demo_control_keys(plan)
    plain = DemoItem.objects.filter(gold__isnull=True).order_by("place")
    work = list(plain.values_list("external_id", flat=True)[: plan.demo.items - len(gold)])
    rng.shuffle(work)
    rng.shuffle(gold)
    return shuffled_in(work, gold, rng)


def _demo_control_keys(plan: Plan) -> list[str]:
    """The control items of the demo task, balanced over the known answers."""
    items = DemoItem.objects.filter(gold__isnull=False).order_by("place")
    groups: dict[str, list[str]] = {}
    for key, gold in items.values_list("external_id", "gold")[: 20 * plan.demo.gold]:
        groups.setdefault(str(sorted(gold.items())), []).append(key)
    return in_turn(groups, plan.demo.gold)


@retried
def save_practice_draft(person_id: int, key: str, values: Mapping[str, Any]) -> None:
    """Save an unfinished form."""
    with write_transaction():
        locked_standing(person_id)
        Standing.objects.filter(pk=person_id).update(draft={"key": key, "values": dict(values)})


def training_answer(person_id: int, key: str) -> Trial | None:
    """The person's locked answer to a training item, if there is one."""
    mine = Trial.objects.filter(person_id=person_id, part=TrialPart.TRAINING, item=key)
    return mine.first()


@retried
def answer_training(
    person_id: int, key: str, answers: Mapping[str, Any], plan: Plan, *, now: datetime
) -> Trial:
    """Store and lock the answer; a second one to the same item changes nothing."""
    with write_transaction():
        standing = locked_standing(person_id)
        task = next_training(standing, plan)
        if done := Trial.objects.filter(
            person_id=person_id, part=TrialPart.TRAINING, item=key
        ).first():
            return done
        if task is None or task.key != key:
            raise ActionRefused("unknown", "This form is no longer valid. Reload the page.")
        right = is_right(plan.training.items[standing.trained].answers, answers)
        trial = _store_trial(standing, task, answers, right, plan, now)
        standing.trained += 1
        standing.trained_right += right
        if standing.trained == task.of:
            _close_training(standing, plan, now)
        standing.save(update_fields=["trained", "trained_right", "verdict", "why", "draft"])
        return trial


def _close_training(standing: Standing, plan: Plan, now: datetime) -> None:
    items = len(plan.training.items)
    if standing.trained_right / items < plan.training.pass_mark - 1e-12 and not standing.verdict:
        standing.verdict, standing.why = "declined", NOT_TRAINED
    detail = {"right": standing.trained_right, "of": items}
    Event.objects.create(at=now, who=standing.person.name, what="training", detail=detail)


@retried
def answer_demo(
    person_id: int,
    key: str,
    answers: Mapping[str, Any],
    plan: Plan,
    *,
    now: datetime,
    skipping: bool = False,
) -> Trial:
    """Store the answer to a demo item; a second one to the same item changes nothing.

    The last item ends the demo task, and the selection decides if it can.
    """
    with write_transaction():
        _lock_for_selection(plan)
        standing = locked_standing(person_id)
        if done := Trial.objects.filter(person_id=person_id, part=TrialPart.DEMO, item=key).first():
            return done
        task = next_demo(person_id, plan)
        if task is None or task.key != key or standing.demo_finished:
            raise ActionRefused("unknown", "This form is no longer valid. Reload the page.")
        if skipping:
            _check_skip(standing, plan)
        gold = DemoItem.objects.values_list("gold", flat=True).get(external_id=key)
        right = None if gold is None else not skipping and is_right(gold, answers)
        trial = _store_trial(standing, task, answers, right, plan, now, skipping=skipping)
        standing.demo_done += 1
        standing.demo_skipped += skipping
        standing.demo_seconds += trial.seconds
        standing.save(update_fields=["demo_done", "demo_skipped", "demo_seconds", "draft"])
        if task.number == task.of:
            _close_demo(standing, plan, now)
        return trial


@retried
def finish_demo(person_id: int, plan: Plan, *, now: datetime) -> bool:
    """End the demo task of someone without items left, for example after it was shortened; False
    for someone who has not started it."""
    with write_transaction():
        _lock_for_selection(plan)
        standing = locked_standing(person_id)
        if standing.demo_finished or not standing.demo_done or next_demo(person_id, plan):
            return False
        _close_demo(standing, plan, now)
        return True


def _lock_for_selection(plan: Plan) -> None:
    """Before someone is locked who may finish the demo task: the best of all are then accepted."""
    if plan.selection.by == "best":
        lock_places()


def _check_skip(standing: Standing, plan: Plan) -> None:
    if not plan.skip.allowed:
        raise ActionRefused("no_skipping", "This project does not allow skipping.")
    answered = standing.demo_done - standing.demo_skipped
    if not may_skip(answered, standing.demo_skipped, plan.skip.limit):
        raise ActionRefused("skip_limit", "You have reached the limit of skipped items.")


def _close_demo(standing: Standing, plan: Plan, now: datetime) -> None:
    """Store the result, so that rankings need not read the answers, and let the selection act."""
    trials = Trial.objects.filter(person=standing.person, part=TrialPart.DEMO)
    rows = list(trials.values_list("right", "skipped", "seconds"))
    known = [right for right, _, _ in rows if right is not None]
    standing.demo_result = {
        "shown": len(rows),
        "skipped": sum(skipped for _, skipped, _ in rows),
        "gold": len(known),
        "right": sum(known),
        "seconds": round(median(seconds for _, _, seconds in rows), 3),
    }
    standing.demo_finished = now
    standing.save(update_fields=["demo_result", "demo_finished"])
    detail = dict(standing.demo_result)
    Event.objects.create(at=now, who=standing.person.name, what="demo", detail=detail)
    decide(standing, plan, now=now)


def _store_trial(
    standing: Standing,
    task: PracticeItem,
    answers: Mapping[str, Any],
    right: bool | None,
    plan: Plan,
    now: datetime,
    *,
    skipping: bool = False,
) -> Trial:
    person = standing.person
    times = Trial.objects.filter(person=person).order_by("-pk").values_list("at", flat=True)
    began = max(filter(None, (person.consented, standing.read)), default=now)
    spent = seconds_spent(began, times.first(), now, plan.lease_minutes)
    standing.draft = {}
    return Trial.objects.create(
        person=person,
        part=task.part,
        item=task.key,
        answers=dict(answers),
        skipped=skipping,
        right=right,
        seconds=spent,
        at=now,
    )


_CHUNK = 2_000


def demo_shortage(plan: Plan) -> str:
    """What the demo task lacks according to the plan, in words; "" if nothing."""
    if not plan.demo.items:
        return ""
    known = DemoItem.objects.filter(gold__isnull=False).count()
    plain = DemoItem.objects.count() - known
    wanted = plan.demo.items - plan.demo.gold
    if known >= plan.demo.gold and plain >= wanted:
        return ""
    return (
        f"The demo task should have {wanted} items and {plan.demo.gold} control items; there are "
        f"{plain} and {known}. Send them on the page Items, or give "
        "'trope annotate import DIR FILE --demo'."
    )


TRIAL_TYPES = {
    "item": "string",
    "annotator": "string",
    "part": "string",
    "answers": "string",
    "skipped": "bool",
    "right": "bool",
    "seconds": "float64",
    "at": "string",
    "weight": "float64",
}


def trial_rows() -> Iterator[dict[str, Any]]:
    """Every answer to a training or demo item, in the order in which it was given."""
    fields = ("item", "person__name", "part", "answers", "skipped", "right", "seconds", "at")
    rows = Trial.objects.order_by("pk").values_list(*fields, "person__standing__weight")
    for row in rows.iterator(chunk_size=_CHUNK):
        item, person, part, answers, skipped, right, seconds, at, weight = row
        yield {
            "item": item,
            "annotator": person,
            "part": part,
            "answers": answers,
            "skipped": skipped,
            "right": right,
            "seconds": round(seconds, 3),
            "at": at.isoformat(),
            "weight": 1.0 if weight is None else weight,
        }


@retried
def import_demo(
    project: Project,
    path: Path,
    *,
    now: datetime,
    by: str = "",
    name: str = "",
    tell: Callable[[int], None] = lambda added: None,
    **reading: Any,
) -> int:
    """Add the demo items of a file, all or none; returns their number.

    `reading` is what `read_items` takes, `name` what the file is called in the history.

    Raises:
        BadRecord: for the first invalid line.
        BadInput: for ids that the demo task already has.
    """
    items = list(read_items(path, project.plan, **reading))
    with write_transaction():
        there = set(DemoItem.objects.values_list("external_id", flat=True))
        if known := next((item.id for item in items if item.id in there), None):
            raise BadInput(
                f"{path}: the demo task already has an item {known!r}; "
                "remove the items that were imported before"
            )
        last = DemoItem.objects.aggregate(last=Max("place"))["last"] or 0
        rows = [
            DemoItem(
                external_id=item.id,
                text=item.text,
                payload=item.payload,
                gold=item.gold or None,
                place=last + number,
            )
            for number, item in enumerate(items, start=1)
        ]
        DemoItem.objects.bulk_create(rows, batch_size=500)
        detail = {"file": name or path.name, "items": len(rows)}
        Event.objects.create(at=now, who=by, what="import demo", detail=detail)
    tell(len(rows))
    return len(rows)
