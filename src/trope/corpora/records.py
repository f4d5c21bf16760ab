"""Records that the readers yield."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A text and its line; `fields` holds the other columns of a table."""

    id: str
    text: str
    line: int
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence with a verdict for every word; `upos` and `genre` are empty where not given."""

    id: str
    words: tuple[str, ...]
    labels: tuple[bool, ...]
    line: int
    upos: tuple[str, ...] = ()
    genre: str = ""


@dataclass(frozen=True, slots=True)
class LabelledTarget:
    """One word of a sentence, `words[target]`, used metaphorically or not; `verb` is its lemma."""

    id: str
    words: tuple[str, ...]
    target: int
    verb: str
    metaphor: bool
    line: int
    subject: str = ""
    object: str = ""


@dataclass(frozen=True, slots=True)
class LabelledExpression:
    """Words that form an expression by themselves: adjective and noun, or subject, verb, object.

    A part that the expression lacks is empty.
    """

    words: tuple[str, ...]
    metaphor: bool
    line: int
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """The words `start` to `end` (exclusive) of a text, used metaphorically or not."""

    words: tuple[str, ...]
    start: int
    end: int
    metaphor: bool
    line: int
