"""`trope train heads`: the metaphor heads of the tier `small`."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.output import message_writer

_FOLDER = click.Path(path_type=Path, file_okay=False)
_EXISTING = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command(short_help="The metaphor heads of the tier small.")
@click.option("--from", "data", required=True, type=_EXISTING,
              help="Folder with the corpora, one folder each (see `trope data`).")  # fmt: skip
@click.option("--out", type=_FOLDER, required=True, help="Folder for the finished model.")
@click.option("--model", type=_EXISTING,
              help="Folder of a finished model.  [default: the shipped one]")  # fmt: skip
@click.option("--work", type=_FOLDER, help="Folder for what each stage leaves, the same as that of "
              "`trope train headlines` to share its teachers; run again to go on.  "
              "[default: OUT/work]")  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
              help="Settings instead of those of the shipped heads.")  # fmt: skip
@click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
@click.pass_context
def heads(
    ctx: click.Context,
    data: Path,
    out: Path,
    model: Path | None,
    work: Path | None,
    config: Path | None,
    device: str,
) -> None:
    """The metaphor heads of the tier `small`, on the lower layers of a finished network.

    All else in the model stays as it is. They learn of words what the model says of them so far, of
    headlines what the teachers of `trope train headlines` say. Ten minutes on one large GPU; where
    the teachers have spoken already (WORK/opinion.npy), an hour of a laptop with 20 GB. `trope
    train headlines --calibrate-only` is due afterwards, since the tier `base` hears `small` on
    whole sentences.
    """
    from importlib.resources import files

    from trope.catalog import TRAININGS
    from trope.core.config import read_config
    from trope.train.headline_settings import HeadlineSettings
    from trope.train.lower_heads_settings import LowerHeadSettings

    settings = Path(str(files("trope.train")))
    work = work or out / "work"
    work.mkdir(parents=True, exist_ok=True)
    TRAININGS.load("heads")(
        settings=read_config(config or settings / "lower_heads.toml", LowerHeadSettings),
        teachers=read_config(settings / "headlines.toml", HeadlineSettings),
        data=data,
        work=work,
        out=out,
        model=model,
        device=device,
        say=message_writer(ctx),
    )
