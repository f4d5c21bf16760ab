"""The table of commands, what all of them have, commands that list names or call themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import click
from click.core import ParameterSource

from trope.core.registry import Entry

COMMANDS: dict[str, tuple[str, str]] = {
    "aggregate": ("trope.cli.aggregate:aggregate", "One label per item from many judgments."),
    "agree": ("trope.cli.agree:agree", "Agreement of annotators, with intervals."),
    "analogy": ("trope.cli.analogy:analogy", "Metaphoric analogies: build items, check sets."),
    "analyze": ("trope.cli.analyze:analyze", "Everything about a text: trees, metaphors."),
    "annotate": ("trope.cli.annotate:annotate", "A service where people judge items."),
    "audit": ("trope.cli.audit:audit", "How far a data set can be solved without reading it."),
    "completion": ("trope.cli.completion:completion", "Tab completion for bash, zsh and fish."),
    "data": ("trope.cli.data:data", "The catalogue of corpora; tweets by their ids."),
    "detect": ("trope.cli.detect:detect", "Metaphors of a whole corpus, resumable."),
    "evaluate": ("trope.cli.evaluate:evaluate", "Scores on test sets, with intervals."),
    "leaderboard": ("trope.cli.leaderboard:leaderboard", "Submissions to a shared task, ranked."),
    "man": ("trope.cli.manual:man", "Manual pages of the commands."),
    "methods": ("trope.cli.query:methods", "The paragraph on methods for a paper about a corpus."),
    "query": ("trope.cli.query:query", "Tables of a corpus: rates, figures, keyness, concordance."),
    "release": ("trope.cli.release:release", "A publishable data set from a run or a project."),
    "recipe": ("trope.cli.recipe:recipe", "Data sets of papers, end to end: list, run."),
    "reproduce": ("trope.cli.reproduce:reproduce", "Published tables with our figures."),
    "rewrite": ("trope.cli.rewrite:rewrite", "Literal or metaphorical alternatives for verbs."),
    "score": ("trope.cli.score:score", "The official scorers of shared tasks."),
    "serve": ("trope.cli.serve:serve", "Web pages on your machine: read a text, explore a corpus."),
    "train": ("trope.cli.train:train", "Train the shipped models again."),
}
"""Name → (module:command, line of help); the help is here so that `--help` imports nothing."""


_COMMON_OPTIONS = {
    "--quiet": "No progress and no notes on standard error.",
    "--verbose": "Show tracebacks of errors.",
}


def add_common_options(command: click.Command) -> click.Command:
    """The command, and all under it, with `--quiet` and `--verbose`, as `trope` itself has them."""
    if isinstance(command, click.Group):
        for under in command.commands.values():
            add_common_options(under)
    given = {name for parameter in command.params for name in parameter.opts}
    for name, text in _COMMON_OPTIONS.items():
        if name not in given:
            command.params.append(
                click.Option(
                    [name], is_flag=True, expose_value=False, callback=_remember, help=text
                )
            )
    return command


def _remember(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Note a common option where `trope` itself would have noted it."""
    if given:
        context.obj = {**(context.obj or {}), option.name: True}


def given_arguments(context: click.Context, without: Collection[str] = ()) -> tuple[str, ...]:
    """A subcommand's name and the options that it was given, for a call in another process.

    Common options are not among them: they are about what this process says.
    """
    arguments = [context.info_name or ""]
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name in context.params and name not in without:
            value = context.params[name]
            for one in value if option.multiple else (value,):
                arguments += [option.opts[0], str(one)]
    return tuple(arguments)


class ListingCommand(click.Command):
    """A command that lists, below its options, the names that it knows."""

    def __init__(self, *args: Any, heading: str, names: Mapping[str, Entry], **more: Any) -> None:
        super().__init__(*args, **more)
        self.heading, self.names = heading, names

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names, each with its line, in a section of their own."""
        with formatter.section(self.heading):
            formatter.write_dl([(name, entry.summary) for name, entry in self.names.items()])
