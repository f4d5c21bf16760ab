"""The one list of names: what can be loaded by name, where it lives, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from trope.core.registry import Entry, Registry

Reader = Callable[..., Iterator[Any]]
"""A path, a stream or "-" in, records out; options are keywords."""

READERS: Registry[Reader] = Registry(
    "reader",
    {
        "conllu": Entry("trope.corpora.conllu:read_conllu", "Treebanks in CoNLL-U."),
        "documents": Entry("trope.corpora.plain:read_documents", "Texts between blank lines."),
        "lines": Entry("trope.corpora.plain:read_lines", "A text a line."),
        "rows": Entry("trope.corpora.tables:read_rows", "Any CSV, TSV or JSON lines."),
        "texts": Entry("trope.corpora.tables:read_texts", "Tables with a column of texts."),
    },
)
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

TRAININGS: Registry[Callable[..., None]] = Registry(
    "training",
    {
        "syntax": Entry(
            "trope.train.syntax:train_syntax",
            "The small encoder with its tags, trees and lemmas.",
            extra="train",
        ),
    },
)
"""Tasks of `trope train`."""
