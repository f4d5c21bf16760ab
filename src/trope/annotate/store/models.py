"""The tables of a project.

Of every item that is no control item: open_slots + leases not released + judgments that count
= judgments_an_item + extra. Services keep that sum; a constraint keeps open_slots from going below
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
    """One row: the last place that is published. Items beyond it are an import under way; those
    between `opened` and it are in batches that are not open yet."""

    published = models.BigIntegerField(default=0)
    opened = models.BigIntegerField(default=0)  # up to here items are given out
    imports = models.IntegerField(default=0)


class Person(models.Model):
    """Someone with a link of their own; counters spare every page a count of their judgments."""

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
    unread = models.IntegerField(default=0)  # warnings that the person has not put away


class Item(models.Model):
    """Something to judge. A control item has known answers and no slots."""

    external_id = models.CharField(max_length=200, unique=True)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    gold = models.JSONField(null=True)
    is_gold = models.BooleanField(default=False)
    place = models.BigIntegerField(unique=True)
    open_slots = models.IntegerField()
    extra = models.IntegerField(default=0)  # judgments wanted beyond the usual, for doubt

    class Meta:
        indexes = [
            models.Index(fields=["place"], condition=Q(open_slots__gt=0), name="open_items"),
            models.Index(fields=["place"], condition=Q(is_gold=True), name="control_items"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(open_slots__gte=0), name="never_over_the_cap"),
        ]


class Returned(models.Model):
    """An item that has an open slot again; people whose walk has passed it find it here."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE)


class Lease(models.Model):
    """An item in someone's hands. A released one holds no slot, but keeps draft and token."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    token = models.CharField(max_length=32, unique=True)
    position = models.IntegerField()
    since = models.DateTimeField()
    expires = models.DateTimeField()
    released = models.BooleanField(default=False)
    draft = models.JSONField(default=dict)
    # the judgment that its owner took back to give another one
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
    """One answered form. Rows are added, never altered but for `state` and `current`."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    person = models.ForeignKey(Person, on_delete=models.PROTECT)
    token = models.CharField(max_length=32, unique=True)
    answers = models.JSONField()
    seconds = models.FloatField()
    at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=JudgmentState.choices)
    gold_right = models.BooleanField(null=True)
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


# Quality: what people were told, what they answered, what adjudicators settled.
class Notice(models.Model):
    """What a person was told by a rule or by the owner: a warning, a hold, a dismissal."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    at = models.DateTimeField()
    kind = models.CharField(max_length=10, choices=NoticeKind.choices)
    rule = models.CharField(max_length=20, default="")
    text = models.TextField()
    put_away = models.BooleanField(default=False)  # no longer on the page where one works
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
    """What an adjudicator settled. Rows are added, never altered but for `current`."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    person = models.ForeignKey(Person, on_delete=models.PROTECT)
    token = models.CharField(max_length=32, unique=True)
    answers = models.JSONField()
    excluded = models.BooleanField(default=False)  # cannot be settled
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


# The way in and out: where people stand, what they agreed to, training and demo task. Answers of
# training and demo are in a table of their own, so that no count of judgments can ever meet them.
class Standing(models.Model):
    """Where a person stands on the way to work; read with the person, so it costs no query."""

    person = models.OneToOneField(Person, on_delete=models.CASCADE, primary_key=True)
    trusted = models.BooleanField(default=False)  # goes straight to work
    consent_version = models.CharField(max_length=12, default="", blank=True)
    profile = models.JSONField(null=True)
    weight = models.FloatField(default=1.0)
    read = models.DateTimeField(null=True)  # guidelines, last confirmed
    trained = models.IntegerField(default=0)
    trained_right = models.IntegerField(default=0)
    demo_done = models.IntegerField(default=0)
    demo_skipped = models.IntegerField(default=0)
    demo_seconds = models.FloatField(default=0)
    demo_result = models.JSONField(null=True)  # what the selection needs, when the demo is done
    demo_finished = models.DateTimeField(null=True)
    verdict = models.CharField(
        max_length=8,
        choices=ApplicationVerdict.choices,
        default=ApplicationVerdict.OPEN,
        blank=True,
    )
    why = models.CharField(max_length=100, default="", blank=True)
    draft = models.JSONField(default=dict)  # of the training or demo item in hand

    # workers from elsewhere: a keyed hash of their id, and of the visit that may come back
    outside = models.CharField(max_length=64, null=True, unique=True)
    visit = models.CharField(max_length=64, default="", blank=True)
    study = models.CharField(max_length=100, default="", blank=True)
    completed = models.DateTimeField(null=True)


class ConsentText(models.Model):
    """The words that people agreed to, by version."""

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
    """An answer to a training or demo item; the first one stands."""

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


# The course of the work: batches that are opened one after another.
class Batch(models.Model):
    """A named stretch of places that is given out together, once it is open."""

    name = models.CharField(max_length=200, unique=True)
    first = models.BigIntegerField(unique=True)
    last = models.BigIntegerField()
    opened = models.DateTimeField(null=True)
