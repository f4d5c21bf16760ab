"""A picture of a funnel: what each step of a recipe kept, and why the rest went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trope.recipes.funnel import Funnel
from trope.render.plots import SETTINGS, SOFT, WORDS, save_figure

_PALE = "#e3c9ab"


def draw_funnel(funnel: Funnel, path: Path) -> None:
    """Draws a bar a step, what it kept and what it dropped; the same funnel, the same file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        size = (7.5, 0.42 * len(funnel.steps) + 1.2)
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        _draw(figure.subplots(), funnel)
        save_figure(figure, path)


def _draw(axes: Any, funnel: Funnel) -> None:
    places = range(len(funnel.steps))
    kept = [step.kept for step in funnel.steps]
    dropped = [sum(step.dropped.values()) for step in funnel.steps]
    axes.barh(places, kept, color=WORDS, label="kept")
    axes.barh(places, dropped, left=kept, color=_PALE, label="dropped")
    widest = max((a + b for a, b in zip(kept, dropped, strict=True)), default=1) or 1
    for place, (step, out) in enumerate(zip(funnel.steps, dropped, strict=True)):
        reason = max(step.dropped, key=lambda name: step.dropped[name], default="")
        said = f"{step.kept:,}" + (f"; most dropped: {reason}" if reason else "")
        axes.text(step.kept + out + widest * 0.01, place, said, va="center", color=SOFT, fontsize=8)
    axes.set_yticks(places, [step.name for step in funnel.steps])
    axes.set_xlim(0, widest * 1.35)
    axes.invert_yaxis()
    axes.set_xlabel(f"{funnel.recipe}: records", color=SOFT)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(frameon=False, loc="lower right")
