"""`trope train headlines`: the head of the tier `base` for whole headlines."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.output import message_writer

_FOLDER = click.Path(path_type=Path, file_okay=False)
_EXISTING = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command(short_help="The head of the tier base for whole headlines.")
@click.option("--from", "data", required=True, type=_EXISTING,
              help="Folder with the corpora, one folder each (see `trope data`).")  # fmt: skip
@click.option("--out", type=_FOLDER, required=True, help="Folder for the new adapters.")
@click.option("--adapters", type=_EXISTING,
              help="Folder that `trope train base` wrote.  [default: the shipped one]")  # fmt: skip
@click.option("--base-weights", type=click.Path(path_type=Path, exists=True),
              help="Folder of the public weights that the adapters stand on.")  # fmt: skip
@click.option("--work", type=_FOLDER, help="Folder for what each stage leaves; run again to go "
              "on.  [default: OUT/work]")  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
              help="Settings instead of those of the shipped head.")  # fmt: skip
@click.option("--calibrate-only", is_flag=True,
              help="Keep the head; choose calibration and threshold again, as is due after a new "
              "tier small.")  # fmt: skip
@click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
@click.pass_context
def headlines(
    ctx: click.Context,
    data: Path,
    out: Path,
    adapters: Path | None,
    base_weights: Path | None,
    work: Path | None,
    config: Path | None,
    calibrate_only: bool,
    device: str,
) -> None:
    """The head of the tier `base` that judges whole headlines, after `trope train base`.

    Many teachers read NewsMet a few times each; the head learns what they say of headlines that
    nobody labelled. All else in the adapters stays as it is. Ten minutes on one large GPU.
    """
    from importlib.resources import files

    from trope.catalog import TRAININGS
    from trope.core.config import read_config
    from trope.train.headline_settings import HeadlineSettings

    shipped = Path(str(files("trope.train") / "headlines.toml"))
    work = work or out / "work"
    work.mkdir(parents=True, exist_ok=True)
    TRAININGS.load("headlines")(
        settings=read_config(config or shipped, HeadlineSettings),
        data=data,
        work=work,
        out=out,
        adapters=adapters,
        base_weights=base_weights,
        calibrate_only=calibrate_only,
        device=device,
        say=message_writer(ctx),
    )
