"""The one list of names: what can be loaded by name, where it lives, what it needs."""

from __future__ import annotations

from trope.core.registry import Registry

READERS: Registry[object] = Registry("reader", {})
"""Corpus readers; `trope.corpora` describes the corpora themselves."""

EVALUATIONS: Registry[object] = Registry("evaluation", {})
"""Tasks of `trope evaluate`."""

TRAININGS: Registry[object] = Registry("training", {})
"""Tasks of `trope train`."""
