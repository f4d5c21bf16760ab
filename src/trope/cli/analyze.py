"""`trope analyze`: everything about a text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain, tee
from pathlib import Path
from typing import get_args

import click

from trope.cli.output import open_output
from trope.cli.render import FORMATS, Named, write
from trope.cli.sources import NamedText, ReadingOptions, is_file, read_sources
from trope.core.export import TASKS, parse_tasks, restrict
from trope.core.progress import track
from trope.core.records import TextKind
from trope.pipeline import Pipeline


def load_pipeline(threads: int | None) -> Pipeline:
    """The pipeline that the command uses; tests put another in its place."""
    return Pipeline(threads=threads)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, metavar="[TEXT | FILE …]")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How the analysis is shown.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--kind",
    type=click.Choice(get_args(TextKind)),
    default="plain",
    show_default=True,
    help="What the texts are: tweets and headlines are normalised first.",
)
@click.option("--only", metavar="TASKS", help=f"Only these, of {','.join(TASKS)}.")
@click.option("--column", default="", help="Column or key of the text in tables.  [default: text]")
@click.option("--whole", is_flag=True, help="A plain file is one text, not a text a line.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@click.option("--seed", type=int, hidden=True, help="Without effect: nothing here is random.")
@click.option("--quiet", is_flag=True, help="No progress on standard error.")
@click.option("--verbose", is_flag=True, help="Show tracebacks of errors.")
@click.pass_context
def analyze(
    context: click.Context,
    sources: tuple[str, ...],
    form: str,
    as_json: bool,
    kind: TextKind,
    only: str | None,
    column: str,
    whole: bool,
    out: Path | None,
    threads: int | None,
    seed: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Everything about a text: tags, trees, relations.

    An argument that is the name of a file is read (.txt a text a line; .csv, .tsv and .jsonl by
    their column; .gz of any of them), - is standard input, any other is itself the text.
    """
    tasks = TASKS if only is None else parse_tasks(only)
    quiet = quiet or bool((context.obj or {}).get("quiet")) or (out is None and _watched())
    texts = read_sources(sources, ReadingOptions(column=column, whole=whole))
    first = next(texts)  # a fault in the input is told before a model is loaded
    analyses = _analyze(load_pipeline(threads), chain([first], texts), kind)
    wanted = ((name, restrict(analysis, tasks)) for name, analysis in analyses)
    shown = track(wanted, "Analysing", quiet=quiet)
    with open_output(out) as file:
        write("json" if as_json else form, shown, file, title=_title(sources))


def _title(sources: tuple[str, ...]) -> str:
    """The names of the files, if it was files."""
    names = [Path(source).name for source in sources if is_file(source)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _analyze(pipeline: Pipeline, texts: Iterable[NamedText], kind: TextKind) -> Iterator[Named]:
    """Each text's name with its analysis; the pipeline reads a batch ahead, `tee` holds it."""
    named, bare = tee(texts)
    analyses = pipeline.analyze_many((text for _, text in bare), kind=kind)
    for (name, _), analysis in zip(named, analyses, strict=True):
        yield name, analysis


def _watched() -> bool:
    """Whether someone sees the results appear, so that a bar would only be in the way."""
    return sys.stdout.isatty()
