"""Tables of a corpus as pages show them: rows in words with their links, charts of the overview."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from trope.core.errors import TropeError
from trope.metrics.intervals import Interval
from trope.render.page_pieces import percent
from trope.workbench.corpus.annotation import line_key
from trope.workbench.corpus.concordance import COLUMNS, ROLES
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import number, p_in_words
from trope.workbench.corpus.views import answer
from trope.workbench.corpus.word_tables import CorpusColumn
from trope.workbench.web.plots import (
    MOST_DOTS,
    BarPlot,
    DotPlot,
    LinePlot,
    bar_plot,
    dot_plot,
    line_plot,
)

Row = dict[str, Any]
_MOST_META = 2
_TOP = 10
_ENOUGH = 8
"""Texts of a period on average, below which its rate says little."""

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
    return [*_rate_charts(corpus), *_figure_chart(corpus), *_domain_chart(corpus)]


def group_column(corpus: IndexedCorpus) -> str:
    """The column whose groups say most: few values, and the files only for want of another."""
    fitting = [c for c in corpus.facts.columns if not c.date and 2 <= c.values <= MOST_DOTS]
    own = [column for column in fitting if column.key != "file"]
    few = [column for column in own if column.values <= _FEW]
    return next((column.name for column in (*few, *own, *fitting)), "")


def _rate_charts(corpus: IndexedCorpus) -> Iterator[Chart]:
    if by := group_column(corpus):
        plot = dot_plot(answer(corpus, make_query("rates", {"by": by})).dicts(), "group")
        if plot is not None:
            yield _chart("groups", f"Rates by {by}", plot, "rates", by=by)
    for column in corpus.facts.columns:
        if column.date and column.periods["year"] * column.periods["month"] > 1:
            fields = {"by": column.name, "period": _period(column, corpus.facts.texts)}
            plot_over_time = line_plot(answer(corpus, make_query("rates", fields)).dicts())
            if plot_over_time is not None:
                yield _chart("time", "Rates over time", plot_over_time, "rates", **fields)
                return


def _period(column: CorpusColumn, texts: int) -> str:
    """The finest period that a plot has room for and that has enough texts; else the coarsest."""
    periods = list(column.periods)
    legible = periods[: periods.index(column.legible_period) + 1]
    several = [one for one in legible if column.periods[one] > 1]
    enough = [one for one in several if _ENOUGH * column.periods[one] <= texts]
    return (enough or several[:1] or legible)[-1]


def _figure_chart(corpus: IndexedCorpus) -> Iterator[Chart]:
    if corpus.source.tokens:
        rows = answer(corpus, make_query("figures", {"rows": _TOP})).dicts()
        if plot := bar_plot(rows, "lemma", "count", "Most frequent figures"):
            yield _chart("figures", "Most frequent figures", plot, "figures", rows=str(_TOP))


def _domain_chart(corpus: IndexedCorpus) -> Iterator[Chart]:
    """What metaphors are drawn from, where the corpus can say it."""
    try:
        table = answer(corpus, make_query("domains", {"rows": _TOP}))
    except TropeError:  # the corpus or the installation has none; its view says what is missing
        return
    rows = [{**row, "domain": row["domain"].capitalize()} for row in table.dicts()]
    if plot := bar_plot(rows, "domain", "metaphors", "Most frequent source domains"):
        yield _chart("domains", "Most frequent source domains", plot, "domains", rows=str(_TOP))


def _chart(name: str, heading: str, plot: Any, view: str, **fields: str) -> Chart:
    query = f"?{urlencode(fields)}" if fields else ""
    return Chart(name, heading, plot, f"/corpus/{view}{query}")


def shown_rows(view: str, rows: Sequence[Row]) -> list[Row]:
    """The rows of a view, formatted for its template."""
    return [_SHOWN[view](row) for row in rows]


def _rates(row: Row) -> Row:
    counts = {name: f"{row[name]:,}" for name in ("texts", "sentences", "words", "metaphors")}
    return {"group": row["group"] or "–", **counts, "rate": _interval(row)}


def _verbs(row: Row) -> Row:
    objects = [
        {**one, "address": concordance_of(lemma=row["verb"], object=one["lemma"])}
        for one in row["objects"]
    ]
    uses = f"{row['metaphors']:,} of {row['uses']:,}"
    address = concordance_of(lemma=row["verb"], upos="VERB")
    return {**row, "uses": uses, "rate": _interval(row), "objects": objects, "address": address}


def _figures(row: Row) -> Row:
    address = ""
    if row["kind"] == "metaphor":
        address = concordance_of(lemma=row["lemma"], upos=row["upos"], metaphors="true")
    shown = {"texts": f"{row['texts']:,}", "dispersion": f"{row['dispersion']:.2f}"}
    shown |= {"novelty": number(row["novelty"]), "surprise": number(row["surprise"], ".1f")}
    shown |= {"count": f"{row['count']:,}", "rate": _interval(row), "address": address}
    return {**row, **shown}


def _collocates(row: Row) -> Row:
    return {
        **row,
        **{name: f"{row[name]:,}" for name in ("count", "metaphors", "total")},
        "address": f"/corpus/collocates?{urlencode({'lemma': row['lemma']})}",
        "log_likelihood": f"{row['log_likelihood']:,.1f}",
        "log_ratio": f"{row['log_ratio']:+.2f}",
        "log_dice": f"{row['log_dice']:.2f}",
    }


def _keyness(row: Row) -> Row:
    corrected = row["p_corrected"]
    return {
        **row,
        **_named(row),
        "p": p_in_words(corrected),
        "p_texts": "–" if row["p_texts"] is None else p_in_words(row["p_texts"]),
        **{name: f"{row[name]:,}" for name in ("count", "other_count")},
        **{name: f"{row[name]:,.1f}" for name in ("per_million", "other_per_million")},
        "log_likelihood": f"{row['log_likelihood']:,.1f}",
        "log_ratio": f"{row['log_ratio']:+.2f}",
    }


def _named(row: Row) -> Row:
    """What is compared in a row, with the address of what is behind it."""
    name = next(iter(row))
    behind = {
        "lemma": concordance_of(lemma=row[name]),
        "upos": concordance_of(upos=row[name]),
        "figure": concordance_of(metaphors="true") if row[name] == "metaphor" else "",
    }
    return {"name": row[name], "address": behind.get(name, "")}


def _trend(row: Row) -> Row:
    rates = row["rates"]
    most, step = max(rates) or 1, 1000 / max(1, len(rates) - 1)
    line = " ".join(f"{at * step:.0f},{20 - 19 * one / most:.1f}" for at, one in enumerate(rates))
    shown = {"count": f"{row['count']:,}", "per_million": f"{row['per_million']:,.1f}"}
    shown |= {"change": f"{row['log2_per_year']:+.2f}", "p": p_in_words(row["p_corrected"])}
    said = f"from {rates[0]:,.0f} to {rates[-1]:,.0f} per million"
    return {**row, **shown, **_named(row), "line": line, "said": said}


def _concordance(row: Row) -> Row:
    # the first columns of the corpus itself
    meta = [str(value) for name, value in row.items() if name not in (*COLUMNS, *ROLES) and value]
    return {
        **row,
        "key": line_key(row),
        "number": row["text"],
        "score": f"{row['score']:.2f}",
        "meta": ", ".join(meta[:_MOST_META]),
    }


def _sketch(row: Row) -> Row:
    shown = {name: number(row[name]) for name in ("log_dice_metaphors", "log_dice_others")}
    shown |= {name: f"{row[name]:,}" for name in ("metaphors", "others")}
    difference = {
        "ll": number(row["log_likelihood"], ",.1f"),
        "ratio": number(row["log_ratio"], "+.2f"),
    }
    return {**row, **shown, **difference}


def _ngrams(row: Row) -> Row:
    counts = {name: f"{row[name]:,}" for name in ("count", "metaphors", "texts")}
    return {**row, **counts, "per_million": f"{row['per_million']:,.1f}"}


def _dispersion(row: Row) -> Row:
    def lines(places: list[float], top: int) -> str:
        return "".join(f"M{1000 * place:.0f} {top}V{20 - top}" for place in places)

    rate = number(row["per_thousand"], ",.1f")
    counts = {name: f"{row[name]:,}" for name in ("words", "count", "metaphors")}
    drawn = {"hits": lines(row["places"], 0), "other_hits": lines(row["other_places"], 6)}
    return {**row, **counts, **drawn, "rate": rate}


def _domains(row: Row) -> Row:
    counts = {name: f"{row[name]:,}" for name in ("metaphors", "texts")}
    share = percent(Interval(row["share"], row["low"], row["high"]))
    lemmas = [
        {"lemma": one, "address": concordance_of(lemma=one, metaphors="true")}
        for one in row["lemmas"]
    ]
    return {**row, **counts, "group": row["group"] or "–", "share": share, "lemmas": lemmas}


def _features(row: Row) -> Row:
    rates = [f"{name}_rate" for name in ("metaphor", "idiom", "simile", "metonymy")]
    shown = {name: _share(row.get(name)) for name in (*rates, "long_words")}
    named = ("words_per_sentence", "novelty", "sentiment")
    shown |= {name: number(row.get(name)) for name in named}
    return {"text": row["text"], "id": row["id"], "words": f"{row['words']:,}", **shown}


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


_SHOWN: dict[str, Callable[[Row], Row]] = {
    "rates": _rates,
    "figures": _figures,
    "verbs": _verbs,
    "keyness": _keyness,
    "trend": _trend,
    "collocates": _collocates,
    "sketch": _sketch,
    "ngrams": _ngrams,
    "dispersion": _dispersion,
    "concordance": _concordance,
    "domains": _domains,
    "features": _features,
}


def _interval(row: Row) -> str:
    return percent(Interval(row["rate"], row["low"], row["high"]))


def concordance_of(**fields: str) -> str:
    """The address of a concordance."""
    return f"/corpus/concordance?{urlencode(fields)}"
