"""The table of a view: rows, the command for the same table, notes, and its plot."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trope import __version__
from trope.annotate.exchange.files import protect
from trope.core.errors import BadInput
from trope.metrics.intervals import Interval, written_share
from trope.render.plots import SENTENCES as OTHERS
from trope.render.plots import (
    SOFT,
    WORDS,
    draw_intervals,
    label_rows,
    per_cent,
    plot_file,
    short_name,
)
from trope.tasks.metaphor.corpus_rates import VIEW_NAMES

Row = tuple[Any, ...]
_SHARES = ("rate", "low", "high")
"""Columns that are shortened in files; pages and terminals round the full numbers."""

_ROW, _EDGE = 0.27, 1.1  # inches: height of a row, and of the space around the rows
_TICKS, _MOST_LINES = 12, 6
_BARS = {
    "keyness": ("log_ratio", "Log ratio (1: twice as frequent, −1: half as frequent)"),
    "collocates": ("log_dice", "logDice with the word (at most 14)"),
    "ngrams": ("count", "Uses"),
}
"""Views that are drawn as bars: the column, and the title of its axis."""

_COUNTED = ("rates", "figures", "verbs", "domains", "dispersion")
"""Views whose plots say which words count as metaphors."""


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """The result of a view; `about` has what concerns all rows, such as their number."""

    view: str
    columns: tuple[str, ...]
    rows: list[Row]
    command: str
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def to_dict(table: CorpusTable) -> dict[str, Any]:
    """The table as plain data."""
    return {
        "trope": __version__,
        "view": table.view,
        "command": table.command,
        **_written_about(table.about),
        "columns": list(table.columns),
        "rows": [_written(row) for row in table.dicts()],
        "notes": list(table.notes),
    }


def to_json(table: CorpusTable) -> str:
    """The table as one JSON document."""
    return json.dumps(to_dict(table), ensure_ascii=False, indent=2) + "\n"


def to_csv(table: CorpusTable) -> str:
    """The table as CSV that spreadsheets do not read as formulas; lists are written in words."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(
        [spreadsheet_cell(value) for value in _written(row).values()] for row in table.dicts()
    )
    return file.getvalue()


def _written_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """What concerns all rows; the row of all texts, if any, is written like the others."""
    whole = {"all": _written(about["all"])} if "all" in about else {}
    return {**about, **whole}


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: written_share(value) if name in _SHARES else value for name, value in row.items()}


def spreadsheet_cell(value: Any) -> Any:
    """A value as a cell of CSV that is no formula."""
    if isinstance(value, str):
        return protect(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        objects = value and isinstance(value[0], dict)
        return protect(objects_in_words(value) if objects else " ".join(map(str, value)))
    return value


def objects_in_words(objects: list[dict[str, Any]]) -> str:
    """The objects of a verb, with its metaphorical and all uses."""
    return ", ".join(f"{one['lemma']} ({one['metaphors']} of {one['count']})" for one in objects)


def number(value: float | None, form: str = ".2f") -> str:
    """A number in a format, or a dash where there is none."""
    return "–" if value is None else format(value, form)


def p_in_words(p: float) -> str:
    """A p value; of a very small one, that it is."""
    return "< .0001" if p < 0.0001 else f"{p:.4f}"


def counted_in_words(about: Mapping[str, Any]) -> str:
    """The words that count as metaphors in a table."""
    least = about["threshold"]
    above = "" if least is None else f" with a score of at least {least:g}"
    return f"{VIEW_NAMES[about['word_view']]}{above}"


def spread_in_words(about: Mapping[str, Any]) -> str:
    """How often a word occurs, and how evenly it is spread over the texts."""
    uses = f"{about['uses']:,} use{'' if about['uses'] == 1 else 's'}"
    found = f"{uses}, {about['metaphors']:,} of them metaphors, in {about['texts']:,} of "
    found += f"{about['all_texts']:,} text{'' if about['all_texts'] == 1 else 's'}"
    if about["dp"] is None:
        return f"{found}; a dispersion needs uses and at least two texts"
    normed = "–" if about["dp_norm"] is None else f"{about['dp_norm']:.3f}"
    return f"{found}; DP {about['dp']:.3f}, DPnorm {normed}, D {about['d']:.3f}"


def draw_table(table: CorpusTable, path: Path) -> None:
    """Draw a table into a file: shares with their intervals, lines over time, places, or bars."""
    rows = table.dicts()
    if not rows:
        raise BadInput(f"{path}: there is nothing to draw; choose other texts")
    over_time = table.view == "rates" and table.about["date"]
    height = 3.2 if over_time or table.view == "trend" else len(rows) * _ROW + _EDGE
    with plot_file(path, 7, height) as figure:
        axes = figure.subplots()
        if table.view == "dispersion":
            _draw_places(axes, rows, table.about)
        elif table.view == "trend":
            _draw_trends(axes, rows[:_MOST_LINES], table)
        elif over_time:
            _draw_line(axes, [row for row in rows if row["group"]])
        elif table.view in _BARS or any(row.get("rate", 0) is None for row in rows):
            _draw_bars(axes, rows, table)
        else:
            _draw_rows(axes, rows, table)
        if table.view in _COUNTED:
            counted = f"Metaphors are {counted_in_words(table.about)}."
            figure.supxlabel(counted, color=SOFT, fontsize=7.5, x=0.99, ha="right")


def _draw_bars(axes: Any, rows: list[dict[str, Any]], table: CorpusTable) -> None:
    key, title = _BARS.get(table.view, ("count", "Uses"))
    if "part" in table.about:
        sides = [short_name(table.about[side]) for side in ("part", "against")]
        title = f"{title}\nAbove 0: more frequent in {sides[0]} than in {sides[1]}"
    values = [row[key] or 0 for row in rows]
    colours = [WORDS if value >= 0 else OTHERS for value in values]
    axes.barh(range(len(rows)), values, height=0.6, color=colours)
    if all(isinstance(value, int) for value in values):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if min(values) < 0:
        axes.axvline(0, color=SOFT, linewidth=0.8)
    names = [short_name(str(next(iter(row.values())))) for row in rows]
    label_rows(axes, names, title, share=False)


def _draw_rows(axes: Any, rows: list[dict[str, Any]], table: CorpusTable) -> None:
    view = table.view
    value = "share" if view == "domains" else "rate"
    intervals = [Interval(row[value], row["low"], row["high"]) for row in rows]
    draw_intervals(axes, intervals, 0, WORDS, "", "o")
    if view == "verbs":
        names = [f"{row['verb']} ({row['metaphors']:,} of {row['uses']:,})" for row in rows]
        title = "Share of metaphors among the uses of a verb (95 % intervals)"
    elif view == "domains":
        groups = [f", {short_name(row['group'])}" if table.about["by"] else "" for row in rows]
        names = [f"{row['domain'].lower()}{group}" for row, group in zip(rows, groups, strict=True)]
        title = "Share of the metaphors with a source domain (95 % intervals)"
    elif view == "figures":
        names = [
            f"{short_name(row['lemma'])}, {row['upos']} ({row['count']:,} of {row['uses']:,})"
            for row in rows
        ]
        title = "Share of metaphors among the uses of a word (95 % intervals)"
    else:
        names = [f"{short_name(row['group'])} ({row['words']:,} words)" for row in rows]
        title = "Rate of metaphor (95 % intervals)"
    label_rows(axes, names, title)


def _draw_places(axes: Any, rows: list[dict[str, Any]], about: Mapping[str, Any]) -> None:
    for at, row in enumerate(rows):
        axes.vlines(row["other_places"], at - 0.2, at + 0.2, color=OTHERS, linewidth=0.8)
        axes.vlines(row["places"], at - 0.4, at + 0.4, color=WORDS, linewidth=1.1)
    axes.set_xlim(0, 1)
    title = f"Places of “{short_name(about['lemma'])}”: metaphors long, other uses short"
    label_rows(axes, [f"{short_name(r['id'])} ({r['count']:,})" for r in rows], title)


def _draw_trends(axes: Any, rows: list[dict[str, Any]], table: CorpusTable) -> None:
    periods = table.about["periods"]
    # lines differ in their dashes too, for those who see no colours
    for at, row in enumerate(rows):
        axes.plot(row["rates"], linewidth=1.4, label=short_name(row[table.columns[0]]),
                  color=(WORDS, OTHERS, SOFT)[at % 3],
                  linestyle=("-", "--", "-.", ":")[at % 4])  # fmt: skip
    ticks = range(0, len(periods), -(-len(periods) // _TICKS))
    axes.set_xticks(ticks, [periods[at] for at in ticks], rotation=30, ha="right")
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylabel("Uses per million words", color=SOFT)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    axes.spines[["top", "right"]].set_visible(False)


def _draw_line(axes: Any, rows: list[dict[str, Any]]) -> None:
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
    axes.yaxis.set_major_formatter(per_cent)
    axes.set_ylabel("Rate of metaphor (95 % intervals)", color=SOFT)
    axes.grid(axis="y", color="#dcdfe5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
