"""The picture of metaphoricity: how it is spread over judged and over accepted candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trope.render.plots import INK, SENTENCES, SETTINGS, SOFT, WORDS, save_figure

BINS = 24
_COLOURS = (SENTENCES, WORDS)


def draw_metaphoricity(values: Mapping[str, Sequence[float]], path: Path) -> None:
    """Draws a curve of shares for each kind of candidate; the same values, the same file."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    everything = [value for own in values.values() for value in own]
    edges = np.linspace(min(everything), max(everything), BINS + 1)
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(6, 3.4), layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for (name, own), colour in zip(values.items(), _COLOURS, strict=False):
            counts, _ = np.histogram(own, edges)
            label = f"{name} ({len(own):,}, mean {np.mean(own):.3f})"
            axes.stairs(counts / max(1, len(own)), edges, color=colour, linewidth=1.6, label=label)
        axes.set_xlabel("smaller cosine with subject and object (low: more incongruous)", color=INK)
        axes.set_ylabel("share of candidates", color=SOFT)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
        save_figure(figure, path)
