"""`trope evaluate metonymy`: names of SemEval-2007 Task 8, and the task's tables recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal

from trope.evaluate.leaderboard import summarise
from trope.evaluate.metonymy_systems import (
    CORPUS,
    NameData,
    evaluate_baselines,
    evaluate_encoder,
    evaluate_roles,
    evaluate_transformers,
    read_data,
)
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.lexicon.readings import GRANULARITIES, NAME_CLASSES, NameClass, labels, readings
from trope.metrics.figures import NO_DATA, Evaluation, Measurement, new_evaluation
from trope.published import Cell, Published, read_published
from trope.tasks.metonymy.samples import count_readings

UNDEFINED = "undef"
_TABLE_OF: dict[NameClass, str] = {"location": "1", "organisation": "2"}


def evaluate_tables(data: NameData, options: EvaluationOptions) -> list[Measurement]:
    """The number of samples of each reading, and how many printed cells come out the same."""
    published = read_published(CORPUS)
    counts = reading_counts(data, published)
    figures = [
        Measurement(
            f"metonymy.semeval2007.{name_class}.count.{split}.{reading}",
            float(count),
            None,
            None,
            rows["total"],
            data[name_class, split].data,
            note=_count_note(name_class, split),
        )
        for (name_class, split), rows in counts.items()
        for reading, count in rows.items()
    ]
    return [*figures, *_equal_cells(published, counts)]


def reading_counts(
    data: NameData, published: Published
) -> dict[tuple[NameClass, str], dict[str, int]]:
    """Tables 1 and 2; the company test column comes from the organisers' own counts."""
    found: dict[tuple[NameClass, str], dict[str, int]] = {}
    for name_class in NAME_CLASSES:
        for split in ("train", "test"):
            if (name_class, split) == ("organisation", "test"):
                found[name_class, split] = _organisers_counts(published)
            else:
                found[name_class, split] = count_readings(
                    data[name_class, split].samples, name_class
                )
    return found


def _organisers_counts(published: Published) -> dict[str, int]:
    counts = {
        reading: int(cell.printed)
        for reading in readings("organisation")
        if (cell := published.find("gold", f"organisation.fine.gold.{reading}"))
    }
    return {**counts, "total": sum(counts.values())}


def _count_note(name_class: NameClass, split: str) -> str:
    if (name_class, split) == ("organisation", "test"):
        return "from the organisers' results: the fine gold labels are not public"
    return ""


def _equal_cells(
    published: Published, counts: dict[tuple[NameClass, str], dict[str, int]]
) -> Iterator[Measurement]:
    ours: dict[str, dict[tuple[str, str], str]] = {"1": {}, "2": {}, "3": {}, "4": {}}
    for (name_class, split), rows in counts.items():
        for reading, count in rows.items():
            ours[_TABLE_OF[name_class]][reading, f"{name_class}.{split}"] = str(count)
    for cell in _cells(published, "full"):
        if cell.column.endswith(".accuracy"):
            column = cell.column.removesuffix(".accuracy")
            table = "3" if column.startswith("location") else "4"
            ours[table][cell.row, column] = rounded(float(cell.printed))
    ours["5"] = table_5(published)
    for table, values in ours.items():
        cells = [c for c in _cells(published, table) if (c.row, c.column) in values]
        unequal = [c for c in cells if values[c.row, c.column] != c.printed]
        note = "; ".join(
            f"{c.row} {c.column}: {values[c.row, c.column]}, printed {c.printed}" for c in unequal
        )
        share = (len(cells) - len(unequal)) / len(cells)
        name = f"metonymy.semeval2007.table_{table}.equal_cells"
        yield Measurement(name, share, None, None, len(cells), NO_DATA, note=note)


def _cells(published: Published, table: str) -> list[Cell]:
    return [cell for cell in published.cells if cell.table == table]


def table_5(published: Published) -> dict[tuple[str, str], str]:
    """Minimum, maximum and mean over the systems, from the official results.

    An undefined value counts as 0 in a mean. Where it is the largest or smallest is not computed:
    the organisers compared their values as text.
    """
    found: dict[tuple[str, str], str] = {}
    for row, values in _measures(published):
        numbers = [None if value == UNDEFINED else float(value) for value in values]
        summary = summarise(numbers)
        if summary is None:
            found |= {(row, column): UNDEFINED for column in ("min", "max", "ave")}
            continue
        found[row, "ave"] = rounded(summary.average)
        if UNDEFINED not in values and summary.maximum > 0:
            found[row, "min"] = rounded(summary.minimum)
            found[row, "max"] = rounded(summary.maximum)
    return found


def rounded(value: float) -> str:
    """Three decimals without the zero before the point, as the paper prints them."""
    shown = str(Decimal(repr(value)).quantize(Decimal("0.001"), ROUND_HALF_EVEN))
    return shown.removeprefix("0") if shown.startswith("0.") else shown


def _measures(published: Published) -> Iterator[tuple[str, list[str]]]:
    """Each row of Table 5 with the official values of all systems."""
    full = [cell for cell in published.cells if cell.table == "full" and cell.row != "baseline"]
    for name_class in NAME_CLASSES:
        for level in GRANULARITIES:
            prefix = f"{name_class}.{level}"
            for name in ("accuracy", *(f"{label}.f" for label in labels(name_class, level))):
                column = f"{prefix}.{name}"
                yield column, [cell.printed for cell in full if cell.column == column]


Part = Callable[[NameData, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    "encoder": evaluate_encoder,
    "transformers": evaluate_transformers,
    "tables": evaluate_tables,
    "baselines": evaluate_baselines,
    "roles": evaluate_roles,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of metonymy.

    Raises:
        MissingData: where the task's files are not there.
    """
    parts = options.choose(tuple(PARTS))
    if pipeline is None and set(parts) != {"tables"}:
        pipeline = options.open_pipeline()
    if pipeline is not None:
        parts = options.choose_readable(tuple(PARTS), pipeline, {"encoder": "metonymy"})
    data = read_data(options.data, pipeline)
    figures = [figure for part in parts for figure in PARTS[part](data, options)]
    checksum = getattr(pipeline, "model_sha256", "")
    return new_evaluation("metonymy", options.tier, checksum, figures)
