"""`trope annotate serve`, `demo` and `doctor`: the service, and whether it is safe to run."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from trope.annotate.project import (
    BLANK,
    CONFIG,
    DEMO,
    SAMPLE,
    TEMPLATES,
    Project,
    new_project,
    open_project,
)
from trope.cli.annotate.database import DIRECTORY, FOLDER, connected
from trope.cli.release import release_from_page
from trope.core.files import atomic_write

_ORIGIN = click.option(
    "--origin", default="", metavar="URL", help="The https address that people see."
)
_PORT = click.option("--port", default=8000, show_default=True, help="Port to listen on.")


@click.command()
@DIRECTORY
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@_PORT
@_ORIGIN
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--threads", default=8, show_default=True, help="Threads per process.")
@click.option("--upload-limit", type=click.IntRange(min=1, max=10_000), default=50,
              show_default=True, metavar="MB", help="Largest upload of an owner.")  # fmt: skip
def serve(
    directory: Path,
    host: str,
    port: int,
    origin: str,
    workers: int,
    threads: int,
    upload_limit: int,
) -> None:
    """Start the service, and print the owner's link.

    If DIR does not exist or is empty, the link leads to a new project, which is set up in the
    browser. To serve the public, put a web server with https in front and give its address with
    --origin.
    """
    if not directory.exists() or not any(directory.iterdir()):
        new_project(directory, BLANK)
    project = open_project(directory)
    from trope.annotate.web import doctor, service

    service.check_place(host, origin)
    service.check_sign_on(project.plan)
    if origin:
        doctor.check_safe(project, origin)
    with service.only_server(project):
        base = origin.rstrip("/") or f"http://{host}:{port}"
        if project.plan.sign_on.owner_links:
            _tell_owner(service.owner_link(project, base), directory, is_public=bool(origin))
        else:
            click.echo(f"Owners sign on at {base}/")
        service.serve(
            project,
            host=host,
            port=port,
            origin=origin,
            workers=workers,
            threads=threads,
            release=release_from_page,
            upload_limit=upload_limit * 1_000_000,
        )


def _tell_owner(link: str, directory: Path, *, is_public: bool) -> None:
    """Print the owner's link on a terminal; where output is kept, write it to a private file."""
    kept = is_public or "JOURNAL_STREAM" in os.environ
    if not kept or sys.stdout.isatty():
        click.echo(f"Owner's link (keep it private; the next start makes a new one): {link}")
        return
    path = directory / "owner-link"
    with atomic_write(path, private=True) as file:
        file.write(f"{link}\n")
    click.echo(f"Owner's link: in {path}, which only you can read; the next start makes a new one")


@click.command(short_help="A project with sample items, served to this machine.")
@click.argument("directory", type=FOLDER, metavar="[DIR]", default=Path("trope-demo"))
@click.option("--template", type=click.Choice(TEMPLATES), default="tweets2019", show_default=True,
              help="What is asked.")  # fmt: skip
@_PORT
def demo(directory: Path, template: str, port: int) -> None:
    """Make a project with sample items in DIR (trope-demo), and serve it to this machine.

    It prints two links: one to judge with at once, and one for the owner.
    """
    project = sample_project(directory, template)
    from trope.annotate.web import service

    base = f"http://127.0.0.1:{port}"
    with service.only_server(project):
        judge = service.link_for(project, base, "guest", "annotator", trusted=True)
        click.echo(f"Judge here: {judge}")
        click.echo(f"See the results (the owner's link): {service.owner_link(project, base)}")
        click.echo("Ctrl-C ends the service; the same command starts it again with all your work.")
        service.serve(
            project, host="127.0.0.1", port=port, origin="", workers=1, threads=8,
            release=release_from_page,
        )  # fmt: skip


def sample_project(directory: Path, template: str) -> Project:
    """The project in the folder, made with its sample items if there is none."""
    if not (directory / CONFIG).exists():
        new_project(directory, template)
    project = connected(directory)
    from trope.annotate.store.imports import import_items
    from trope.annotate.store.practice import import_demo
    from trope.annotate.store.slots import published_place

    if not published_place():
        now = datetime.now(UTC)
        import_items(project, directory / SAMPLE, now=now, by="command line")
        if (directory / DEMO).exists():
            import_demo(project, directory / DEMO, now=now, by="command line")
    return project


@click.command(short_help="Check what would be unsafe or slow on a public host.")
@DIRECTORY
@_ORIGIN
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def doctor(ctx: click.Context, directory: Path, origin: str, as_json: bool) -> None:
    """Check what would be unsafe or slow on a public host; status 1 if anything is.

    `serve --origin` refuses what is called unsafe here.
    """
    project = open_project(directory)
    from trope.annotate.store.database import set_up

    set_up()  # names the missing extra, where it is missing
    from trope.annotate.web.doctor import examine

    found = examine(project, origin)
    if as_json:
        click.echo(json.dumps({"findings": [asdict(one) for one in found]}, indent=1))
    else:
        for one in found:
            click.echo(f"{one.level:<8} {one.check}: {one.text}")
    if any(one.level != "ok" for one in found):
        ctx.exit(1)
