"""`trope aggregate`: one label for each item, a quality for each annotator."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from trope.cli.judgments import describe_table, read_table, table_options
from trope.core.progress import counted

if TYPE_CHECKING:
    from trope.core.judgments import Judgment
    from trope.metrics.aggregation.results import Aggregate, ItemResult

METHODS = ("majority", "mean", "weighted-mean", "dawid-skene", "mace", "glad")
_FIELDS = ("question", "item", "label", "score", "confidence", "answers", "deviation", "note")


@click.command()
@table_options
@click.option("--method", type=click.Choice(METHODS), default="majority", show_default=True,
              help="How answers become a label.")  # fmt: skip
@click.option("--ties", type=click.Choice(["none", "first", "random"]), default="none",
              show_default=True, help="Label of a tied item (majority).")  # fmt: skip
@click.option("--default-reliability", type=click.FloatRange(min=0),
              help="R without test questions (weighted-mean).  [default: none]")  # fmt: skip
@click.option("--use-gold", is_flag=True,
              help="Keep known labels fixed (dawid-skene, mace, glad).")  # fmt: skip
@click.option("--smoothing", type=click.FloatRange(min=0), default=0.0, show_default=True,
              help="Added to the cells of error tables (dawid-skene).")  # fmt: skip
@click.option("--restarts", type=click.IntRange(min=1), default=10, show_default=True,
              help="Random starts (mace).")  # fmt: skip
@click.option("--training", type=click.Choice(["variational", "em"]), default="variational",
              show_default=True, help="How parameters are learnt (mace).")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of random ties and starts.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False),
              help="Write the labels to this .csv, .tsv or .jsonl file.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def aggregate(ctx: click.Context, /, out: Path | None, as_json: bool, **options: Any) -> None:
    """Labels of the items in FILE, a long or wide table of judgments.

    Labels have a confidence, annotators a quality; an item without a label has a note.
    """
    from trope import __version__
    from trope.core.judgments import by_question

    if out is not None:
        _suffix(out)
    table = read_table(options)
    quiet = as_json or (ctx.obj or {}).get("quiet", False)
    describe_table(table, quiet=quiet)
    results = {
        question: _aggregate(judgments, options)
        for question, judgments in by_question(table.judgments).items()
    }
    if out is not None:
        _write(out, results)
    if as_json:
        questions = [{"question": q, **asdict(result)} for q, result in results.items()]
        document = {
            "trope": __version__,
            "file": table.name,
            "method": options["method"],
            "seed": options["seed"],
            "questions": questions,
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
    elif out is None:
        from trope.cli.output import open_output

        with open_output(None) as file:
            _write_rows(file, "\t", results)
    if not quiet:
        _summarise(results)


def _aggregate(judgments: Sequence[Judgment], options: dict[str, Any]) -> Aggregate:
    from dataclasses import fields

    from trope.annotate.rules.aggregation import AggregationOptions, aggregate_question

    way = AggregationOptions(
        **{field.name: options[field.name] for field in fields(AggregationOptions)}
    )
    return aggregate_question(judgments, way)


def _suffix(out: Path) -> str:
    if out.suffix not in (".csv", ".tsv", ".jsonl"):
        raise click.UsageError(f"--out {out}: the name must end in .csv, .tsv or .jsonl")
    return out.suffix


def _write(out: Path, results: dict[str, Aggregate]) -> None:
    from trope.core.files import atomic_write

    with atomic_write(out) as file:
        if _suffix(out) == ".jsonl":
            for question, result in results.items():
                for item in result.items:
                    row = {"question": question, **asdict(item)}
                    file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            _write_rows(file, "," if _suffix(out) == ".csv" else "\t", results)


def _write_rows(file: IO[str], delimiter: str, results: dict[str, Aggregate]) -> None:
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(_FIELDS)
    for question, result in results.items():
        writer.writerows(_row(question, item) for item in result.items)


def _row(question: str, item: ItemResult) -> list[str]:
    numbers = (item.score, item.confidence)
    score, confidence = ("" if n is None else f"{n:.6f}" for n in numbers)
    deviation = "" if item.deviation is None else f"{item.deviation:.6f}"
    label = item.label or ""
    return [question, item.item, label, score, confidence, str(item.answers), deviation, item.note]


def _summarise(results: dict[str, Aggregate]) -> None:
    for question, result in results.items():
        unresolved = sum(item.label is None for item in result.items)
        name = f"{question}: " if question else ""
        items = counted(len(result.items), "item")
        click.echo(f"{name}{items}, {unresolved} without a label", err=True)
        if not result.converged:
            click.echo(f"{name}not converged after {result.iterations} iterations", err=True)
        click.echo(f"{name}annotators, {result.quality_is}:", err=True)
        worst = sorted(
            result.annotators, key=lambda a: (a.quality is None, a.quality or 0.0, a.annotator)
        )
        for one in worst[:10]:
            value = "–" if one.quality is None else f"{one.quality:.3f}"
            note = f"  {one.note}" if one.note else ""
            answers = counted(one.answers, "answer")
            click.echo(f"  {one.annotator}  {value}  ({answers}){note}", err=True)
        if len(worst) > 10:
            click.echo(f"  … and {len(worst) - 10} better ones (--json shows all)", err=True)
