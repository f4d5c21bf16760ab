"""`trope analyze --summary`: counts over many texts, as text, JSON or a plot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from trope import __version__
from trope.core.errors import BadInput
from trope.core.records import Analysis
from trope.render.markup import printable
from trope.render.names import NAME_LIMIT, by_reading, most_frequent
from trope.render.page_pieces import percent, threshold_text
from trope.render.plots import check_plot, draw_summary
from trope.render.sentiment import bar
from trope.render.summary import Summary
from trope.tasks.metaphor.corpus_rates import VIEW_NAMES

GROUP_LIMIT = 40
_NOT_ASKED = "No rates of metaphor: --only leaves out metaphor."
_NO_HEAD = "No rates of metaphor: this model has no metaphor head."


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """How the summary is shown; a fault of the options is reported before any work."""

    form: str
    plot: Path | None

    def __post_init__(self) -> None:
        if self.form not in ("text", "json"):
            raise BadInput(f"a summary is text or json, not {self.form}; leave out --format")
        if self.plot is not None:
            check_plot(self.plot)


def write_summary(
    found: Iterable[tuple[str, Analysis]],
    file: IO[str],
    options: SummaryOptions,
    *,
    has_metaphor_head: bool = True,
) -> None:
    """Counts the texts, each with its group, then writes the summary and plots it if asked to."""
    summary = Summary()
    for group, analysis in found:
        summary.add(analysis, group)
    if options.plot is not None:
        if "metaphor" not in summary.tasks:
            raise BadInput(f"{options.plot}: there are no rates to plot; add metaphor to --only")
        draw_summary(summary.metaphors, options.plot)
    if options.form == "json":
        file.write(json.dumps(to_dict(summary), ensure_ascii=False, indent=2) + "\n")
        return
    for part in _text(summary, _NOT_ASKED if has_metaphor_head else _NO_HEAD):
        Console(file=file, highlight=False, markup=False, emoji=False).print(part)


def to_dict(summary: Summary) -> dict[str, Any]:
    """The summary as plain data; `metaphor` only where it was asked for."""
    data: dict[str, Any] = {
        "trope": __version__,
        "texts": summary.totals.texts,
        "sentences": summary.totals.sentences,
        "tokens": summary.totals.tokens,
        "words": summary.totals.words,
    }
    if "relations" in summary.tasks:
        rejected = sorted(summary.rejected.items())
        data["relations"] = {
            "kept": dict(sorted(summary.kept.items())),
            "rejected": [
                {"kind": kind, "reason": reason, "count": count}
                for (kind, reason), count in rejected
            ],
        }
    if "metaphor" in summary.tasks:
        data["metaphor"] = summary.metaphors.to_dict()
    if "metonymy" in summary.tasks:
        columns = ("name", "class", "reading", "count")
        rows = most_frequent(summary.names)
        data["metonymies"] = [dict(zip(columns, row, strict=True)) for row in rows]
    if "sentiment" in summary.tasks:
        groups = {name: mean.to_dict() for name, mean in sorted(summary.sentiment_of.items())}
        data["sentiment"] = {**summary.totals.sentiment.to_dict(), "groups": groups}
    return data


def _text(summary: Summary, no_rates: str) -> Iterator[Text | Table]:
    yield Text(summary.totals.line(), style="bold")
    if "metaphor" in summary.tasks:
        yield from _metaphors(summary)
    else:
        yield Text(no_rates, style="dim")
    if summary.names:
        yield Text("")
        yield from _names(summary)
    if summary.totals.sentiment.texts:
        yield Text("")
        yield _sentiment(summary)


def _metaphors(summary: Summary) -> Iterator[Text | Table]:
    metaphors = summary.metaphors
    yield Text(
        f"Metaphors are {VIEW_NAMES[metaphors.words]} of at least "
        f"{threshold_text(metaphors.threshold)} (--words chooses others); a metaphorical "
        "sentence has a metaphor or an idiom; 95 % intervals.\n",
        style="dim",
    )
    yield _rates(summary)
    if verbs := metaphors.verbs():
        table = _table("verb", "metaphors", "rate (95 %)", "objects of its metaphors")
        for use in verbs:
            objects = ", ".join(printable(thing) for thing, _, times in use.objects if times)
            counts = f"{use.metaphors:,} of {use.count:,}"
            table.add_row(printable(use.lemma), counts, percent(use.rate), objects)
        yield Text("")
        yield table


def _names(summary: Summary) -> Iterator[Table | Text]:
    """How many names have each reading, then the most frequent names."""
    table = _table("class", "reading", "names")
    for name_class, reading, count in by_reading(summary.names):
        table.add_row(name_class, reading, f"{count:,}")
    yield table
    yield Text("")
    rows = most_frequent(summary.names)
    table = _table("name", "class", "reading", "times")
    for name, name_class, reading, count in rows[:NAME_LIMIT]:
        table.add_row(printable(name), name_class, reading, f"{count:,}")
    if len(rows) > NAME_LIMIT:
        table.add_row(f"… and {len(rows) - NAME_LIMIT:,} more (--json has all)", *[""] * 3)
    yield table


def _sentiment(summary: Summary) -> Table:
    """Mean sentiment of all texts and of the groups, with a bar for each mean."""
    table = _table("", "texts", "mean sentiment (95 %)", "")
    groups = sorted(summary.sentiment_of.items(), key=lambda item: item[1].mean or 0.0)
    shown = groups[:GROUP_LIMIT] if len(groups) > 1 else []
    for name, mean in [("all", summary.totals.sentiment), *shown]:
        drawn = bar(mean.mean) if mean.mean is not None else ""
        table.add_row(printable(name) or "–", f"{mean.texts:,}", mean.line(), drawn)
    if len(groups) > GROUP_LIMIT:
        table.add_row(f"… and {len(groups) - GROUP_LIMIT:,} more (--json has all)", *[""] * 3)
    return table


def _rates(summary: Summary) -> Table:
    table = _table("", "texts", "words", "metaphors (95 %)", "sentences (95 %)")
    groups = list(summary.metaphors.by_rate())
    rows = [("all", summary.metaphors.total), *(groups[:GROUP_LIMIT] if len(groups) > 1 else [])]
    for name, rates in rows:
        table.add_row(
            printable(name) or "–",
            f"{rates.texts:,}",
            f"{rates.words.whole:,}",
            percent(rates.words.interval()),
            percent(rates.sentences.interval()),
        )
    if len(groups) > GROUP_LIMIT:
        table.add_row(f"… and {len(groups) - GROUP_LIMIT:,} more (--json has all)", *[""] * 4)
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in names:
        right = name in ("texts", "words", "metaphors", "names", "times")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    return table
