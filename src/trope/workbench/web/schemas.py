"""Schemas of the HTTP API: the types of requests and answers.

Requests are checked against these types, and the description of the API is made from them, so that
the two cannot differ. Answers are those of the commands; tests compare them with the description.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trope.core.records import NameClass, TextKind
from trope.tasks.rewriting.rewriter import Rewriting
from trope.tasks.rewriting.task import Direction
from trope.workbench.requests import REWRITING_LIMIT, TEXT_LIMIT

Task = Literal["syntax", "relations", "metaphor", "metonymy", "sentiment"]


class ApiRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request; unknown keys are refused."""


class AnalyzeRequest(ApiRequest, frozen=True):
    """A text to analyse, and the tasks; without tasks, all of them."""

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_LIMIT)]
    kind: TextKind = "plain"
    tasks: Annotated[list[Task], Meta(min_length=1)] | None = None


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
    metaphor: Annotated[float, Meta(ge=0, le=1)] | None = None


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
    score: Annotated[float, Meta(ge=0, le=1)]
    stands_for: str


class SentimentDocument(msgspec.Struct):
    """The sentiment of a text."""

    score: Annotated[float, Meta(ge=-5, le=5)]
    integer: Annotated[int, Meta(ge=-5, le=5)]


class AnalysisDocument(msgspec.Struct, omit_defaults=True):
    """An analysis, as `trope analyze --json` prints it; other tasks are left out."""

    text: str
    tokens: list[TokenDocument]
    sentences: list[tuple[int, int]]
    relations: list[RelationDocument] | None = None
    figurative: list[float] | None = None
    threshold: float | None = None
    sentence_threshold: float | None = None
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
