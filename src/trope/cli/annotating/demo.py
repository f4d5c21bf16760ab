"""`trope annotate demo`: a project with sample items, served at once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from trope.annotate.project import CONFIG, Project
from trope.annotate.starting import DEMO, SAMPLE, TEMPLATES, new_project
from trope.cli.annotating.options import FOLDER, connected


@click.command(short_help="A project with sample items, served to this machine.")
@click.argument("directory", type=FOLDER, metavar="[DIR]", default=Path("trope-demo"))
@click.option("--template", type=click.Choice(TEMPLATES), default="tweets2019", show_default=True,
              help="What is asked.")  # fmt: skip
@click.option("--port", default=8000, show_default=True, help="Port to listen on.")
def demo(directory: Path, template: str, port: int) -> None:
    """Make a project with sample items in DIR (trope-demo), and serve it to this machine.

    It prints two links: one to judge with, straight away, and one for the owner.
    """
    project = sample_project(directory, template)
    from trope.annotate.web import serving

    base = f"http://127.0.0.1:{port}"
    judge = serving.link_for(project, base, "guest", "annotator", trusted=True)
    click.echo(f"Judge here: {judge}")
    click.echo(f"See what comes of it (the owner's link): {serving.owner_link(project, base)}")
    click.echo("Ctrl-C ends the service; the same command starts it again with all that was done.")
    serving.serve(project, host="127.0.0.1", port=port, origin="", workers=1, threads=8)


def sample_project(directory: Path, template: str) -> Project:
    """The project in the folder, made with its sample items unless it is there."""
    if not (directory / CONFIG).exists():
        new_project(directory, template)
    project = connected(directory)
    from trope.annotate.store.demo_items import import_demo
    from trope.annotate.store.importing import import_items
    from trope.annotate.store.queue import published_place

    if not published_place():
        now = datetime.now(UTC)
        import_items(project, directory / SAMPLE, now=now, by="command line")
        if (directory / DEMO).exists():
            import_demo(project, directory / DEMO, now=now, by="command line")
    return project
