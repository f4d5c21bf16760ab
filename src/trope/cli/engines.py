"""The options that choose where a command computes: in this process, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trope.core.errors import BadInput
from trope.encoder.device import DEVICES, open_card
from trope.encoder.session import usable_cores

if TYPE_CHECKING:
    from trope.scale.job import Executor

Command = TypeVar("Command", bound=Callable[..., Any])

device_option = click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="cpu",
    show_default=True,
    help="What runs the network: this processor, a graphics processor (cuda), or the latter if "
    "there is one.",
)

_TIERS = (
    click.option(
        "--tier",
        type=click.Choice(["small", "base"]),
        default="small",
        show_default=True,
        help="Model to use; base is larger and slower, and needs public weights.",
    ),
    click.option(
        "--base-weights",
        metavar="FOLDER",
        type=click.Path(path_type=Path),
        help="Folder of the public weights that the tier base needs.",
    ),
)

_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where to compute: in this process, or on a Ray cluster.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="With ray or cuda: most workers.  [default: as many as fit]",
    ),
    click.option(
        "--address",
        metavar="HOST:PORT",
        help="With ray: address of the cluster.  [default: RAY_ADDRESS, or this machine]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="Threads; with ray, per worker.  [default: all cores; with ray 1]",
    ),
    device_option,
)


def tier_options(command: Command) -> Command:
    """The options --tier and --base-weights of a command."""
    for option in reversed(_TIERS):
        command = option(command)
    return command


def chosen_model(
    systems: Sequence[str], device: str, tier: str, base_weights: Path | None
) -> dict[str, Any]:
    """What a pipeline is told besides its threads: the choices that are not the usual ones.

    Raises:
        BadInput: for public weights without the tier that needs them.
    """
    if base_weights is not None and tier != "base":
        raise BadInput("--base-weights is for the larger model; add --tier base, or leave it out")
    given = {"systems": systems, "base_weights": base_weights}
    usual = {"device": (device, "cpu"), "tier": (tier, "small")}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value}
    return chosen | {name: value for name, (value, other) in usual.items() if value != other}


def engine_options(command: Command) -> Command:
    """The options --engine, --workers, --address, --threads and --device of a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_engine(
    engine: str, workers: int | None, address: str | None, device: str = "cpu"
) -> None:
    """Refuse options of clusters without a cluster."""
    if engine == "ray":
        return
    if address is not None or (workers is not None and device == "cpu"):
        option = "--address" if workers is None or device != "cpu" else "--workers"
        raise BadInput(f"{option} is for clusters; add --engine ray, or leave it out")


def load_executor(
    engine: str,
    threads: int | None,
    *,
    workers: int | None = None,
    address: str | None = None,
    systems: Sequence[str] = (),
    device: str = "cpu",
    tier: str = "small",
    base_weights: Path | None = None,
) -> Executor:
    """The executor of an engine; another engine is another class with the same two methods."""
    check_engine(engine, workers, address, device)
    from trope.scale import executors

    weights = None if base_weights is None else base_weights.resolve()
    further = chosen_model(_absolute(systems), device, tier, weights)
    load = partial(executors.load_pipeline, **further)
    if engine == "ray":
        if device == "auto":
            raise BadInput("--device auto is for this machine; name cpu or cuda with --engine ray")
        return executors.RayExecutor(
            address=address,
            workers=workers,
            threads=threads,
            load=load if further else None,
            cards=device == "cuda",
        )
    card = open_card(device)
    if card is None:
        return executors.LocalExecutor(threads=threads, **{**further, "systems": systems})
    fitting = max(1, min(usable_cores(), card.free // executors.BYTES_A_WORKER))
    most = min(fitting, executors.WORKERS_A_CARD) if workers is None else workers
    return executors.CardExecutor(load, workers=most, threads=threads or 1)


def _absolute(systems: Sequence[str]) -> tuple[str, ...]:
    """The same, where workers with another current folder find them."""
    return tuple(str(Path(name).resolve()) if Path(name).is_dir() else name for name in systems)
