"""The plot of `trope analyze --summary`: rates of metaphor by group, and metaphorical verbs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trope.render.plots.canvas import (
    SENTENCES,
    SOFT,
    WORDS,
    draw_intervals,
    label_rows,
    plot_file,
    short_name,
)
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors

_GROUP_LIMIT, _VERB_LIMIT = 20, 15
_ROW, _EDGE = 0.3, 1.3  # inches: height of a row, and of the space above and below the rows


def draw_summary(metaphors: CorpusMetaphors, path: Path) -> None:
    """Draw rates and verbs with their intervals into one file."""
    groups = list(metaphors.by_rate())
    shown = [("all", metaphors.total), *(groups[:_GROUP_LIMIT] if len(groups) > 1 else [])]
    verbs = metaphors.verbs(_VERB_LIMIT)
    heights = [len(shown) * 2, max(1, len(verbs))]
    with plot_file(path, 7, sum(heights) * _ROW * 0.8 + 2 * _EDGE) as figure:
        above, below = figure.subplots(2, 1, height_ratios=heights)
        _draw_rates(above, shown)
        _draw_verbs(below, verbs)


def _draw_rates(axes: Any, groups: list[tuple[str, Any]]) -> None:
    names = [f"{short_name(name)} ({rates.words.whole:,} words)" for name, rates in groups]
    words = [rates.words.interval() for _, rates in groups]
    sentences = [rates.sentences.interval() for _, rates in groups]
    draw_intervals(axes, words, -0.14, WORDS, "words", "o")
    draw_intervals(axes, sentences, 0.14, SENTENCES, "sentences", "s")
    label_rows(axes, names, "Rate of metaphor (95 % intervals)")
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)


def _draw_verbs(axes: Any, verbs: list[Any]) -> None:
    names = [f"{short_name(use.lemma)} ({use.metaphors:,} of {use.count:,})" for use in verbs]
    draw_intervals(axes, [use.rate for use in verbs], 0, WORDS, "", "o")
    label_rows(axes, names, "Share of metaphors among the uses of a verb (95 % intervals)")
    if not verbs:
        axes.text(0.5, 0, "no verb is a metaphor", ha="center", va="center", color=SOFT)
