"""`trope annotate`: a service where people judge items."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from trope.annotate.project import CONFIG, open_project
from trope.annotate.starting import DEMO, SAMPLE, TEMPLATES, VARIANTS, new_project
from trope.cli.output import open_output

_FOLDER = click.Path(path_type=Path, file_okay=False)
_DIRECTORY = click.argument("directory", type=_FOLDER, metavar="DIR")


@click.group()
def annotate() -> None:
    """A service where a team or a crowd judges items.

    A project is a folder: what is asked (project.toml), what was answered (a database).
    """


@annotate.command()
@_DIRECTORY
@click.option(
    "--template",
    required=True,
    metavar="NAME",
    help=f"One of {', '.join((*TEMPLATES, *VARIANTS))}.",
)
def new(directory: Path, template: str) -> None:
    """Make a project in the folder DIR, with a plan to edit and sample items."""
    new_project(directory, template)
    click.echo(f"{directory / CONFIG}: what is asked; edit it to your needs")
    click.echo(f"then: trope annotate import {directory} {directory / SAMPLE}")
    if (directory / DEMO).exists():
        click.echo(f"then: trope annotate import {directory} {directory / DEMO} --demo")
    click.echo(f"then: trope annotate serve {directory}")


@annotate.command("import")
@_DIRECTORY
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--demo", is_flag=True, help="The items are of the demo task, not of the work.")
def import_file(directory: Path, file: Path, demo: bool) -> None:
    """Add the items of FILE (CSV, TSV or JSONL): all of them, or none if a line is at fault.

    People may work meanwhile. Control items are those with known answers in a column "gold".
    """
    project = open_project(directory)
    from trope.annotate.store.connect import connect

    connect(project)
    from trope.annotate.store.demo_items import import_demo
    from trope.annotate.store.importing import import_items

    add = import_demo if demo else import_items
    number = add(project, file, now=datetime.now(UTC), by="command line")
    click.echo(f"{number} items added")


@annotate.command()
@_DIRECTORY
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    help="One object a judgment, or a column a question.",
)
@click.option("--history", is_flag=True, help="Also answers that were changed later.")
@click.option("--trials", is_flag=True, help="Answers to training and demo items instead (JSONL).")
def export(directory: Path, out: Path | None, kind: str, history: bool, trials: bool) -> None:
    """Write every judgment, in the order in which it was given."""
    project = open_project(directory)
    from trope.annotate.store.connect import connect

    connect(project)
    from trope.annotate.store.demo_items import trial_lines
    from trope.annotate.store.selectors import csv_lines, jsonl_lines

    if trials:
        lines = trial_lines()
    elif kind == "csv":
        lines = csv_lines(project.plan, history=history)
    else:
        lines = jsonl_lines(history=history)
    with open_output(out) as file:
        for line in lines:
            file.write(line)


@annotate.command()
@_DIRECTORY
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on.")
@click.option("--origin", default="", metavar="URL", help="The https address that people see.")
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--threads", default=8, show_default=True, help="Threads a process.")
def serve(directory: Path, host: str, port: int, origin: str, workers: int, threads: int) -> None:
    """Start the service, and print the link of its owner.

    For the public, put a web server with https before it and name its address with --origin.
    """
    project = open_project(directory)
    from trope.annotate.web import serving

    serving.check_place(host, origin)
    link = serving.owner_link(project, origin.rstrip("/") or f"http://{host}:{port}")
    click.echo(f"Owner's link (keep it to yourself; the next start makes a new one): {link}")
    serving.serve(project, host=host, port=port, origin=origin, workers=workers, threads=threads)


@annotate.command()
@_DIRECTORY
@click.argument("items", type=click.Path(path_type=Path, dir_okay=False), metavar="ITEMS")
@click.argument("known", type=click.Path(path_type=Path, dir_okay=False), metavar="KNOWN")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Demo items.")
@click.option("--rest", required=True, type=click.Path(path_type=Path), help="All other items.")
@click.pass_context
def demo(
    context: click.Context, directory: Path, items: Path, known: Path, out: Path, rest: Path
) -> None:
    """Divide ITEMS into a demo task, as long as the plan says, and the rest.

    KNOWN is a table of expressions whose answers are known: verb, object, and a column such as
    gold.metaphorical. Items with such an expression become the control items of the demo task.
    """
    plan = open_project(directory).plan
    from trope.annotate.demo_making import as_line, divide, read_known
    from trope.annotate.items import read_items

    wanted = plan.demo
    divided = divide(
        read_items(items, plan),
        read_known(known, plan),
        number=wanted.items,
        gold=wanted.gold,
        seed=plan.seed,
    )
    for path, part in ((out, divided.demo), (rest, divided.work)):
        with open_output(path) as file:
            file.writelines(map(as_line, part))
    found = f"{len(divided.demo)} demo items, {divided.known} with known answers"
    click.echo(f"{found}; {len(divided.work)} others")
    if len(divided.demo) < wanted.items or divided.known < wanted.gold:
        click.echo(f"the plan asks for {wanted.items} and {wanted.gold}", err=True)
        context.exit(1)


@annotate.command()
@_DIRECTORY
@click.option("--days", default=14, show_default=True, help="How long the link can be used.")
@click.option("--study", default="", metavar="ID", help="Only for this study (STUDY_ID).")
@click.option("--worker", default="", metavar="ID", help="A link for this worker alone.")
@click.option(
    "--origin",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="The address under which the service is seen.",
)
def link(directory: Path, days: int, study: str, worker: str, origin: str) -> None:
    """Print a signed link for workers from elsewhere.

    Without --worker it is for everyone whom Prolific sends: the worker's id comes with the
    parameters PROLIFIC_PID, STUDY_ID and SESSION_ID, which Prolific fills in.
    """
    project = open_project(directory)
    from trope.annotate.store.connect import connect

    connect(project)
    from trope.annotate.store.outside import link_path, make_link_token

    token = make_link_token(now=datetime.now(UTC), days=days, study=study, worker=worker)
    click.echo(origin.rstrip("/") + link_path(token, worker=worker))
