"""`trope train sentiment` and `trope train metonymy`: fine-tune a Hugging Face encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from trope.cli.output import is_quiet, message_writer

_FOLDER = click.Path(path_type=Path, file_okay=False)
_OPTIONS = (
    click.option("--model", required=True,
                 help="Encoder to fine-tune: a folder with safetensors, or a Hub name."),
    click.option("--from", "data", required=True,
                 type=click.Path(path_type=Path, file_okay=False, exists=True),
                 help="Folder with the corpora, one folder each."),
    click.option("--out", type=_FOLDER, required=True, help="Folder for what is made."),
    click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
                 help="Settings of your own, as TOML, instead of those that ship."),
    click.option("--work", type=_FOLDER,
                 help="Folder for checkpoints; run again to go on.  [default: OUT/work]"),
    click.option("--seed", type=int, help="Seed instead of the one in the settings."),
    click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto."),
)  # fmt: skip


def _shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(short_help="The sentiment of tweets, from any Hugging Face encoder.")
@_shared_options
@click.pass_context
def sentiment(ctx: click.Context, /, **options: Any) -> None:
    """A system for the sentiment of tweets from any Hugging Face encoder.

    An interrupted run goes on after its last whole epoch when it is started again with the same
    folders.
    """
    _train("sentiment", ctx, **options)


@click.command(short_help="The readings of names, from any Hugging Face encoder.")
@_shared_options
@click.pass_context
def metonymy(ctx: click.Context, /, **options: Any) -> None:
    """A system for the readings of names from any Hugging Face encoder.

    An interrupted run goes on after its last whole epoch when it is started again with the same
    folders.
    """
    _train("metonymy", ctx, **options)


def _train(
    task: str, ctx: click.Context, *, config: Path | None, seed: int | None, **request: Any
) -> None:
    from trope.catalog import TRAININGS
    from trope.train.hub_settings import read_hub_settings, read_preset

    settings = read_preset(task) if config is None else read_hub_settings(config)
    if seed is not None:
        settings = replace(settings, seed=seed)
    TRAININGS.load(f"{task}-hub")(
        settings=settings, quiet=is_quiet(ctx), say=message_writer(ctx), **request
    )
