"""The Django application that holds the tables."""

from __future__ import annotations

from django.apps import AppConfig


class StoreConfig(AppConfig):
    """Tables of an annotation project."""

    name = "trope.annotate.store"
    label = "store"
    default_auto_field = "django.db.models.BigAutoField"
