"""How often corrected rates cover the truth, and how wide they are beside the classical interval.

python benchmarks/corrected_rates.py [--samples 4000] [--results benchmarks/results.json]

Simulated corpora: people say yes to a share of the items, and the model says what they say on a
share of them. A random sample is judged. Status 1 where the coverage is not 93 to 97 %; where a
sample has hardly any item with the label, it may be more, if the interval is not wider than the
classical one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import record

from trope.metrics.corrected_rates import CorrectedRate, corrected_rate, rate_difference
from trope.metrics.figures import NO_DATA, Measurement
from trope.metrics.intervals import Interval, wilson

ITEMS = 5000
LEAST, MOST = 0.93, 0.97


@dataclass(frozen=True, slots=True)
class Scenario:
    """A corpus, a model and a sample; `other` is the rate of a second group to compare with.

    With `hardly_any` items of the label in the sample, no interval holds as often as it says.
    """

    name: str
    rate: float
    right: float
    judged: int
    beyond: bool = False
    other: float | None = None
    hardly_any: bool = False


SCENARIOS = (
    Scenario("usual", 0.2, 0.85, 200),
    Scenario("good_model", 0.2, 0.95, 200),
    Scenario("poor_model", 0.2, 0.6, 200),
    Scenario("even", 0.5, 0.85, 200),
    Scenario("rare", 0.05, 0.9, 400),
    Scenario("few", 0.2, 0.85, 60),
    Scenario("hardly_any", 0.05, 0.9, 50, hardly_any=True),
    Scenario("beyond", 0.2, 0.85, 200, beyond=True),
    Scenario("difference", 0.3, 0.85, 200, beyond=True, other=0.2),
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of samples whose interval holds the truth, and its width to the classical one."""

    scenario: Scenario
    samples: int
    corrected: float
    classical: float
    width: float

    @property
    def missed(self) -> bool:
        """Whether the interval does not hold as often as it says."""
        careful = self.scenario.hardly_any and self.width <= 1
        return self.corrected < LEAST or (self.corrected > MOST and not careful)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and put the figures into the file of results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    found = [measure(one, options.samples, options.seed) for one in SCENARIOS]
    print("scenario     rate  model  judged  coverage  classical  width ratio")
    for one in found:
        case = one.scenario
        shown = f"{case.name:<11} {case.rate:5.2f} {case.right:6.2f} {case.judged:7d}"
        print(f"{shown} {one.corrected:9.3f} {one.classical:10.3f} {one.width:12.3f}")
    record.keep_beside([figure for one in found for figure in figures(one)], options.results)
    missed = [one.scenario.name for one in found if one.missed]
    for name in missed:
        print(f"corrected_rates: the coverage of {name} is not 93 to 97 %", file=sys.stderr)
    return 1 if missed else 0


def measure(scenario: Scenario, samples: int, seed: int) -> Coverage:
    """The coverage over that many simulated samples."""
    rng = np.random.default_rng([seed, *scenario.name.encode()])
    rows = [_one_sample(scenario, rng) for _ in range(samples)]
    corrected, classical, widths, usual = (np.mean(column) for column in zip(*rows, strict=True))
    return Coverage(scenario, samples, float(corrected), float(classical), float(widths / usual))


def _one_sample(scenario: Scenario, rng: np.random.Generator) -> tuple[bool, bool, float, float]:
    found, truth = _drawn(scenario, scenario.rate, rng)
    corrected, classical = found.corrected, found.classical
    if scenario.other is not None:
        second, other = _drawn(scenario, scenario.other, rng)
        difference = rate_difference(found, second)
        corrected, classical, truth = difference.corrected, difference.classical, truth - other
    return _holds(corrected, truth), _holds(classical, truth), _width(corrected), _width(classical)


def _drawn(
    scenario: Scenario, rate: float, rng: np.random.Generator
) -> tuple[CorrectedRate, float]:
    truth = (rng.random(ITEMS) < rate).astype(float)
    model = np.where(rng.random(ITEMS) < scenario.right, truth, 1 - truth)
    drawn = rng.choice(ITEMS, scenario.judged, replace=False)
    found = corrected_rate(
        truth[drawn].tolist(), model[drawn].tolist(), model.tolist(), beyond=scenario.beyond
    )
    return found, rate if scenario.beyond else float(truth.mean())


def _holds(interval: Interval, truth: float) -> bool:
    assert interval.low is not None and interval.high is not None
    return interval.low <= truth <= interval.high


def _width(interval: Interval) -> float:
    assert interval.low is not None and interval.high is not None
    return interval.high - interval.low


def figures(found: Coverage) -> list[Measurement]:
    """The coverage with its interval, and the width."""
    case = found.scenario
    note = f"simulated: rate {case.rate:g}, model right on {case.right:g}, {case.judged} judged"
    share = wilson(found.corrected * found.samples, found.samples)
    return [
        Measurement(
            name=f"rates.{case.name}.coverage",
            value=share.value,
            low=share.low,
            high=share.high,
            n=found.samples,
            data=NO_DATA,
            note=note,
        ),
        record.measured(
            f"rates.{case.name}.width_ratio", [found.width], n=found.samples, note=note
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
