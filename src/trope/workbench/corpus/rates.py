"""Rates of metaphor of groups of texts, with intervals that know that words come in texts."""

from __future__ import annotations

import msgspec

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare
from trope.workbench.corpus.corpus import Corpus, all_hold
from trope.workbench.corpus.facts import PERIODS, Column
from trope.workbench.corpus.queries import RatesQuery, command_line
from trope.workbench.corpus.table import Row, Table

COLUMNS = ("group", "texts", "sentences", "words", "metaphors", "rate", "low", "high")
_MOST_PERIODS = 120
"""Groups of a plot over time, if a finer period is not asked for."""

_SUMS = """
    count(*), sum(sentences), count(*) FILTER (words > 0), sum(metaphors), sum(words),
    sum(metaphors::BIGINT * metaphors), sum(metaphors::BIGINT * words), sum(words::BIGINT * words)
"""
_ORDERS = {
    "rate": "coalesce(sum(metaphors) / nullif(sum(words), 0), 0) DESC, name",
    "words": "sum(words) DESC, name",
    "name": "name",
}


def rates(corpus: Corpus, query: RatesQuery) -> Table:
    """Words, metaphors and their rate by the values of a column."""
    column = corpus.column(query.by)
    if query.period and not column.date:
        problem = f"column {column.name!r} is no date; leave out --period, or write its values"
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
    else:  # a page after the last
        (total,) = corpus.database.one(
            f"SELECT count(DISTINCT {group}) FROM documents WHERE {condition}", given
        )
    about = {"by": column.name, "period": period, "date": column.date, **query.paged(total)}
    about["all"] = dict(zip(COLUMNS, _row(whole), strict=True))
    rows = [_row(one[:-1]) for one in found]
    return Table("rates", COLUMNS, rows, command_line(corpus.folder, query), about=about)


def _row(sums: Row) -> Row:
    name, texts, sentences, clusters, *counts = sums
    share = ClusteredShare.from_sums(clusters, *(count or 0 for count in counts))
    interval = share.interval()
    found = (name, texts, sentences or 0, share.whole, share.part)
    return (*found, interval.value, interval.low, interval.high)


def _period(column: Column) -> str:
    """The finest period that leaves a plot legible; none for what is no date."""
    if not column.date:
        return ""
    legible = [name for name, groups in column.periods.items() if groups <= _MOST_PERIODS]
    return legible[-1] if legible else "year"
