"""The tables of a project.

For every item that is not a control item: open_slots + leases not released + judgments that count
= judgments_per_item + extra. Services keep that sum; a constraint keeps open_slots from going below
zero.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class PersonState(models.TextChoices):
    """Whether a person may work, and if not, why."""

    ACTIVE = "active"
    HELD = "held"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"


class JudgmentState(models.TextChoices):
    """What a judgment counts for.

    Surplus judgments came after the item was full; discarded ones are of people who were dismissed;
    erased ones are of people who withdrew.
    """

    COUNTED = "counted"
    SURPLUS = "surplus"
    SKIPPED = "skipped"
    GOLD = "gold"
    DISCARDED = "discarded"
    ERASED = "erased"


class NoticeKind(models.TextChoices):
    """What a person was notified of."""

    WARNING = "warning"
    HOLD = "hold"
    DISMISSAL = "dismissal"


class ApplicationVerdict(models.TextChoices):
    """The result of an application; none while it is open."""

    OPEN = "", "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class TrialPart(models.TextChoices):
    """Where an answer that is not a judgment was given."""

    TRAINING = "training"
    DEMO = "demo"


class State(models.Model):
    """One row: the last published place. Items beyond it belong to a running import; those between
    `opened` and it are in batches that are not open yet."""

    published = models.BigIntegerField(default=0)
    opened = models.BigIntegerField(default=0)  # up to here items are given out
    imports = models.IntegerField(default=0)
    plan = models.IntegerField(default=0)  # version of project.toml; 0: never saved by the service
    paused = models.BooleanField(default=False)


class Person(models.Model):
    """Someone with their own link; counters save every page from counting their judgments."""

    name = models.CharField(max_length=100, unique=True)
    role = models.CharField(max_length=12, default="annotator")
    token_hash = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=10, choices=PersonState.choices, default=PersonState.ACTIVE)
    reason = models.TextField(default="", blank=True)
    joined = models.DateTimeField()
    consented = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    sessions_ended = models.IntegerField(default=0)

    # how far each walk has come: items by place, returned items by id, control items by place
    cursor = models.BigIntegerField(default=0)
    returned_cursor = models.BigIntegerField(default=0)
    gold_cursor = models.BigIntegerField(default=0)

    judged = models.IntegerField(default=0)
    skipped = models.IntegerField(default=0)
    gold_seen = models.IntegerField(default=0)
    gold_right = models.IntegerField(default=0)
    seconds = models.FloatField(default=0)
    tally_on = models.DateField()
    judged_day = models.IntegerField(default=0)
    judged_week = models.IntegerField(default=0)
    conduct = models.JSONField(default=dict)  # counters of the rules since the last pardon
    unread = models.IntegerField(default=0)  # warnings that the person has not marked as read

    @property
    def is_active(self) -> bool:
        """Whether the person may work."""
        return bool(self.state == PersonState.ACTIVE)

    @property
    def is_stopped(self) -> bool:
        """Whether the person is on hold or dismissed, and so may appeal."""
        return self.state in (PersonState.HELD, PersonState.DISMISSED)


class Item(models.Model):
    """Something to judge. A control item has known answers and no slots."""

    external_id = models.CharField(max_length=200, unique=True)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    gold = models.JSONField(null=True)
    is_gold = models.BooleanField(default=False)
    place = models.BigIntegerField(unique=True)
    open_slots = models.IntegerField()
    extra = models.IntegerField(default=0)  # more judgments than usual (doubt), or fewer (audits)

    class Meta:
        indexes = [
            models.Index(fields=["place"], condition=Q(open_slots__gt=0), name="open_items"),
            models.Index(fields=["place"], condition=Q(is_gold=True), name="control_items"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(open_slots__gte=0), name="never_over_the_cap"),
        ]


class Returned(models.Model):
    """An item with an open slot again; people whose walk has passed it find it here."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE)


class Lease(models.Model):
    """An item given out to someone. A released one holds no slot, but keeps draft and token."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    token = models.CharField(max_length=32, unique=True)
    position = models.IntegerField()
    since = models.DateTimeField()
    expires = models.DateTimeField()
    released = models.BooleanField(default=False)
    draft = models.JSONField(default=dict)
    suggestion = models.JSONField(default=dict)  # of a model: {"run": name, "answers": {…}}
    # the judgment that the person took back to replace it
    undoes = models.ForeignKey(
        "StoredJudgment", null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "person"], name="one_lease_each"),
        ]
        indexes = [
            models.Index(fields=["expires"], condition=Q(released=False), name="leases_out"),
        ]


class StoredJudgment(models.Model):
    """One answered form. Rows are added; only `state` and `current` change."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    person = models.ForeignKey(Person, on_delete=models.PROTECT)
    token = models.CharField(max_length=32, unique=True)
    answers = models.JSONField()
    seconds = models.FloatField()
    at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=JudgmentState.choices)
    gold_right = models.BooleanField(null=True)
    suggestion = models.JSONField(default=dict)  # what the form was filled in with
    current = models.BooleanField(default=True)
    replaces = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
        db_table = "store_judgment"
        constraints = [
            models.UniqueConstraint(
                fields=["item", "person"], condition=Q(current=True), name="one_judgment_each"
            ),
        ]


class Event(models.Model):
    """Who did what, and when."""

    at = models.DateTimeField()
    who = models.CharField(max_length=100)
    what = models.CharField(max_length=40)
    detail = models.JSONField(default=dict)


# Quality: notices, appeals, decisions of adjudicators.
class Notice(models.Model):
    """A warning, a hold or a dismissal of a person, by a rule or by the owner."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    at = models.DateTimeField()
    kind = models.CharField(max_length=10, choices=NoticeKind.choices)
    rule = models.CharField(max_length=20, default="")
    text = models.TextField()
    put_away = models.BooleanField(default=False)  # marked as read
    past = models.BooleanField(default=False)  # pardoned


class Appeal(models.Model):
    """A person's answer to a hold or a dismissal, and what came of it."""

    notice = models.OneToOneField(Notice, on_delete=models.CASCADE)
    at = models.DateTimeField()
    text = models.TextField()
    answered = models.DateTimeField(null=True)
    by = models.CharField(max_length=100, default="")
    reinstated = models.BooleanField(null=True)
    answer = models.TextField(default="")


class Decision(models.Model):
    """What an adjudicator decided. Rows are added; only `current` changes."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    person = models.ForeignKey(Person, on_delete=models.PROTECT)
    token = models.CharField(max_length=32, unique=True)
    answers = models.JSONField()
    excluded = models.BooleanField(default=False)  # cannot be decided
    note = models.TextField(default="")
    at = models.DateTimeField()
    current = models.BooleanField(default=True)
    replaces = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item"], condition=Q(current=True), name="one_decision_each"
            ),
        ]


# Membership: the standing of people, what they agreed to, training and demo task. Answers to
# training and demo items are in their own table, so that no count of judgments includes them.
class Standing(models.Model):
    """How far a person is on the way to work; read with the person, so it costs no extra query."""

    person = models.OneToOneField(Person, on_delete=models.CASCADE, primary_key=True)
    trusted = models.BooleanField(default=False)  # starts work at once
    consent_version = models.CharField(max_length=12, default="", blank=True)
    profile = models.JSONField(null=True)
    weight = models.FloatField(default=1.0)
    read = models.DateTimeField(null=True)  # guidelines, last confirmed
    trained = models.IntegerField(default=0)
    trained_right = models.IntegerField(default=0)
    demo_done = models.IntegerField(default=0)
    demo_skipped = models.IntegerField(default=0)
    demo_seconds = models.FloatField(default=0)
    demo_result = models.JSONField(null=True)  # what the selection needs, once the demo is done
    demo_finished = models.DateTimeField(null=True)
    verdict = models.CharField(
        max_length=8,
        choices=ApplicationVerdict.choices,
        default=ApplicationVerdict.OPEN,
        blank=True,
    )
    why = models.CharField(max_length=100, default="", blank=True)
    draft = models.JSONField(default=dict)  # of the current training or demo item

    # external workers: keyed hashes of their id and of their first visit
    outside = models.CharField(max_length=64, null=True, unique=True)
    visit = models.CharField(max_length=64, default="", blank=True)
    study = models.CharField(max_length=100, default="", blank=True)
    completed = models.DateTimeField(null=True)


class ConsentText(models.Model):
    """The text that people agreed to, by version."""

    version = models.CharField(max_length=12, primary_key=True)
    text = models.TextField()
    since = models.DateTimeField()


class DemoItem(models.Model):
    """An item of the demo task. It has no slots and is never part of the work."""

    external_id = models.CharField(max_length=200, unique=True)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    gold = models.JSONField(null=True)
    place = models.BigIntegerField(unique=True)


class Trial(models.Model):
    """An answer to a training or demo item; the first one counts."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    part = models.CharField(max_length=8, choices=TrialPart.choices)
    item = models.CharField(max_length=200)
    answers = models.JSONField()
    skipped = models.BooleanField(default=False)
    right = models.BooleanField(null=True)
    seconds = models.FloatField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "part", "item"], name="one_trial_each"),
        ]


# Batches, opened one after another.
class Batch(models.Model):
    """A named range of places whose items are given out together, once it is open."""

    name = models.CharField(max_length=200, unique=True)
    first = models.BigIntegerField(unique=True)
    last = models.BigIntegerField()
    opened = models.DateTimeField(null=True)


# Versions: of the plan, of items that were replaced or deleted; and files on their way in.
class PlanVersion(models.Model):
    """project.toml as it was saved; the password of a database is left out."""

    number = models.IntegerField(unique=True)
    at = models.DateTimeField()
    who = models.CharField(max_length=100)
    text = models.TextField()
    changed = models.JSONField(default=list)  # names of the settings that differ from the last


class ItemVersion(models.Model):
    """An item as it was before it was replaced or deleted, which happens to unjudged ones only."""

    item = models.CharField(max_length=200)
    at = models.DateTimeField()
    who = models.CharField(max_length=100)
    became = models.CharField(max_length=10)  # replaced or deleted
    text = models.TextField()
    payload = models.JSONField(default=dict)
    gold = models.JSONField(null=True)


class UploadState(models.TextChoices):
    """How far an uploaded file is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Upload(models.Model):
    """A file of items that an owner sent; it lies in the project's folder until it is imported."""

    token = models.CharField(max_length=32, unique=True)
    name = models.CharField(max_length=200)  # as the owner called it; never used as a path
    kind = models.CharField(max_length=8)
    size = models.BigIntegerField()
    at = models.DateTimeField()
    who = models.CharField(max_length=100)
    state = models.CharField(max_length=8, choices=UploadState.choices, default=UploadState.WAITING)
    added = models.BigIntegerField(default=0)  # items so far
    message = models.TextField(default="", blank=True)
