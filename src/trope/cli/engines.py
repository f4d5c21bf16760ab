"""The options that choose where a command computes: in this process, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
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
        help="Where to compute: in this process, or on a Ray cluster.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="With ray: most workers.  [default: as many as fit]",
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
)


def engine_options(command: Command) -> Command:
    """The options --engine, --workers, --address and --threads of a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_engine(engine: str, workers: int | None, address: str | None) -> None:
    """Refuse options of clusters without a cluster."""
    if engine == "local" and (workers is not None or address is not None):
        option = "--workers" if workers is not None else "--address"
        raise BadInput(f"{option} is for clusters; add --engine ray, or leave it out")


def load_executor(
    engine: str,
    threads: int | None,
    *,
    workers: int | None = None,
    address: str | None = None,
    systems: Sequence[str] = (),
) -> Executor:
    """The executor of an engine; another engine is another class with the same two methods."""
    check_engine(engine, workers, address)
    if engine == "ray":
        from trope.scale.executors import RayExecutor, load_pipeline

        load = partial(load_pipeline, systems=_absolute(systems)) if systems else None
        return RayExecutor(address=address, workers=workers, threads=threads, load=load)
    from trope.scale.executors import LocalExecutor

    return LocalExecutor(threads=threads, systems=systems)


def _absolute(systems: Sequence[str]) -> tuple[str, ...]:
    """The same, where workers with another current folder find them."""
    return tuple(str(Path(name).resolve()) if Path(name).is_dir() else name for name in systems)
