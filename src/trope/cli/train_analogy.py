"""`trope train analogy`: multiple-choice models, fold by fold, from any encoder."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.output import message_writer

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(short_help="Multiple-choice models of analogies, fold by fold.")
@click.option("--from", "data", help="Folder with the corpora, one folder each.", required=True,
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", type=_FOLDER, required=True,
              help="Folder for what is prepared and predicted.")  # fmt: skip
@click.option("--model", type=_FOLDER, help="Encoder to fine-tune: a folder with safetensors.")
@click.option("--prepare", "prepare_only", is_flag=True,
              help="Write what is to be learnt into OUT/prepared and stop.")  # fmt: skip
@click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Trainings at a time.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides which wrong choices are proposed and drawn.")  # fmt: skip
@click.pass_context
def analogy(
    ctx: click.Context,
    data: Path,
    out: Path,
    model: Path | None,
    prepare_only: bool,
    device: str,
    jobs: int,
    seed: int,
) -> int:
    """Models that choose the end of an analogy, one for each fold of MEAN.

    Predictions come out, no weights: `trope evaluate analogy --tier base --predictions` reads
    them. What OUT holds already is passed over, so an interrupted run goes on.
    """
    from trope.catalog import TRAININGS
    from trope.core.errors import BadInput

    if model is None and not prepare_only:
        raise BadInput("no encoder is named; give one with --model, or --prepare alone")
    TRAININGS.load("analogy")(
        data=data,
        out=out,
        model=model,
        device=device,
        jobs=jobs,
        seed=seed,
        say=message_writer(ctx),
    )
    return 0
