"""What long commands tell on standard error while they work, unless `--quiet` was asked for."""

from __future__ import annotations

import click

from trope.core.progress import Say


def is_quiet(ctx: click.Context) -> bool:
    """Whether `trope --quiet` was asked for."""
    return bool(ctx.obj and ctx.obj.get("quiet"))


def sayer(ctx: click.Context) -> Say:
    """Where messages go."""
    if is_quiet(ctx):
        return lambda message: None
    return lambda message: click.echo(message, err=True)
