"""`trope agree`: how far annotators agree, question by question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from trope.cli.judgments import describe_table, read_table, split_list, table_options
from trope.core.progress import counted

if TYPE_CHECKING:
    from rich.console import Console

    from trope.annotate.rules.agreement import QuestionAgreement
    from trope.metrics.agreement import Agreement


@click.command()
@table_options
@click.option("--verb-column", default="", metavar="COLUMN",
              help="Verbs of items: kappa without light, aspectual and weak verbs.")  # fmt: skip
@click.option("--order", default="", metavar="A,B,…", help="The labels from lowest to highest.")
@click.option("--raters", type=click.IntRange(min=2),
              help="Answers per complete item.  [default: the most frequent number]")  # fmt: skip
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True,
              help="How many of the most disputed items to list.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def agree(
    ctx: click.Context,
    /,
    verb_column: str,
    order: str,
    raters: int | None,
    top: int,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Agreement of the annotators in FILE, a long or wide table of judgments.

    Percent agreement, Fleiss' and Cohen's kappa and Krippendorff's alpha with 95 % intervals by
    bootstrap over items; an undefined value comes with the reason. Answers that mark words
    ([[start, end], …]) are compared word by word and by overlap.
    """
    from trope import __version__
    from trope.annotate.rules.agreement import as_document, measure_question, verb_classes
    from trope.annotate.rules.span_agreement import measure_spans
    from trope.core.judgments import by_question, is_span_label

    table = read_table(options, verb=verb_column)
    describe_table(table, quiet=as_json or (ctx.obj or {}).get("quiet", False))
    classes = verb_classes(table.verbs) if verb_column else None
    settings: dict[str, Any] = {"usual": raters, "top": top, "seed": seed}
    labels = split_list(order)
    questions = [
        measure_spans(given, table.texts, **settings)
        if any(is_span_label(judgment.label) for judgment in given)
        else measure_question(given, order=labels, verb_classes=classes, **settings)
        for given in by_question(table.judgments).values()
    ]
    if as_json:
        document = {
            "trope": __version__,
            "file": table.name,
            "layout": table.layout,
            "seed": seed,
            "skipped": table.skipped,
            "questions": [as_document(question) for question in questions],
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        _print(questions)


def _print(questions: Sequence[QuestionAgreement]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for number, question in enumerate(questions):
        if number:
            console.print()
        name = f"{question.question}: " if question.question else ""
        console.print(
            f"{name}{counted(question.judgments, 'judgment')}, {counted(question.items, 'item')}, "
            f"{counted(question.annotators, 'annotator')}; "
            f"a complete item has {counted(question.usual, 'answer')}",
            soft_wrap=True,
        )
        console.print(_answers(question), soft_wrap=True)
        _print_agreements(console, "statistic", question.agreements)
        if question.exclusions:
            named = [
                (f"{exclusion.name}: {agreement.name}", agreement)
                for exclusion in question.exclusions
                for agreement in exclusion.agreements
            ]
            _print_rows(console, "verbs out", named)
        if 1 < len(question.pairs) <= 28:
            _print_agreements(console, "Cohen's kappa of", question.pairs)
        _print_disputed(console, question)


def _answers(question: QuestionAgreement) -> str:
    if len(question.labels) > 15:
        return f"{len(question.labels)} labels"
    return "labels: " + ", ".join(f"{label} {n}" for label, n in question.labels.items())


def _print_agreements(console: Console, title: str, agreements: Sequence[Agreement]) -> None:
    _print_rows(console, title, [(agreement.name, agreement) for agreement in agreements])


def _print_rows(console: Console, title: str, rows: Sequence[tuple[str, Agreement]]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(title, overflow="fold")
    for name in ("value", "interval", "items"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Landis–Koch", no_wrap=True)
    for name, agreement in rows:
        low, value, high = map(_decimal, (agreement.low, agreement.value, agreement.high))
        interval = f"{low}–{high}" if low else ""
        table.add_row(name, value or "–", interval, str(agreement.n), agreement.word)
    console.print()
    console.print(table)
    notes: dict[str, list[str]] = {}
    for name, agreement in rows:
        if agreement.note:
            notes.setdefault(agreement.note, []).append(name)
    for note, names in notes.items():
        console.print(f"{', '.join(names)}: {note}", soft_wrap=True)


def _decimal(value: float | None) -> str:
    """The number with three decimals, without a sign before zero; empty if there is none."""
    return "" if value is None else f"{round(value, 3) + 0.0:.3f}"


def _print_disputed(console: Console, question: QuestionAgreement) -> None:
    if not question.disputed:
        return
    console.print("\nmost disputed")
    for item in question.disputed:
        answers = ", ".join(f"{label} × {n}" for label, n in item.answers.items())
        console.print(f"  {item.item}  {item.agreement:.2f}  {answers}", soft_wrap=True)
