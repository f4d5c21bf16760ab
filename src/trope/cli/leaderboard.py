"""`trope leaderboard`: any number of submissions to a shared task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from trope.cli.completion import complete_files

if TYPE_CHECKING:
    from trope.evaluate.shared_tasks import SharedTask

_TASKS = ("analogy", "metaphor", "metonymy", "sentiment")


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...",
                shell_complete=complete_files)  # fmt: skip
@click.option("--task", type=click.Choice(_TASKS),
              help="The shared task; by default, what the files look like.")  # fmt: skip
@click.option("--categories", type=click.Path(path_type=Path),
              help="Sentiment: a file of ids and categories.")  # fmt: skip
@click.option("--labels", "company_labels", type=click.Path(path_type=Path),
              help="Metonymy: coarse company labels as JSON.")  # fmt: skip
@click.option("--published", is_flag=True,
              help="Add the systems of the paper, if GOLD is its test set.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "html", "json"]), default="text",
              show_default=True, help="A text in Markdown, a page, or JSON.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.pass_context
def leaderboard(
    ctx: click.Context,
    gold: Path,
    submissions: tuple[str, ...],
    task: str | None,
    categories: Path | None,
    company_labels: Path | None,
    published: bool,
    form: str,
    as_json: bool,
    out: Path | None,
    seed: int,
) -> None:
    """Rank every SUBMISSION by the measures of its shared task, with GOLD.

    A SUBMISSION is a file as `trope score` takes it, or NAME=FILE. Of names, submissions may have
    any granularity. Constants stand below the systems.
    """
    from trope.cli.output import open_output
    from trope.core.files import sha256
    from trope.evaluate.leaderboard import as_json as boards_as_json
    from trope.evaluate.leaderboard import as_tables
    from trope.evaluate.shared_tasks import make_leaderboards
    from trope.render.tables import html_page, text_page

    if "-" in (str(gold), *submissions):
        problem = "GOLD and SUBMISSION are read more than once and must be files"
        raise click.UsageError(problem, ctx=ctx)
    found, boards = make_leaderboards(
        gold,
        submissions,
        task=cast("SharedTask | None", task),
        categories=categories,
        company_labels=company_labels,
        published=published,
        seed=seed,
    )
    checksum = sha256(gold)
    if as_json or form == "json":
        shown = boards_as_json(found, gold.name, checksum, boards)
    else:
        page = html_page if form == "html" else text_page
        source = f"Gold: {gold.name}, SHA-256 {checksum[:12]}. Intervals by bootstrap, seed {seed}."
        tables = [table for board in boards for table in as_tables(board)]
        shown = page(f"Leaderboard: {found}", source, tables)
    with open_output(out) as file:
        file.write(shown)
