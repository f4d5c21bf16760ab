"""Progress of long work: a bar on a terminal, nothing elsewhere; the type of message writers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

MessageWriter = Callable[[str], None]
"""A function that shows a message."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 item", "2 items"; `plural` is for nouns that do not take an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def track(
    items: Iterable[T], label: str, total: int | None = None, quiet: bool = False
) -> Iterator[T]:
    """The same items, with a progress bar on standard error if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        return iter(items)
    return _with_bar(items, label, total)


def _with_bar(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, total=total, description=label)
