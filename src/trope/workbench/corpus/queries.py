"""What can be asked of a corpus: one record a view, whoever asks (command, page or program).

The fields, their defaults and their limits stand here alone; the command line that a table names is
made from the record.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trope.core.errors import BadInput, UnknownName

MOST_ROWS = 10_000
PATTERN_LIMIT = 200
"""Characters of a regular expression."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_COUNT_LIMIT = 1_000_000_000
_Rows = Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Rows of the table a page.")]
_Score = Annotated[float, Meta(ge=0, le=1)]


def _word(description: str) -> Meta:
    return Meta(max_length=2_000, description=description)


def _count(description: str) -> Meta:
    return Meta(ge=1, le=_COUNT_LIMIT, description=description)


def _said(description: str) -> Meta:
    return Meta(description=description)


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all views share: which texts are meant, and which rows of the table are shown."""

    where: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        _said("Texts alone where COLUMN=VALUE; dates that begin so."),
    ] = ()
    rows: _Rows = 50
    page: Annotated[int, _count("Which page.")] = 1

    @property
    def skipped(self) -> int:
        """Rows before the page."""
        return (self.page - 1) * self.rows

    def paged(self, total: int) -> dict[str, int]:
        """How many rows there are in all, and which page of how many this is."""
        return {"total": total, "page": self.page, "pages": max(1, -(-total // self.rows))}


class RatesQuery(Query, frozen=True, kw_only=True):
    """Rates of metaphor of groups of texts, with 95 % intervals."""

    rows: _Rows = 200
    by: Annotated[str, _word("Column whose values are the groups.")] = "file"
    period: Annotated[
        Literal["", "day", "month", "year"],
        _said("Of a date: day, month or year.  [default: as many as fit a plot]"),
    ] = ""
    sort: Annotated[
        Literal["", "rate", "words", "name"],
        _said("Order of the groups.  [default: rate, of dates name]"),
    ] = ""


class VerbsQuery(Query, frozen=True, kw_only=True):
    """The most metaphorical verbs and the objects that they have."""

    rows: _Rows = 20
    min_uses: Annotated[int, _count("Verbs used at least so often.")] = 1


class KeynessQuery(Query, frozen=True, kw_only=True):
    """Lemmas that one part has more, or less, often than another."""

    by: Annotated[str, _word("Column that parts the corpus.")]
    part: Annotated[str, _word("Value of the one part.")]
    against: Annotated[str, _word("Value of the other part.  [default: all the rest]")] = ""
    metaphors: Annotated[bool, _said("Count uses as metaphors alone.")] = False
    min_count: Annotated[int, _count("Lemmas that stand so often in both together.")] = 5
    correction: Annotated[
        Literal["holm", "bh"], _said("Of p, for many tests: Holm, or Benjamini and Hochberg.")
    ] = "holm"
    direction: Annotated[
        Literal["both", "more", "less"], _said("Lemmas that the part has more, or less, often.")
    ] = "both"


class ConcordanceQuery(Query, frozen=True, kw_only=True):
    """Words in their context. Everything that is asked for must hold of the word."""

    lemma: Annotated[str, _word("The word in any of its forms.")] = ""
    form: Annotated[str, _word("The word as it is spelt, in capitals or not.")] = ""
    regex: Annotated[
        str, Meta(max_length=PATTERN_LIMIT, description="Words in which this expression is found.")
    ] = ""
    upos: Annotated[str, _word("Part of speech, such as VERB.")] = ""
    object: Annotated[str, _word("Verbs with this lemma as their object.")] = ""
    subject: Annotated[str, _word("Verbs with this lemma as their subject (and an object).")] = ""
    relations: Annotated[bool, _said("Verbs that have an object, with it.")] = False
    metaphors: Annotated[bool, _said("Metaphors alone.")] = False
    min_score: Annotated[_Score, _said("Lowest score of the word.")] = 0.0
    max_score: Annotated[_Score, _said("Highest score of the word.")] = 1.0
    context: Annotated[int, Meta(ge=1, le=40, description="Words to either side.")] = 10
    sort: Annotated[
        Literal["place", "left", "right", "score"],
        _said("By place in the corpus, by the words to the left or right, or by score."),
    ] = "place"

    @property
    def of_relations(self) -> bool:
        """Whether verbs with their objects are asked for, not words."""
        return bool(self.relations or self.object or self.subject)


class TextQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One text, word by word, by its number in a concordance."""

    text: Annotated[int, Meta(ge=1, le=2**31 - 1, description="Number of the text.")]


AnyQuery = RatesQuery | VerbsQuery | KeynessQuery | ConcordanceQuery | TextQuery
VIEWS: dict[str, type[AnyQuery]] = {
    "rates": RatesQuery,
    "verbs": VerbsQuery,
    "keyness": KeynessQuery,
    "concordance": ConcordanceQuery,
    "text": TextQuery,
}
_ARGUMENTS = {"text"}
"""Fields that stand on the command line without their name."""


def view_name(query: AnyQuery) -> str:
    """The name of the view that a query asks for."""
    return next(name for name, kind in VIEWS.items() if type(query) is kind)


def make_query(view: str, fields: Mapping[str, Any]) -> AnyQuery:
    """The query of a view, from fields as programs and forms send them; empty ones are left out.

    Raises:
        UnknownName: for a view that there is not.
        BadInput: naming the field that cannot be used.
    """
    if view not in VIEWS:
        raise UnknownName("view of a corpus", view, tuple(VIEWS))
    given = {name: value for name, value in fields.items() if value not in ("", None, [], ())}
    for name, value in given.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, str) and not one.isascii() and _SURROGATE.search(one):
                raise BadInput(f"{view}: {name}: is no text (not UTF-8); write it in UTF-8")
    try:
        return msgspec.convert(given, VIEWS[view], strict=False)
    except msgspec.ValidationError as error:
        help_text = f"see trope query FOLDER {view} --help"
        raise BadInput(f"{view}: {_in_words(str(error))}; {help_text}") from None


def _in_words(problem: str) -> str:
    """A fault of a field, the field first."""
    said, _, place = problem.replace("`", "").partition(" - at $.")
    return f"{place}: {said[0].lower()}{said[1:]}" if place else f"{said[0].lower()}{said[1:]}"


def command_line(folder: Path, query: AnyQuery) -> str:
    """The command that gives the same table; what has its default is left out."""
    words = ["trope", "query", str(folder), view_name(query)]
    for field in msgspec.structs.fields(type(query)):
        value = getattr(query, field.name)
        if field.name in _ARGUMENTS:
            words.append(str(value))
        elif value != field.default:
            words += _option(field.name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    values = value if isinstance(value, tuple) else (value,)
    words: list[str] = []
    for one in map(str, values):
        # with =, so that a value that begins with a dash is not taken for an option
        words += [f"{option}={one}"] if one.startswith("-") else [option, one]
    return words
