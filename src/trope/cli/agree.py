"""`trope agree`: how far annotators agree, question by question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.cli.completion import complete_files
from trope.cli.judgments import describe_table, read_table, split_list, table_options
from trope.core.errors import BadInput
from trope.core.judgments import as_number, by_question
from trope.core.progress import counted
from trope.corpora.judgment_tables import JudgmentTable, read_model_answers

if TYPE_CHECKING:
    from rich.console import Console

    from trope.annotate.rules.agreement import QuestionAgreement
    from trope.annotate.rules.model_quality import ModelComparison
    from trope.metrics.agreement import Agreement
    from trope.metrics.alternative_annotator import AlternativeTest
    from trope.metrics.intervals import Interval


@click.command()
@table_options
@click.option("--verb-column", default="", metavar="COLUMN",
              help="Verbs of items: kappa without light, aspectual and weak verbs.")  # fmt: skip
@click.option("--order", default="", metavar="A,B,…", help="The labels from lowest to highest.")
@click.option("--raters", type=click.IntRange(min=2),
              help="Answers per complete item.  [default: the most frequent number]")  # fmt: skip
@click.option("--top", type=click.IntRange(min=0), default=10, show_default=True,
              help="How many of the most disputed items to list.")  # fmt: skip
@click.option("--models", default="", metavar="ANSWERS", shell_complete=complete_files,
              help="Answers of models: a table of item, model, answer; or a project.")  # fmt: skip
@click.option("--epsilon", default="experts", show_default=True, metavar="KIND",
              help="With --models: kind of annotators (experts, skilled, crowd) or a number, for "
                   "the alternative annotator test.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def agree(
    ctx: click.Context,
    /,
    verb_column: str,
    order: str,
    raters: int | None,
    top: int,
    models: str,
    epsilon: str,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Agreement of the annotators in FILE, a long or wide table of judgments or a project.

    Percent agreement, Fleiss' and Cohen's kappa and Krippendorff's alpha with 95 % intervals by
    bootstrap over items; an undefined value comes with the reason. Answers that mark words
    ([[start, end], …]) are compared word by word and by overlap.

    With --models, each model is compared with the people: its agreement beside theirs, the
    alternative annotator test, and its bias by label and by length of text (--text).
    """
    from trope import __version__
    from trope.annotate.rules.agreement import as_document, measure_question, verb_classes
    from trope.annotate.rules.span_agreement import measure_spans
    from trope.core.judgments import is_span_label

    table = read_table(options, verb=verb_column)
    describe_table(table, quiet=as_json or (ctx.obj or {}).get("quiet", False))
    classes = verb_classes(table.verbs) if verb_column else None
    settings: dict[str, Any] = {"usual": raters, "top": top, "seed": seed}
    labels = split_list(order)
    questions = [
        measure_spans(given, table.texts, **settings)
        if any(is_span_label(judgment.label) for judgment in given)
        else measure_question(given, order=labels, verb_classes=classes, **settings)
        for given in by_question(table.judgments).values()
    ]
    measured = _measure_models(table, models, _epsilon(epsilon), seed) if models else {}
    if as_json:
        document = {
            "trope": __version__,
            "file": table.name,
            "layout": table.layout,
            "seed": seed,
            "skipped": table.skipped,
            "questions": [
                as_document(question) | _model_documents(measured, question.question)
                for question in questions
            ],
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
    else:
        _print(questions, measured)


def _epsilon(text: str) -> float:
    from trope.metrics.alternative_annotator import EPSILONS

    number = EPSILONS.get(text, as_number(text))
    if number is None or not 0 <= number < 1:
        known = ", ".join(EPSILONS)
        raise BadInput(f"--epsilon is one of {known}, or a number from 0 to 1, not {text!r}")
    return number


def _measure_models(
    table: JudgmentTable, source: str, epsilon: float, seed: int
) -> dict[str, list[ModelComparison]]:
    """The models of a file or project, by question. A file without questions is about the only
    one."""
    from trope.annotate.rules.model_quality import measure_model

    if (Path(source) / "project.toml").is_file():
        return _measure_project(Path(source), epsilon, seed)

    people = by_question(table.judgments)
    found: dict[str, list[ModelComparison]] = {name: [] for name in people}
    for model, given in read_model_answers(source).items():
        answered = by_question(given)
        if len(people) == len(answered) == 1 and "" in (*people, *answered):
            answered = dict.fromkeys(people, given)
        for question, answers in answered.items():
            if question not in people:
                named = ", ".join(filter(None, people)) or "questions without a name"
                problem = f"model {model!r} answers {question!r}, but {table.name} has {named}"
                raise BadInput(f"{source}: {problem}; use the same names in a column 'question'")
            labels = {one.item: one.label for one in answers}
            compare = partial(measure_model, texts=table.texts, epsilon=epsilon, seed=seed)
            found[question].append(compare(people[question], labels, model=model))
    return found


def _measure_project(folder: Path, epsilon: float, seed: int) -> dict[str, list[ModelComparison]]:
    from trope.annotate.project import open_project
    from trope.annotate.store.database import connect

    connect(project := open_project(folder))
    from trope.annotate.store.model_measures import project_quality

    found = project_quality(project.plan, epsilon=epsilon, seed=seed)
    if not any(found.values()):
        problem = "no model has answered a question that people answered"
        raise BadInput(f"{folder}: {problem}; run trope annotate model")
    return found


def _model_documents(
    measured: Mapping[str, Sequence[ModelComparison]], question: str
) -> dict[str, list[dict[str, Any]]]:
    return {"models": [asdict(one) for one in measured[question]]} if question in measured else {}


def _print(
    questions: Sequence[QuestionAgreement], measured: Mapping[str, Sequence[ModelComparison]]
) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for number, question in enumerate(questions):
        if number:
            console.print()
        name = f"{question.question}: " if question.question else ""
        console.print(
            f"{name}{counted(question.judgments, 'judgment')}, {counted(question.items, 'item')}, "
            f"{counted(question.annotators, 'annotator')}; "
            f"a complete item has {counted(question.usual, 'answer')}",
            soft_wrap=True,
        )
        console.print(_answers(question), soft_wrap=True)
        _print_agreements(console, "statistic", question.agreements)
        if question.exclusions:
            named = [
                (f"{exclusion.name}: {agreement.name}", agreement)
                for exclusion in question.exclusions
                for agreement in exclusion.agreements
            ]
            _print_rows(console, "verbs out", named)
        if 1 < len(question.pairs) <= 28:
            _print_agreements(console, "Cohen's kappa of", question.pairs)
        _print_disputed(console, question)
        for model in measured.get(question.question, ()):
            _print_model(console, model)


def _answers(question: QuestionAgreement) -> str:
    if len(question.labels) > 15:
        return f"{len(question.labels)} labels"
    return "labels: " + ", ".join(f"{label} {n}" for label, n in question.labels.items())


def _print_agreements(console: Console, title: str, agreements: Sequence[Agreement]) -> None:
    _print_rows(console, title, [(agreement.name, agreement) for agreement in agreements])


def _print_rows(console: Console, title: str, rows: Sequence[tuple[str, Agreement]]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(title, overflow="fold")
    for name in ("value", "interval", "items"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Landis–Koch", no_wrap=True)
    for name, agreement in rows:
        low, value, high = map(_decimal, (agreement.low, agreement.value, agreement.high))
        interval = f"{low}–{high}" if low else ""
        table.add_row(name, value or "–", interval, str(agreement.n), agreement.word)
    console.print()
    console.print(table)
    notes: dict[str, list[str]] = {}
    for name, agreement in rows:
        if agreement.note:
            notes.setdefault(agreement.note, []).append(name)
    for note, names in notes.items():
        console.print(f"{', '.join(names)}: {note}", soft_wrap=True)


def _decimal(value: float | None) -> str:
    """The number with three decimals, without a sign before zero; empty if there is none."""
    return "" if value is None else f"{round(value, 3) + 0.0:.3f}"


def _print_disputed(console: Console, question: QuestionAgreement) -> None:
    if not question.disputed:
        return
    console.print("\nmost disputed")
    for item in question.disputed:
        answers = ", ".join(f"{label} × {n}" for label, n in item.answers.items())
        console.print(f"  {item.item}  {item.agreement:.2f}  {answers}", soft_wrap=True)


def _print_model(console: Console, found: ModelComparison) -> None:
    items, judgments = counted(found.items, "item"), counted(found.judgments, "judgment")
    console.print(f"\nmodel {found.model}: {items}, {judgments} of people", soft_wrap=True)
    rows = [(one.name, one.model, one.people, one.difference) for one in found.agreement]
    _print_table(console, ("agreement", "with the model", "among people", "difference"), rows)
    _print_alternative(console, found.alternative)
    biases = [
        (b.label, _two(b.model.value), _two(b.people.value), b.difference, b.found)
        for b in found.labels
    ]
    header = ("label", "by the model", "by people", "difference", "found")
    _print_table(console, header, biases if len(biases) <= 15 else [])
    lengths = [(f"{one.shortest}–{one.longest}", one.model, one.people) for one in found.lengths]
    _print_table(console, ("words in the text", "with the model", "among people"), lengths)
    if lengths:
        console.print(f"longest less shortest third: {_with_bounds(found.longer)}")
    if found.anchoring:
        shown = [("saw the answer", found.anchoring.suggested),
                 ("did not see it", found.anchoring.blind),
                 ("difference", found.anchoring.difference)]  # fmt: skip
        _print_table(console, ("people who", "gave the model's answer"), shown)
        times = found.anchoring.suggested_seconds, found.anchoring.blind_seconds
        if None not in times:
            with_it, without = times
            console.print(
                f"median seconds per judgment: {with_it:.1f} with it, {without:.1f} without"
            )
    for note in found.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_alternative(console: Console, test: AlternativeTest) -> None:
    verdict = {True: "passes", False: "fails", None: "not possible"}[test.passes]
    said = f"\nalternative annotator test, ε = {test.epsilon:g}: {verdict}"
    if test.winning_rate is not None and test.advantage is not None:
        tested = [row for row in test.annotators if row.p is not None]
        won = f"wins against {sum(row.won for row in tested)} of {len(tested)} annotators"
        said += f"; {won} (rate {test.winning_rate:.2f}), advantage {test.advantage:.2f}"
        rows = [
            (row.annotator, f"{row.items}", f"{row.model:.3f}", f"{row.annotator_share:.3f}",
             _small(row.corrected_p), "yes" if row.won else "no")
            for row in tested
        ]  # fmt: skip
        console.print(said, soft_wrap=True)
        _print_table(console, ("left out", "items", "model", "annotator", "p", "model wins"), rows)
    else:
        console.print(said, soft_wrap=True)
    for note in test.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_table(
    console: Console, header: Sequence[str], rows: Sequence[Sequence[Interval | str]]
) -> None:
    if not rows:
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(header[0], overflow="fold")
    for name in header[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for first, *cells in rows:
        shown = [cell if isinstance(cell, str) else _with_bounds(cell) for cell in cells]
        table.add_row(str(first), *shown)
    console.print()
    console.print(table)


def _with_bounds(interval: Interval) -> str:
    low, value, high = map(_two, (interval.low, interval.value, interval.high))
    return f"{value} ({low}, {high})" if low else value or "–"


def _two(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _small(p: float | None) -> str:
    return "<0.001" if p is not None and p < 0.001 else _decimal(p)
