"""The picture of calibration: true shares of metaphor against predicted ones."""

from __future__ import annotations

from pathlib import Path

from trope.metrics.calibration import Bin
from trope.render.plots import INK, SETTINGS, SOFT, WORDS, save_figure


def draw_reliability(bins: list[Bin], title: str, error: float, path: Path) -> None:
    """Draws a point a bin, as large as it has words, beside the line where both shares agree."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    most = max(b.items for b in bins)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(4.6, 4.6), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
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
        save_figure(figure, path)
