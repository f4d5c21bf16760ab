"""Bounds on a figure, and on the lower limit of its interval."""

import pytest

from trope.evaluate.results import Bounds, read_bounds
from trope.metrics.figures import DataRef, Measurement


def figure(value: float | None, low: float | None) -> Measurement:
    data, note = DataRef("toy", "test", "feed"), "" if value is not None else "no items"
    return Measurement("x.difference", value, low, low and 0.3, 10, data, note=note)


BOUNDS = Bounds(low_above={"x.difference": 0.0})


@pytest.mark.parametrize(
    ("value", "low", "missed"),
    [
        (0.1, 0.01, False),
        (0.1, 0.0, True),
        (0.1, -0.2, True),
        (0.1, None, True),
        (None, None, True),
    ],
)
def test_the_lower_limit_has_to_be_above_its_bound(
    value: float | None, low: float | None, missed: bool
) -> None:
    assert BOUNDS.misses(figure(value, low)) is missed
    assert BOUNDS.describe(figure(value, low)).startswith("lower limit > 0")


def test_bounds_of_lower_limits_are_read_for_each_tier(tmp_path) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text('[low_above]\n"x" = 0.1\n[tiers.base.low_above]\n"x" = 0.2\n')
    assert read_bounds(file).low_above == {"x": 0.1}
    assert read_bounds(file, "base").low_above == {"x": 0.2}
