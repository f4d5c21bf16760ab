"""Sentiment shown: a bar in the terminal, a scale and bars on the page, means of many texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from math import sqrt

from trope.core.records import Analysis, Sentiment

LOWEST, HIGHEST = -5, 5
_STEPS = 2  # characters per point of the scale
_WIDE, _HIGH, _EDGE = 240, 18, 24  # of the scale on the page, in its own units
_BAR_WIDE, _BAR_HIGH = 8, 6  # of a bar in the strip: its width, and the height of a point
_FEWEST_BARS = 24  # the width of the strip in bars, so that a single bar is not as wide as it
_95_PER_CENT = 1.96


@dataclass(slots=True)
class MeanSentiment:
    """The scores of many texts, without keeping them."""

    texts: int = 0
    total: float = 0.0
    squares: float = 0.0
    integers: Counter[int] = field(default_factory=Counter)

    def add(self, sentiment: Sentiment) -> None:
        """Counts one more text."""
        self.texts += 1
        self.total += sentiment.score
        self.squares += sentiment.score**2
        self.integers[sentiment.integer] += 1

    @property
    def mean(self) -> float | None:
        """The mean score; None without texts."""
        return self.total / self.texts if self.texts else None

    def interval(self) -> tuple[float, float] | None:
        """Where the mean lies with 95 % confidence; None for fewer than two texts."""
        if self.texts < 2:
            return None
        mean = self.total / self.texts
        spread = max(0.0, self.squares - self.texts * mean**2) / (self.texts - 1)
        off = _95_PER_CENT * sqrt(spread / self.texts)
        return max(float(LOWEST), mean - off), min(float(HIGHEST), mean + off)

    def line(self) -> str:
        """The mean with its interval, such as "−1.20 (−1.54 to −0.86)"."""
        if self.mean is None:
            return "–"
        bounds = self.interval()
        more = f" ({signed(bounds[0])} to {signed(bounds[1])})" if bounds else ""
        return signed(self.mean) + more

    def to_dict(self) -> dict[str, object]:
        """The same as plain data; `counts` has the texts of every integer."""
        low, high = self.interval() or (None, None)
        numbers = {"mean": self.mean, "low": low, "high": high}
        shown = {k: None if v is None else round(v, 4) for k, v in numbers.items()}
        counts = {str(n): self.integers[n] for n in range(LOWEST, HIGHEST + 1)}
        return {"texts": self.texts, **shown, "counts": counts}


def signed(score: float) -> str:
    """The score with two places and a real minus sign."""
    return f"{score:+.2f}".replace("-", "−").replace("+0.00", "0.00").replace("−0.00", "0.00")


def format_sentiment(sentiment: Sentiment) -> str:
    """The score, then the integer: "−1.65 (−2)"."""
    return f"{signed(sentiment.score)} ({sentiment.integer:+d})".replace("-", "−").replace(
        "(+0)", "(0)"
    )


def mood(sentiment: Sentiment) -> str:
    """Whether a text is "good", "bad", or, rounded to a whole number, neither ("even")."""
    if sentiment.integer == 0:
        return "even"
    return "good" if sentiment.score > 0 else "bad"


def bar(score: float) -> str:
    """The score on the scale, such as "−5 ·······●━━│·········· +5"."""
    zero = -LOWEST * _STEPS
    place = round((score - LOWEST) * _STEPS)
    cells = ["·"] * ((HIGHEST - LOWEST) * _STEPS + 1)
    for cell in range(min(place, zero), max(place, zero) + 1):
        cells[cell] = "━"
    cells[zero] = "│"
    cells[place] = "●"
    return f"−5 {''.join(cells)} +5"


def sentiment_scale(analysis: Analysis) -> str:
    """The score of a text as a number and on a scale; nothing for a text without words."""
    sentiment = analysis.sentiment
    if sentiment is None:
        return ""
    shown = escape(format_sentiment(sentiment))
    text = f"<span>sentiment <b>{shown}</b>, {sentiment.scale} scale</span>"
    return f'<p class="sentiment">{text}{_scale(sentiment)}</p>'


def sentence_bars(scores: Sequence[float]) -> str:
    """The sentiment of the sentences of a text, one bar each, in order; nothing without any."""
    if not scores:
        return ""
    span = f"from {signed(min(scores))} to {signed(max(scores))}"
    high = _BAR_HIGH * HIGHEST
    bars = "".join(_strip_bar(place, score) for place, score in enumerate(scores))
    wide = _BAR_WIDE * max(len(scores), _FEWEST_BARS)
    return (
        f'<svg class="strip" viewBox="0 {-high} {wide} {2 * high}" preserveAspectRatio="none" '
        f'role="img" aria-label="Sentiment of {len(scores):,} sentences, {span}">'
        f'{bars}<path d="M0 0H{wide}"/></svg>'
    )


def _strip_bar(place: int, score: float) -> str:
    tall = max(abs(min(max(score, LOWEST), HIGHEST)) * _BAR_HIGH, 1)
    top = -tall if score > 0 else 0
    mood = "good" if score > 0 else "bad"
    return (
        f'<g class="{mood}" data-sentence="{place}"><title>Sentence {place + 1}: {signed(score)}'
        f'</title><rect class="field" x="{place * _BAR_WIDE}" y="{-_BAR_HIGH * HIGHEST}" '
        f'width="{_BAR_WIDE}" height="{2 * _BAR_HIGH * HIGHEST}"/>'
        f'<rect x="{place * _BAR_WIDE + 1}" y="{top:.1f}" width="{_BAR_WIDE - 2}" '
        f'height="{tall:.1f}"/></g>'
    )


def sentiment_table(sentiment: MeanSentiment) -> Iterator[str]:
    """How many texts have each score, as a table with bars."""
    most = max(sentiment.integers.values(), default=0)
    if not most:
        return
    yield f"<table><caption>Sentiment of the texts, mean {sentiment.line()}</caption><tbody>"
    for number in range(HIGHEST, LOWEST - 1, -1):
        count = sentiment.integers[number]
        shown = f"{number:+d}".replace("-", "−").replace("+0", "0")
        meter = f'<meter min="0" max="{most}" value="{count}" aria-hidden="true"></meter>'
        yield f'<tr><th scope="row">{shown}<td class="count">{count:,}<td>{meter}</tr>'
    yield "</tbody></table>"


def _scale(sentiment: Sentiment) -> str:
    unit = (_WIDE - 2 * _EDGE) / (HIGHEST - LOWEST)
    middle, zero = _HIGH / 2, _EDGE - LOWEST * unit
    at = _EDGE + (sentiment.score - LOWEST) * unit
    ticks = "".join(
        f"M{_EDGE + step * unit:g} {middle - 2:g}v4" for step in range(HIGHEST - LOWEST + 1)
    )
    size = f'width="{_WIDE}" height="{_HIGH}" viewBox="0 0 {_WIDE} {_HIGH}"'
    return (
        f'<svg class="{mood(sentiment)}" {size} '
        f'role="img" aria-label="{escape(format_sentiment(sentiment))} on a scale from −5 to 5">'
        f'<path d="M{_EDGE} {middle:g}H{_WIDE - _EDGE}{ticks}M{zero:g} 2v{_HIGH - 4}"/>'
        f'<path class="bar" d="M{zero:g} {middle:g}H{at:.1f}"/>'
        f'<circle cx="{at:.1f}" cy="{middle:g}" r="4.5"/>'
        f'<text class="t" x="9" y="{middle + 4:g}">−5</text>'
        f'<text class="t" x="{_WIDE - 9}" y="{middle + 4:g}">+5</text></svg>'
    )
