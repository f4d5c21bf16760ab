"""Plots of a corpus: rates of metaphor by group, and the most metaphorical verbs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.files import atomic_write
from trope.metrics.intervals import Interval
from trope.tasks.metaphor.corpus import CorpusMetaphors

SUFFIXES = (".svg", ".png", ".pdf")
GROUP_LIMIT, VERB_LIMIT = 20, 15
_ROW, _EDGE = 0.3, 1.3  # inches: of a row, and of what stands above and below the rows
INK, SOFT, WORDS, SENTENCES = "#1d2129", "#5b6270", "#b35c00", "#1f5aa8"
_LONGEST_NAME = 32

SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "trope",
    "svg.fonttype": "none",
    "font.size": 9,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "axes.edgecolor": SOFT,
    "text.color": INK,
}
"""Of every picture; the salt makes the same picture the same file."""


def check_plot(path: Path) -> None:
    """Raises if a file cannot be drawn: its suffix is of no known kind, matplotlib is missing."""
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path}: a plot ends in one of {', '.join(SUFFIXES)}; name it so")
    if find_spec("matplotlib") is None:
        raise MissingExtra("a plot", "plots", "matplotlib")


def draw_summary(metaphors: CorpusMetaphors, path: Path) -> None:
    """Draws rates and verbs with their intervals into one file; the same summary, the same file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    groups = list(metaphors.by_rate())
    shown = [("all", metaphors.total), *(groups[:GROUP_LIMIT] if len(groups) > 1 else [])]
    verbs = metaphors.verbs(VERB_LIMIT)
    heights = [len(shown) * 2, max(1, len(verbs))]
    with mpl.rc_context(SETTINGS):
        size = (7, sum(heights) * _ROW * 0.8 + 2 * _EDGE)
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 1, height_ratios=heights)
        _draw_rates(above, shown)
        _draw_verbs(below, verbs)
        save_figure(figure, path)


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


def draw_intervals(
    axes: Any, intervals: list[Interval], shift: float, colour: str, label: str, marker: str
) -> None:
    """Values as marks with their intervals, a row each."""
    known = [
        (place + shift, i.value, i.low, i.high)
        for place, i in enumerate(intervals)
        if i.value is not None and i.low is not None and i.high is not None
    ]
    if not known:
        return
    places, values, lows, highs = zip(*known, strict=True)
    reach = [
        [value - low for value, low in zip(values, lows, strict=True)],
        [high - value for value, high in zip(values, highs, strict=True)],
    ]
    axes.errorbar(
        values,
        places,
        xerr=reach,
        fmt=marker,
        markersize=4.5,
        color=colour,
        label=label,
        capsize=2,
        clip_on=False,
    )


def label_rows(axes: Any, names: list[str], title: str) -> None:
    """Names of the rows, per cent along the other axis."""
    from matplotlib.ticker import PercentFormatter

    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(1, len(names)) - 0.4, -0.6)
    axes.set_xlim(0, None if names else 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel(title, color=SOFT)
    axes.grid(axis="x", color="#dcdfe5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def short_name(name: str) -> str:
    """A name that leaves room for the picture."""
    name = name or "–"
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture, whole or not at all."""
    kind = path.suffix.lower().removeprefix(".")
    # without a date, so that the same figures are the same bytes
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=kind, dpi=160, metadata=metadata)
