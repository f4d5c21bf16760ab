"""Who does the work of a command: this process, or a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trope.core.errors import BadInput

if TYPE_CHECKING:
    from trope.scale.job import Executor

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Who does the work: this process, or workers of a Ray cluster.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="With ray: workers at most.  [default: as many as there is room for]",
    ),
    click.option(
        "--address",
        metavar="HOST:PORT",
        help="With ray: the cluster.  [default: RAY_ADDRESS, or this machine]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="Threads to use, with ray for each worker.  [default: all cores; with ray 1]",
    ),
)


def engine_options(command: Command) -> Command:
    """The options --engine, --workers, --address and --threads of a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_engine(engine: str, workers: int | None, address: str | None) -> None:
    """Refuse options of clusters where the work is done here."""
    if engine == "local" and (workers is not None or address is not None):
        option = "--workers" if workers is not None else "--address"
        raise BadInput(f"{option} is for clusters; add --engine ray, or leave it out")


def load_executor(
    engine: str, threads: int | None, *, workers: int | None = None, address: str | None = None
) -> Executor:
    """Who does the work; another engine is another class with the same two methods."""
    check_engine(engine, workers, address)
    if engine == "ray":
        from trope.scale.ray import RayExecutor

        return RayExecutor(address=address, workers=workers, threads=threads)
    from trope.scale.local import LocalExecutor

    return LocalExecutor(threads=threads)
