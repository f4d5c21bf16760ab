"""`trope detect`: the metaphors of a corpus, in shards that can be resumed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from trope import __version__
from trope.cli.completion import complete_files
from trope.cli.engines import engine_options, load_executor, tier_options
from trope.cli.output import systems_option, words_option
from trope.cli.sources import Notes, file_options, reading_options
from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.core.options import FURTHER_TASKS
from trope.core.records import TextKind, WordView
from trope.corpora.files import FileOptions, InputFile, find_files
from trope.scale.entries import Columns
from trope.scale.job import SHARD_ROWS, DetectSettings, OutputFormat, domain_system
from trope.scale.run import ERRORS, DetectProgress, Report, kept_columns
from trope.scale.run import detect as run_detection

if TYPE_CHECKING:
    from rich.progress import TaskID

_WITH = ("relations", "metonymy", "sentiment", *FURTHER_TASKS)
"""What is available besides metaphors."""

_SUFFIXES: dict[str, OutputFormat] = {".parquet": "parquet", ".jsonl": "jsonl"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, required=True, metavar="IN …", shell_complete=complete_files)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the output; DIR.parquet makes Parquet.",
)
@click.option("--resume", is_flag=True, help="Resume a run that was stopped.")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(OutputFormat)),
    help="Format of the output.  [default: by the name of OUT, or jsonl]",
)
@click.option(
    "--text-column",
    "--column",
    default="",
    metavar="NAME",
    help="Column with the text.  [default: text, …]",
)
@click.option(
    "--id-column", default="", metavar="NAME", help="Column with the id.  [default: id, …]"
)
@click.option(
    "--columns", metavar="NAMES", help="Columns to keep, such as text,label.  [default: all]"
)
@click.option(
    "--metadata",
    type=click.Path(exists=True, dir_okay=False),
    metavar="TABLE",
    help="Table with a row per file: its name in the column file, and columns such as party.",
)
@click.option(
    "--kind",
    type=click.Choice(get_args(TextKind)),
    default="plain",
    show_default=True,
    help="Kind of the texts; tweets and headlines are normalised first.",
)
@click.option(
    "--with", "more", default="", metavar="TASKS", help=f"Further tasks: {', '.join(_WITH)}."
)
@words_option
@systems_option
@click.option(
    "--counts-only",
    is_flag=True,
    help="Only counts per text; with --words all twice as fast. Most views of serve and query "
    "need words.",
)
@click.option("--tokens", is_flag=True, help="With --counts-only: every word with its score.")
@reading_options
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Lowest score of a metaphor.  [default: the model's]",
)
@click.option(
    "--shard-rows",
    type=click.IntRange(min=1),
    default=SHARD_ROWS,
    show_default=True,
    help="Texts per output file.",
)
@tier_options
@engine_options
@click.option(
    "--mix-devices",
    is_flag=True,
    help="With --resume: go on with another --device than before; scores differ a little.",
)
@click.option("--seed", type=int, hidden=True, help="Without effect: nothing here is random.")
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON.")
@click.option("--quiet", is_flag=True, help="No progress and no notes on standard error.")
@click.option("--verbose", is_flag=True, help="Show tracebacks of errors.")
@click.pass_context
def detect(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    out: Path,
    resume: bool,
    form: OutputFormat | None,
    text_column: str,
    id_column: str,
    columns: str | None,
    metadata: str | None,
    kind: TextKind,
    more: str,
    words: WordView,
    systems: tuple[str, ...],
    counts_only: bool,
    tokens: bool,
    any_language: bool,
    threshold: float | None,
    shard_rows: int,
    engine: str,
    workers: int | None,
    address: str | None,
    threads: int | None,
    device: str,
    tier: str,
    base_weights: Path | None,
    mix_devices: bool,
    seed: int | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """The metaphors of a corpus: one row of results per text.

    IN is a file, a folder or a pattern: tables (.csv, .tsv, .xlsx, .jsonl, .parquet), documents
    (.txt, .docx, .pdf, .html, .epub) or lists (.txt), also packed (.gz, .zip, …); - is standard
    input. Rows that cannot be used are listed in OUT/errors.jsonl; the exit status is then 1.
    """
    quiet = quiet or bool((context.obj or {}).get("quiet"))
    notes = Notes(quiet=quiet)
    reading = file_options(options)
    files = find_files(sources, reading, leave_out=out, tell=notes)
    if metadata:
        files = [one for one in files if Path(one.path).resolve() != Path(metadata).resolve()]
    tasks = _tasks(more if counts_only else f"relations,{more}")
    kept = _kept(columns, files, Columns(text_column, id_column), reading, metadata, counts_only)
    chosen = form or _SUFFIXES.get(out.suffix.lower(), "jsonl")
    executor = load_executor(
        *(engine, threads),
        workers=workers,
        address=address,
        systems=systems,
        device=device,
        tier=tier,
        base_weights=base_weights,
    )
    model = executor.model
    for task in tasks:
        if task not in (*model.tasks, *FURTHER_TASKS):
            raise BadInput(
                f"the model of tier {model.tier!r} has no head for {task!r}; "
                "install a trope whose model has one"
            )
    settings = DetectSettings(
        trope=__version__,
        tier=model.tier,
        model_sha256=model.sha256,
        kind=kind,
        text_column=text_column,
        id_column=id_column,
        columns=kept,
        tasks=tasks,
        tokens=tokens or not counts_only,
        threshold=threshold,
        words=words,
        format=chosen,
        shard_rows=shard_rows,
        encoding=reading.encoding,
        delimiter=reading.delimiter,
        sheet=reading.sheet,
        unit=reading.unit,
        metadata=metadata or "",
        metadata_sha256=sha256(Path(metadata)) if metadata else "",
        domains=domain_system(tasks),
        device=model.device,
    )
    # clusters report lost workers on standard output, which is for results alone
    with redirect_stdout(sys.stderr), _progress(quiet) as report:
        totals = run_detection(
            *(files, settings, out, executor),
            resume=resume,
            report=report,
            tell=notes,
            any_language=any_language,
            columns_named=columns is not None,
            mix_devices=mix_devices,
        )
    notes.close()
    _report_totals(totals, out, as_json=as_json, quiet=quiet)
    if totals["refused"] or notes.not_read or not totals["texts"]:
        context.exit(1)


def _kept(
    columns: str | None,
    files: Sequence[InputFile],
    found: Columns,
    reading: FileOptions,
    metadata: str | None,
    counts_only: bool,
) -> tuple[str, ...]:
    """The columns to keep: those named, or else the usual ones."""
    if columns is not None or counts_only:
        return _names(columns or "")
    return kept_columns(files, found, reading, metadata or "")


def _names(columns: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in columns.split(",") if name.strip())


def _tasks(more: str) -> tuple[str, ...]:
    """Metaphor, and what was asked for besides, in a fixed order."""
    from trope.core.errors import UnknownName

    wanted = _names(more)
    for name in wanted:
        if name not in _WITH:
            raise UnknownName("further task", name, _WITH)
    return (*(name for name in _WITH if name in wanted), "metaphor")


def _report_totals(totals: dict[str, int], out: Path, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps({"out": str(out), **totals}, indent=2))
    elif not quiet:
        counts = [_counted(totals[name], name) for name in ("texts", "words", "metaphors")]
        click.echo(f"{out}: {', '.join(counts)}", err=True)
    if totals["refused"] and not quiet:
        refused = _counted(totals["refused"], "rows")
        click.echo(
            f"trope: {out / ERRORS}: {refused} refused; the file says where and why", err=True
        )


def _counted(number: int, nouns: str) -> str:
    return f"{number:,} {nouns.removesuffix('s') if number == 1 else nouns}"


@contextmanager
def _progress(quiet: bool) -> Iterator[Report]:
    """A bar with rate and time left on a terminal, nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.fields[texts]:,} texts"),
        TextColumn("{task.fields[rate]}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, texts=0, rate="")
        yield lambda progress: _advance(bar, task, progress)


def _advance(bar: object, task: TaskID, progress: DetectProgress) -> None:
    from rich.progress import Progress as Bar

    assert isinstance(bar, Bar)
    elapsed = bar.tasks[task].elapsed
    rate = f"{progress.texts / elapsed:,.0f} texts/s" if elapsed else ""
    bar.update(
        task,
        completed=progress.position,
        total=progress.size or None,
        texts=progress.texts,
        rate=rate,
    )
