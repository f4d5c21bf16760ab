"""The overview of a corpus: charts of its rates and figures, each the start of a view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from trope.core.errors import TropeError
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import VIEWS, make_query
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.corpus.views import answer
from trope.workbench.web.plots import (
    MOST_DOTS,
    BarPlot,
    DotPlot,
    LinePlot,
    bar_plot,
    dot_plot,
    line_plot,
)

_TOP = 10
_FEW = 12
"""Most groups of a column that is preferred for the chart of rates."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A plot with a heading, and the address of the view that it is a part of."""

    name: str
    heading: str
    plot: DotPlot | LinePlot | BarPlot
    address: str

    @property
    def linked(self) -> str:
        """The address, ready for one more field."""
        return f"{self.address}{'&' if '?' in self.address else '?'}"


def charts(corpus: IndexedCorpus) -> list[Chart]:
    """The charts that a corpus has data for."""
    return [*_rates(corpus), *_top_figures(corpus), *_domains(corpus)]


def group_column(corpus: IndexedCorpus) -> str:
    """The column whose groups say most: few values, and the files only for want of another."""
    fitting = [c for c in corpus.facts.columns if not c.date and 2 <= c.values <= MOST_DOTS]
    own = [column for column in fitting if column.key != "file"]
    few = [column for column in own if column.values <= _FEW]
    return next((column.name for column in (*few, *own, *fitting)), "")


def _rates(corpus: IndexedCorpus) -> Iterator[Chart]:
    if by := group_column(corpus):
        plot = dot_plot(answer(corpus, make_query("rates", {"by": by})).dicts(), "group")
        if plot is not None:
            yield _chart("groups", f"Rates by {by}", plot, "rates", by=by)
    for column in corpus.facts.columns:
        if column.date and column.periods["year"] * column.periods["month"] > 1:
            plot_over_time = line_plot(
                answer(corpus, make_query("rates", {"by": column.name})).dicts()
            )
            if plot_over_time is not None:
                yield _chart("time", "Rates over time", plot_over_time, "rates", by=column.name)
                return


def _top_figures(corpus: IndexedCorpus) -> Iterator[Chart]:
    if corpus.source.tokens:
        rows = answer(corpus, make_query("figures", {"rows": _TOP})).dicts()
        if plot := bar_plot(rows, "lemma", "metaphors", "Most frequent metaphors"):
            yield _chart("figures", "Most frequent metaphors", plot, "figures")


def _domains(corpus: IndexedCorpus) -> Iterator[Chart]:
    """What metaphors are drawn from, where the corpus can say it."""
    if "domains" not in VIEWS:
        return
    try:
        table = answer(corpus, make_query("domains", {"rows": _TOP}))
    except TropeError:  # the corpus or the installation has none; its view says what is missing
        return
    name, count = _name_and_count(table)
    if plot := bar_plot(table.dicts(), name, count, "Most frequent source domains"):
        yield _chart("domains", "Most frequent source domains", plot, "domains")


def _name_and_count(table: CorpusTable) -> tuple[str, str]:
    count = next((one for one in ("metaphors", "count", "uses") if one in table.columns), "")
    return table.columns[0], count or table.columns[1]


def _chart(name: str, heading: str, plot: Any, view: str, **fields: str) -> Chart:
    query = f"?{urlencode(fields)}" if fields else ""
    return Chart(name, heading, plot, f"/corpus/{view}{query}")
