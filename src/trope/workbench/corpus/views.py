"""The views of a corpus: rates, figures, verbs, one text; and the answer to any query.

Intervals of rates account for the likeness of words in one text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import log2
from typing import Any

import msgspec

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare, Interval, wilson
from trope.workbench.corpus.concordance import concordance, contexts, dispersion, domains
from trope.workbench.corpus.corpus import NO_NOVELTY, IndexedCorpus, all_hold, figure_counts
from trope.workbench.corpus.features import features
from trope.workbench.corpus.keyness import keyness, no_words, trend
from trope.workbench.corpus.queries import (
    AnyQuery,
    CollocatesQuery,
    ConcordanceQuery,
    DispersionQuery,
    DomainsQuery,
    FeaturesQuery,
    FiguresQuery,
    KeynessQuery,
    NgramsQuery,
    RatesQuery,
    SketchQuery,
    TextQuery,
    TrendQuery,
    VerbsQuery,
    command_line,
)
from trope.workbench.corpus.table import CorpusTable, Row
from trope.workbench.corpus.word_tables import PERIODS
from trope.workbench.corpus.words_around import collocates, ngrams, sketch, verbs

_WORD_COLUMNS = ("place", "word", "lemma", "upos", "score", "metaphor", "start", "end", "novelty")
_REBUILT = "the text is rebuilt from its tokens; trope detect --columns text keeps the original"
_FIGURE_COLUMNS = (
    *("lemma", "kind", "upos", "meaning", "count", "uses", "rate", "low", "high"),
    *("texts", "dispersion", "novelty", "surprise", "example", "text"),
)
_METAPHOR_KEY = {"lemma": "INTEGER", "tag": "UTINYINT"}
_FIGURE_KEY = dict.fromkeys(("kind", "name", "meaning"), "VARCHAR")
_EXAMPLE_WORDS = 6
PASSAGE = 5_000
"""Most tokens of a text that a page shows at a time."""

_STOPS = " .,;:!?)”’"
"""What an example does not begin with."""

_RATE_COLUMNS = ("group", "texts", "sentences", "words", "metaphors", "rate", "low", "high")
_SUMS = """
    count(*), sum(sentences), count(*) FILTER (words > 0), sum(metaphors), sum(words),
    sum(metaphors::BIGINT * metaphors), sum(metaphors::BIGINT * words), sum(words::BIGINT * words)
"""

_ORDERS = {
    "rate": "coalesce(sum(metaphors) / nullif(sum(words), 0), 0) DESC, name",
    "words": "sum(words) DESC, name",
    "name": "name",
}


def answer(corpus: IndexedCorpus, query: AnyQuery) -> CorpusTable:
    """The table of a query.

    Raises:
        TropeError: a column is unknown, a value cannot be used, or the corpus has no words.
    """
    if corpus.view != (query.words or corpus.source.words):
        query = msgspec.structs.replace(query, words=corpus.view)
    table = _table(corpus, query)
    notes = table.notes if table.rows else (*table.notes, *_why_empty(corpus, query, table.about))
    return replace(table, about={**table.about, **corpus.counted}, notes=notes)


def _why_empty(corpus: IndexedCorpus, query: AnyQuery, about: Mapping[str, Any]) -> Iterator[str]:
    """What to change where a table has no rows."""
    if isinstance(query, TextQuery):
        return
    for one in corpus.conditions(query.where):
        held, given = all_hold((one,))
        if not corpus.database.one(f"SELECT count(*) FROM documents WHERE {held}", given)[0]:
            yield no_words(corpus, one.column.name, one.value)
    if isinstance(query, CollocatesQuery):
        known = query.near == "window" or about["uses"]
    elif isinstance(query, SketchQuery):
        known = any(n for name, n in about.items() if name.endswith(("_metaphors", "_others")))
    else:
        return
    if not known:
        verb = repr(query.lemma)
        yield f"no kept relation has the verb {verb}; a concordance shows its uses"


def _table(corpus: IndexedCorpus, query: AnyQuery) -> CorpusTable:
    match query:
        case RatesQuery():
            return rates(corpus, query)
        case FiguresQuery():
            return figures(corpus, query)
        case CollocatesQuery():
            return collocates(corpus, query)
        case VerbsQuery():
            return verbs(corpus, query)
        case KeynessQuery():
            return keyness(corpus, query)
        case ConcordanceQuery():
            return concordance(corpus, query)
        case DomainsQuery():
            return domains(corpus, query)
        case TrendQuery():
            return trend(corpus, query)
        case SketchQuery():
            return sketch(corpus, query)
        case NgramsQuery():
            return ngrams(corpus, query)
        case DispersionQuery():
            return dispersion(corpus, query)
        case FeaturesQuery():
            return features(corpus, query)
        case TextQuery():
            return text(corpus, query)
        case _:
            raise BadInput(
                "two corpora are compared by trope query FOLDER compare; give that command"
            )


def passage(corpus: IndexedCorpus, query: TextQuery, part: int, at: int) -> CorpusTable:
    """A part of a text that is too long for a page: the one with the word that begins `at`, if one
    does, or else the part with a number.

    `about` says which part of how many it is, and from which character to which it goes.
    """
    found = corpus.database.ask(
        "SELECT coalesce(len(starts), 0), list_position(starts, ?) FROM documents WHERE doc = ?",
        [at, query.text],
    )
    tokens, place = found[0] if found else (0, None)
    parts = max(1, -(-tokens // PASSAGE))
    part = min(max((place - 1) // PASSAGE + 1 if place else part, 1), parts)
    table = text(corpus, query, f"LIMIT {PASSAGE} OFFSET {(part - 1) * PASSAGE}")
    rows = table.dicts()
    about = {**table.about, **corpus.counted, "part": part, "parts": parts}
    about["begin"] = rows[0]["start"] if part > 1 else 0
    about["end"] = rows[-1]["end"] if part < parts else len(table.about["text"])
    return replace(table, about=about)


def text(corpus: IndexedCorpus, query: TextQuery, some: str = "") -> CorpusTable:
    """The tokens of a text, or `some` of them; `about` has the text itself and its columns."""
    fields = corpus.facts.columns
    keys = "".join(f", {column.key}" for column in fields)
    found = corpus.database.ask(
        f"SELECT id, line, text, words, metaphors, sentences{keys} FROM documents WHERE doc = ?",
        [query.text],
    )
    if not found:
        number = f"{corpus.facts.texts:,}"
        raise BadInput(f"there is no text {query.text}; texts are numbered from 1 to {number}")
    identifier, line, original, words, metaphors, sentences, *values = found[0]
    about = {"number": query.text, "id": identifier, "line": line, "text": original, "words": words}
    about |= {"metaphors": metaphors, "sentences": sentences}
    about["fields"] = {column.name: value for column, value in zip(fields, values, strict=True)}
    notes = [] if corpus.facts.text else [_REBUILT]
    rows: list[Row] = []
    if corpus.source.tokens:
        rows = corpus.database.ask(
            f"""
            SELECT pos, forms.text, lemmas.text, tags.text, score, metaphor, start, stop,
                novelty
            FROM (SELECT * FROM words WHERE doc = ?)
                JOIN forms USING (form) JOIN lemmas USING (lemma) JOIN tags USING (tag)
            ORDER BY pos {some}
            """,
            [query.text],
        )
    else:
        notes = [f"words need the column 'tokens'; add it with: {corpus.source.detect_again()}"]
    command = command_line(corpus.folder, query)
    return CorpusTable("text", _WORD_COLUMNS, rows, command, tuple(notes), about)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A figure of the list; metaphors have uses as a part of speech, which may be literal, too."""

    key: Row
    name: str
    kind: str
    upos: str
    meaning: str
    count: int
    uses: int | None
    texts: int
    novelty: float | None
    score: float

    @property
    def rate(self) -> Interval:
        """The share of figurative uses."""
        return wilson(self.count, self.uses or 0)

    def surprise(self, words: int) -> float:
        """How rare it is among so many words, in bits, by how sure the model is that it is one."""
        return -log2((self.uses or self.count) / words) * self.score

    def row(self, words: int, dispersion: float, example: Row) -> Row:
        """The row of the table."""
        rate = self.rate
        novelty = None if self.novelty is None else round(self.novelty, 3)
        surprise = round(self.surprise(words), 2)
        named = self.name, self.kind, self.upos, self.meaning, self.count, self.uses
        shares = rate.value, rate.low, rate.high
        return (*named, *shares, self.texts, dispersion, novelty, surprise, *example)


_FIGURE_ORDERS: dict[str, Callable[[_Listed, int], float]] = {
    "count": lambda one, words: one.count,
    "rate": lambda one, words: one.rate.low or 0,
    "texts": lambda one, words: one.texts,
    "novelty": lambda one, words: -1 if one.novelty is None else one.novelty,
    "surprise": _Listed.surprise,
}


def figures(corpus: IndexedCorpus, query: FiguresQuery) -> CorpusTable:
    """Metaphors by lemma and part of speech, idioms, similes, and names that stand for another
    thing."""
    corpus.need_words("figures")
    if query.kind not in ("all", "metaphor", *corpus.source.kinds):
        again = corpus.source.detect_again(metonymy=query.kind == "metonymy")
        raise BadInput(f"{corpus.folder}: has no figures of this kind; add them with: {again}")
    within, values = corpus.within(query.where)
    found = _metaphors(corpus, query) if query.kind in ("all", "metaphor") else []
    if query.kind != "metaphor" and not query.upos:
        found += _other_figures(corpus, query, within, values)
    sort, notes = query.sort, []
    if found and all(one.novelty is None for one in found):
        instead = "; ordered by surprise instead" if sort == "novelty" else ""
        notes.append(f"{NO_NOVELTY}{instead}")
        sort = "surprise" if instead else sort
    if query.kind == "all" and not query.upos and "metonymy" not in corpus.source.kinds:
        notes.append("names were not looked for; trope detect --with metonymy does")
    (words,) = corpus.database.one(f"SELECT sum(words) FROM documents WHERE {within}", values)
    first = _FIGURE_ORDERS[sort]
    found.sort(
        key=lambda one: (-first(one, words), -one.count, one.name, one.upos, one.kind, one.meaning)
    )
    shown = found[query.skipped : query.skipped + query.rows]
    spread = _spread(corpus, shown, words, within, values)
    rows = [one.row(words, *spread[at]) for at, one in enumerate(shown)]
    about, command = query.paged(len(found)), command_line(corpus.folder, query)
    return CorpusTable("figures", _FIGURE_COLUMNS, rows, command, tuple(notes), about)


def _metaphors(corpus: IndexedCorpus, query: FiguresQuery) -> list[_Listed]:
    counted, values = figure_counts(corpus.conditions(query.where))
    tagged = "AND tags.text = ?" if query.upos else ""
    found = corpus.database.ask(
        f"""
        SELECT lemma, tag, lemmas.text, tags.text, used.metaphors, used.words, texts, novelty, score
        FROM ({counted}) AS used JOIN lemmas USING (lemma) JOIN tags USING (tag)
        WHERE used.metaphors >= ? {tagged}
        """,
        [*values, query.min_count, *([query.upos.upper()] if query.upos else [])],
    )
    return [_Listed(one[:2], one[2], "metaphor", one[3], "", *one[4:]) for one in found]


def _other_figures(
    corpus: IndexedCorpus, query: FiguresQuery, within: str, values: list[str]
) -> list[_Listed]:
    if not corpus.source.kinds:
        return []
    only = "kind = ?" if query.kind != "all" else "true"
    found = corpus.database.ask(
        f"""
        SELECT kind, name, meaning, count(*) AS n, count(DISTINCT doc), avg(novelty), avg(score)
        FROM figurative WHERE {only} AND {within} GROUP BY kind, name, meaning HAVING n >= ?
        """,
        [*([query.kind] if query.kind != "all" else []), *values, query.min_count],
    )
    return [_Listed(one[:3], one[1], one[0], "", one[2], one[3], None, *one[4:]) for one in found]


def _spread(
    corpus: IndexedCorpus, shown: list[_Listed], words: int, within: str, values: list[str]
) -> dict[int, tuple[float, Row]]:
    """The dispersion of each figure, and an example with its text.

    The dispersion is Gries's DP: half the sum of the differences between the share of the uses and
    the share of the words that each text has.
    """
    found: dict[int, tuple[float, Row]] = {}
    for metaphors in (True, False):
        wanted = [at for at, one in enumerate(shown) if (one.kind == "metaphor") is metaphors]
        if not wanted:
            continue
        columns = _METAPHOR_KEY if metaphors else _FIGURE_KEY
        keys = ", ".join(f"unnest(?::{kind}[]) AS {name}" for name, kind in columns.items())
        table = "words" if metaphors else "figurative"
        counted = "word AND metaphor" if metaphors else "true"
        uses = f"""
            SELECT k, doc, pos, score FROM {table}
                JOIN (SELECT unnest(?::INTEGER[]) AS k, {keys}) USING ({", ".join(columns)})
            WHERE {counted} AND {within}
        """
        given = [wanted, *map(list, zip(*(shown[at].key for at in wanted), strict=True)), *values]
        found |= _spread_of(corpus, uses, given, words)
    return found


def _spread_of(
    corpus: IndexedCorpus, uses: str, given: list[Any], words: int
) -> dict[int, tuple[float, Row]]:
    spread = corpus.database.ask(
        f"""
        SELECT k, (sum(abs(share - size)) + 1 - sum(size)) / 2 FROM (
            SELECT k, documents.words / ? AS size, times / sum(times) OVER (PARTITION BY k) AS share
            FROM (SELECT k, doc, count(*) AS times FROM ({uses}) GROUP BY ALL)
                JOIN documents USING (doc)
        ) GROUP BY k
        """,
        [words, *given],
    )
    best = corpus.database.ask(
        f"""
        SELECT k, doc, pos FROM ({uses})
        QUALIFY row_number() OVER (PARTITION BY k ORDER BY score DESC, doc, pos) = 1
        """,
        given,
    )
    around = contexts(corpus, [(*one[1:], None, None) for one in best], _EXAMPLE_WORDS, [])
    examples = {
        k: (" ".join(f"{left.lstrip(_STOPS)}{word}{right}".split()), doc)
        for (k, doc, _), (_, left, word, right, *_rest) in zip(best, around, strict=True)
    }
    return {k: (round(max(0.0, apart), 3), examples[k]) for k, apart in spread}


def rates(corpus: IndexedCorpus, query: RatesQuery) -> CorpusTable:
    """Words, metaphors and their rate by the values of a column."""
    column = corpus.column(query.by)
    if query.period:
        corpus.need_dates(column)
    condition, given = all_hold(corpus.conditions(query.where))
    period = query.period or column.legible_period
    query = msgspec.structs.replace(query, period=period)
    order = _ORDERS[query.sort or ("name" if column.date else "rate")]
    group = f"left({column.key}, {PERIODS[period]})" if period else column.key
    found = corpus.database.ask(
        f"SELECT {group} AS name, {_SUMS}, count(*) OVER () FROM documents WHERE {condition} "
        f"GROUP BY name ORDER BY {order} LIMIT {query.rows} OFFSET {query.skipped}",
        given,
    )
    whole = corpus.database.one(f"SELECT 'all', {_SUMS} FROM documents WHERE {condition}", given)
    if found or query.page == 1:
        total = found[0][-1] if found else 0
    else:  # a page after the last one
        (total,) = corpus.database.one(
            f"SELECT count(DISTINCT {group}) FROM documents WHERE {condition}", given
        )
    about = {"by": column.name, "period": period, "date": column.date, **query.paged(total)}
    about["all"] = dict(zip(_RATE_COLUMNS, _rate_row(whole), strict=True))
    rows = [_rate_row(one[:-1]) for one in found]
    return CorpusTable(
        "rates", _RATE_COLUMNS, rows, command_line(corpus.folder, query), about=about
    )


def _rate_row(sums: Row) -> Row:
    name, texts, sentences, clusters, *counts = sums
    share = ClusteredShare.from_sums(clusters, *(count or 0 for count in counts))
    interval = share.interval()
    found = (name, texts, sentences or 0, share.whole, share.part)
    return (*found, interval.value, interval.low, interval.high)
