"""`trope evaluate`: scores on test sets, with intervals and controls."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from trope.catalog import EVALUATIONS
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names
from trope.corpora.metadata import missing_files_explained
from trope.evaluate.options import EvaluateTask, EvaluationOptions

if TYPE_CHECKING:
    from trope.metrics.figures import Evaluation


@click.command(cls=ListingCommand, heading="Tasks, with their parts", names=EVALUATIONS)
@click.argument("task", shell_complete=complete_names(EVALUATIONS))
@click.option(
    "--from", "data", required=True, type=click.Path(path_type=Path),
    help="Directory of the research data, with one folder a corpus.",
)  # fmt: skip
@click.option("--tier", default="small", show_default=True,
              help="Which model reads the texts: small, or base.")  # fmt: skip
@click.option("--model", "models", multiple=True,
              type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder of a model made by `trope train`, not the shipped one; of several, "
              "mean and spread.")  # fmt: skip
@click.option("--model-folder", "detector", help="What `trope train metaphor --model` (or "
              "sentiment, metonymy) made, or a language model (analogy; a masked one for "
              "rewriting), to be measured beside the others.",
              type=click.Path(path_type=Path, exists=True, file_okay=False))  # fmt: skip
@click.option("--predictions", help="Folder of what `trope train metaphor --silver` or "
              "`trope train analogy` predicted.",
              type=click.Path(path_type=Path, exists=True, file_okay=False))  # fmt: skip
@click.option("--gold", metavar="RUN", help="Run of `trope recipe run newsmet` by which what "
              "`trope train metaphor --silver --gold RUN` predicted is judged.",
              type=click.Path(path_type=Path, file_okay=False))  # fmt: skip
@click.option("--base-weights", help="Folder of the public weights that the tier base stands on.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@click.option("--part", default="", help="Only these parts, for example ewt,tweebank.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False),
              help="Draw calibration (metaphor) or kinds of errors (analogy): SVG, PNG, PDF."
)  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides the resamples of the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--bounds", "bounds_file", type=click.Path(path_type=Path),
              help="TOML file of bounds; exit status 1 where a figure misses its own.")  # fmt: skip
@click.option("--write", "results", type=click.Path(path_type=Path),
              help="Also record the figures in this file of results (JSON).")  # fmt: skip
@click.pass_context
def evaluate(
    ctx: click.Context,
    task: str,
    data: Path,
    tier: str,
    models: tuple[Path, ...],
    detector: Path | None,
    predictions: Path | None,
    gold: Path | None,
    base_weights: Path | None,
    part: str,
    plot: Path | None,
    threads: int | None,
    seed: int,
    as_json: bool,
    bounds_file: Path | None,
    results: Path | None,
) -> int:
    """Score a TASK on its test sets, with intervals and controls.

    The data are not part of trope: `trope data` says what there is and where each set comes from.
    """
    from trope.cli.figure_tables import print_evaluation
    from trope.core.errors import BadInput, MissingData
    from trope.evaluate.bounds import NO_BOUNDS, missed, read_bounds
    from trope.evaluate.results import check_results_file, merge_results
    from trope.release.newsmet_gold import read_newsmet_gold

    for option, given, told in (("plot", plot, "shows"), ("bounds", bounds_file, "are for")):
        if given is not None and len(models) > 1:
            raise BadInput(f"--{option} {told} one model; give --model once, or leave it out")
    if results is not None:
        check_results_file(results)
    if plot is not None:
        from trope.render.plots.canvas import check_plot

        if task not in ("analogy", "metaphor", "rewriting"):
            raise BadInput(f"--plot shows probabilities, and {task} has none; leave it out")
        check_plot(plot)
    if not data.is_dir():
        raise MissingData(data, "give the directory of the research data with --from")
    bounds = read_bounds(bounds_file, tier) if bounds_file else NO_BOUNDS
    options = EvaluationOptions(
        data=data,
        tier=tier,
        model=models[0] if models else None,
        threads=threads,
        seed=seed,
        parts=tuple(name.strip() for name in part.split(",") if name.strip()),
        quiet=(ctx.obj or {}).get("quiet", False),
        detector=detector,
        predictions=predictions,
        gold=None if gold is None else read_newsmet_gold(gold),
        base_weights=base_weights,
        plot=plot,
    )
    with missing_files_explained(data):
        evaluation = _measured(cast(EvaluateTask, EVALUATIONS.load(task)), options, models)
    print_evaluation(evaluation, bounds, seed=seed, as_json=as_json)
    if results is not None:
        merge_results(evaluation, results, on=date.today())
    return 1 if missed(evaluation, bounds) else 0


def _measured(
    task: EvaluateTask, options: EvaluationOptions, models: tuple[Path, ...]
) -> Evaluation:
    """The figures of one model, or how those of several differ."""
    if len(models) < 2:
        return task(options)
    from trope.metrics.spread import spread

    return spread([task(replace(options, model=model)) for model in models])
