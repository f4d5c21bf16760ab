"""`trope score sentiment`: the scorer of SemEval-2015 Task 11."""

from __future__ import annotations

from pathlib import Path

import click

from trope.cli.completing import complete_files


@click.command()
@click.argument("gold", shell_complete=complete_files)
@click.argument("submission", required=False, shell_complete=complete_files)
@click.option("--categories", type=click.Path(path_type=Path),
              help="File of ids and categories; else by rule, if GOLD has texts.")  # fmt: skip
@click.option("--bundle", type=click.Path(path_type=Path),
              help="Write a Codabench bundle with this gold (an archive).")  # fmt: skip
@click.option("--title", default="Sentiment of figurative language", show_default=True,
              help="Title of the bundle.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides the resamples of the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
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

    GOLD and SUBMISSION have an id and an integer a line, parted by a tab.
    """
    from trope.cli.evaluation.report import print_table
    from trope.core.files import sha256
    from trope.metrics.figures import DataRef, new_evaluation, to_json
    from trope.tasks.sentiment.bundle import write_bundle
    from trope.tasks.sentiment.submission import read_gold, read_submission, submission_figures

    if submission is None and bundle is None:
        raise click.UsageError("Missing argument 'SUBMISSION' (or --bundle)", ctx=ctx)
    if gold == "-":
        raise click.UsageError("GOLD is read more than once and must be a file", ctx=ctx)
    right = read_gold(gold, categories=categories)
    if bundle is not None:
        write_bundle(right.scores, bundle, title=title)
    if submission is None:
        return
    figures = submission_figures(
        right,
        read_submission(submission, right.scores),
        prefix="sentiment.semeval2015.test",
        by_category="sentiment.semeval2015",
        data=DataRef(Path(gold).name, "gold", sha256(gold)),
        seed=seed,
    )
    evaluation = new_evaluation("sentiment", "submission", "", figures)
    if as_json:
        click.echo(to_json(evaluation), nl=False)
    else:
        print_table(evaluation, seed=seed)
