"""`trope annotate demo-task` and `link`: those who come from elsewhere, and what they do first."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from trope.annotate.project import open_project
from trope.cli.annotating.options import DIRECTORY, FILE, connected
from trope.cli.output import open_output


@click.command("demo-task", short_help="Divide items into a demo task and the rest.")
@DIRECTORY
@click.argument("items", type=FILE, metavar="ITEMS")
@click.argument("known", type=FILE, metavar="KNOWN")
@click.option("--out", required=True, type=FILE, help="Demo items.")
@click.option("--rest", required=True, type=FILE, help="All other items.")
@click.pass_context
def demo_task(
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


@click.command()
@DIRECTORY
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
    connected(directory)
    from trope.annotate.store.outside import link_path, make_link_token

    token = make_link_token(now=datetime.now(UTC), days=days, study=study, worker=worker)
    click.echo(origin.rstrip("/") + link_path(token, worker=worker))
