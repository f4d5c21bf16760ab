"""Options of `trope agree` and `trope aggregate` that say how a table of judgments is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from trope.cli.completion import complete_files
from trope.cli.sources import table_reading_options
from trope.corpora.judgment_tables import JudgmentColumns, JudgmentTable, read_judgments
from trope.corpora.tables import TableFormat, named_delimiter

F = TypeVar("F", bound=Callable[..., Any])

_COLUMNS = {
    "item": "Column of the items.",
    "annotator": "Column of the annotators (long table).",
    "label": "Column of the labels (long table).",
    "question": "Column of the questions; each is measured by itself.",
    "weight": "Column of the weights of votes (long table).",
    "seconds": "Column of the seconds per answer (long table).",
    "gold": "Column of known answers: a label, a|b, or a range such as -2..1.",
    "text": "Column of the texts, for answers that mark words.",
}
_OTHERS = (
    click.option("--layout", type=click.Choice(["auto", "long", "wide"]), default="auto",
                 show_default=True, help="One row per judgment, or one column per annotator."),
    click.option("--annotators", default="", metavar="A,B,…",
                 help="Columns that hold judgments (wide table)."),
    click.option("--missing", default="", metavar="A,B,…",
                 help="Labels that mean: no answer."),
    click.option("--skip-empty", is_flag=True, help="Skip rows without a label."),
    click.option("--format", "table_format", type=click.Choice(get_args(TableFormat)),
                 default="auto", show_default=True, help="Format of the file."),
)  # fmt: skip


def table_options(command: F) -> F:
    """The command with the options that `read_table` needs."""
    command = table_reading_options(command)
    for option in reversed(_OTHERS):
        command = option(command)
    for name, text in reversed(_COLUMNS.items()):
        command = click.option(f"--{name}", default="", metavar="COLUMN", help=text)(command)
    return click.argument("file", shell_complete=complete_files)(command)


def read_table(options: dict[str, Any], *, verb: str = "") -> JudgmentTable:
    """The table that the options describe."""
    columns = JudgmentColumns(
        **{name: options[name] for name in _COLUMNS},
        verb=verb,
        annotators=split_list(options["annotators"]),
    )
    return read_judgments(
        options["file"],
        columns=columns,
        layout=options["layout"],
        format=options["table_format"],
        missing=split_list(options["missing"]),
        encoding=options["encoding"] or None,
        delimiter=named_delimiter(options["delimiter"]),
        sheet=options["sheet"] or None,
        skip_empty=options["skip_empty"],
    )


def describe_table(table: JudgmentTable, *, quiet: bool) -> None:
    """Print on standard error how the table was read, if that may be a surprise."""
    if quiet:
        return
    if table.layout == "wide":
        names = dict.fromkeys(judgment.annotator for judgment in table.judgments)
        click.echo(f"{table.name}: wide table, annotators {', '.join(names)}", err=True)
    elif table.ignored_columns:
        click.echo(f"{table.name}: not used: {', '.join(table.ignored_columns)}", err=True)


def split_list(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
