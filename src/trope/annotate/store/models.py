"""The tables of a project.

Of every item that is no control item: open_slots + leases not released + judgments that count
= judgments_an_item. Services keep that sum; a constraint keeps open_slots from going below zero.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q


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
    state = models.CharField(max_length=10, default="active")  # or dismissed
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


class Item(models.Model):
    """Something to judge. A control item has known answers and no slots."""

    external_id = models.CharField(max_length=200, unique=True)
    text = models.TextField()
    payload = models.JSONField(default=dict)
    gold = models.JSONField(null=True)
    is_gold = models.BooleanField(default=False)
    place = models.BigIntegerField(unique=True)
    open_slots = models.IntegerField()

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
    undoes = models.ForeignKey("Judgment", null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "person"], name="one_lease_each"),
        ]
        indexes = [
            models.Index(fields=["expires"], condition=Q(released=False), name="leases_out"),
        ]


class Judgment(models.Model):
    """One answered form. Rows are added, never altered but for `state` and `current`."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT)
    person = models.ForeignKey(Person, on_delete=models.PROTECT)
    token = models.CharField(max_length=32, unique=True)
    answers = models.JSONField()
    seconds = models.FloatField()
    at = models.DateTimeField()
    state = models.CharField(max_length=10)  # counted, surplus, skipped, gold, discarded
    gold_right = models.BooleanField(null=True)
    current = models.BooleanField(default=True)
    replaces = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="replaced_by"
    )

    class Meta:
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


class Batch(models.Model):
    """A named stretch of places that is given out together, once it is open."""

    name = models.CharField(max_length=200, unique=True)
    first = models.BigIntegerField(unique=True)
    last = models.BigIntegerField()
    opened = models.DateTimeField(null=True)
