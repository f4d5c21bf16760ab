"""The Django application that holds the tables."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class StoreConfig(AppConfig):
    """Tables of an annotation project."""

    name = "trope.annotate.store"
    label = "store"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Also the tables of models as annotators, which live with what reads and writes them."""
        super().import_models()
        import_module("trope.annotate.store.model_answers")
