"""Plots of `trope evaluate`: calibration, metaphoricity of candidates, errors in analogies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trope.corpora.mean import CODES
from trope.metrics.calibration import CalibrationBin
from trope.published.cells import read_published
from trope.render.plots.canvas import INK, SENTENCES, SOFT, WORDS, plot_file
from trope.tasks.analogy.cross_validation import FoldAnswers, error_counts

_BINS = 24
_ERROR_COLOURS = ("#b35c00", "#1f5aa8", "#7a7f8a")
_ERROR_KINDS = ("same domain, other attribute", "other domain, same attribute", "both other")


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
