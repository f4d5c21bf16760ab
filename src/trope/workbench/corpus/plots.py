"""Plots of a corpus: rates over time as a line, other tables as marks with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trope.core.errors import BadInput
from trope.metrics.intervals import Interval
from trope.render.plots.canvas import (
    SOFT,
    WORDS,
    draw_intervals,
    label_rows,
    plot_file,
    short_name,
)
from trope.workbench.corpus.table import CorpusTable

_ROW, _EDGE = 0.27, 1.1  # inches: height of a row, and of the space around the rows
_TICKS = 12


def draw_table(table: CorpusTable, path: Path) -> None:
    """Draw a table of rates or verbs into a file."""
    rows = table.dicts()
    if not rows:
        raise BadInput(f"{path}: there is nothing to draw; choose other texts")
    over_time = table.view == "rates" and table.about["date"]
    height = 3.2 if over_time else len(rows) * _ROW + _EDGE
    with plot_file(path, 7, height) as figure:
        axes = figure.subplots()
        if over_time:
            _draw_line(axes, [row for row in rows if row["group"]])
        else:
            _draw_rows(axes, rows, table.view)


def _draw_rows(axes: Any, rows: list[dict[str, Any]], view: str) -> None:
    intervals = [Interval(row["rate"], row["low"], row["high"]) for row in rows]
    draw_intervals(axes, intervals, 0, WORDS, "", "o")
    if view == "verbs":
        names = [f"{row['verb']} ({row['metaphors']:,} of {row['uses']:,})" for row in rows]
        title = "Share of metaphors among the uses of a verb (95 % intervals)"
    else:
        names = [f"{short_name(row['group'])} ({row['words']:,} words)" for row in rows]
        title = "Rate of metaphor (95 % intervals)"
    label_rows(axes, names, title)


def _draw_line(axes: Any, rows: list[dict[str, Any]]) -> None:
    from matplotlib.ticker import PercentFormatter

    known = [(at, row) for at, row in enumerate(rows) if row["rate"] is not None]
    places = [at for at, _ in known]
    axes.fill_between(
        places, [r["low"] for _, r in known], [r["high"] for _, r in known],
        color=WORDS, alpha=0.2, linewidth=0,
    )  # fmt: skip
    axes.plot(places, [row["rate"] for _, row in known], color=WORDS, marker="o", markersize=3.5)
    step = -(-len(rows) // _TICKS)
    ticks = range(0, len(rows), step)
    axes.set_xticks(ticks, [rows[at]["group"] for at in ticks], rotation=30, ha="right")
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("Rate of metaphor (95 % intervals)", color=SOFT)
    axes.grid(axis="y", color="#dcdfe5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
