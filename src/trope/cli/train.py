"""`trope train`: train again what ships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trope.cli.train_metaphor import metaphor
from trope.core.errors import UnknownName

if TYPE_CHECKING:
    from trope.train.settings import SyntaxSettings


@click.group()
def train() -> None:
    """Train again what ships, from public base weights and the corpora of `trope data`."""


train.add_command(metaphor)


@train.command()
@click.option(
    "--from",
    "data",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    required=True,
    help="Folder with the corpora, one folder each (see `trope data`).",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for the finished model.",
)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for base weights and what each stage leaves; run again to go on. [OUT/work]",
)
@click.option("--without", multiple=True, metavar="SET", help="Leave a training set out; repeat.")
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings instead of those of the shipped model.",
)
@click.option("--seed", type=int, help="Seed instead of the one in the settings.")
@click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
@click.pass_context
def syntax(
    ctx: click.Context,
    data: Path,
    out: Path,
    work: Path | None,
    without: tuple[str, ...],
    config: Path | None,
    seed: int | None,
    device: str,
) -> None:
    """The encoder with its tags, trees and lemmas: teachers first, then the small student.

    About a quarter of an hour on one large GPU, days on a laptop. An interrupted run goes on
    after its last finished stage when it is started again with the same folders.
    """
    from dataclasses import replace

    from trope.catalog import TRAININGS

    settings = _settings(config, without)
    if seed is not None:
        settings = replace(settings, seed=seed)
    work = work or out / "work"
    work.mkdir(parents=True, exist_ok=True)
    start = TRAININGS.load("syntax")
    quiet = bool(ctx.obj and ctx.obj.get("quiet"))
    start(
        settings=settings,
        without=frozenset(without),
        data=data,
        work=work,
        out=out,
        device=device,
        say=(lambda message: None) if quiet else (lambda message: click.echo(message, err=True)),
    )


def _settings(config: Path | None, without: tuple[str, ...]) -> SyntaxSettings:
    """The settings, and that every set to be left out is one of theirs."""
    from importlib.resources import files

    from trope.core.config import read_config
    from trope.train.settings import SyntaxSettings

    shipped = Path(str(files("trope.train") / "syntax.toml"))
    settings = read_config(config or shipped, SyntaxSettings)
    names = tuple(s.name for s in settings.sets)
    for name in without:
        if name not in names:
            raise UnknownName("training set", name, names)
    return settings
