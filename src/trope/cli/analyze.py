"""`trope analyze`: everything about a text."""

from __future__ import annotations

import sys
from itertools import chain, tee
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

import click

from trope.cli.completion import complete_files
from trope.cli.engines import chosen_model, device_option, tier_options
from trope.cli.output import is_quiet, open_output, systems_option, words_option
from trope.cli.sources import (
    Notes,
    ReadingOptions,
    file_options,
    is_file,
    read_sources,
    reading_options,
)
from trope.core.errors import BadInput
from trope.core.options import FURTHER_TASKS, TASKS, parse_tasks
from trope.core.progress import track
from trope.core.records import TextKind, WordView
from trope.pipeline import Pipeline
from trope.render import FORMATS, write

_REWRITE = "--rewrite needs --format html with syntax and metaphor; see trope rewrite"
_TEXT, _NAME, _GROUP = map(attrgetter, ("text", "name", "group"))


def load_pipeline(threads: int | None, **further: Any) -> Pipeline:
    """The pipeline that the command uses; tests replace it."""
    return Pipeline(threads=threads, **further)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", nargs=-1, metavar="[TEXT | FILE …]", shell_complete=complete_files)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Format of the output.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--kind",
    type=click.Choice(get_args(TextKind)),
    default="plain",
    show_default=True,
    help="Kind of the texts; tweets and headlines are normalised first.",
)
@click.option(
    "--only",
    metavar="TASKS",
    help=f"Run only some tasks, such as syntax,metaphor: {', '.join(TASKS)}.",
)
@click.option("--with", "more", type=click.Choice(FURTHER_TASKS),
              help="With --json: also the source domain of each metaphor.")  # fmt: skip
@words_option
@systems_option
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Lowest score of a metaphor.  [default: the model's]",
)
@click.option(
    "--summary", is_flag=True, help="Summarise the texts: metaphors, verbs, names, sentiment."
)
@click.option(
    "--by", default="", metavar="COLUMN", help="Column that groups the summary.  [default: files]"
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Plot the summary to this .svg, .png or .pdf file.",
)
@click.option("--trees", is_flag=True, help="Show the tree, tags and scores of every sentence.")
@click.option("--relations", is_flag=True,
              help="Show verb–object and subject–verb–object relations, and the filter that leaves "
                   "one out.")  # fmt: skip
@click.option("--rewrite", is_flag=True,
              help="With --format html: alternatives for verbs, shown on a click.")  # fmt: skip
@click.option("--column", default="", help="Column or key of the text in tables.  [default: text]")
@click.option("--whole", is_flag=True, help="The same as --unit file.")
@reading_options
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@tier_options
@device_option
@click.option("--seed", type=int, hidden=True, help="Without effect: nothing here is random.")
@click.pass_context
def analyze(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    form: str,
    as_json: bool,
    kind: TextKind,
    only: str | None,
    more: str | None,
    words: WordView,
    systems: tuple[str, ...],
    threshold: float | None,
    summary: bool,
    by: str,
    plot: Path | None,
    trees: bool,
    relations: bool,
    rewrite: bool,
    column: str,
    whole: bool,
    out: Path | None,
    threads: int | None,
    device: str,
    tier: str,
    base_weights: Path | None,
    seed: int | None,
    any_language: bool,
    **options: Any,
) -> None:
    """Everything about a text: tags, trees, relations, metaphors, names, sentiment.

    An argument is a file or folder, - for standard input, or else a text. Tables (.csv, .tsv,
    .xlsx, .jsonl, .parquet) have the texts in a column; .txt, .docx, .pdf, .html and .epub are
    documents, a .txt file may also be a list. All may be compressed (.gz, .zip). Files of a folder
    that cannot be read are listed on standard error; the exit status is then 1.
    """
    form = "json" if as_json else form
    sums = None
    if summary or by or plot:
        from trope.cli.summary import SummaryOptions, write_summary

        sums = SummaryOptions(form, plot)
    asked = None if only is None else parse_tasks(only)
    details = {
        *(asked or ()),
        *(["syntax"] if trees else []),
        *(["relations"] if relations else []),
    }
    quiet = is_quiet(context) or (out is None and _watched())
    notes = Notes(quiet=is_quiet(context))
    files = file_options({**options, "unit": "file" if whole else options["unit"]})
    texts = read_sources(sources, ReadingOptions(column, by, files, any_language, notes))
    first = next(texts)  # a fault in the input is reported before a model is loaded
    _check_tasks(asked or TASKS, details, threshold=threshold, rewrite=rewrite)
    if rewrite and (form != "html" or sums):
        raise BadInput(_REWRITE)
    if more and (form != "json" or sums or "metaphor" not in (asked or TASKS)):
        raise BadInput(
            "--with domains needs metaphors and JSON; add --json, and metaphor to --only"
        )
    chosen = chosen_model(systems, device, tier, base_weights)
    title = _title(sources)
    with open_output(out) as file:
        pipeline = load_pipeline(threads, **chosen)
        tasks = pipeline.tasks if asked is None else asked
        tasks = (*tasks, more) if more else tasks
        needed = ("metaphor",) if rewrite or threshold is not None else ()
        pipeline.check_tasks((*tasks, *needed))
        # the pipeline reads a batch ahead, which `tee` holds
        named, bare = tee(chain([first], texts))
        analyses = pipeline.analyze_many(
            map(_TEXT, bare), kind=kind, tasks=tasks, threshold=threshold, words=words
        )
        analyses = track(analyses, "Analysing", quiet=quiet)
        if sums is not None:
            grouped = zip(map(_GROUP, named), analyses, strict=True)
            write_summary(grouped, file, sums, has_metaphor_head="metaphor" in pipeline.tasks)
        else:
            shown = zip(map(_NAME, named), analyses, strict=True)
            write(
                form,
                shown,
                file,
                title=title,
                rewrite=pipeline.rewritings if rewrite else None,
                details=details,
            )
    notes.close()
    if notes.not_read:
        context.exit(1)


def _check_tasks(
    tasks: tuple[str, ...], details: set[str], *, threshold: float | None, rewrite: bool
) -> None:
    """Raises BadInput for an option that needs a task which `--only` leaves out."""
    for task, option in (("syntax", "--trees"), ("relations", "--relations")):
        if task in details and task not in tasks:
            raise BadInput(f"{option} needs {task}; add {task} to --only, or leave out --only")
    if threshold is not None and "metaphor" not in tasks:
        raise BadInput("--threshold is for metaphors; leave it out, or add metaphor to --only")
    if rewrite and not {"syntax", "metaphor"} <= {*tasks}:
        raise BadInput(_REWRITE)


def _title(sources: tuple[str, ...]) -> str:
    """The names of the files, if it was files."""
    names = [Path(source).name for source in sources if is_file(source)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _watched() -> bool:
    """Whether results go to a terminal, where a bar would be in the way."""
    return sys.stdout.isatty()
