"""`trope annotate import`: items, demo items, people and judgments from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from trope.annotate.exchange.records import Brought, Judged, Losses
from trope.annotate.project import Plan, Project
from trope.cli.annotating.options import DIRECTORY, FILE, connected, tell_losses
from trope.core.errors import BadInput

TOOLS = ("mturk", "crowdflower", "label-studio")


@click.command("import", short_help="Add the items of a file: all of them, or none.")
@DIRECTORY
@click.argument("file", type=FILE, metavar="FILE")
@click.option("--format", "tool", type=click.Choice(["auto", *TOOLS]), default="auto",
              help="The tool that FILE comes from; auto: a table of ours.")  # fmt: skip
@click.option("--judgments", "what", flag_value="judgments", help="FILE is an export of judgments.")
@click.option("--people", "what", flag_value="people", help="FILE is an export of people.")
@click.option("--demo", "what", flag_value="demo", help="The items of FILE are of the demo task.")
@click.option("--safe-cells", is_flag=True,
              help="Items of a CSV file whose cells were protected by export.")  # fmt: skip
def import_file(directory: Path, file: Path, tool: str, what: str | None, safe_cells: bool) -> None:
    """Add the items of FILE (CSV, TSV, JSONL or Parquet): all of them, or none.

    People may work meanwhile. Control items are those with known answers in a column "gold". A
    file of another tool brings its items, people and judgments.
    """
    project = connected(directory)
    now = datetime.now(UTC)
    if tool != "auto":
        if what or safe_cells:
            raise click.UsageError(f"--format {tool} brings all that FILE holds; give it alone")
        _import_tool(project, file, tool, now)
    elif what == "judgments":
        from trope.annotate.store.bringing import import_judgments

        rows = _judgment_reader(project.plan, file)
        click.echo(f"{import_judgments(project, file, rows, now=now)} judgments added")
    elif what == "people":
        from trope.annotate.exchange.text_files import read_objects
        from trope.annotate.store.bringing import import_people

        number = import_people(project, file, read_objects(file), now=now)
        click.echo(f"{number} people added; each gets a link from the owner's page")
    elif what == "demo":
        from trope.annotate.store.demo_items import import_demo

        number = import_demo(project, file, now=now, by="command line", safe_cells=safe_cells)
        click.echo(f"{number} items added to the demo task")
    else:
        from trope.annotate.store.importing import import_items

        number = import_items(project, file, now=now, by="command line", safe_cells=safe_cells)
        click.echo(f"{number} items added")


def _judgment_reader(plan: Plan, file: Path) -> Callable[[], Iterator[tuple[int, Judged]]]:
    from trope.annotate.exchange import parquet, text_files

    kinds: dict[str, Callable[[], Iterator[tuple[int, Judged]]]] = {
        ".jsonl": lambda: text_files.read_judgment_jsonl(file),
        ".csv": lambda: text_files.read_judgment_csv(file, plan.questions),
        ".parquet": lambda: parquet.read_judgments(file, plan.questions),
    }
    if file.suffix.lower() not in kinds:
        raise BadInput(f"{file}: judgments are read from .jsonl, .csv or .parquet")
    return kinds[file.suffix.lower()]


def _import_tool(project: Project, file: Path, tool: str, now: datetime) -> None:
    from trope.annotate.store.foreign import import_brought

    losses = Losses()
    added = import_brought(project, file, _reader(project.plan, file, tool, losses), now=now)
    tell_losses(losses)
    click.echo(f"{added.items} items, {added.people} people, {added.judgments} judgments added")


def _reader(plan: Plan, file: Path, tool: str, losses: Losses) -> Callable[[], Iterator[Brought]]:
    from trope.annotate.exchange.crowdflower import read_crowdflower
    from trope.annotate.exchange.label_studio import read_label_studio
    from trope.annotate.exchange.mturk import read_mturk

    readers = {
        "mturk": read_mturk,
        "crowdflower": read_crowdflower,
        "label-studio": read_label_studio,
    }

    def read() -> Iterator[Brought]:
        losses.clear()  # the file is read twice, and counted once
        return readers[tool](file, plan, losses)

    return read
