"""`trope annotate`: a service where people judge items."""

from __future__ import annotations

from pathlib import Path

import click

from trope.annotate.project import CONFIG, open_project
from trope.annotate.starting import DEMO, SAMPLE, TEMPLATES, VARIANTS, new_project
from trope.cli.annotating.demo import demo
from trope.cli.annotating.doctor import doctor
from trope.cli.annotating.exporting import export
from trope.cli.annotating.group import StoreGroup
from trope.cli.annotating.importing import import_file
from trope.cli.annotating.keeping import backup, move, restore
from trope.cli.annotating.options import DIRECTORY
from trope.cli.annotating.people import demo_task, link
from trope.cli.annotating.quality import review, tables


@click.group(cls=StoreGroup)
def annotate() -> None:
    """A service where a team or a crowd judges items.

    A project is a folder: what is asked (project.toml), what was answered (a database).
    """


@annotate.command(short_help="Make a project, with a plan to edit and sample items.")
@DIRECTORY
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


@annotate.command()
@DIRECTORY
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
    if origin:
        serving.check_safe(project, origin)
    link = serving.owner_link(project, origin.rstrip("/") or f"http://{host}:{port}")
    click.echo(f"Owner's link (keep it to yourself; the next start makes a new one): {link}")
    serving.serve(project, host=host, port=port, origin=origin, workers=workers, threads=threads)


_ITEMS = (import_file, export, demo_task)
_PEOPLE = (link, review, tables)
_KEEPING = (backup, restore, move, doctor, demo)
for command in (*_ITEMS, *_PEOPLE, *_KEEPING):
    annotate.add_command(command)
