"""Figurative language in Python; names load when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trope.core.errors import TropeError
    from trope.core.records import (
        Analysis,
        Figure,
        FigureVerdict,
        Metonymy,
        Name,
        Relation,
        SentenceSpan,
        Sentiment,
        Token,
    )
    from trope.integrations.spacy import load
    from trope.pipeline import Pipeline, analyze, analyze_many, rewrite
    from trope.render.frames import to_frame, to_table
    from trope.tasks.rewriting.rewriter import Candidate, Rewriting

__version__ = "0.1.0"

_PUBLIC = {
    "Analysis": "trope.core.records",
    "Candidate": "trope.tasks.rewriting.rewriter",
    "Figure": "trope.core.records",
    "FigureVerdict": "trope.core.records",
    "Metonymy": "trope.core.records",
    "Name": "trope.core.records",
    "Pipeline": "trope.pipeline",
    "Relation": "trope.core.records",
    "Rewriting": "trope.tasks.rewriting.rewriter",
    "SentenceSpan": "trope.core.records",
    "Sentiment": "trope.core.records",
    "Token": "trope.core.records",
    "TropeError": "trope.core.errors",
    "analyze": "trope.pipeline",
    "analyze_many": "trope.pipeline",
    "load": "trope.integrations.spacy",
    "rewrite": "trope.pipeline",
    "to_frame": "trope.render.frames",
    "to_table": "trope.render.frames",
}

__all__ = [
    "Analysis",
    "Candidate",
    "Figure",
    "FigureVerdict",
    "Metonymy",
    "Name",
    "Pipeline",
    "Relation",
    "Rewriting",
    "SentenceSpan",
    "Sentiment",
    "Token",
    "TropeError",
    "__version__",
    "analyze",
    "analyze_many",
    "load",
    "rewrite",
    "to_frame",
    "to_table",
]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'trope' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
