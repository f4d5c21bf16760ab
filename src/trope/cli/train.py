"""`trope train`: train again what ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.cli.output import message_writer
from trope.cli.train_analogy import analogy
from trope.cli.train_headlines import headlines
from trope.cli.train_heads import heads
from trope.cli.train_metaphor import metaphor
from trope.cli.train_rewriting import associations, rewriting, verbs
from trope.cli.train_whole import metonymy, sentiment
from trope.core.errors import UnknownName

if TYPE_CHECKING:
    from trope.train.settings import EncoderSettings

_FOLDER = click.Path(path_type=Path, file_okay=False)
_OPTIONS = (
    click.option("--from", "data", required=True,
                 type=click.Path(path_type=Path, file_okay=False, exists=True),
                 help="Folder with the corpora, one folder each (see `trope data`)."),
    click.option("--out", type=_FOLDER, required=True, help="Folder for the finished model."),
    click.option("--work", type=_FOLDER, help="Folder for base weights and what each stage leaves; "
                 "run again to go on.  [default: OUT/work]"),
    click.option("--without", multiple=True, metavar="SET",
                 help="Leave a training set out; repeat."),
    click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
                 help="Settings instead of those of the shipped models."),
    click.option("--seed", type=int, help="Seed instead of the one in the settings."),
    click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True,
                 help="Train so many; the best on development data is in OUT, each in WORK."),
    click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto."),
)  # fmt: skip


def _shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def train() -> None:
    """Train again what ships, from public base weights and the corpora of `trope data`."""


train.add_command(analogy)
train.add_command(headlines)
train.add_command(heads)
train.add_command(metaphor)
train.add_command(metonymy)
train.add_command(sentiment)
train.add_command(rewriting)
train.add_command(verbs)
train.add_command(associations)


@train.command(short_help="The tier small: one encoder for all tasks.")
@_shared_options
@click.pass_context
def encoder(ctx: click.Context, /, **options: Any) -> None:
    """The tier `small`: one encoder for trees, metaphors, names, sentiment and meaning.

    Teachers of each task first, then the small student that learns from all of them. About twenty
    minutes on one large GPU, days on a laptop. An interrupted run goes on after its last finished
    stage when it is started again with the same folders.
    """
    _train("encoder", ctx, **options)


@train.command(short_help="The tier base: adapters on a large public encoder.")
@_shared_options
@click.pass_context
def base(ctx: click.Context, /, **options: Any) -> None:
    """The tier `base`: adapters on a large public encoder, taught by the same teachers.

    With the work folder of `trope train encoder` the teachers need not be trained again.
    """
    _train("base", ctx, **options)


@train.command(short_help="The static word vectors that ship.")
@_shared_options
@click.pass_context
def vectors(ctx: click.Context, /, **options: Any) -> None:
    """The static word vectors that ship: what a large encoder says of each word by itself."""
    _train("vectors", ctx, **options)


train.add_command(encoder, "syntax")  # trees and metaphors are trained together


def _train(
    name: str,
    ctx: click.Context,
    *,
    data: Path,
    out: Path,
    work: Path | None,
    without: tuple[str, ...],
    config: Path | None,
    seed: int | None,
    seeds: int,
    device: str,
) -> None:
    from trope.catalog import TRAININGS

    settings = _settings(config, without)
    if seed is not None:
        settings = replace(settings, seed=seed)
    work = work or out / "work"
    work.mkdir(parents=True, exist_ok=True)
    TRAININGS.load(name)(
        settings=settings,
        without=frozenset(without),
        data=data,
        work=work,
        out=out,
        device=device,
        seeds=seeds,
        say=message_writer(ctx),
    )


def _settings(config: Path | None, without: tuple[str, ...]) -> EncoderSettings:
    """The settings, and that every set to be left out is one of theirs."""
    from importlib.resources import files

    from trope.core.config import read_config
    from trope.train.settings import EncoderSettings

    shipped = Path(str(files("trope.train") / "encoder.toml"))
    settings = read_config(config or shipped, EncoderSettings)
    names = tuple(s.name for s in settings.sets)
    for name in without:
        if name not in names:
            raise UnknownName("training set", name, names)
    return settings
