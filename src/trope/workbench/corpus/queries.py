"""Queries of a corpus: one record per view, whether a command, a page or a program asks.

Fields, defaults and limits are declared only here; the command line that a table shows is made from
the record.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from trope.core.errors import UnknownName
from trope.core.records import WordView
from trope.workbench.requests import BadField, convert_fields

MOST_ROWS = 10_000
PATTERN_LIMIT = 200
"""Most characters of a regular expression."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_COUNT_LIMIT = 1_000_000_000
_Rows = Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Rows per page.")]
_Score = Annotated[float, Meta(ge=0, le=1)]


def _word(description: str) -> Meta:
    return Meta(max_length=2_000, description=description)


def _count(description: str) -> Meta:
    return Meta(ge=1, le=_COUNT_LIMIT, description=description)


def _help(description: str) -> Meta:
    return Meta(description=description)


_View = Annotated[
    Literal["", WordView],
    _help("Words that count as metaphors.  [default: as in the corpus]"),
]


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields that all views share: which texts to use, and which rows to show."""

    where: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        _help("Only texts with this value; of a date, its beginning."),
    ] = ()
    rows: _Rows = 50
    page: Annotated[int, _count("Page to show.")] = 1
    words: _View = ""

    @property
    def skipped(self) -> int:
        """Rows on the pages before."""
        return (self.page - 1) * self.rows

    def paged(self, total: int) -> dict[str, int]:
        """The number of rows, and the page of how many."""
        return {"total": total, "page": self.page, "pages": max(1, -(-total // self.rows))}


class RatesQuery(Query, frozen=True, kw_only=True):
    """Rates of metaphor by group of texts, with 95 % intervals."""

    rows: _Rows = 200
    by: Annotated[str, _word("Column whose values form the groups.")] = "file"
    period: Annotated[
        Literal["", "day", "month", "year"],
        _help("Group dates by day, month or year.  [default: the finest that fits a plot]"),
    ] = ""
    sort: Annotated[
        Literal["", "rate", "words", "name"],
        _help("Order of the groups.  [default: rate; name for dates]"),
    ] = ""


class VerbsQuery(Query, frozen=True, kw_only=True):
    """The most metaphorical verbs, with their objects."""

    rows: _Rows = 20
    min_uses: Annotated[int, _count("Only verbs with at least this many uses.")] = 1


class FiguresQuery(Query, frozen=True, kw_only=True):
    """Metaphors, idioms, similes and names, with their dispersion over texts and an example."""

    kind: Annotated[
        Literal["all", "metaphor", "idiom", "simile", "metonymy"],
        _help("Only figures of this kind; metonymy: names that stand for something else."),
    ] = "all"
    upos: Annotated[str, _word("Only metaphors of this part of speech, such as NOUN.")] = ""
    min_count: Annotated[int, _count("Only figures that occur at least this often.")] = 1
    sort: Annotated[
        Literal["count", "rate", "texts", "novelty", "surprise"],
        _help("Order: most frequent, highest rate, most texts, most novel, or most surprising."),
    ] = "count"


class ComparedQuery(Query, frozen=True, kw_only=True):
    """What the comparisons of groups, of corpora and over time share: what is compared."""

    of: Annotated[
        Literal["lemmas", "classes", "figures", "domains"],
        _help("What is compared: lemmas, parts of speech, kinds of figures, or source domains."),
    ] = "lemmas"
    upos: Annotated[str, _word("Only lemmas used as this part of speech, such as NOUN.")] = ""
    metaphors: Annotated[bool, _help("Count only metaphorical uses.")] = False
    min_count: Annotated[int, _count("Only what occurs at least this often in all.")] = 5
    correction: Annotated[
        Literal["holm", "bh"],
        _help("Correction of p for many tests: Holm, or Benjamini and Hochberg."),
    ] = "holm"


class KeynessQuery(ComparedQuery, frozen=True, kw_only=True):
    """Lemmas, figures or domains that are more, or less, frequent in one group of texts."""

    by: Annotated[str, _word("Column whose values form the groups.")]
    part: Annotated[str, _word("Value of the group to describe.")]
    against: Annotated[
        str, _word("Value of the group to compare with.  [default: all other texts]")
    ] = ""
    direction: Annotated[
        Literal["both", "more", "less"],
        _help("Only what is more, or less, frequent in the group."),
    ] = "both"


class CompareQuery(ComparedQuery, frozen=True, kw_only=True):
    """What is more, or less, frequent than in another corpus, of the same settings."""

    other: Annotated[str, _word("Folder of the other corpus.")]
    direction: Annotated[
        Literal["both", "more", "less"],
        _help("Only what is more, or less, frequent in the first corpus."),
    ] = "both"


class TrendQuery(ComparedQuery, frozen=True, kw_only=True):
    """What rises and falls over time, by a regression over the periods of a column with dates."""

    by: Annotated[str, _word("Column with dates.")]
    period: Annotated[
        Literal["", "day", "month", "year"],
        _help("Length of a period.  [default: the finest that fits a plot]"),
    ] = ""
    min_count: Annotated[int, _count("Only what occurs at least this often in all.")] = 20
    direction: Annotated[
        Literal["both", "rising", "falling"], _help("Only what rises, or what falls.")
    ] = "both"


class CollocatesQuery(Query, frozen=True, kw_only=True):
    """Words near a lemma: in a window, or as the subjects and objects of a verb."""

    lemma: Annotated[str, _word("Lemma: the word in any of its forms.")]
    near: Annotated[
        Literal["window", "object", "subject"],
        _help("Words in a window around the lemma, or subjects or objects of a verb."),
    ] = "window"
    window: Annotated[int, Meta(ge=1, le=20, description="Words on either side.")] = 4
    uses: Annotated[
        Literal["all", "metaphors", "others"],
        _help("Which uses of the lemma: all, metaphors, or the others."),
    ] = "all"
    upos: Annotated[str, _word("Part of speech of the words near it.")] = ""
    min_count: Annotated[int, _count("Only words that are near it at least this often.")] = 3
    sort: Annotated[
        Literal["log_likelihood", "log_ratio", "log_dice", "count"], _help("Order of the words.")
    ] = "log_likelihood"


class SketchQuery(Query, frozen=True, kw_only=True):
    """Objects and subjects of a verb, at metaphorical uses and at the others side by side."""

    lemma: Annotated[str, _word("Lemma of the verb.")]
    role: Annotated[
        Literal["both", "object", "subject"],
        _help("Objects, subjects (of verbs with an object), or both."),
    ] = "both"
    min_count: Annotated[int, _count("Only words that occur with it at least this often.")] = 1
    sort: Annotated[
        Literal["count", "metaphors", "others"],
        _help("Order: most frequent, most typical of metaphorical uses, or of the others."),
    ] = "count"


class NgramsQuery(Query, frozen=True, kw_only=True):
    """Sequences of words that recur, without punctuation, in lower case."""

    size: Annotated[int, Meta(ge=2, le=4, description="Words of a sequence.")] = 3
    lemma: Annotated[str, _word("Only sequences with this lemma.")] = ""
    metaphors: Annotated[bool, _help("Only sequences with a metaphor, by these.")] = False
    min_count: Annotated[
        int, Meta(ge=2, le=_COUNT_LIMIT, description="Only those that occur at least this often.")
    ] = 3


class DispersionQuery(Query, frozen=True, kw_only=True):
    """Texts with a word, its places in them, and how evenly it is spread over all texts."""

    lemma: Annotated[str, _word("Lemma: the word in any of its forms.")]
    upos: Annotated[str, _word("Part of speech, such as VERB.")] = ""
    uses: Annotated[
        Literal["all", "metaphors", "others"],
        _help("Which uses of the lemma: all, metaphors, or the others."),
    ] = "all"
    sort: Annotated[
        Literal["count", "rate", "place"],
        _help("Order of the texts: most uses, highest rate, or place in the corpus."),
    ] = "count"


class ConcordanceQuery(Query, frozen=True, kw_only=True):
    """Words in context. A word must match all conditions that you give."""

    lemma: Annotated[str, _word("Lemma: the word in any of its forms.")] = ""
    form: Annotated[str, _word("The word as it is spelt; case does not matter.")] = ""
    regex: Annotated[
        str,
        Meta(max_length=PATTERN_LIMIT, description="Words that this regular expression matches."),
    ] = ""
    upos: Annotated[str, _word("Part of speech, such as VERB.")] = ""
    object: Annotated[str, _word("Verbs with this lemma as their object.")] = ""
    subject: Annotated[str, _word("Verbs with this lemma as their subject (and an object).")] = ""
    relations: Annotated[bool, _help("Only verbs with an object, with that object.")] = False
    metaphors: Annotated[bool, _help("Only metaphors.")] = False
    min_score: Annotated[_Score, _help("Lowest score of the word.")] = 0.0
    max_score: Annotated[_Score, _help("Highest score of the word.")] = 1.0
    context: Annotated[int, Meta(ge=1, le=40, description="Words of context on either side.")] = 10
    sort: Annotated[
        Literal["place", "left", "right", "score", "novelty", "column"],
        _help("Order: place in the corpus, words to the left or right, score, novelty, or --by."),
    ] = "place"
    by: Annotated[str, _word("Column of the texts to order by, with --sort column.")] = ""

    @property
    def of_relations(self) -> bool:
        """Whether the query is for verbs with their objects, not for words."""
        return bool(self.relations or self.object or self.subject)


class DomainsQuery(Query, frozen=True, kw_only=True):
    """What metaphors are drawn from: the shares of source domains, also by group of texts."""

    by: Annotated[str, _word("Column whose values form the groups.  [default: none]")] = ""
    period: Annotated[
        Literal["", "day", "month", "year"],
        _help("Group dates by day, month or year.  [default: year]"),
    ] = ""
    target: Annotated[str, _word("Only metaphors near this lemma, which they may speak of.")] = ""
    window: Annotated[int, Meta(ge=1, le=20, description="Words that count as near.")] = 5
    min_count: Annotated[int, _count("Only domains of at least this many metaphors.")] = 1


class FeaturesQuery(Query, frozen=True, kw_only=True):
    """Texts with their counts and rates, for statistics elsewhere; --out writes all of them."""


class TextQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One text, word by word, by its number in a concordance."""

    text: Annotated[int, Meta(ge=1, le=2**31 - 1, description="Number of the text.")]
    words: _View = ""


AnyQuery = (
    RatesQuery
    | FiguresQuery
    | VerbsQuery
    | KeynessQuery
    | CompareQuery
    | TrendQuery
    | CollocatesQuery
    | ConcordanceQuery
    | SketchQuery
    | NgramsQuery
    | DispersionQuery
    | DomainsQuery
    | FeaturesQuery
    | TextQuery
)
VIEWS: dict[str, type[AnyQuery]] = {
    "rates": RatesQuery,
    "figures": FiguresQuery,
    "verbs": VerbsQuery,
    "keyness": KeynessQuery,
    "trend": TrendQuery,
    "collocates": CollocatesQuery,
    "sketch": SketchQuery,
    "ngrams": NgramsQuery,
    "dispersion": DispersionQuery,
    "concordance": ConcordanceQuery,
    "domains": DomainsQuery,
    "features": FeaturesQuery,
    "text": TextQuery,
}
COMMANDS: dict[str, type[AnyQuery]] = {**VIEWS, "compare": CompareQuery}
"""Views, and what reads another folder, which only a command may do."""

DRAWN = (
    *("rates", "figures", "verbs", "domains", "keyness", "compare", "trend"),
    *("collocates", "ngrams", "dispersion"),
)
"""Views with a plot."""

_FIRST, _ARGUMENTS = 4, {"text", "other"}
"""Fields that are arguments of the command, not options."""


def view_name(query: AnyQuery) -> str:
    """The name of a query's view."""
    return next(name for name, kind in COMMANDS.items() if type(query) is kind)


def make_query(
    view: str, fields: Mapping[str, Any], known: Mapping[str, type[AnyQuery]] = VIEWS
) -> AnyQuery:
    """The query of a view, from the fields that a program or a form sent; empty ones are ignored.

    Raises:
        UnknownName: there is no such view.
        BadField: a field is unknown, missing or has a wrong value.
    """
    if view not in known:
        raise UnknownName("view of a corpus", view, tuple(known))
    given = {name: value for name, value in fields.items() if value not in ("", None, [], ())}
    for name, value in given.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, str) and not one.isascii() and _SURROGATE.search(one):
                raise BadField(name, "is not UTF-8 text")
    query: AnyQuery = convert_fields(given, known[view], strict=False)
    return query


def command_line(folder: Path, query: AnyQuery) -> str:
    """The command that gives the same table; fields with their default are left out."""
    words = ["trope", "query", str(folder), view_name(query)]
    for field in msgspec.structs.fields(type(query)):
        value = getattr(query, field.name)
        if field.name in _ARGUMENTS:
            words.insert(_FIRST, str(value))
        elif value != field.default:
            words += _option(field.name, value)
    return shlex.join(words)


def notebook_cell(folder: Path, query: AnyQuery) -> str:
    """Python that makes the same table as a data frame, for a notebook."""
    fields = {
        field.name: list(value) if isinstance(value, tuple) else value
        for field in msgspec.structs.fields(type(query))
        if field.name != "words" and (value := getattr(query, field.name)) != field.default
    }
    view = f", words={query.words!r}" if query.words else ""
    return f"""\
from pathlib import Path

import pandas as pd
from trope.workbench.corpus.corpus import open_corpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.views import answer

corpus = open_corpus(Path({str(folder.resolve())!r}){view})
table = answer(corpus, make_query({view_name(query)!r}, {fields!r}))
pd.DataFrame(table.dicts())
"""


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    values = value if isinstance(value, tuple) else (value,)
    words: list[str] = []
    for one in map(str, values):
        # with =, so that a value that begins with a dash is not read as an option
        words += [f"{option}={one}"] if one.startswith("-") else [option, one]
    return words
