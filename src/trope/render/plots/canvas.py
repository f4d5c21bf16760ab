"""What all plots have: style, file formats, rows with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.files import atomic_write
from trope.metrics.intervals import Interval

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


def label_rows(axes: Any, names: list[str], title: str) -> None:
    """Label the rows with names and the other axis in per cent."""
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
    """A name that leaves room for the plot."""
    name = name or "–"
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"


def _save(figure: Any, path: Path) -> None:
    kind = path.suffix.lower().removeprefix(".")
    # without a date, so that the same plot is the same file
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format=kind, dpi=160, metadata=metadata)
