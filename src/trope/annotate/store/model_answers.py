"""Models as annotators: their runs, what they answered, and what people were shown of it.

Answers of models are never judgments: they take no slots, reach no cap, and are no part of the
agreement among people. `model_labels` and `suggested_labels` are what measures compare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F

from trope.annotate.plan import Plan
from trope.annotate.questions import Question, label_of
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.models import Event, Item, JudgmentState, StoredJudgment
from trope.annotate.store.slots import published_place
from trope.core.errors import BadInput
from trope.core.run_folder import lock_file

if TYPE_CHECKING:
    from filelock import BaseFileLock

    from trope.annotate.project import Project

_CHUNK = 2_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")

UNAVAILABLE = "unavailable"
"""The error of an answer that did not come: unlike the others, it is asked for again."""


class ModelRunState(models.TextChoices):
    """Whether a run is under way, has answered all items, or was stopped before."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class ModelRun(models.Model):
    """A model with its settings; the same name again continues it."""

    name = models.CharField(max_length=60, unique=True)
    kind = models.CharField(max_length=8)
    settings = models.JSONField()  # all that decides its answers; never a key
    started = models.DateTimeField()
    last_at = models.DateTimeField(null=True)  # of an answer, or when it was begun again
    state = models.CharField(
        max_length=8, choices=ModelRunState.choices, default=ModelRunState.RUNNING
    )
    error = models.TextField(default="", blank=True)
    budget = models.FloatField(null=True)
    price_in = models.FloatField(default=0)  # of a million tokens
    price_out = models.FloatField(default=0)
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)

    @property
    def shown_settings(self) -> dict[str, Any]:
        """The settings without the text of the prompt, whose version is among them."""
        return {name: value for name, value in self.settings.items() if name != "prompt"}

    @property
    def cost(self) -> float:
        """What the tokens so far cost."""
        return self.price_of(self.tokens_in, self.tokens_out)

    def price_of(self, tokens_in: int, tokens_out: int) -> float:
        """What these tokens cost."""
        return float(tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


class ModelAnswer(models.Model):
    """What a model answered to an item, or why there is no answer."""

    run = models.ForeignKey(ModelRun, on_delete=models.CASCADE)
    item = models.ForeignKey(Item, on_delete=models.CASCADE)
    answers = models.JSONField(default=dict)
    confidence = models.FloatField(null=True)
    error = models.CharField(max_length=20, default="", blank=True)
    detail = models.CharField(max_length=300, default="", blank=True)
    raw = models.TextField(default="", blank=True)
    tokens_in = models.IntegerField(default=0)
    tokens_out = models.IntegerField(default=0)
    seconds = models.FloatField(default=0)
    at = models.DateTimeField()
    sampled = models.BooleanField(default=False)  # people judge it in an audit

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["run", "item"], name="one_model_answer_each"),
        )


@dataclass(frozen=True, slots=True)
class AskedItem:
    """An item as a model sees it; known answers are never among its fields."""

    pk: int
    id: str
    text: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A model's answers to an item; with an `error`, there are none."""

    item: AskedItem
    answers: Mapping[str, Any]
    confidence: float | None = None
    error: str = ""
    detail: str = ""
    raw: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, for pages and commands."""

    run: ModelRun
    items: int
    answered: int
    errors: dict[str, int]
    sampled: int

    @property
    def left(self) -> int:
        """How many items are still to be asked about."""
        settled = sum(number for kind, number in self.errors.items() if kind != UNAVAILABLE)
        return self.items - self.answered - settled

    def as_object(self) -> dict[str, Any]:
        """The progress as JSON can hold it."""
        run = self.run
        return {
            "run": run.name,
            "kind": run.kind,
            "state": run.state,
            "error": run.error,
            "items": self.items,
            "answered": self.answered,
            "errors": self.errors,
            "sampled": self.sampled,
            "tokens_in": run.tokens_in,
            "tokens_out": run.tokens_out,
            "cost": round(run.cost, 6),
            "budget": run.budget,
            "settings": run.shown_settings,
        }


# Runs: one writer each, which stores a few answers at a time.
def check_run_name(name: str) -> None:
    """Raises BadInput for a name that cannot be that of a run, and so of its files."""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name of a run; use up to 60 letters, digits, . _ and -")


@retried
def begin_run(
    name: str,
    kind: str,
    settings: Mapping[str, Any],
    *,
    now: datetime,
    by: str = "command line",
    prices: tuple[float, float] = (0.0, 0.0),
    budget: float | None = None,
) -> ModelRun:
    """The run of that name, begun or continued; price and budget may change in between.

    Raises:
        BadInput: for a name that cannot be used, or one whose run had other settings.
    """
    check_run_name(name)
    with write_transaction():
        run, new = ModelRun.objects.get_or_create(
            name=name, defaults={"kind": kind, "settings": dict(settings), "started": now}
        )
        if new or run.state != ModelRunState.RUNNING:
            what, about = "model run" if new else "model run goes on", {"run": name, "kind": kind}
            Event.objects.create(at=now, who=by, what=what, detail=about)
        known, wanted = run.shown_settings | {"kind": run.kind}, {**settings, "kind": kind}
        if differ := sorted(k for k in known if known[k] != wanted.get(k)):
            raise BadInput(
                f"the run {name!r} was begun with another {', '.join(differ)}; give the same "
                "settings to continue it, or another name to begin a new one"
            )
        run.price_in, run.price_out = prices
        run.budget, run.state, run.error, run.last_at = budget, ModelRunState.RUNNING, "", now
        run.save(update_fields=["price_in", "price_out", "budget", "state", "error", "last_at"])
        return run


def unanswered_items(run: ModelRun, most: int = 0) -> Iterator[AskedItem]:
    """The items that the run has no answer to, in their order; `most` of them, if given.

    Known answers are not loaded.
    """
    given = ModelAnswer.objects.filter(run=run).exclude(error=UNAVAILABLE)
    left = Item.objects.filter(place__lte=published_place())
    left = left.exclude(pk__in=given.values("item_id")).order_by("place")
    ids = list(left.values_list("pk", flat=True)[: most or None])
    for start in range(0, len(ids), _CHUNK):
        part = Item.objects.filter(pk__in=ids[start : start + _CHUNK]).order_by("place")
        for row in part.values_list("pk", "external_id", "text", "payload"):
            yield AskedItem(*row)


@retried
def store_answers(run: ModelRun, given: Sequence[GivenAnswer], *, now: datetime) -> None:
    """Store the answers and count their tokens, all or nothing; one per item, whatever happens."""
    with write_transaction():
        ids = [one.item.pk for one in given]
        ModelAnswer.objects.filter(run=run, item_id__in=ids, error=UNAVAILABLE).delete()
        # an owner may have deleted or replaced some meanwhile
        texts = dict(Item.objects.filter(pk__in=ids).values_list("pk", "text"))
        about = [one for one in given if texts.get(one.item.pk) == one.item.text]
        ModelAnswer.objects.bulk_create(
            [_row(run, one, now) for one in about], ignore_conflicts=True
        )
        ModelRun.objects.filter(pk=run.pk).update(
            tokens_in=F("tokens_in") + sum(one.tokens_in for one in given),
            tokens_out=F("tokens_out") + sum(one.tokens_out for one in given),
            last_at=now,
        )
    run.refresh_from_db()


def _row(run: ModelRun, one: GivenAnswer, now: datetime) -> ModelAnswer:
    return ModelAnswer(
        run=run,
        item_id=one.item.pk,
        answers=dict(one.answers),
        confidence=one.confidence,
        error=one.error,
        detail=one.detail[:300],
        raw=one.raw,
        tokens_in=one.tokens_in,
        tokens_out=one.tokens_out,
        seconds=one.seconds,
        at=now,
    )


@retried
def end_run(run: ModelRun, state: str, error: str = "") -> None:
    """Note how a run ended, unless someone has stopped it before."""
    with write_transaction():
        going = ModelRun.objects.filter(pk=run.pk, state=ModelRunState.RUNNING)
        going.update(state=state, error=error)
    run.refresh_from_db()


@retried
def stop_run(name: str, *, now: datetime, by: str) -> bool:
    """Stop a run, which gives up the answers that it waits for; False if it does not run."""
    with write_transaction():
        going = ModelRun.objects.filter(name=name, state=ModelRunState.RUNNING)
        stopped = going.update(state=ModelRunState.STOPPED, error=f"stopped by {by}")
        if stopped:
            Event.objects.create(at=now, who=by, what="model run stopped", detail={"run": name})
        return bool(stopped)


def lock_run(project: Project, run: ModelRun) -> BaseFileLock:
    """Hold a run for this process; BlockingIOError if another one holds it."""
    return lock_file(project.folder / f"model-{run.name}.lock")


def is_under_way(project: Project, run: ModelRun) -> bool:
    """Whether a process works on the run now."""
    try:
        lock_run(project, run).release()
    except BlockingIOError:
        return True
    return False


def is_running(run: ModelRun) -> bool:
    """Whether nobody has stopped it."""
    return ModelRun.objects.filter(pk=run.pk, state=ModelRunState.RUNNING).exists()


def find_run(name: str) -> ModelRun | None:
    """The run of that name, if there is one."""
    return ModelRun.objects.filter(name=name).first()


def all_runs() -> list[RunProgress]:
    """Every run with its progress, in the order in which they were begun."""
    return [run_progress(run) for run in ModelRun.objects.order_by("pk")]


def run_progress(run: ModelRun) -> RunProgress:
    """How far the run is."""
    rows = ModelAnswer.objects.filter(run=run).values_list("error")
    found = Counter(dict(rows.annotate(n=models.Count("pk"))))
    answered = found.pop("", 0)
    return RunProgress(
        run,
        items=Item.objects.filter(place__lte=published_place()).count(),
        answered=answered,
        errors=dict(sorted(found.items())),
        sampled=ModelAnswer.objects.filter(run=run, sampled=True).count(),
    )


# What measures compare.
def model_labels(question: Question) -> dict[str, dict[str, str]]:
    """For each run, in the order in which they were begun, its label of each item.

    Labels are those of people (`label_of`), by the items' external ids; control items are among
    them. Items whose answer was refused, or that the model was not asked about, are left out.
    """
    found: dict[str, dict[str, str]] = {
        name: {} for name in ModelRun.objects.order_by("pk").values_list("name", flat=True)
    }
    rows = ModelAnswer.objects.filter(error="").order_by("pk")
    columns = ("run__name", "item__external_id", "answers")
    for run, item, answers in rows.values_list(*columns).iterator(chunk_size=_CHUNK):
        label = label_of(question.answer_in(answers))
        if label is not None:
            found[run][item] = label
    return found


@dataclass(frozen=True, slots=True)
class SuggestedLabel:
    """A person's label, with the one that a model had suggested; without one, `run` is empty.

    Without a suggestion the item was blind: by the project's share of blind items, because the
    model had no answer, or because the project showed none when it was given out.
    """

    item: str
    annotator: str
    label: str
    seconds: float
    run: str = ""
    suggested: str | None = None

    @property
    def changed(self) -> bool:
        """Whether the person changed what was suggested."""
        return self.suggested is not None and self.label != self.suggested


def suggested_labels(question: Question) -> Iterator[SuggestedLabel]:
    """Every label of a question that counts, with the suggestion that was shown, in order."""
    rows = StoredJudgment.objects.filter(current=True, state=JudgmentState.COUNTED).order_by("pk")
    columns = ("item__external_id", "person__name", "answers", "seconds", "suggestion")
    for item, person, answers, seconds, shown in rows.values_list(*columns).iterator(
        chunk_size=_CHUNK
    ):
        label = label_of(question.answer_in(answers))
        if label is not None:
            yield SuggestedLabel(
                item,
                person,
                label,
                seconds,
                shown.get("run", ""),
                label_of(question.answer_in(shown.get("answers", {}))),
            )


# What people are shown.
def suggestions_for(items: Sequence[Item], plan: Plan) -> dict[int, dict[str, Any]]:
    """What the forms of these items are filled in with, by the items' ids.

    Nothing unless the project says so, and nothing for items that stay blind.
    """
    shown = [item.pk for item in items if plan.shows_suggestion(item.external_id)]
    run = showing_run(plan) if shown else None
    if run is None:
        return {}
    rows = ModelAnswer.objects.filter(run=run, item_id__in=shown, error="")
    return {
        item: {"run": run.name, "answers": answers}
        for item, answers in rows.values_list("item_id", "answers")
    }


def showing_run(plan: Plan) -> ModelRun | None:
    """The run that the project suggests from or audits: the one named, else the first."""
    runs = ModelRun.objects.filter(name=plan.models.run) if plan.models.run else ModelRun.objects
    return runs.order_by("pk").first()
