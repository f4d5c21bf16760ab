"""Rates of metaphor by group; intervals account for the likeness of words in one text."""

from __future__ import annotations

import msgspec

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare
from trope.workbench.corpus.corpus import IndexedCorpus, all_hold
from trope.workbench.corpus.facts import PERIODS, CorpusColumn
from trope.workbench.corpus.queries import RatesQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row

COLUMNS = ("group", "texts", "sentences", "words", "metaphors", "rate", "low", "high")
_MOST_PERIODS = 120
"""Most groups of a plot over time, unless the query sets a period."""

_SUMS = """
    count(*), sum(sentences), count(*) FILTER (words > 0), sum(metaphors), sum(words),
    sum(metaphors::BIGINT * metaphors), sum(metaphors::BIGINT * words), sum(words::BIGINT * words)
"""
_ORDERS = {
    "rate": "coalesce(sum(metaphors) / nullif(sum(words), 0), 0) DESC, name",
    "words": "sum(words) DESC, name",
    "name": "name",
}


def rates(corpus: IndexedCorpus, query: RatesQuery) -> CorpusTable:
    """Words, metaphors and their rate by the values of a column."""
    column = corpus.column(query.by)
    if query.period and not column.date:
        problem = f"column {column.name!r} has no dates; do not set a period, or write its values"
        raise BadInput(f"{problem} as YYYY-MM-DD")
    condition, given = all_hold(corpus.conditions(query.where))
    period = query.period or _period(column)
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
    about["all"] = dict(zip(COLUMNS, _row(whole), strict=True))
    rows = [_row(one[:-1]) for one in found]
    return CorpusTable("rates", COLUMNS, rows, command_line(corpus.folder, query), about=about)


def _row(sums: Row) -> Row:
    name, texts, sentences, clusters, *counts = sums
    share = ClusteredShare.from_sums(clusters, *(count or 0 for count in counts))
    interval = share.interval()
    found = (name, texts, sentences or 0, share.whole, share.part)
    return (*found, interval.value, interval.low, interval.high)


def _period(column: CorpusColumn) -> str:
    """The finest period that keeps a plot legible; none for other columns than dates."""
    if not column.date:
        return ""
    legible = [name for name, groups in column.periods.items() if groups <= _MOST_PERIODS]
    return legible[-1] if legible else "year"
