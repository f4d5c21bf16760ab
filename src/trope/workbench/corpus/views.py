"""The views of a corpus: rates, figures, verbs, one text; and the answer to any query.

Intervals of rates account for the likeness of words in one text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare, Interval, wilson
from trope.tasks.metaphor.corpus_rates import OBJECT_LIMIT, VerbUse
from trope.workbench.corpus.concordance import concordance, contexts, dispersion, domains
from trope.workbench.corpus.corpus import Conditions, IndexedCorpus, all_hold, lemma_counts
from trope.workbench.corpus.features import features
from trope.workbench.corpus.keyness import keyness, trend
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
from trope.workbench.corpus.word_tables import PERIODS, uses_of
from trope.workbench.corpus.words_around import collocates, ngrams, sketch

_WORD_COLUMNS = ("place", "word", "lemma", "upos", "score", "metaphor", "start", "end", "novelty")
_REBUILT = "the text is rebuilt from its tokens; trope detect --columns text keeps the original"
_VERB_COLUMNS = ("verb", "uses", "metaphors", "rate", "low", "high", "objects")
_FIGURE_COLUMNS = (
    *("lemma", "upos", "metaphors", "uses", "rate", "low", "high"),
    *("texts", "dispersion", "novelty", "example", "text"),
)
_EXAMPLE_WORDS = 6
_NO_NOVELTY = "the model of this corpus does not say how novel a metaphor is"
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
    table = _table(corpus, query)
    asked = "" if corpus.view == corpus.source.words else f" --words {corpus.view}"
    about = {**table.about, "word_view": corpus.facts.word_view}
    return replace(table, command=table.command + asked, about=about)


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


def text(corpus: IndexedCorpus, query: TextQuery) -> CorpusTable:
    """The tokens of a text; `about` has the text itself and its columns."""
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
            """
            SELECT pos, forms.text, lemmas.text, tags.text, score, metaphor, start, stop,
                novelty
            FROM (SELECT * FROM words WHERE doc = ?)
                JOIN forms USING (form) JOIN lemmas USING (lemma) JOIN tags USING (tag)
            ORDER BY pos
            """,
            [query.text],
        )
    else:
        notes = [f"words need the column 'tokens'; add it with: {corpus.source.detect_again()}"]
    command = command_line(corpus.folder, query)
    return CorpusTable("text", _WORD_COLUMNS, rows, command, tuple(notes), about)


def figures(corpus: IndexedCorpus, query: FiguresQuery) -> CorpusTable:
    """Lemmas with metaphorical uses, by part of speech."""
    corpus.need_words("figures")
    conditions = corpus.conditions(query.where)
    held, values = all_hold(conditions)
    within = f"doc IN (SELECT doc FROM documents WHERE {held})"
    counted = f"({uses_of(within)})" if conditions else "uses"
    tagged = "AND tags.text = ?" if query.upos else ""
    found = corpus.database.ask(
        f"""
        SELECT lemma, tag, lemmas.text, tags.text, used.metaphors, used.words, texts, novelty
        FROM {counted} AS used JOIN lemmas USING (lemma) JOIN tags USING (tag)
        WHERE used.metaphors >= ? {tagged}
        """,
        [*values, query.min_count, *([query.upos.upper()] if query.upos else [])],
    )
    rates = {one[:2]: wilson(one[4], one[5]) for one in found}
    orders: dict[str, Callable[[Row], float]] = {
        "count": lambda one: one[4],
        "rate": lambda one: rates[one[:2]].low or 0,
        "texts": lambda one: one[6],
        "novelty": lambda one: -1 if one[7] is None else one[7],
    }
    first = orders[query.sort]
    found.sort(key=lambda one: (-first(one), -one[4], one[2], one[3]))
    shown = found[query.skipped : query.skipped + query.rows]
    where = _spread(corpus, [one[:2] for one in shown], within if conditions else "true", values)
    rows = [_figure_row(one, rates[one[:2]], where[one[:2]]) for one in shown]
    notes = () if any(one[7] is not None for one in found) or not found else (_NO_NOVELTY,)
    about, command = query.paged(len(found)), command_line(corpus.folder, query)
    return CorpusTable("figures", _FIGURE_COLUMNS, rows, command, notes, about)


def _figure_row(found: Row, rate: Interval, where: Row) -> Row:
    _, _, lemma, upos, metaphors, uses, texts, novelty = found
    dispersion, *example = where
    counts = lemma, upos, metaphors, uses, rate.value, rate.low, rate.high
    novelty = None if novelty is None else round(novelty, 3)
    return (*counts, texts, dispersion, novelty, *example)


def _spread(
    corpus: IndexedCorpus, figures: list[Row], within: str, values: list[str]
) -> dict[Row, Row]:
    """Of each lemma and tag, the dispersion of its metaphors, an example and its text.

    The dispersion is Gries's DP: half the sum of the differences between the share of the metaphors
    and the share of the words that each text has.
    """
    if not figures:
        return {}
    lemmas, tags = (list(column) for column in zip(*figures, strict=True))
    chosen = "SELECT unnest(?::INTEGER[]) AS lemma, unnest(?::UTINYINT[]) AS tag"
    uses = f"""
        SELECT words.* FROM words JOIN ({chosen}) USING (lemma, tag)
        WHERE word AND metaphor AND {within}
    """
    (size,) = corpus.database.one(f"SELECT sum(words) FROM documents WHERE {within}", values)
    spread = corpus.database.ask(
        f"""
        SELECT lemma, tag, (sum(abs(share - size)) + 1 - sum(size)) / 2
        FROM (
            SELECT lemma, tag, documents.words / ? AS size,
                times / sum(times) OVER (PARTITION BY lemma, tag) AS share
            FROM (SELECT lemma, tag, doc, count(*) AS times FROM ({uses}) GROUP BY ALL)
                JOIN documents USING (doc)
        ) GROUP BY ALL
        """,
        [size, lemmas, tags, *values],
    )
    best = corpus.database.ask(
        f"""
        SELECT lemma, tag, doc, pos FROM ({uses})
        QUALIFY row_number() OVER (PARTITION BY lemma, tag ORDER BY score DESC, doc, pos) = 1
        """,
        [lemmas, tags, *values],
    )
    around = contexts(corpus, [(*one[2:], None, None) for one in best], _EXAMPLE_WORDS, [])
    examples = {
        one[:2]: (" ".join(f"{left}{word}{right}".split()), one[2])
        for one, (_, left, word, right, *_rest) in zip(best, around, strict=True)
    }
    return {
        (lemma, tag): (round(max(0.0, dispersion), 3), *examples[lemma, tag])
        for lemma, tag, dispersion in spread
    }


def verbs(corpus: IndexedCorpus, query: VerbsQuery) -> CorpusTable:
    """Metaphorical verbs, sorted by the lower end of the rate's interval, as in a summary."""
    corpus.need_words("verbs")
    conditions = corpus.conditions(query.where)
    question, values = lemma_counts(conditions)
    found = corpus.database.ask(
        f"SELECT text, found.verbs, found.verb_metaphors FROM ({question}) AS found "
        "JOIN lemmas USING (lemma) WHERE found.verb_metaphors > 0 AND found.verbs >= ?",
        [*values, query.min_uses],
    )
    uses = [VerbUse(lemma, count, metaphors, ()) for lemma, count, metaphors in found]
    uses.sort(key=lambda use: (-(use.rate.low or 0), -use.count, use.lemma))
    shown = uses[query.skipped : query.skipped + query.rows]
    notes: tuple[str, ...] = ()
    objects: dict[str, list[dict[str, Any]]] = {}
    if corpus.source.relations:
        objects = _objects(corpus, [use.lemma for use in shown], conditions)
    else:
        again = corpus.source.detect_again(relations=True)
        notes = (f"objects need the column 'relations'; add it with: {again}",)
    rows = [_verb_row(use, objects.get(use.lemma, [])) for use in shown]
    about, command = query.paged(len(uses)), command_line(corpus.folder, query)
    return CorpusTable("verbs", _VERB_COLUMNS, rows, command, notes, about)


def _verb_row(use: VerbUse, objects: list[dict[str, Any]]) -> Row:
    rate = use.rate
    return use.lemma, use.count, use.metaphors, rate.value, rate.low, rate.high, objects


def _objects(
    corpus: IndexedCorpus, lemmas: list[str], conditions: Conditions
) -> dict[str, list[dict[str, Any]]]:
    """The objects of the verbs, those with the most metaphorical uses first."""
    held, values = all_hold(conditions)
    within = f"AND doc IN (SELECT doc FROM documents WHERE {held})" if conditions else ""
    found = corpus.database.ask(
        f"""
        SELECT verb.text, thing.text, times, pairs.metaphors FROM (
            SELECT lemma, object, count(*) AS times, count(*) FILTER (metaphor) AS metaphors
            FROM relations
            WHERE lemma IN (SELECT lemma FROM lemmas WHERE list_contains(?::VARCHAR[], text))
                {within}
            GROUP BY lemma, object
        ) AS pairs JOIN lemmas AS verb USING (lemma) JOIN lemmas AS thing
            ON thing.lemma = pairs.object
        ORDER BY pairs.metaphors DESC, times DESC, thing.text
        """,
        [lemmas, *values],
    )
    objects: dict[str, list[dict[str, Any]]] = {}
    for verb, thing, times, metaphors in found:
        listed = objects.setdefault(verb, [])
        if len(listed) < OBJECT_LIMIT:
            listed.append({"lemma": thing, "count": times, "metaphors": metaphors})
    return objects


def rates(corpus: IndexedCorpus, query: RatesQuery) -> CorpusTable:
    """Words, metaphors and their rate by the values of a column."""
    column = corpus.column(query.by)
    if query.period and not column.date:
        problem = f"column {column.name!r} has no dates; do not set a period, or write its values"
        raise BadInput(f"{problem} as YYYY-MM-DD")
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
