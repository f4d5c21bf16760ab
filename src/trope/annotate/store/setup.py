"""Changes that owners make to a project that runs: its plan, a pause, items that nobody judged.

project.toml stays the one source of the plan. Whoever saves it must have seen the text that is
there; every text that was saved is kept with its number, and the processes of the service read the
file again when the number has grown.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from trope.annotate.exchange.items import NewItem, checked_item, read_items
from trope.annotate.plan import Plan, parse_plan
from trope.annotate.project import BLANK, CONFIG, Project
from trope.annotate.questions import Question, gold_faults
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.imports import import_lock, item_row
from trope.annotate.store.model_answers import ModelAnswer
from trope.annotate.store.models import (
    Decision,
    Event,
    Item,
    ItemVersion,
    Lease,
    PlanVersion,
    State,
    StoredJudgment,
    Trial,
)
from trope.annotate.store.queue import draw_audit, end_audit
from trope.annotate.store.rows import chunks
from trope.annotate.store.slots import list_returned, plan_version, published_place, state_row
from trope.core.errors import BadConfig, BadInput
from trope.core.files import atomic_write
from trope.corpora.records import TextRecord

_PASSWORD = re.compile(r"(postgres(?:ql)?://[^:@/\s\"']*):[^@/\s\"']*@")
_HIDDEN = r"\1:…@"
_MOST_REPLACED = 5_000  # in one transaction, for which people wait


class PlanConflict(BadInput):
    """Someone else saved the plan in the meantime; `theirs` is what they saved."""

    def __init__(self, theirs: str) -> None:
        super().__init__("someone else saved the project in the meantime; compare both texts")
        self.theirs = theirs


def plan_file(project: Project) -> str:
    """The text of project.toml, without the password of a database."""
    return _PASSWORD.sub(_HIDDEN, _text(project))


def plan_mark(project: Project) -> str:
    """What tells the current text of project.toml from any other."""
    return _mark(_text(project))


def text_with_mark(mark: str) -> str | None:
    """The text that someone has seen, if it was kept."""
    texts = PlanVersion.objects.order_by("-number").values_list("text", flat=True)
    return next((text for text in texts.iterator() if _mark(text) == mark), None)


def is_new(project: Project) -> bool:
    """Whether nobody has said yet what the project asks."""
    untouched = project.plan.template == BLANK and not plan_version()
    return untouched and not Item.objects.exists()


@retried
def save_plan(project: Project, text: str, *, seen: str, now: datetime, by: str) -> int:
    """Save the text as project.toml; returns the number of its version.

    `seen` is the mark of the text that the person changed.

    Raises:
        PlanConflict: the file holds another text by now.
        BadConfig: for faults, and for changes that the judgments so far do not allow.
    """
    path = project.folder / CONFIG
    state_row()
    before = _text(project)
    try:
        with write_transaction():
            state = State.objects.select_for_update().get(pk=1)
            before = _text(project)
            if _mark(before) != seen:
                raise PlanConflict(_PASSWORD.sub(_HIDDEN, before))
            old = parse_plan(before, path)
            text = _with_password(text, old.database)
            if text == before and state.plan:
                return int(state.plan)
            new = parse_plan(text, path)
            if more := new.judgments_per_item - old.judgments_per_item:
                list(Item.objects.order_by("pk").select_for_update(no_key=True).values("pk"))
            if faults := list(_change_faults(old, new)):
                raise BadConfig(CONFIG, faults)
            if more:
                with import_lock(project):  # which goes by the old number
                    end_audit()
                    _add_slots(more)
            if "audit" in (old.models.show, new.models.show):
                draw_audit(new)
            changed = changed_settings(old, new)
            number = _keep_version(before, text, changed, now=now, by=by)
            State.objects.update(plan=number)
            detail = {"version": number, "changed": changed}
            Event.objects.create(at=now, who=by, what="plan", detail=detail)
            _write(path, text)
    except BaseException:
        if _text(project) != before and _text(project) == text:
            _write(path, before)  # the database kept nothing of it
        raise
    return number


def versions() -> list[PlanVersion]:
    """All versions of the plan without their texts, the latest first."""
    return list(PlanVersion.objects.defer("text").order_by("-number"))


def version_text(number: int) -> str | None:
    """The text of a version, if there is one."""
    return PlanVersion.objects.filter(number=number).values_list("text", flat=True).first()


def changed_settings(old: Plan, new: Plan) -> list[str]:
    """The names of the settings in which two plans differ."""
    names: list[str] = []
    for key in dataclasses.fields(Plan):
        before, after = getattr(old, key.name), getattr(new, key.name)
        if before == after:
            continue
        if dataclasses.is_dataclass(before):
            inner = (own.name for own in dataclasses.fields(before))
            names += [f"{key.name}.{n}" for n in inner if getattr(before, n) != getattr(after, n)]
        else:
            names.append(key.name)
    return names


def _text(project: Project) -> str:
    return (project.folder / CONFIG).read_text(encoding="utf-8")


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _write(path: Path, text: str) -> None:
    with atomic_write(path, private=True) as file:
        file.write(text)


def _with_password(text: str, database: str) -> str:
    """The text with the password that pages do not show."""
    hidden = _PASSWORD.sub(_HIDDEN, database)
    return text.replace(hidden, database) if hidden != database else text


def _keep_version(before: str, text: str, changed: Sequence[str], *, now: datetime, by: str) -> int:
    """Keep the new text, and the old one where someone wrote it without the service."""
    last = PlanVersion.objects.order_by("-number").first()
    number = last.number if last else 0
    rows = [(text, by, list(changed))]
    if last is None or last.text != _PASSWORD.sub(_HIDDEN, before):
        rows.insert(0, (before, "", []))
    for own, who, names in rows:
        number += 1
        kept = _PASSWORD.sub(_HIDDEN, own)
        PlanVersion.objects.create(number=number, at=now, who=who, text=kept, changed=names)
    return number


def _change_faults(old: Plan, new: Plan) -> Iterator[str]:
    """What may not change any more, and why."""
    if new.database != old.database:
        yield "database: stays as it is; 'trope annotate move' moves a project"
    if Item.objects.exists():
        if new.batches.field != old.batches.field:
            yield "batches.field: stays as it is once there are items"
        yield from _control_faults(new.questions)
    fewer = old.judgments_per_item - new.judgments_per_item
    if Item.objects.filter(is_gold=False, open_slots__lt=fewer).exists():
        yield "judgments_per_item: some items have got more judgments than that, or soon will"
    kept = {question.id: question for question in new.questions}
    for question in old.questions:
        yield from _lost_answers(question, kept.get(question.id))


def _control_faults(questions: Sequence[Question]) -> Iterator[str]:
    """The first control item whose known answers would not be offered any more."""
    known = Item.objects.filter(is_gold=True).values_list("external_id", "gold")
    for name, gold in known.iterator():
        for fault in gold_faults(questions, gold or {}):
            yield f"control item {name!r}: {fault}; change or delete it first"
            return


def _lost_answers(old: Question, new: Question | None) -> Iterator[str]:
    if new is None:
        if _given(Q(answers__has_key=old.id)):
            yield f"question {old.id!r}: has been answered and stays"
        return
    if (new.kind, new.options_from) != (old.kind, old.options_from):
        if _given(Q(answers__has_key=old.id)):
            yield f"question {old.id!r}: has been answered, so that its kind stays {old.kind!r}"
        return
    offered = {option.value for option in new.offered({}, {})}
    for option in old.offered({}, {}):
        if option.value not in offered and _given(_chose(old, option.value)):
            yield f"question {old.id!r}: the answer {option.value!r} has been given and stays"


def _chose(question: Question, value: str) -> Q:
    if question.kind == "multi":  # a list, compared as its text
        return Q(**{f"answers__{question.id}__icontains": f'"{value}"'})
    return Q(**{f"answers__{question.id}": int(value) if question.kind == "scale" else value})


def _given(answers: Q) -> bool:
    return any(m.objects.filter(answers).exists() for m in (StoredJudgment, Decision, Trial))


def _add_slots(number: int) -> None:
    """Give every item so many slots more; those that were full are found by all again."""
    items = Item.objects.filter(is_gold=False)
    full = list(items.filter(open_slots=0).order_by("pk").values_list("pk", flat=True))
    items.update(open_slots=F("open_slots") + number)
    if number > 0:
        list_returned(full)


@retried
def set_paused(paused: bool, *, now: datetime, by: str) -> None:
    """Let nobody judge for a while, or all go on; what people have begun is kept."""
    state_row()
    with write_transaction():
        if State.objects.filter(paused=not paused).update(paused=paused):
            Event.objects.create(at=now, who=by, what="pause" if paused else "go on")


def unjudged_items() -> QuerySet[Item]:
    """The items that nobody has judged, decided or in hand, and no model has answered."""
    own = OuterRef("pk")
    return Item.objects.filter(
        ~Exists(StoredJudgment.objects.filter(item=own)),
        ~Exists(Decision.objects.filter(item=own)),
        ~Exists(ModelAnswer.objects.filter(item=own)),
        ~Exists(Lease.objects.filter(item=own, released=False)),
        place__lte=published_place(),
    )


def found_items(words: str) -> QuerySet[Item]:
    """The items in their order, with whether they may be changed; `words`: in id or text."""
    free = unjudged_items().filter(pk=OuterRef("pk"))
    items = Item.objects.filter(place__lte=published_place()).annotate(free=Exists(free))
    if words:
        items = items.filter(Q(external_id__icontains=words) | Q(text__icontains=words))
    return items.order_by("place")


def delete_items(numbers: Sequence[int] | None, *, now: datetime, by: str) -> int:
    """Delete items that nobody judged, of these or (None) of all; returns how many.

    The others stay. What is deleted is kept as a version.
    """
    found = unjudged_items() if numbers is None else unjudged_items().filter(pk__in=numbers)
    deleted = 0
    for part in chunks(iter(list(found.order_by("pk").values_list("pk", flat=True)))):
        deleted += _delete(part, now=now, by=by)
    if deleted:
        with write_transaction():
            detail = {"items": deleted}
            Event.objects.create(at=now, who=by, what="delete items", detail=detail)
    return deleted


@retried
def _delete(numbers: Sequence[int], *, now: datetime, by: str) -> int:
    with write_transaction():
        _lock(numbers)  # whoever takes one of them now has to wait
        free = list(unjudged_items().filter(pk__in=numbers))
        _keep_items(free, "deleted", now=now, by=by)
        Item.objects.filter(pk__in=[item.pk for item in free]).delete()
        return len(free)


@retried
def replace_item(
    number: int, text: str, fields: dict[str, str], plan: Plan, *, now: datetime, by: str
) -> None:
    """Give an item that nobody judged another text and other fields.

    Raises:
        BadInput: for an item that someone has judged or has in hand.
        BadRecord: for what an import would refuse.
    """
    with write_transaction():
        _lock([number])
        old = unjudged_items().filter(pk=number).first()
        if old is None:
            raise BadInput("someone has judged this item or has it in hand; it stays as it is")
        record = TextRecord(old.external_id, text, 0, fields)
        _put([(old, checked_item(record, plan, "item"))], plan, now=now, by=by)
        detail = {"item": old.external_id}
        Event.objects.create(at=now, who=by, what="replace item", detail=detail)


@retried
def replace_items(
    project: Project,
    path: Path,
    *,
    now: datetime,
    by: str = "",
    name: str = "",
    tell: Callable[[int], None] = lambda replaced: None,
    **reading: Any,
) -> int:
    """Give items the texts and fields that a file has for their ids, all or none; returns how many.

    Rows that say what the item says anyway are passed over, also if someone has judged it.
    `reading` is what `read_items` takes.

    Raises:
        BadRecord: for the first invalid line.
        BadInput: for ids of no item, and for items that someone has judged or has in hand.
    """
    with import_lock(project), write_transaction():
        pairs: list[tuple[Item, NewItem]] = []
        for part in chunks(read_items(path, project.plan, **reading)):
            there = Item.objects.filter(place__lte=published_place())
            known = {i.external_id: i for i in there.filter(external_id__in=[i.id for i in part])}
            if new := next((item.id for item in part if item.id not in known), None):
                raise BadInput(f"{path}: the project has no item {new!r}; add new items first")
            pairs += [(known[i.id], i) for i in part if not _says(known[i.id], i)]
            if len(pairs) > _MOST_REPLACED:
                problem = f"would replace more than {_MOST_REPLACED:,} items; divide the file"
                raise BadInput(f"{path}: {problem}")
        for some in chunks(iter(pairs)):
            _lock(numbers := [old.pk for old, _ in some])
            free = set(unjudged_items().filter(pk__in=numbers).values_list("pk", flat=True))
            if used := next((old.external_id for old, _ in some if old.pk not in free), None):
                problem = f"someone has judged the item {used!r} or has it in hand"
                raise BadInput(f"{path}: {problem}; take it out of the file")
            _put(some, project.plan, now=now, by=by)
        tell(len(pairs))
        detail = {"file": name or path.name, "items": len(pairs)}
        Event.objects.create(at=now, who=by, what="replace items", detail=detail)
    return len(pairs)


def _says(old: Item, item: NewItem) -> bool:
    return (old.text, old.payload, old.gold or {}) == (item.text, item.payload, item.gold)


def _put(pairs: Sequence[tuple[Item, NewItem]], plan: Plan, *, now: datetime, by: str) -> None:
    _keep_items([old for old, _ in pairs], "replaced", now=now, by=by)
    for old, item in pairs:
        new = item_row(item, old.place, plan.judgments_per_item + old.extra)
        new.pk, new.extra = old.pk, old.extra
        new.save(force_update=True)


def _lock(numbers: Sequence[int]) -> None:
    locking = Item.objects.filter(pk__in=numbers).order_by("pk").select_for_update()
    list(locking.values("pk"))


def _keep_items(items: Sequence[Item], became: str, *, now: datetime, by: str) -> None:
    ItemVersion.objects.bulk_create(
        ItemVersion(
            item=item.external_id,
            at=now,
            who=by,
            became=became,
            text=item.text,
            payload=item.payload,
            gold=item.gold,
        )
        for item in items
    )
