"""Options that say how judgments (`trope agree`, `aggregate`) and labels (`train`) are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from trope.cli.completion import complete_files
from trope.cli.sources import TABLE_OPTIONS, file_options, table_reading_options
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.progress import MessageWriter
from trope.core.records import TextKind
from trope.corpora.files import FileOptions
from trope.corpora.judgment_tables import JudgmentColumns, JudgmentTable, read_judgments
from trope.corpora.labelled_texts import LabelColumns, text_kind
from trope.corpora.tables import TableFormat, named_delimiter

if TYPE_CHECKING:
    from trope.corpora.labelled_texts import TaskName

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
    """The table that the options describe; of an annotation project, the answers that count."""
    if (folder := Path(options["file"])) and (folder / "project.toml").is_file():
        return _project_answers(folder)
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


def _project_answers(folder: Path) -> JudgmentTable:
    from trope.annotate.project import open_project
    from trope.annotate.store.database import connect

    connect(project := open_project(folder))
    from trope.annotate.store.rows import answer_rows, item_rows, verbs_of_items

    plan = project.plan
    judgments = tuple(answer_rows(plan))
    if not judgments:
        raise BadInput(f"{folder}: nobody has judged an item yet; run this again later")
    texts = {item: text for item, text, _ in item_rows()}
    return JudgmentTable(str(folder), "project", judgments, (), 0, verbs_of_items(plan), texts)


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


_LABEL_OPTIONS = (
    ("--column", "text_column", "Column with the text.  [default: text, …]"),
    ("--label", "label_column", "Column with the label.  [default: label, score, reading …]"),
    ("--target", "target_column",
     "Column with the verb that is judged (metaphor; without it, labels are of whole texts), or "
     "the name (metonymy)."),
    ("--class-column", "class_column", "Column with the class of a name: location, organisation."),
    ("--split", "split_column",
     "Column with train, validation or test.  [default: split; else one text in five is set "
     "aside]"),
    ("--positive", "positive", "The label that means metaphor, or yes; all others mean no."),
    ("--question", "question", "Question of an annotation project whose labels are used."),
)  # fmt: skip


def label_options() -> list[click.Option]:
    """The options that say where labels of a user's own stand, and how their table is read."""
    tables = [(name, name[2:], text) for name, text in TABLE_OPTIONS.items()]
    kinds = click.Choice(get_args(TextKind))
    return [
        *(click.Option([name, key], default="", metavar=name[2:].upper(), help=text)
          for name, key, text in (*_LABEL_OPTIONS, *tables)),
        click.Option(["--kind"], type=kinds,
                     help="Kind of the labelled texts.  [default: what a run of a recipe has, "
                          "otherwise plain]"),
    ]  # fmt: skip


def take_label_options(
    options: dict[str, Any],
) -> tuple[LabelColumns, FileOptions, TextKind | None]:
    """Which columns hold what, how the table is read and what its texts are; out of `options`."""
    columns = LabelColumns(*(options.pop(key) for _, key, _ in _LABEL_OPTIONS))
    files = file_options({name[2:]: options.pop(name[2:]) for name in TABLE_OPTIONS})
    return columns, files, options.pop("kind")


@contextmanager
def labelled_folder(source: Path) -> Iterator[Path]:
    """The same path; for an annotation project, a folder with its items and labels."""
    if not (source / "project.toml").is_file():
        yield source
        return
    from trope.annotate.exchange.records import Losses
    from trope.annotate.project import open_project
    from trope.annotate.rules.aggregation import AggregationOptions
    from trope.annotate.store.database import connect

    connect(project := open_project(source))
    from trope.annotate.store.exports import ExportOptions, export_lines

    with TemporaryDirectory() as folder:
        for what in ("items", "labels"):
            options = ExportOptions(what=what, format="jsonl", aggregation=AggregationOptions())
            with (Path(folder) / f"{what}.jsonl").open("w", encoding="utf-8") as file:
                file.writelines(export_lines(project.plan, options, Losses()))
        try:
            yield Path(folder)
        except BadRecord as error:  # the folder is gone when someone reads this
            raise BadRecord(source, None, error.problem) from None


_FROM = "Folder with the corpora, one folder each (see `trope data`); not for --on FILE."
LABELS_HELP = (
    "a file with labels of your own, a run of a recipe or an annotation project (without --model, "
    "a light system within seconds)"
)


def own_training_options() -> list[click.Option]:
    """The options of a training that labels of the user's own may replace the corpora of."""
    data = click.Path(path_type=Path, file_okay=False, exists=True)
    return [
        click.Option(["--from", "data"], type=data, help=_FROM),
        click.Option(["--all", "everything"], is_flag=True,
                     help="With --on FILE: train on all labels, and set nothing aside."),
        *label_options(),
    ]  # fmt: skip


def train_own(task: str, options: dict[str, Any], say: MessageWriter) -> bool:
    """Train on labels of one's own if `--on` names a file or folder; whether it did.

    What belongs to labels of a user's own is taken out of the options.
    """
    everything, named = options.pop("everything"), options["sets"]
    columns, files, kind = take_label_options(options)
    source = Path(named)
    silver = options.get("silver")  # which trains on such tables beside the paper's corpora
    if silver:
        options |= {"columns": columns, "files": files}
    if silver or not (named and source.exists()):
        if not silver and named and ("/" in named or source.suffix):
            raise MissingData(named, "give a table with labels, or the folder of a run")
        if options["data"] is None:
            raise click.MissingParameter(param_type="option", param_hint="'--from' / '--on'")
        return False
    from trope.train.own_labels import EncoderChoice, train_on_labels

    encoder = None
    if options["model"] is not None:
        chosen = ("model", "config", "seed", "device", "work", "preset")
        encoder = EncoderChoice(**{name: options[name] for name in chosen if name in options})
    with labelled_folder(source) as folder:
        train_on_labels(
            task=cast("TaskName", task), source=folder, out=options["out"], columns=columns,
            files=files, kind=kind or text_kind(source), everything=everything, encoder=encoder,
            called=source, say=say,
        )  # fmt: skip
    return True
