"""What the HTTP API takes and gives: the types that requests are checked against.

The description of the API is made from the same types, so that it cannot differ from the checks.
Answers are those of the commands; their types are here for the description, and tests hold real
answers against it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trope.core.records import NameClass, TextKind
from trope.tasks.rewriting.rewriter import Rewriting
from trope.tasks.rewriting.task import Direction
from trope.workbench.limits import REWRITING_LIMIT, TEXT_LIMIT

Task = Literal["syntax", "relations", "metaphor", "metonymy", "sentiment"]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a request brings; a key that is not here is refused."""


class AnalyzeRequest(Request, frozen=True):
    """A text to analyse, and no more than the tasks if any are named."""

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_LIMIT)]
    kind: TextKind = "plain"
    tasks: Annotated[list[Task], Meta(min_length=1)] | None = None


class RewriteRequest(Request, frozen=True):
    """A text whose verbs are to be said plainly, or with a picture."""

    text: Annotated[str, Meta(min_length=1, max_length=REWRITING_LIMIT)]
    to: Direction
    verb: str | None = None
    top: Annotated[int, Meta(ge=1, le=40)] = 6
    kind: TextKind = "plain"


class TokenDocument(msgspec.Struct, omit_defaults=True):
    """A word; `head` is the number of another one, -1 for a root."""

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
    """A verb with its object, or with its subject too; numbers are those of words."""

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
    """A name, its reading there, and what it stands for."""

    start: int
    end: int
    name_class: NameClass
    reading: str
    score: Annotated[float, Meta(ge=0, le=1)]
    stands_for: str


class SentimentDocument(msgspec.Struct):
    """How a text feels."""

    score: Annotated[float, Meta(ge=-5, le=5)]
    integer: Annotated[int, Meta(ge=-5, le=5)]


class AnalysisDocument(msgspec.Struct, omit_defaults=True):
    """An analysis, as `trope analyze --json` prints it; what was not asked for is left out."""

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
    """A view of a corpus, as `trope query FOLDER VIEW --json` prints it; views add to it."""

    trope: str
    view: str
    command: str
    columns: list[str]
    rows: list[dict[str, Any]]
    notes: list[str]


class Fault(msgspec.Struct):
    """Why there is no answer: a code for programs, words for people."""

    code: str
    message: str


class ErrorDocument(msgspec.Struct):
    """What comes instead of an answer."""

    error: Fault
