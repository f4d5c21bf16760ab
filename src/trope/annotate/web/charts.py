"""Charts as plain data, which templates draw as SVG: positions and classes, never a style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from trope.annotate.plan import Plan
from trope.core.progress import counted
from trope.metrics.agreement import Agreement

MOST_MAPPED = 30
"""The most annotators of a heat map; more would not be legible."""

WIDTH = 360
_ROW = 26
_NAMES = 116
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """A label with its count and the length of its bar."""

    label: str
    count: int
    percent: int
    y: int
    width: float


@dataclass(frozen=True, slots=True)
class BarChart:
    """How often each label was given."""

    id: str
    title: str
    summary: str
    bars: tuple[Bar, ...]
    height: int
    total: int


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A pair of annotators in a heat map."""

    x: float
    y: float
    kind: str
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class HeatName:
    """An annotator at the side and at the top of a heat map."""

    text: str
    y: float
    x: float


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Cohen's kappa of every pair of annotators."""

    id: str
    summary: str
    names: tuple[HeatName, ...]
    cells: tuple[HeatCell, ...]
    side: float
    left: int
    width: int
    height: float


@dataclass(frozen=True, slots=True)
class ProgressChart:
    """The total number of judgments, day by day."""

    summary: str
    line: str
    area: str
    first: str
    last: str
    days: tuple[tuple[date, int, int], ...]
    total: int
    wanted: int


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A point of a trend with the ends of its interval, as places in the chart."""

    x: float
    y: float
    low: float
    high: float
    value: Agreement


@dataclass(frozen=True, slots=True)
class TrendChart:
    """The agreement on items in the order in which they were judged."""

    summary: str
    line: str
    points: tuple[TrendPoint, ...]
    floor: float


def trend_chart(points: Sequence[Agreement]) -> TrendChart | None:
    """The chart of a trend; None for fewer than two points."""
    shown = [one for one in points if one.value is not None]
    if len(shown) < 2:
        return None
    lowest = min(0.0, *(_low(one) for one in shown))
    step = (WIDTH - 24) / (len(shown) - 1)

    def place(value: float) -> float:
        return round(10 + 100 * (1 - value) / (1 - lowest), 1)

    drawn = tuple(
        TrendPoint(
            x=round(12 + at * step, 1),
            y=place(one.value or 0.0),
            low=place(_low(one)),
            high=place(one.high if one.high is not None else one.value or 0.0),
            value=one,
        )
        for at, one in enumerate(shown)
    )
    first, last = shown[0].value or 0.0, shown[-1].value or 0.0
    return TrendChart(
        summary=f"{first:.2f} on the first items, {last:.2f} on the latest",
        line=" ".join(f"{point.x},{point.y}" for point in drawn),
        points=drawn,
        floor=place(0.0),
    )


def _low(one: Agreement) -> float:
    return one.low if one.low is not None else one.value or 0.0


def bar_chart(question: str, plan: Plan, counts: Mapping[str, int]) -> BarChart:
    """The distribution of the labels of a question."""
    asked = next(one for one in plan.questions if one.id == question)
    shown = {option.value: option.shown for option in asked.offered({}, {})}
    total = sum(counts.values())
    most = max(counts.values(), default=0)
    bars = tuple(
        Bar(
            label=_short(shown.get(label, label), 34),
            count=count,
            percent=round(100 * count / total) if total else 0,
            y=at * (_ROW + 14),
            width=round(count / most * (WIDTH - 60), 1) if most else 0,
        )
        for at, (label, count) in enumerate(counts.items())
    )
    common = max(bars, key=lambda bar: bar.count, default=None)
    summary = counted(total, "answer")
    if common and total:
        summary += f"; most often {common.label} ({common.percent} %)"
    return BarChart(question, asked.text, summary, bars, len(bars) * (_ROW + 14), total)


def heat_map(question: str, pairs: Sequence[Agreement]) -> HeatMap | None:
    """The heat map of a question's pairs; None for fewer than two or too many annotators."""
    named = [(pair.name.partition("|"), pair) for pair in pairs if pair.name.count("|") == 1]
    split = [(one, other, pair) for (one, _, other), pair in named]
    names = list(dict.fromkeys(name for one, other, _ in split for name in (one, other)))
    if not 2 <= len(names) <= MOST_MAPPED or len(split) != len(pairs):
        return None
    side = round(min(44.0, (WIDTH - _NAMES) / len(names)), 2)
    place = {name: at for at, name in enumerate(names)}
    cells = []
    for one, other, pair in split:
        for row, column in ((one, other), (other, one)):
            cells.append(
                HeatCell(
                    x=round(_NAMES + place[column] * side, 2),
                    y=round(22 + place[row] * side, 2),
                    kind=heat_class(pair.value),
                    text="" if pair.value is None or side < 30 else f"{pair.value:.2f}",
                    title=f"{row} and {column}: {_value(pair)}",
                )
            )
    defined = [pair for pair in pairs if pair.value is not None]
    summary = f"{counted(len(names), 'annotator')}, {counted(len(pairs), 'pair')}"
    if defined:
        lowest = min(defined, key=lambda pair: pair.value or 0.0)
        highest = max(defined, key=lambda pair: pair.value or 0.0)
        summary += (
            f"; lowest {lowest.name.replace('|', ' and ')} {_value(lowest)}, "
            f"highest {highest.name.replace('|', ' and ')} {_value(highest)}"
        )
    return HeatMap(
        id=question,
        summary=summary,
        names=tuple(
            HeatName(_short(name, _LONGEST), 22 + (at + 0.5) * side, _NAMES + (at + 0.5) * side)
            for at, name in enumerate(names)
        ),
        cells=tuple(cells),
        side=side,
        left=_NAMES,
        width=WIDTH,
        height=round(22 + len(names) * side + 2, 2),
    )


def heat_class(value: float | None) -> str:
    """The class of a kappa: none, below, or heat-0 to heat-5 for each fifth."""
    if value is None:
        return "none"
    return "below" if value < 0 else f"heat-{min(int(value * 5), 5)}"


def progress_chart(
    days: Sequence[tuple[date, int]], wanted: int, before: int = 0
) -> ProgressChart | None:
    """The chart of the total number of judgments; `before` counts days that are not shown."""
    if not days:
        return None
    rows, total = [], before
    for day, count in days:
        total += count
        rows.append((day, count, total))
    first, last = rows[0][0], rows[-1][0]
    span = max((last - first).days, 1)
    top = max(wanted, total, 1)
    points = [
        (round(WIDTH * (day - first).days / span, 1), round(110 - 100 * so_far / top, 1))
        for day, _, so_far in rows
    ]
    if len(points) == 1:
        points = [(0.0, 110.0), (float(WIDTH), points[0][1])]
    line = " ".join(f"{x},{y}" for x, y in points)
    share = f"{100 * total / wanted:.0f} % of {wanted}" if wanted else "none wanted"
    return ProgressChart(
        summary=f"{counted(total, 'judgment')} by {last}, {share}",
        line=line,
        area=f"{points[0][0]},110 {line} {points[-1][0]},110",
        first=str(first) if last > first else "",
        last=str(last),
        days=tuple(rows),
        total=total,
        wanted=wanted,
    )


def _value(pair: Agreement) -> str:
    return pair.note or "undefined" if pair.value is None else f"{pair.value:.3f}"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
