"""`trope score`: the official scorers of shared tasks."""

from __future__ import annotations

from importlib import import_module

import click

# name → (module:command, one line of help), so that the list imports nothing
SCORERS: dict[str, tuple[str, str]] = {
    "analogy": ("trope.cli.scoring.analogy:analogy", "MEAN: metaphoric analogies."),
    "metonymy": ("trope.cli.scoring.metonymy:metonymy", "SemEval-2007 Task 8: names."),
    "sentiment": ("trope.cli.scoring.sentiment:sentiment", "SemEval-2015 Task 11: tweets."),
}


class ScorerGroup(click.Group):
    """A group of scorers that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in alphabetical order."""
        return sorted(SCORERS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The scorer of that name, or None."""
        if name not in SCORERS:
            return None
        module, attribute = SCORERS[name][0].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of scorers, without importing one."""
        with formatter.section("Scorers"):
            formatter.write_dl([(name, SCORERS[name][1]) for name in self.list_commands(ctx)])


@click.group(cls=ScorerGroup)
def score() -> None:
    """Score a submission with the official measures of a shared task."""
