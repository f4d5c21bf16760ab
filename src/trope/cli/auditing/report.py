"""An audit for people: a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from trope.cli.auditing.audit import Audit, Warned, compared
from trope.cli.evaluation.report import show
from trope.metrics.figures import Evaluation, Figure


def print_audits(
    audits: Sequence[Audit], warnings: Sequence[Warned], system: Evaluation | None
) -> None:
    """Print tables and warnings on standard output, in 80 columns where it is no terminal."""
    console = Console(highlight=False)
    for audit in audits:
        console.print(_table(audit))
    for warned in warnings:
        console.print(f"warning: {warned.says}", markup=False)
    if not any(compared(audit, system) for audit in audits):
        console.print("Compared with nothing: give the figures of a system with --system.")
    elif not warnings:
        console.print("No control reaches what it was compared with.")


def _table(audit: Audit) -> Table:
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


def _interval(figure: Figure) -> str:
    return "" if figure.low is None else f"{show(figure.low)}–{show(figure.high)}"
