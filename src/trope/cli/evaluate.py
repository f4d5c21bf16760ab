"""`trope evaluate`: scores on test sets, with intervals and controls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from trope.catalog import EVALUATIONS
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names
from trope.cli.judgments import label_options, labelled_folder, take_label_options

if TYPE_CHECKING:
    from trope.core.records import TextKind
    from trope.corpora.files import FileOptions
    from trope.corpora.labelled_texts import LabelColumns, TaskName
    from trope.metrics.figures import Evaluation

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_WITHOUT_DATA = ("ordinary",)
_PLOTTED = ("analogy", "metaphor", "rewriting")


@click.command(cls=ListingCommand, heading="Tasks, with their parts", names=EVALUATIONS)
@click.argument("task", shell_complete=complete_names(EVALUATIONS))
@click.option("--from", "data", type=click.Path(path_type=Path),
              help="Directory of the research data, with one folder per corpus; not needed for "
                   "the sentences of ordinary that ship with trope.")  # fmt: skip
@click.option("--tier", default="small", show_default=True,
              help="Model to measure: small or base.")  # fmt: skip
@click.option("--model", "models", multiple=True, type=_FOLDER,
              help="Folder of a model from `trope train`, instead of the one that ships. Given "
                   "several times, mean and spread of the figures.")  # fmt: skip
@click.option("--on", "own", metavar="FILE", type=click.Path(path_type=Path, exists=True),
              help="Labels of your own to score on, instead of the test sets: a table, a run of a "
                   "recipe, or an annotation project (metaphor, sentiment, metonymy); items "
                   "with MEAN's columns, or a run of mean (analogy).")  # fmt: skip
@click.option("--folds", type=click.IntRange(min=2),
              help="With --on: train and score light systems by so many folds.")  # fmt: skip
@click.option("--system", "--model-folder", "detector", type=click.Path(path_type=Path),
              help="Folder of another model to measure as well: from `trope train metaphor "
                   "--model` (or sentiment, metonymy), a language model (analogy, rewriting), or "
                   "the encoder of seed-contexts (metaphor, part labellers).")  # fmt: skip
@click.option("--predictions", type=_FOLDER,
              help="Folder of predictions by `trope train metaphor --silver`, `trope train "
                   "analogy` or `trope train encoder --folds`.")  # fmt: skip
@click.option("--gold", metavar="RUN", type=click.Path(path_type=Path, file_okay=False),
              help="Run of `trope recipe run newsmet` whose labels score the predictions of "
                   "`trope train metaphor --silver --gold RUN`.")  # fmt: skip
@click.option("--base-weights", type=click.Path(path_type=Path, exists=True),
              help="Folder of the public weights that tier base needs.")  # fmt: skip
@click.option("--vectors", metavar="FILE", type=click.Path(path_type=Path, exists=True),
              help="Word vectors of your own for static answers (analogy).")  # fmt: skip
@click.option("--part", default="", help="Only these parts, for example ewt,tweebank.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False),
              help="Draw calibration (metaphor), kinds of errors (analogy) or metaphoricity "
                   "(rewriting): SVG, PNG or PDF.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the model.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--bounds", "bounds_file", type=click.Path(path_type=Path),
              help="TOML file of bounds; exit status 1 if a figure misses its bound.")  # fmt: skip
@click.option("--write", "results", type=click.Path(path_type=Path),
              help="Also record the figures in this JSON file.")  # fmt: skip
@click.pass_context
def evaluate(
    ctx: click.Context,
    /,
    task: str,
    data: Path | None,
    tier: str,
    models: tuple[Path, ...],
    own: Path | None,
    folds: int | None,
    detector: Path | None,
    predictions: Path | None,
    gold: Path | None,
    base_weights: Path | None,
    vectors: Path | None,
    part: str,
    plot: Path | None,
    threads: int | None,
    seed: int,
    as_json: bool,
    bounds_file: Path | None,
    results: Path | None,
    **options: Any,
) -> int:
    """Score a TASK on its test sets, with intervals and controls.

    The data are not part of trope: `trope data` lists them and says how to get them.
    """
    from trope.cli.figure_tables import print_evaluation
    from trope.core.errors import MissingData
    from trope.evaluate.options import EvaluationOptions, evaluate_task
    from trope.evaluate.results import (
        NO_BOUNDS,
        check_results_file,
        merge_results,
        missed,
        read_bounds,
    )
    from trope.release.newsmet_gold import read_newsmet_gold

    if len(models) > 1:
        _refuse_for_several_models(plot=plot, bounds=bounds_file)
    if plot is not None:
        _check_plot(task, plot)
    if results is not None:
        check_results_file(results)
    columns = take_label_options(options)
    if own is not None:
        given = OwnRequest(task, own, columns, detector, folds or 0, threads, seed, vectors)
        evaluation = _evaluate_own(given, (ctx.obj or {}).get("quiet", False))
        print_evaluation(evaluation, seed=seed, as_json=as_json)
        if results is not None:
            merge_results(evaluation, results, on=date.today())
        return 0
    if detector is not None and not detector.is_dir():
        raise MissingData(detector, "give the folder of a system")
    if data is None and task in EVALUATIONS and task not in _WITHOUT_DATA:
        raise click.MissingParameter(param_type="option", param_hint="'--from'", ctx=ctx)
    if data is not None and not data.is_dir():
        raise MissingData(data, "give the directory of the research data with --from")
    bounds = read_bounds(bounds_file, tier) if bounds_file else NO_BOUNDS
    chosen = EvaluationOptions(
        data=data or Path(),
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
        vectors=vectors,
    )
    evaluation = evaluate_task(task, chosen, models)
    print_evaluation(evaluation, bounds, seed=seed, as_json=as_json)
    if results is not None:
        merge_results(evaluation, results, on=date.today())
    return 1 if missed(evaluation, bounds) else 0


@dataclass(frozen=True, slots=True)
class OwnRequest:
    """What `--on` asks for."""

    task: str
    source: Path
    columns: tuple[LabelColumns, FileOptions, TextKind | None]
    system: Path | None
    folds: int
    threads: int | None
    seed: int
    vectors: Path | None


def _evaluate_own(asked: OwnRequest, quiet: bool) -> Evaluation:
    """Figures on labels of the user's own."""
    from trope.core.errors import UnknownName
    from trope.corpora.labelled_texts import LABEL_COLUMNS, read_labelled, text_kind
    from trope.evaluate.own_labels import OwnEvaluation, evaluate_own
    from trope.pipeline import Pipeline
    from trope.tasks.own_systems import open_system

    def say(note: str) -> None:
        if not quiet:
            click.echo(f"trope: {note}", err=True)

    if asked.task == "analogy":
        from trope.evaluate import analogy

        return analogy.evaluate_own(
            asked.source, system=asked.system, folds=asked.folds, vectors=asked.vectors,
            seed=asked.seed, threads=asked.threads, say=say,
        )  # fmt: skip
    if asked.task not in LABEL_COLUMNS:
        known = (*LABEL_COLUMNS, "analogy")
        raise UnknownName("task with labels of your own", asked.task, known)
    task = cast("TaskName", asked.task)
    columns, files, kind = asked.columns
    with labelled_folder(asked.source) as source:
        labelled = replace(read_labelled(source, task, columns, files), path=asked.source)
    system = None if asked.system is None else open_system(asked.system, task)
    pipeline = Pipeline(threads=asked.threads)
    kind = kind or text_kind(asked.source)
    request = OwnEvaluation(labelled, pipeline, system, asked.folds, kind, asked.seed)
    return evaluate_own(request, say)


def _refuse_for_several_models(**given: Path | None) -> None:
    from trope.core.errors import BadInput

    for option, value in given.items():
        if value is not None:
            raise BadInput(f"--{option} works with one model only; give --model once, or drop it")


def _check_plot(task: str, plot: Path) -> None:
    from trope.core.errors import BadInput
    from trope.render.plots import check_plot

    if task not in _PLOTTED:
        raise BadInput(
            f"there is no plot for {task}; drop --plot, or evaluate one of {', '.join(_PLOTTED)}"
        )
    check_plot(plot)


evaluate.params += label_options()
