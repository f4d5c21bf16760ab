"""`trope score metonymy`: the scorer of SemEval-2007 Task 8."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from trope.lexicon.readings import GRANULARITIES, Granularity, labels

if TYPE_CHECKING:
    from trope.corpora.semeval2007_answers import NameAnswers
    from trope.metrics.figures import DataRef, Figure
    from trope.metrics.metonymy import ClassScores, NameScores, Undefined

_UNDEFINED_HELP = (
    "What F is where a class is never assigned: 0 as in the official results, or undefined as in "
    "the script that came with the data."
)


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--granularity", required=True, type=click.Choice(GRANULARITIES),
              help="Which labels are scored.")  # fmt: skip
@click.option("--labels", "company_labels", type=click.Path(path_type=Path),
              help="Coarse company labels as JSON, for GOLD without readings.")  # fmt: skip
@click.option("--undefined", type=click.Choice(["organisers", "script"]), default="organisers",
              show_default=True, help=_UNDEFINED_HELP)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides the resamples of the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
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

    Samples that cannot be read, answers to no sample and missing answers are refused.
    """
    from trope.core.errors import BadInput, BadRecord
    from trope.core.files import sha256
    from trope.corpora.semeval2007_answers import read_submission
    from trope.metrics.figures import DataRef, new_evaluation, to_json
    from trope.metrics.metonymy import score_names

    level = cast(Granularity, granularity)
    answers = read_submission(submission)
    if answers.granularity != level:
        problem = f"has {answers.granularity} labels, so it cannot be scored at {level} level"
        raise BadRecord(submission, 3, f"{problem}; give --granularity {answers.granularity}")
    key = read_gold(gold, answers, level, company_labels)
    wanted = {sample: label for sample, label in key.labels.items() if label is not None}
    known = labels(answers.name_class, level)
    try:
        scores = score_names(wanted, answers.labels, known, undefined=cast("Undefined", undefined))
    except BadInput as error:
        raise BadRecord(submission, _line_of(answers, key), str(error)) from None
    data = DataRef("semeval2007", answers.name_class, sha256(gold))
    figures = score_figures(answers, wanted, scores, data, seed)
    if as_json:
        click.echo(to_json(new_evaluation("metonymy", answers.system, "", figures)), nl=False)
    else:
        print_scores(answers, scores)


def read_gold(
    path: Path, answers: NameAnswers, granularity: Granularity, company_labels: Path | None
) -> NameAnswers:
    """The gold labels of a file of samples or a key, for the class of names that was answered."""
    from trope.core.errors import BadRecord
    from trope.corpora.semeval2007 import read_company_labels, read_samples, with_company_labels
    from trope.corpora.semeval2007_answers import key_of, read_name_key
    from trope.corpora.sources import open_source

    with open_source(path) as file:
        is_xml = file.read(100).lstrip().startswith((b"<", b"\xef\xbb\xbf<"))
    if not is_xml:
        return read_name_key(path, answers.name_class, granularity)
    samples = list(read_samples(path))
    if company_labels is not None:
        samples = with_company_labels(samples, read_company_labels(company_labels), company_labels)
    key = key_of({sample.id: sample for sample in samples}, granularity, str(path))
    if key.name_class != answers.name_class:
        problem = f"answers {answers.name_class}s, but the gold file has {key.name_class}s"
        raise BadRecord(answers.path, 2, f"{problem}; give the gold file of the same names")
    return key


def _line_of(answers: NameAnswers, key: NameAnswers) -> int | None:
    """The line of the first answer to no sample; None where an answer is missing."""
    if any(sample not in answers.labels for sample in key.labels):
        return None
    return next((answers.lines[s] for s in answers.labels if s not in key.labels), None)


def score_figures(
    answers: NameAnswers,
    gold: Mapping[str, str],
    scores: NameScores,
    data: DataRef,
    seed: int,
) -> list[Figure]:
    """The scores as figures; accuracies have intervals over the samples."""
    from trope.metrics.figures import Figure
    from trope.metrics.intervals import bootstrap_ratios

    prefix = f"metonymy.semeval2007.{answers.name_class}.{answers.granularity}"
    given = [answers.labels[sample] for sample in gold]
    right = [label == answers.labels[sample] for sample, label in gold.items()]
    backed = [label == (answers.labels[sample] or "literal") for sample, label in gold.items()]
    parts = [[int(a), int(b)] for a, b in zip(right, backed, strict=True)]
    wholes = [[int(label is not None), 1] for label in given]
    spans = bootstrap_ratios(parts, wholes, seed=seed)

    def figure(
        name: str, value: float | None, at: int | None = None, n: int = scores.samples
    ) -> Figure:
        low, high = (spans[at].low, spans[at].high) if at is not None else (None, None)
        note = "" if value is not None else "undefined: nothing to count"
        return Figure(f"{prefix}.{name}", value, low, high, n, data, note=note)

    figures = [
        figure("accuracy", scores.accuracy, 0, scores.answered),
        figure("coverage", scores.coverage),
        figure("all_accuracy", scores.all_accuracy, 1),
        figure("constant.accuracy", scores.baseline),
    ]
    for kind, classes in (("", scores.classes), ("all_", scores.all_classes)):
        for label, one in classes.items():
            n = one.counts.gold
            figures.append(figure(f"{kind}precision.{label}", one.precision, n=n))
            figures.append(figure(f"{kind}recall.{label}", one.recall, n=n))
            figures.append(figure(f"{kind}f.{label}", one.f, n=n))
    return figures


def print_scores(answers: NameAnswers, scores: NameScores) -> None:
    """The scores as tables for people."""
    from rich.console import Console
    from rich.table import Table

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
