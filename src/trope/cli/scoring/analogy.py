"""`trope score analogy`: answers to a set of analogies, with the kinds of errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trope.corpora.mean import Analogy
    from trope.metrics.figures import DataRef, Figure


@click.command()
@click.argument("gold", type=click.Path(path_type=Path))
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides the resamples of the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def analogy(gold: Path, submission: Path, seed: int, as_json: bool) -> None:
    """Score a SUBMISSION, a table of `id` (items counted from 1) and `answer` (the chosen words).

    GOLD is a set in MEAN's form. Unknown, missing and doubled items are refused.
    """
    from trope.cli.evaluation.report import print_table
    from trope.core.files import sha256
    from trope.corpora.mean import read_mean
    from trope.metrics.figures import DataRef, new_evaluation, to_json

    items = list(read_mean(gold))
    codes = read_answers(submission, items)
    figures = score_figures(items, codes, DataRef("mean", "all", sha256(gold)), seed)
    evaluation = new_evaluation("analogy", submission.stem, "", figures)
    if as_json:
        click.echo(to_json(evaluation), nl=False)
    else:
        print_table(evaluation, seed=seed)


def read_answers(path: Path, items: Sequence[Analogy]) -> list[str]:
    """What kind of choice was made for every item; a doubled choice counts as its first column."""
    from trope.core.errors import BadRecord
    from trope.corpora.mean import CODES, spoken
    from trope.corpora.rows import CheckedRow, UniqueIds
    from trope.corpora.tables import read_rows

    by_id = {item.id: item for item in items}
    found: dict[str, str] = {}
    seen = UniqueIds()
    for line, fields in read_rows(path):
        row = CheckedRow(str(path), line, fields)
        identifier, chosen = row.text("id"), spoken(row.text("answer"))
        if identifier not in by_id:
            raise row.fault(f"no item has the id {identifier!r}; they count from 1 to {len(items)}")
        seen.add(identifier, row, identifier)
        choices = [spoken(choice) for choice in by_id[identifier].choices]
        if chosen not in choices:
            told = ", ".join(by_id[identifier].choices)
            raise row.fault(f"{chosen!r} is no choice of item {identifier}; choices: {told}")
        found[identifier] = CODES[choices.index(chosen)]
    missing = [item.id for item in items if item.id not in found]
    if missing:
        problem = f"has no answer to {len(missing)} items, the first is {missing[0]}; answer all"
        raise BadRecord(path, None, problem)
    return [found[item.id] for item in items]


def score_figures(
    items: Sequence[Analogy], codes: Sequence[str], data: DataRef, seed: int
) -> list[Figure]:
    """Accuracy, the control by spelling, accuracy where that is wrong, and shares of errors."""
    import numpy as np

    from trope.cli.evaluation.analogy_figures import PREFIX, Measured
    from trope.corpora.mean import CODES
    from trope.metrics.figures import Figure
    from trope.tasks.analogy.answers import right
    from trope.tasks.analogy.controls import overlap_scores

    measured = Measured(items, data, seed)
    shares = np.array([float(code == CODES[0]) for code in codes])
    spelling = right(overlap_scores(items))
    hard = shares[spelling == 0]
    figures = [
        measured.accuracy("submission.accuracy", shares),
        measured.accuracy("overlap.accuracy", spelling, note="control; ties shared"),
        measured.accuracy("submission.overlap_wrong.accuracy", hard, note="spelling is wrong"),
    ]
    wrong = [code for code in codes if code != CODES[0]]
    for code in CODES[1:]:
        value = wrong.count(code) / len(wrong) if wrong else None
        note = f"{wrong.count(code)} of {len(wrong)} errors" if wrong else "undefined: no error"
        name = f"{PREFIX}.submission.errors.{code}"
        figures.append(Figure(name, value, None, None, len(wrong), data, note=note))
    return figures
