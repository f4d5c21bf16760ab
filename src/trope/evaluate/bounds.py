"""Bounds for figures, from a TOML file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from trope.core.config import read_config
from trope.metrics.figures import Evaluation, Measurement


class Bounds(msgspec.Struct, frozen=True):
    """Name of a figure → what it must reach, or must not exceed.

    `low_above` is for the lower limit of its interval, which must be more than that.
    """

    at_least: dict[str, float] = msgspec.field(default_factory=dict)
    at_most: dict[str, float] = msgspec.field(default_factory=dict)
    low_above: dict[str, float] = msgspec.field(default_factory=dict)

    def describe(self, figure: Measurement) -> str:
        """The bound as it is printed, marked where it is missed; empty where there is none."""
        signs = [(self.at_least, "≥"), (self.at_most, "≤"), (self.low_above, "lower limit >")]
        shown = [f"{sign} {bound[figure.name]:g}" for bound, sign in signs if figure.name in bound]
        return " ".join([*shown, *(["missed"] if self.misses(figure) else [])])

    def misses(self, figure: Measurement) -> bool:
        """Whether the figure misses its bound; an undefined figure misses any."""
        low, high = self.at_least.get(figure.name), self.at_most.get(figure.name)
        limit = self.low_above.get(figure.name)
        if figure.value is None:
            return not (low is high is limit is None)
        too_low = low is not None and figure.value < low
        unsure = limit is not None and (figure.low is None or figure.low <= limit)
        return too_low or unsure or (high is not None and figure.value > high)


NO_BOUNDS = Bounds()


class BoundsFile(Bounds, frozen=True):
    """A file: the bounds of the tier `small`, and those of other tiers under their names."""

    tiers: dict[str, Bounds] = msgspec.field(default_factory=dict)


def read_bounds(path: str | Path, tier: str = "small") -> Bounds:
    """The bounds that a file has for a tier; all its faults are reported at once."""
    file = read_config(path, BoundsFile)
    if tier == "small":
        return Bounds(file.at_least, file.at_most, file.low_above)
    return file.tiers.get(tier, NO_BOUNDS)


def missed(evaluation: Evaluation, bounds: Bounds) -> list[Measurement]:
    """The figures that miss their bounds."""
    return [figure for figure in evaluation.figures if bounds.misses(figure)]
