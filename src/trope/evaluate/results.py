"""A file of recorded figures: one line per figure and tier, signed with model, version and date."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import msgspec

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
