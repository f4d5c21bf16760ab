"""Plots: what all of them have, the plot of a summary, and those of `trope evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.files import atomic_write
from trope.corpora.mean import CODES
from trope.metrics.calibration import CalibrationBin
from trope.metrics.intervals import Interval
from trope.published import read_published
from trope.tasks.analogy.cross_validation import FoldAnswers, error_counts
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors

SUFFIXES = (".svg", ".png", ".pdf")
INK, SOFT, WORDS, SENTENCES = "#1d2129", "#5b6270", "#b35c00", "#1f5aa8"
_LONGEST_NAME = 32

_STYLE: dict[str, Any] = {
    "svg.hashsalt": "trope",  # the same plot is the same file
    "svg.fonttype": "none",
    "font.size": 9,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "axes.edgecolor": SOFT,
    "text.color": INK,
}

_GROUP_LIMIT, _VERB_LIMIT = 20, 15
_ROW, _EDGE = 0.3, 1.3  # inches: height of a row, and of the space above and below the rows
_BINS = 24
_ERROR_COLOURS = ("#b35c00", "#1f5aa8", "#7a7f8a")
_ERROR_KINDS = ("same domain, other attribute", "other domain, same attribute", "both other")


def check_plot(path: Path) -> None:
    """Check that a plot can be written: the suffix is known and matplotlib is installed."""
    if path.suffix.lower() not in SUFFIXES:
        problem = "is not the name of a plot"
        raise BadInput(f"{path}: {problem}; give one that ends in {', '.join(SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise MissingExtra("a plot", "plots", "matplotlib")


@contextmanager
def plot_file(path: Path, width: float, height: float) -> Iterator[Any]:
    """A figure of this size in inches; it is written to the file when the block ends.

    The same drawing gives the same bytes.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        yield figure
        _save(figure, path)


def draw_intervals(
    axes: Any, intervals: list[Interval], shift: float, colour: str, label: str, marker: str
) -> None:
    """Draw each value as a mark with its interval, one row per value."""
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


def label_rows(axes: Any, names: list[str], title: str, *, share: bool = True) -> None:
    """Label the rows with names, and the other axis in per cent if it shows shares."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(1, len(names)) - 0.4, -0.6)
    if share:
        axes.set_xlim(0, None if names else 1)
        if beyond := [tick for tick in axes.get_xticks() if tick >= axes.get_xlim()[1]]:
            axes.set_xlim(0, max(axes.get_xlim()[1], min(1, beyond[0])))  # ends at a tick
        axes.xaxis.set_major_formatter(per_cent)
    axes.set_xlabel(title, color=SOFT)
    axes.grid(axis="x", color="#dcdfe5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def per_cent(share: float, _place: int | None = None) -> str:
    """The label of a tick: 0.125 as 12.5 %."""
    return f"{100 * share:g} %"


def short_name(name: str) -> str:
    """A name that leaves room for the plot."""
    name = name or "–"
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower().removeprefix(".")
    # without a date, so that the same plot is the same file
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=kind, dpi=160, metadata=metadata)


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


def draw_reliability(bins: list[CalibrationBin], title: str, error: float, path: Path) -> None:
    """Draw true shares of metaphors against predicted ones, a point per bin of words."""
    most = max(b.items for b in bins)
    with plot_file(path, 4.6, 4.6) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle="--")
        axes.scatter(
            [b.predicted for b in bins],
            [b.true for b in bins],
            s=[12 + 180 * (b.items / most) ** 0.5 for b in bins],
            color=WORDS,
            alpha=0.75,
            linewidth=0,
            zorder=2,
        )
        for b in bins:
            axes.annotate(
                f"{b.items:,}", (b.predicted, b.true), xytext=(9, -9),
                textcoords="offset points", fontsize=6.5, color=SOFT,
            )  # fmt: skip
        axes.set(xlim=(0, 1.04), ylim=(0, 1.04), aspect="equal")
        axes.set_xlabel("predicted probability of metaphor", color=INK)
        axes.set_ylabel("true share of metaphors", color=INK)
        axes.set_title(f"{title}\ncalibration error {error:.4f}", fontsize=9, loc="left")
        axes.spines[["top", "right"]].set_visible(False)


def draw_metaphoricity(values: Mapping[str, Sequence[float]], path: Path) -> None:
    """Draw how metaphoricity is distributed over each kind of candidate."""
    import numpy as np

    everything = [value for own in values.values() for value in own]
    edges = np.linspace(min(everything), max(everything), _BINS + 1)
    with plot_file(path, 6, 3.4) as figure:
        axes = figure.subplots()
        for (name, own), colour in zip(values.items(), (SENTENCES, WORDS), strict=False):
            counts, _ = np.histogram(own, edges)
            label = f"{name} ({len(own):,}, mean {np.mean(own):.3f})"
            axes.stairs(counts / max(1, len(own)), edges, color=colour, linewidth=1.6, label=label)
        axes.set_xlabel("smaller cosine with subject and object (low: more incongruous)", color=INK)
        axes.set_ylabel("share of candidates", color=SOFT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)


def error_shares(answers: FoldAnswers, tier: str, kind: str = "random") -> dict[str, list[float]]:
    """Bar → shares of the three kinds of errors: ours by template, then the paper's over all."""
    bars = {}
    for (template, folds), by_seed in sorted(answers.scores.items()):
        counts = error_counts(by_seed)
        if folds == kind and counts.total():
            name = f"trope {tier}, {template.upper()} ({counts.total()} errors)"
            bars[name] = [counts[code] / counts.total() for code in CODES[1:]]
    printed = read_published("mean")
    cells = [printed.find("all", code) for code in CODES[1:]]
    bars["Table 4, all"] = [cell.value / 100 for cell in cells if cell is not None]
    return bars


def draw_errors(answers: FoldAnswers, tier: str, path: Path) -> None:
    """Draw the shares of the kinds of errors, a bar per template."""
    bars = error_shares(answers, tier)
    with plot_file(path, 7, 0.5 * len(bars) + 1.2) as figure:
        axes = figure.subplots()
        left = [0.0] * len(bars)
        for at, (code, meaning) in enumerate(zip(CODES[1:], _ERROR_KINDS, strict=True)):
            widths = [shares[at] for shares in bars.values()]
            label = f"{code}: {meaning}"
            axes.barh(
                list(bars), widths, left=left, color=_ERROR_COLOURS[at], label=label, height=0.6
            )
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the errors, random folds", color=SOFT)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.spines[["top", "right", "left"]].set_visible(False)
        figure.legend(frameon=False, loc="outside upper left", ncols=3, fontsize=7)
