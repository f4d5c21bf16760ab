"""`trope train metaphor --model`: fine-tune a Hugging Face encoder, or NewsMet's whole series."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trope.cli.output import is_quiet, message_writer
from trope.core.errors import BadInput

if TYPE_CHECKING:
    from trope.tasks.metaphor.silver_sources import UserGold

_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--model", help="Encoder to fine-tune: a folder with safetensors, or a Hub name.")
@click.option("--from", "data", required=True, help="Folder with the corpora, one folder each.",
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", type=_FOLDER, required=True, help="Folder for what is made.")
@click.option("--preset", default="newsmet", show_default=True,
              help="Settings that ship: newsmet (sentences) or words.")  # fmt: skip
@click.option("--config", type=_FILE, help="Settings of your own, as TOML, instead of a preset.")
@click.option("--on", "sets", default="", metavar="SETS",
              help="Sets to train on, such as newsmet,lcc,moh.  [default: newsmet; words: vua18]"
)  # fmt: skip
@click.option("--gold-plus", "reading", type=click.Choice(["all_six", "accepted_only"]),
              default="all_six", show_default=True,
              help="Read NewsMet with or without its rejected candidates.")  # fmt: skip
@click.option("--trofi", type=_FILE, help="TroFi's example base, where you have it.")
@click.option("--work", type=_FOLDER,
              help="Folder for checkpoints; run again to go on.  [default: OUT/work]")  # fmt: skip
@click.option("--seed", type=int, help="Seed instead of the one in the settings.")
@click.option("--device", default="auto", show_default=True, help="cpu, cuda or auto.")
@click.option("--silver", is_flag=True,
              help="Train NewsMet's detectors (D_imbal, D_bal, with gold+) and predict its test "
              "sets.")  # fmt: skip
@click.option("--gold", type=_FOLDER, metavar="RUN",
              help="With --silver: gold and gold+ of this run of `trope recipe run newsmet` in "
              "place of the released ones.")  # fmt: skip
@click.option("--seeds", default="42,43,44", show_default=True, help="Seeds of --silver.")
@click.option("--prepare-only", is_flag=True,
              help="With --silver: write what is to be learnt into OUT/prepared and stop."
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="With --silver: trainings at a time.")  # fmt: skip
@click.pass_context
def metaphor(
    ctx: click.Context,
    model: str | None,
    data: Path,
    out: Path,
    preset: str,
    config: Path | None,
    sets: str,
    reading: str,
    trofi: Path | None,
    work: Path | None,
    seed: int | None,
    device: str,
    silver: bool,
    gold: Path | None,
    seeds: str,
    prepare_only: bool,
    jobs: int,
) -> None:
    """A metaphor detector from any Hugging Face encoder.

    An interrupted run goes on after its last whole epoch when it is started again with the same
    folders.
    """
    from trope.catalog import TRAININGS
    from trope.train.hub_settings import read_hub_settings, read_preset

    settings = read_preset(preset) if config is None else read_hub_settings(config)
    if seed is not None:
        settings = replace(settings, seed=seed)
    if prepare_only and not silver:
        raise BadInput("--prepare-only belongs to --silver; give both or none")
    if gold is not None and not silver:
        raise BadInput("--gold belongs to --silver; give both or none")
    if model is None and not prepare_only:
        raise BadInput(
            f"no encoder is named; give one with --model, for example {settings.model}, or train "
            "the heads that ship with 'trope train encoder' and 'trope train base'"
        )
    name = "metaphor-silver" if silver else "metaphor-hub"
    own = None if gold is None else _read_gold(gold)
    TRAININGS.load(name)(
        settings=settings,
        model=model,
        data=data,
        out=out,
        on=tuple(name.strip() for name in sets.split(",") if name.strip()),
        reading=reading,
        trofi=trofi,
        own=own,
        device=device,
        work=work,
        quiet=is_quiet(ctx),
        seeds=_numbers(seeds),
        jobs=jobs,
        say=message_writer(ctx),
    )


def _read_gold(run: Path) -> UserGold:
    from trope.release.newsmet_gold import read_newsmet_gold

    return read_newsmet_gold(run)


def _numbers(seeds: str) -> tuple[int, ...]:
    try:
        found = tuple(int(seed) for seed in seeds.split(","))
    except ValueError:
        raise BadInput(f"--seeds {seeds!r} are no numbers such as 42,43,44") from None
    if len(set(found)) != len(found):
        raise BadInput(f"--seeds {seeds!r} has a seed twice; each is trained once")
    return found
