"""The picture of errors: what kinds of wrong choices are made, by template, beside the paper's."""

from __future__ import annotations

from pathlib import Path

from trope.corpora.mean import CODES
from trope.published.cells import read_published
from trope.render.plots import INK, SETTINGS, SOFT, save_figure
from trope.tasks.analogy.answers import FoldAnswers, error_counts

_COLOURS = ("#b35c00", "#1f5aa8", "#7a7f8a")
_MEANINGS = ("same domain, other attribute", "other domain, same attribute", "both other")


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
    """Draws a bar a template, parted by kind of error; the same answers, the same file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    bars = error_shares(answers, tier)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(7, 0.5 * len(bars) + 1.2), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        left = [0.0] * len(bars)
        for at, (code, meaning) in enumerate(zip(CODES[1:], _MEANINGS, strict=True)):
            widths = [shares[at] for shares in bars.values()]
            label = f"{code}: {meaning}"
            axes.barh(list(bars), widths, left=left, color=_COLOURS[at], label=label, height=0.6)
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the errors, random folds", color=SOFT)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.spines[["top", "right", "left"]].set_visible(False)
        figure.legend(frameon=False, loc="outside upper left", ncols=3, fontsize=7)
        save_figure(figure, path)
