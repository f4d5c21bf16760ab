"""Tables of figures and audits in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from trope.audit.audit import Audit, AuditWarning, compared
from trope.evaluate.results import NO_BOUNDS, Bounds
from trope.metrics.figures import Evaluation, Measurement, to_json


def print_evaluation(
    evaluation: Evaluation,
    bounds: Bounds = NO_BOUNDS,
    *,
    seed: int,
    as_json: bool,
    submission: bool = False,
) -> None:
    """Print the figures on standard output, as a table or as JSON.

    Of a `submission`, which no model of trope made, the file is named in place of a tier.
    """
    if as_json:
        click.echo(to_json(evaluation), nl=False)
    else:
        print_table(evaluation, bounds, seed=seed, submission=submission)


def print_table(
    evaluation: Evaluation, bounds: Bounds = NO_BOUNDS, *, seed: int, submission: bool = False
) -> None:
    """Print the figures on standard output, within 80 columns where it is not a terminal."""
    prefix = f"{evaluation.task}."
    shared = all(figure.name.startswith(prefix) for figure in evaluation.figures)
    measured = evaluation.tier if submission else f"tier {evaluation.tier}"
    table = Table(title=f"{evaluation.task}, {measured}", title_justify="left")
    table.add_column(prefix + "…" if shared else "figure", overflow="fold")
    for name in ("value", "interval", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    if any(bounds.describe(figure) for figure in evaluation.figures):
        table.add_column("bound", overflow="fold")
    for figure in evaluation.figures:
        cells = [figure.name.removeprefix(prefix), show(figure.value), _interval(figure)]
        bound = [bounds.describe(figure)] if len(table.columns) == 5 else []
        table.add_row(*cells, str(figure.n), *bound)
    console = Console(highlight=False)
    console.print(table)
    for figure in evaluation.figures:
        if figure.value is None:
            console.print(f"{figure.name}: {figure.note}", soft_wrap=True)
    made = f"trope {evaluation.trope}, seed {seed}." if submission else _signature(evaluation, seed)
    console.print(made, soft_wrap=True)


def show(value: float | None) -> str:
    """A value as it is printed: four places for shares, fewer for large, a power for tiny ones."""
    if value is None:
        return "–"
    if 0 < abs(value) < 5e-5:
        return f"{value:.1e}"
    return (
        f"{value:.4f}" if abs(value) < 2 else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    )


def print_audits(
    audits: Sequence[Audit], warnings: Sequence[AuditWarning], system: Evaluation | None
) -> None:
    """Print tables and warnings on standard output, in 80 columns where it is not a terminal."""
    console = Console(highlight=False)
    for audit in audits:
        console.print(_audit_table(audit))
    for warning in warnings:
        console.print(f"warning: {warning.message}", markup=False)
    if not any(compared(audit, system) for audit in audits):
        console.print("Compared with nothing: give the figures of a system with --system.")
    elif not warnings:
        console.print("No control reaches what it was compared with.")


def _audit_table(audit: Audit) -> Table:
    prefix = f"audit.{audit.name}."
    sizes = sorted({figure.n for figure in audit.figures})
    counts = ", ".join(f"{size:,}" for size in sizes)
    table = Table(title=f"{audit.name}: n = {counts}", title_justify="left")
    table.add_column("control", overflow="fold")
    table.add_column("score", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    table.add_column("how", overflow="fold")
    last = ""
    for figure in audit.figures:
        control, _, score = figure.name.removeprefix(prefix).rpartition(".")
        first = control != last
        last = control
        cells = [control if first else "", score, show(figure.value), _interval(figure)]
        table.add_row(*cells, figure.note if first else "")
    return table


def _signature(evaluation: Evaluation, seed: int) -> str:
    model = f"`{evaluation.model_sha256}`" if evaluation.model_sha256 else "without a checksum"
    return f"trope {evaluation.trope}, tier {evaluation.tier}, model {model}, seed {seed}."


def _interval(figure: Measurement) -> str:
    if figure.low is None:
        return ""
    return f"{show(figure.low)}–{show(figure.high)}"
