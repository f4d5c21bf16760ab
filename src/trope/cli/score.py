"""`trope score`: the official scorers of shared tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from trope.cli.completion import complete_files
from trope.lexicon.readings import GRANULARITIES, Granularity

if TYPE_CHECKING:
    from trope.evaluate.scorers import ScoredNames
    from trope.metrics.metonymy import ClassScores, Undefined

_Command = TypeVar("_Command", bound=Callable[..., Any])

_UNDEFINED_HELP = (
    "What F is where a class is never assigned: 0 as in the official results, or undefined as in "
    "the script that came with the data."
)


def _output_options(command: _Command) -> _Command:
    """The options that every scorer has."""
    seed = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
                        help="Seed of the resamples for the intervals.")  # fmt: skip
    as_json = click.option("--json", "as_json", is_flag=True,
                           help="Print one JSON document and nothing else.")  # fmt: skip
    return seed(as_json(command))


@click.group()
def score() -> None:
    """Score a submission with the official measures of a shared task."""


@score.command(short_help="MEAN: metaphoric analogies.")
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@_output_options
def analogy(gold: Path, submission: Path, seed: int, as_json: bool) -> None:
    """Score a SUBMISSION, a table of `id` (items counted from 1) and `answer` (the chosen words).

    GOLD is a set in MEAN's format. Unknown, missing and repeated items are errors.
    """
    from trope.cli.figure_tables import print_evaluation
    from trope.evaluate.scorers import score_analogies

    evaluation = score_analogies(gold, submission, seed=seed)
    print_evaluation(evaluation, seed=seed, as_json=as_json, submission=True)


@score.command(short_help="Shared tasks on VUA: words.")
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@_output_options
def metaphor(gold: Path, submission: Path, seed: int, as_json: bool) -> None:
    """Score a SUBMISSION, a table of `id` and `label` (1 or 0, metaphorical or literal).

    GOLD is such a table too; its column `category`, such as word classes or genres, adds figures.
    Unknown, missing and repeated words are errors.
    """
    from trope.cli.figure_tables import print_evaluation
    from trope.evaluate.scorers import score_metaphors

    evaluation = score_metaphors(gold, submission, seed=seed)
    print_evaluation(evaluation, seed=seed, as_json=as_json, submission=True)


@score.command(short_help="SemEval-2007 Task 8: names.")
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--granularity", required=True, type=click.Choice(GRANULARITIES),
              help="Which labels are scored.")  # fmt: skip
@click.option("--labels", "company_labels", type=click.Path(path_type=Path),
              help="Coarse company labels as JSON, for GOLD without readings.")  # fmt: skip
@click.option("--undefined", type=click.Choice(["organisers", "script"]), default="organisers",
              show_default=True, help=_UNDEFINED_HELP)  # fmt: skip
@_output_options
def metonymy(
    gold: Path,
    submission: Path,
    granularity: str,
    company_labels: Path | None,
    undefined: str,
    seed: int,
    as_json: bool,
) -> None:
    """Score a SUBMISSION against GOLD: samples with readings, or a key `id|label`.

    Unreadable samples, answers to unknown samples and missing answers are errors.
    """
    from trope.evaluate.scorers import score_metonymy
    from trope.metrics.figures import to_json

    scored = score_metonymy(
        gold,
        submission,
        cast(Granularity, granularity),
        company_labels=company_labels,
        undefined=cast("Undefined", undefined),
        seed=seed,
    )
    if as_json:
        click.echo(to_json(scored.evaluation), nl=False)
    else:
        _print_name_scores(scored)


@score.command(short_help="SemEval-2015 Task 11: tweets.")
@click.argument("gold", shell_complete=complete_files)
@click.argument("submission", required=False, shell_complete=complete_files)
@click.option("--categories", type=click.Path(path_type=Path),
              help="File of ids and categories; otherwise by rule, if GOLD has texts.")  # fmt: skip
@click.option("--bundle", type=click.Path(path_type=Path),
              help="Write a Codabench bundle with this gold (an archive).")  # fmt: skip
@click.option("--title", default="Sentiment of figurative language", show_default=True,
              help="Title of the bundle.")  # fmt: skip
@_output_options
@click.pass_context
def sentiment(
    ctx: click.Context,
    gold: str,
    submission: str | None,
    categories: Path | None,
    bundle: Path | None,
    title: str,
    seed: int,
    as_json: bool,
) -> None:
    """Cosine and mean squared error of SemEval-2015 Task 11.

    GOLD and SUBMISSION have one tweet per line: its id, a tab, and an integer.
    """
    from trope.cli.figure_tables import print_evaluation
    from trope.evaluate.scorers import score_sentiment
    from trope.tasks.sentiment.submission import read_gold, write_bundle

    if submission is None and bundle is None:
        raise click.UsageError("Missing argument 'SUBMISSION' (or --bundle)", ctx=ctx)
    if gold == "-":
        raise click.UsageError("GOLD is read more than once and must be a file", ctx=ctx)
    if bundle is not None:
        write_bundle(read_gold(gold, categories=categories).scores, bundle, title=title)
    if submission is not None:
        evaluation = score_sentiment(gold, submission, categories=categories, seed=seed)
        print_evaluation(evaluation, seed=seed, as_json=as_json, submission=True)


def _print_name_scores(scored: ScoredNames) -> None:
    from rich.console import Console
    from rich.table import Table

    answers, scores = scored.answers, scored.scores
    console = Console(highlight=False, markup=False)
    show = _shown
    console.print(f"{answers.system}: {answers.name_class}, {answers.granularity}")
    console.print(
        f"accuracy {show(scores.accuracy)}, coverage {show(scores.coverage)}; with 'unknown' as "
        f"literal {show(scores.all_accuracy)}; always literal {show(scores.baseline)}"
    )
    table = Table(box=None)
    columns: list[tuple[str, Callable[[ClassScores], str]]] = [
        ("gold", lambda one: str(one.counts.gold)),
        ("assigned", lambda one: str(one.counts.predicted)),
        ("right", lambda one: str(one.counts.right)),
        ("precision", lambda one: show(one.precision)),
        ("recall", lambda one: show(one.recall)),
        ("F", lambda one: show(one.f)),
    ]
    table.add_column("reading")
    for name, _ in columns:
        table.add_column(name, justify="right")
    for label, one in scores.classes.items():
        table.add_row(label, *(cell(one) for _, cell in columns))
    console.print(table)


def _shown(value: float | None) -> str:
    return "undef" if value is None else f"{value:.4f}"
