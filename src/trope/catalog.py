"""The one list of names: what can be loaded by name, where it lives, what it needs."""

from __future__ import annotations

from trope.core.registry import Entry, Registry

READERS: Registry[object] = Registry("reader", {})
"""Corpus readers; `trope.corpora` describes the corpora themselves."""

EVALUATIONS: Registry[object] = Registry(
    "evaluation",
    {
        "syntax": Entry(
            "trope.cli.evaluation.syntax:evaluate",
            "Tags, trees, lemmas and relations: ewt, tweebank, gum, raw, headlines, tweets.",
        ),
    },
)
"""Tasks of `trope evaluate`."""

TRAININGS: Registry[object] = Registry("training", {})
"""Tasks of `trope train`."""
