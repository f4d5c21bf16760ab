"""Plots of rates and counts: coordinates that a template draws as SVG, styled by classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 380
MOST_DOTS = 30
_NAMES, _RIGHT, _ROW, _TOP = 112, 20, 22, 8
_LEFT, _HEIGHT, _LABELS = 46, 200, 4
_LONGEST, _LETTER = 24, 6.6


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis with its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A rate with its interval, on its row."""

    name: str
    y: float
    x: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Rates of groups below each other."""

    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    height: float
    summary: str
    left: int = _NAMES
    width: int = WIDTH

    @property
    def bottom(self) -> float:
        """The place of the axis."""
        return self.height - 20


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Rates over time, with a band for the interval."""

    line: str
    band: str
    dots: tuple[Dot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    summary: str
    height: int = _HEIGHT
    width: int = WIDTH
    left: int = _LEFT

    @property
    def bottom(self) -> int:
        """The place of the time axis."""
        return self.height - 24


@dataclass(frozen=True, slots=True)
class CountBar:
    """A count on its row."""

    name: str
    y: float
    length: float
    label: str


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Counts below each other."""

    bars: tuple[CountBar, ...]
    height: float
    summary: str
    left: int = _NAMES
    width: int = WIDTH


def bar_plot(rows: Sequence[dict[str, Any]], name: str, count: str, heading: str) -> BarPlot | None:
    """The counts of rows as bars; None if there are none."""
    known = [row for row in rows if row[count]][:MOST_DOTS]
    if not known:
        return None
    names, left = _labels([str(row[name]) for row in known])
    scale = (WIDTH - left - 3 * _RIGHT) / max(row[count] for row in known)
    bars = tuple(
        CountBar(
            name=names[at],
            y=_TOP + _ROW * (at + 0.5),
            length=round(row[count] * scale, 1),
            label=f"{row[count]:,}",
        )
        for at, row in enumerate(known)
    )
    counts = "; ".join(f"{bar.name} {bar.label}" for bar in bars)
    return BarPlot(bars, _TOP + _ROW * len(bars) + 6, f"{heading}: {counts}", left)


def dot_plot(rows: Sequence[dict[str, Any]], name: str) -> DotPlot | None:
    """The rates of rows with intervals; None if there are none."""
    known = [row for row in rows if row["rate"] is not None][:MOST_DOTS]
    if not known:
        return None
    steps = _steps(max(row["high"] for row in known))
    names, left = _labels([row[name] or "–" for row in known])
    scale = (WIDTH - left - _RIGHT) / steps[-1]

    def across(rate: float) -> float:
        return round(left + rate * scale, 1)

    dots = tuple(
        Dot(
            name=names[at],
            y=_TOP + _ROW * (at + 0.5),
            x=across(row["rate"]),
            low=across(row["low"]),
            high=across(row["high"]),
            label=_label(row, name),
        )
        for at, row in enumerate(known)
    )
    ticks = tuple(Tick(across(step), _percent(step)) for step in steps)
    summary = f"Rates of metaphor with 95 % intervals: {'; '.join(dot.label for dot in dots)}"
    return DotPlot(dots, ticks, _TOP + _ROW * len(dots) + 24, summary, left)


def line_plot(rows: Sequence[dict[str, Any]]) -> LinePlot | None:
    """The rates of periods in order; None if there are none."""
    known = [row for row in rows if row["group"] and row["rate"] is not None]
    if not known:
        return None
    steps = _steps(max(row["high"] for row in known))
    bottom = _HEIGHT - 24
    step = (WIDTH - _LEFT - _RIGHT) / max(1, len(known) - 1)

    def up(rate: float) -> float:
        return round(bottom - rate / steps[-1] * (bottom - _TOP), 1)

    dots = tuple(
        Dot(
            row["group"],
            up(row["rate"]),
            round(_LEFT + at * step, 1),
            up(row["low"]),
            up(row["high"]),
            _label(row, "group"),
        )
        for at, row in enumerate(known)
    )
    line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    band = " ".join(
        [f"{dot.x},{dot.high}" for dot in dots] + [f"{dot.x},{dot.low}" for dot in reversed(dots)]
    )
    every = -(-len(dots) // _LABELS)
    summary = f"Rates of metaphor over time with 95 % intervals, from {dots[0].label}"
    return LinePlot(
        line,
        band,
        dots,
        tuple(Tick(dot.x, dot.name) for dot in dots[::every]),
        tuple(Tick(up(one), _percent(one)) for one in steps),
        f"{summary} to {dots[-1].label}",
    )


def _steps(most: float) -> list[float]:
    """Round numbers from 0 to above the highest rate."""
    for size in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25):
        if most <= size * 5:
            break
    count = max(1, -(-most // size))
    return [round(size * number, 4) for number in range(int(count) + 1) if size * number <= 1]


def _percent(rate: float) -> str:
    return f"{100 * rate:g} %"


def _label(row: dict[str, Any], name: str) -> str:
    return f"{row[name] or 'none'} {100 * row['rate']:.1f} %"


def _labels(names: Sequence[str]) -> tuple[list[str], int]:
    """The names as they fit beside a plot, and the room that they need."""
    fitting = [one if len(one) <= _LONGEST else f"…{one[1 - _LONGEST :]}" for one in names]
    return fitting, max(_NAMES, round(_LETTER * max(map(len, fitting))) + 16)
