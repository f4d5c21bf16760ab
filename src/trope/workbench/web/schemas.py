"""Schemas of the HTTP API: the types of requests and answers.

Requests are checked against these types, and the description of the API is made from them, so that
the two cannot differ. Answers are those of the commands; tests compare them with the description.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trope.core.options import DEFAULT_WORDS
from trope.core.records import (
    EntityClass,
    FigureKind,
    NameClass,
    SentimentScale,
    TextKind,
    WordView,
)
from trope.tasks.rewriting.rewriter import Rewriting
from trope.tasks.rewriting.task import Direction
from trope.workbench.requests import REWRITING_LIMIT, TEXT_LIMIT

_Share = Annotated[float, Meta(ge=0, le=1)]
Task = Literal["syntax", "relations", "metaphor", "metonymy", "sentiment"]


class ApiRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request; unknown keys are refused."""


class AnalyzeRequest(ApiRequest, frozen=True):
    """A text to analyse, and the tasks; without tasks, all of them.

    `words` is the view of words that are shown as metaphors, `threshold` their lowest score.
    """

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_LIMIT)]
    kind: TextKind = "plain"
    tasks: Annotated[list[Task], Meta(min_length=1)] | None = None
    words: WordView = DEFAULT_WORDS
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None


class RewriteRequest(ApiRequest, frozen=True):
    """A text whose verbs are to be rewritten literally or metaphorically."""

    text: Annotated[str, Meta(min_length=1, max_length=REWRITING_LIMIT)]
    to: Direction
    verb: str | None = None
    top: Annotated[int, Meta(ge=1, le=40)] = 6
    kind: TextKind = "plain"


class TokenDocument(msgspec.Struct, omit_defaults=True):
    """A token; `head` is the number of its head, -1 for a root."""

    text: str
    start: int
    end: int
    upos: str = ""
    xpos: str = ""
    lemma: str = ""
    head: int = -1
    deprel: str = ""
    metaphor: _Share | None = None
    noticed: _Share | None = None
    novelty: _Share | None = None


class RelationDocument(msgspec.Struct, omit_defaults=True):
    """A verb with its object, or with subject and object, as numbers of tokens."""

    kind: Literal["vo", "svo"]
    verb: int
    subject: int | None
    object: int | None
    particle: int | None
    root: bool
    kept: bool
    reason: str
    negated: bool
    passive: bool
    verb_class: str
    words: dict[str, str | None]
    start: int
    end: int
    expression: str
    metaphor: Annotated[float, Meta(ge=0, le=1)] | None = None


class MetonymyDocument(msgspec.Struct, rename={"name_class": "class"}):
    """A name, its reading in the text, and what it stands for."""

    start: int
    end: int
    name_class: NameClass
    reading: str
    score: _Share
    stands_for: str


class FigureDocument(msgspec.Struct, omit_defaults=True):
    """What a reader would call figurative; `tokens` and the parts of a simile are numbers of
    tokens."""

    kind: FigureKind
    start: int
    end: int
    tokens: list[int]
    score: _Share
    novelty: _Share | None = None
    meaning: str = ""
    stands_for: str = ""
    topic: list[int] = []
    vehicle: list[int] = []
    ground: list[int] = []


class NameDocument(msgspec.Struct, rename={"name_class": "class"}):
    """A name of a place, an organisation or a person."""

    start: int
    end: int
    name_class: EntityClass


class SentimentDocument(msgspec.Struct):
    """The sentiment of a text, and the scale that it is on."""

    score: Annotated[float, Meta(ge=-5, le=5)]
    integer: Annotated[int, Meta(ge=-5, le=5)]
    scale: SentimentScale


class AnalysisDocument(msgspec.Struct, omit_defaults=True):
    """An analysis, as `trope analyze --json` prints it; other tasks are left out."""

    text: str
    tokens: list[TokenDocument]
    sentences: list[tuple[int, int]]
    relations: list[RelationDocument] | None = None
    figurative: list[float] | None = None
    threshold: float | None = None
    sentence_threshold: float | None = None
    words: WordView | None = None
    shown_threshold: float | None = None
    figures: list[FigureDocument] | None = None
    names: list[NameDocument] | None = None
    metonymies: list[MetonymyDocument] | None = None
    sentiment: SentimentDocument | None = None


class RewritingsDocument(msgspec.Struct):
    """Candidates for the verbs of a text, as `trope rewrite --json` prints them."""

    text: str
    rewritings: list[Rewriting]


class TableDocument(msgspec.Struct):
    """A view of a corpus, as `trope query FOLDER VIEW --json` prints it; views have more keys."""

    trope: str
    view: str
    command: str
    columns: list[str]
    rows: list[dict[str, Any]]
    notes: list[str]


class ErrorDetails(msgspec.Struct):
    """Why there is no answer: a code for programs, a message for people."""

    code: str
    message: str


class ErrorDocument(msgspec.Struct):
    """The answer to a request that is refused or fails."""

    error: ErrorDetails
