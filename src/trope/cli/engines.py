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
) -> Executor:
    """The executor of an engine; another engine is another class with the same two methods."""
    check_engine(engine, workers, address, device)
    from trope.scale import executors

    load = partial(executors.load_pipeline, systems=_absolute(systems), device=device)
    if engine == "ray":
        if device == "auto":
            raise BadInput("--device auto is for this machine; name cpu or cuda with --engine ray")
        return executors.RayExecutor(
            address=address,
            workers=workers,
            threads=threads,
            load=load if systems or device != "cpu" else None,
            cards=device == "cuda",
        )
    card = open_card(device)
    if card is None:
        return executors.LocalExecutor(threads=threads, systems=systems)
    fitting = max(1, min(usable_cores(), card.free // executors.BYTES_A_WORKER))
    most = min(fitting, executors.WORKERS_A_CARD) if workers is None else workers
    return executors.CardExecutor(load, workers=most, threads=threads or 1)


def _absolute(systems: Sequence[str]) -> tuple[str, ...]:
    """The same, where workers with another current folder find them."""
    return tuple(str(Path(name).resolve()) if Path(name).is_dir() else name for name in systems)
