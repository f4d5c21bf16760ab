"""`trope annotate doctor`: what would be unsafe on a public host."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from trope.annotate.project import open_project
from trope.cli.annotating.options import DIRECTORY


@click.command(short_help="What would be unsafe or slow on a public host.")
@DIRECTORY
@click.option("--origin", default="", metavar="URL", help="The https address that people see.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def doctor(ctx: click.Context, directory: Path, origin: str, as_json: bool) -> None:
    """Say what would be unsafe or slow on a public host; status 1 if anything is.

    `serve --origin` refuses what is called unsafe here.
    """
    project = open_project(directory)
    from trope.annotate.store.connect import set_up

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
