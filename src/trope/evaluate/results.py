"""Files of recorded figures, signed with model, version and date, and of bounds for figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import msgspec

from trope.core.config import read_config
from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.metrics.figures import DataRef, Evaluation, Measurement


class RecordedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure with the tier, model and version that it was measured with, and the date."""

    name: str
    tier: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    data: DataRef
    chosen_on: str
    note: str
    model_sha256: str
    trope: str
    date: str


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Recorded figures, by task and tier."""

    figures: tuple[RecordedFigure, ...] = ()


def read_results(path: Path) -> Results:
    """The figures in a file of results.

    Raises:
        BadRecord: where the file holds something else; the text names the field.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Results)
    except (msgspec.DecodeError, BadInput) as error:
        problem = f"is not a file of results ({error})"
        raise BadRecord(path, None, f"{problem}; delete it, or give another") from None


def merge_results(evaluation: Evaluation, path: Path, *, on: date) -> None:
    """Record the figures of an evaluation; earlier ones of the same name and tier are replaced.

    Raises:
        BadInput: where the file is not a JSON file.
    """
    check_results_file(path)
    old = read_results(path).figures if path.is_file() else ()
    found = {(figure.name, figure.tier): figure for figure in old}
    for figure in evaluation.figures:
        found[figure.name, evaluation.tier] = _record(figure, evaluation, on)
    with atomic_write(path) as file:
        file.write(_document(sorted(found.values(), key=_place)))


def check_results_file(path: Path) -> None:
    """Raises BadInput where the name of a file does not end in .json."""
    if path.suffix != ".json":
        raise BadInput(f"{path}: is not a file of results; give a name that ends in .json")


def _record(figure: Measurement, evaluation: Evaluation, on: date) -> RecordedFigure:
    return RecordedFigure(
        **msgspec.structs.asdict(figure),
        tier=evaluation.tier,
        model_sha256=evaluation.model_sha256,
        trope=evaluation.trope,
        date=on.isoformat(),
    )


def _place(figure: RecordedFigure) -> tuple[str, bool, str]:
    """What figures are ordered by: the task, then the tier, `small` first."""
    return figure.name.partition(".")[0], figure.tier != "small", figure.tier


def _document(figures: Iterable[RecordedFigure]) -> str:
    lines = ",\n".join(
        json.dumps(msgspec.to_builtins(figure), ensure_ascii=False) for figure in figures
    )
    return f'{{"figures": [\n{lines}\n]}}\n'


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
