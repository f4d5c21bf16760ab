"""Warnings, holds, dismissals, appeals, reinstatement (writes; one short transaction each).

The rules look at judgments alone: training and the demo task are for the selection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F

from trope.annotate.plan import Plan
from trope.annotate.questions import guess_chance, label_of, watched_question
from trope.annotate.rules.conduct import (
    ACTING,
    Conduct,
    ConductFinding,
    check_conduct,
    read_conduct,
)
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import (
    Appeal,
    Event,
    Item,
    JudgmentState,
    Lease,
    Notice,
    NoticeKind,
    Person,
    PersonState,
    Returned,
    StoredJudgment,
)
from trope.annotate.store.slots import lock_leases, return_slots
from trope.core.errors import BadInput
from trope.core.texts import unstorable_character

TEXT_LIMIT = 5_000
BY_RULE = "rule"
_STEP = 500

REASONS = {
    "gold": "Too many of your answers to items with known answers were wrong.",
    "constant": "All of your answers have been the same.",
    "outliers": "Many of your answers are far from those of others.",
    "peers": "Your answers often differ from those of others.",
    "speed": "You answer much faster than others.",
    "straight_line": "You gave the same answer many times in a row.",
    "copying": "Your answers are too similar to those of someone else.",
}
"""What a person is shown. Names of others, and counts, which would reveal the control items, are
shown to the owner only."""


def conduct_after(
    person: Person, item: Item, answers: Mapping[str, Any], right: bool | None, plan: Plan
) -> Conduct:
    """The person's counters after one more answer."""
    question = watched_question(plan.questions, plan.quality.question)
    label = label_of(answers.get(question.id)) if question else None
    chance = guess_chance(plan.questions, item.gold or {}) if right is not None else 1.0
    shortened = None if label is None else label[:100]
    return read_conduct(person.conduct).after(shortened, right, chance, plan.quality)


def check_at_page_end(person: Person, plan: Plan, now: datetime) -> bool:
    """Act on the counters at the end of a page; True if something was done.

    Within a page nothing happens, as it would reveal which item was a control item. Everyone is
    warned first, unless the plan turns warnings off.
    """
    finding = check_conduct(
        person.name,
        read_conduct(person.conduct),
        plan.quality,
        pass_mark=plan.gold.pass_mark,
        at_least=plan.gold.at_least,
    )
    if not finding or Lease.objects.filter(person=person, released=False).exists():
        return False
    warn_first = plan.quality.warn_after > 0
    if warn_first and warn(person.pk, finding.rule, finding.reason, now=now, by=BY_RULE):
        return True
    return act(person.pk, finding, now=now)


@retried
def act(person_id: int, finding: ConductFinding, *, now: datetime, by: str = BY_RULE) -> bool:
    """Apply the outcome of a finding; False if it was applied before."""
    if finding.outcome == "warn":
        return warn(person_id, finding.rule, finding.reason, now=now, by=by)
    if finding.outcome == "hold":
        return hold(person_id, finding.rule, finding.reason, now=now, by=by)
    if finding.outcome == "dismiss":
        with write_transaction():
            if not Person.objects.filter(
                pk=person_id, state__in=(PersonState.ACTIVE, PersonState.HELD)
            ).exists():
                return False
            text = REASONS[finding.rule]
            dismiss(person_id, text, now=now, by=by, rule=finding.rule)
            _note(now, by, "finding", person_id, finding.rule, finding.reason)
            return True
    return False


@retried
def warn(person_id: int, rule: str, reason: str, *, now: datetime, by: str) -> bool:
    """Warn an active person; once per rule until they are reinstated.

    Without a rule, the reason is the owner's and is shown as it is.
    """
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        warned = Notice.objects.filter(
            person=person, kind=NoticeKind.WARNING, rule=rule, past=False
        )
        if person.state != PersonState.ACTIVE or (rule and warned.exists()):
            return False
        text = REASONS.get(rule, reason)
        Notice.objects.create(person=person, at=now, kind=NoticeKind.WARNING, rule=rule, text=text)
        Person.objects.filter(pk=person_id).update(unread=F("unread") + 1)
        _note(now, by, "warn", person_id, rule, reason)
        return True


@retried
def hold(person_id: int, rule: str, reason: str, *, now: datetime, by: str) -> bool:
    """Put someone on hold until the owner has decided. Their judgments still count; their open
    items return to the queue, with the drafts kept."""
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state != PersonState.ACTIVE:
            return False
        lock_leases(person)
        held = Lease.objects.filter(person=person, released=False)
        freed = sorted(held.filter(item__is_gold=False).values_list("item_id", flat=True))
        return_slots(freed)
        held.update(released=True)
        text = REASONS.get(rule, reason)
        Person.objects.filter(pk=person_id).update(state=PersonState.HELD, reason=text)
        Notice.objects.create(person=person, at=now, kind=NoticeKind.HOLD, rule=rule, text=text)
        _note(now, by, "hold", person_id, rule, reason)
        return True


@retried
def mark_warnings_read(person_id: int) -> None:
    """Remove the warnings from the person's work page; "My work" still lists them."""
    with write_transaction():
        Notice.objects.filter(person_id=person_id, kind=NoticeKind.WARNING).update(put_away=True)
        Person.objects.filter(pk=person_id).update(unread=0)


def unread_warnings(person: Person) -> list[Notice]:
    """Unread warnings; asks the database only if there are some."""
    if not person.unread:
        return []
    shown = Notice.objects.filter(person=person, kind=NoticeKind.WARNING, put_away=False)
    return list(shown.order_by("pk"))


def open_notice(person_id: int) -> Notice | None:
    """The person's current hold or dismissal, if any."""
    ended = Notice.objects.filter(
        person_id=person_id, kind__in=(NoticeKind.HOLD, NoticeKind.DISMISSAL)
    )
    return ended.select_related("appeal").order_by("-pk").first()


def latest_notices(person_id: int, most: int = 20) -> list[Notice]:
    """What the person was notified of last."""
    return list(Notice.objects.filter(person_id=person_id).order_by("-pk")[:most])


def notices_with_appeals(person_id: int) -> list[Notice]:
    """All notices of a person with the appeals against them, the latest first."""
    notices = Notice.objects.filter(person_id=person_id).select_related("appeal")
    return list(notices.order_by("-pk"))


def find_appeal(appeal_id: int) -> Appeal | None:
    """The appeal with that id, if there is one."""
    return Appeal.objects.select_related("notice").filter(pk=appeal_id).first()


def open_appeals() -> list[Appeal]:
    """Appeals that nobody has answered, the oldest first."""
    waiting = Appeal.objects.filter(answered=None).select_related("notice__person")
    return list(waiting.order_by("pk"))


@retried
def appeal(person_id: int, text: str, *, now: datetime) -> Appeal:
    """Appeal against a hold or a dismissal; once for each.

    Raises:
        BadInput: for an empty or overlong text, for nothing to appeal against, for a second one.
    """
    text = text.strip()
    if not text or len(text) > TEXT_LIMIT or unstorable_character(text):
        raise BadInput(f"write 1 to {TEXT_LIMIT:,} characters")
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        notice = (
            open_notice(person_id)
            if person.state in (PersonState.HELD, PersonState.DISMISSED)
            else None
        )
        if notice is None:
            raise BadInput("there is nothing to appeal against")
        if hasattr(notice, "appeal"):
            raise BadInput("you have already appealed")
        made = Appeal.objects.create(notice=notice, at=now, text=text)
        _note(now, person.name, "appeal", person_id, notice.rule, text)
        return made


@retried
def answer_appeal(
    appeal_id: int, answer: str, *, reinstate_them: bool, now: datetime, by: str
) -> None:
    """The owner's answer: reinstate the person, or uphold the decision.

    Raises:
        BadInput: for an appeal that has been answered, or an answer that is missing or too long.
    """
    answer = answer.strip()
    if not answer or len(answer) > TEXT_LIMIT or unstorable_character(answer):
        raise BadInput("give a reason")
    with write_transaction():
        whose = Appeal.objects.values_list("notice__person", flat=True).get(pk=appeal_id)
        Person.objects.select_for_update().get(pk=whose)
        found = Appeal.objects.select_related("notice").get(pk=appeal_id)
        if found.answered is not None:
            raise BadInput("this appeal has already been answered")
        Appeal.objects.filter(pk=appeal_id).update(
            answered=now, by=by, reinstated=reinstate_them, answer=answer
        )
        person_id = found.notice.person_id
        if reinstate_them:
            reinstate(person_id, now=now, by=by, reason=answer)
        else:
            _note(now, by, "uphold", person_id, found.notice.rule, answer)


@retried
def reinstate(person_id: int, *, now: datetime, by: str, reason: str = "") -> tuple[int, int]:
    """Reinstate someone who was held or dismissed. Returns how many of their judgments count again,
    and how many are surplus because others have filled the items meanwhile.

    The rules start again: earlier findings do not count a second time.
    """
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state not in (PersonState.HELD, PersonState.DISMISSED):
            return 0, 0
        counted, surplus = _count_again(person)
        Person.objects.filter(pk=person_id).update(
            state=PersonState.ACTIVE, reason="", conduct={}, unread=0
        )
        close_appeals(person_id, reason, reinstated=True, now=now, by=by)
        Notice.objects.filter(person=person).update(put_away=True, past=True)
        detail = {"name": person.name, "counted": counted, "surplus": surplus, "reason": reason}
        Event.objects.create(at=now, who=by, what="reinstate", detail=detail)
        return counted, surplus


def close_appeals(person_id: int, answer: str, *, reinstated: bool, now: datetime, by: str) -> None:
    """Answer the person's open appeals; within a transaction."""
    waiting = Appeal.objects.filter(notice__person_id=person_id, answered=None)
    waiting.update(answered=now, by=by, reinstated=reinstated, answer=answer)


def _count_again(person: Person) -> tuple[int, int]:
    """Count discarded judgments again where slots are open, never beyond the wanted number."""
    discarded = StoredJudgment.objects.filter(
        person=person, current=True, state=JudgmentState.DISCARDED
    )
    ids = sorted(discarded.values_list("item_id", flat=True))
    counted = 0
    for start in range(0, len(ids), _STEP):
        part = ids[start : start + _STEP]
        locked = Item.objects.filter(pk__in=part).order_by("pk").select_for_update(no_key=True)
        slots = dict(locked.values_list("pk", "open_slots"))
        free = [pk for pk in part if slots[pk] > 0]
        Item.objects.filter(pk__in=free).update(open_slots=F("open_slots") - 1)
        Returned.objects.filter(item_id__in=[pk for pk in free if slots[pk] == 1]).delete()
        counted += discarded.filter(item_id__in=free).update(state=JudgmentState.COUNTED)
    return counted, discarded.update(state=JudgmentState.SURPLUS)


def _note(now: datetime, by: str, what: str, person_id: int, rule: str, reason: str) -> None:
    name = Person.objects.values_list("name", flat=True).get(pk=person_id)
    detail = {"name": name, "rule": rule, "reason": reason}
    Event.objects.create(at=now, who=by, what=what, detail=detail)


@retried
def dismiss(person_id: int, reason: str, *, now: datetime, by: str = "", rule: str = "") -> int:
    """End someone's work. Returns the number of judgments that no longer count.

    Their judgments are kept but marked; their slots and open items return to the queue.
    """
    with write_transaction():
        person = Person.objects.select_for_update().get(pk=person_id)
        if person.state in (PersonState.DISMISSED, PersonState.WITHDRAWN):
            return 0
        lock_leases(person)
        counted = StoredJudgment.objects.filter(
            person=person, current=True, state=JudgmentState.COUNTED
        )
        held = Lease.objects.filter(person=person, released=False, item__is_gold=False)
        # a person has either judged or leased an item, so each item gets one slot back
        freed = sorted(
            {*counted.values_list("item_id", flat=True), *held.values_list("item_id", flat=True)}
        )
        return_slots(freed)
        number: int = counted.update(state=JudgmentState.DISCARDED)
        Lease.objects.filter(person=person).delete()
        Person.objects.filter(pk=person_id).update(state=PersonState.DISMISSED, reason=reason)
        Notice.objects.create(
            person=person, at=now, kind=NoticeKind.DISMISSAL, rule=rule, text=reason
        )
        Event.objects.create(
            at=now, who=by, what="dismiss", detail={"name": person.name, "reason": reason}
        )
        return number


def apply_findings(
    findings: Sequence[ConductFinding], *, now: datetime, by: str
) -> list[ConductFinding]:
    """Apply the findings that have a consequence, for active people; returns those applied.

    Nobody is warned twice for the same rule, and reinstated people are judged by the counters that
    restarted then, not by old rows.
    """
    numbers = dict(Person.objects.filter(state=PersonState.ACTIVE).values_list("name", "pk"))
    pardoned = set(Event.objects.filter(what="reinstate").values_list("detail__name", flat=True))
    done = [
        finding
        for finding in findings
        if finding.outcome in ACTING
        and finding.annotator in numbers
        and finding.annotator not in pardoned
        and act(numbers[finding.annotator], finding, now=now, by=by)
    ]
    detail = {"findings": len(findings), "done": len(done)}
    Event.objects.create(at=now, who=by, what="review", detail=detail)
    return done
