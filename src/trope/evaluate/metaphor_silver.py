"""Figures of NewsMet's silver detector: its Tables 1 and 5 beside what was printed.

What `trope train metaphor --silver` predicted is read from files (`--predictions`); a single
detector of `trope train metaphor --model` is run here (`--model-folder`). Without either there are
the controls alone. With `--gold` the run of a recipe takes the place of NewsMet's splits; the names
of its figures say so, and whether its crowd was simulated.

A probability from 0.5 means metaphorical, as in the paper; of several seeds the one with the best
score on validation data stands for a run, mean and spread are beside it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from trope.audit.binary import Item
from trope.audit.classifiers import word_scores
from trope.core.errors import BadRecord
from trope.corpora.newsmet import Headline
from trope.evaluate.options import EvaluationOptions, Reader
from trope.evaluate.silver_series import (
    HALF,
    JudgedSet,
    Predictions,
    Series,
    own_series,
    read_predictions,
    released_series,
)
from trope.metrics.binary import binary_figures
from trope.metrics.figures import NO_DATA, Figure
from trope.metrics.significance import mcnemar
from trope.published.cells import read_published

PREFIX = "metaphor.newsmet.silver"
_TABLE_1 = ("f1_metaphorical", "f1_literal", "accuracy")
_TABLE_5 = ("accuracy", "precision", "recall", "f1", "macro_f1")
_CUSTOM = ("test_1", "test_2")


class Summary(msgspec.Struct, frozen=True):
    """What was prepared, as far as it is shown here."""

    counts: dict[str, dict[str, int]]
    paper: dict[str, dict[str, str]]
    missing: dict[str, str]
    stand_in: str


def evaluate_silver(reader: Reader, options: EvaluationOptions) -> list[Figure]:
    """Controls, then what was predicted, then what a given detector says."""
    series = released_series(options.data) if options.gold is None else own_series(options.gold)
    sets = series.sets
    controls = baseline_answers(series.train, sets)
    figures: list[Figure] = []
    for name, answers in controls.items():
        for test in sets:
            figures += _scores(name, test, answers[test.predicted], _TABLE_5, options.seed)
    if options.predictions is not None:
        files = read_predictions(options.predictions, series)
        for run in series.runs:
            if run in files:
                figures += _run_figures(run, files[run], sets, options.seed)
        figures += _tests(files, controls, series)
        if options.gold is None:  # the paper has no counts to stand beside those of another gold
            figures += _count_figures(options.predictions / "summary.json")
    if options.detector is not None:
        figures += _detector_figures(options.detector, sets, options.seed)
    return figures


def chosen(files: Sequence[Predictions]) -> Predictions:
    """The seed that is best on validation data, the lowest of equal ones."""
    return max(files, key=lambda found: (found.validation_score, -found.seed))


def baseline_answers(
    headlines: Sequence[Headline], sets: Sequence[JudgedSet]
) -> dict[str, dict[str, list[float]]]:
    """Answers of two systems that know nothing of metaphor; one has words of these headlines."""
    train = _items(headlines)
    whole = {test.predicted: test.headlines for test in sets}
    return {
        "constant": {name: [1.0] * len(headlines) for name, headlines in whole.items()},
        "tfidf": {name: word_scores(train, _items(items)) for name, items in whole.items()},
    }


def _items(headlines: Sequence[Headline]) -> list[Item]:
    return [Item(tuple(h.text.split()), h.metaphor, h.group) for h in headlines]


def _run_figures(
    run: str, files: Sequence[Predictions], sets: Sequence[JudgedSet], seed: int
) -> list[Figure]:
    best = chosen(files)
    model = best.model.get("name", ""), best.model.get("sha256", "")[:12]
    note = (
        f"seed {best.seed}, epoch {best.epoch}, validation {best.validation_score:.4f}; encoder "
        f"{model[0]} {model[1]}; prepared {best.prepared_sha256[:12]}"
    )
    printed = read_published("newsmet")
    figures: list[Figure] = []
    for test in sets:
        names = _TABLE_1 if test.name in _CUSTOM else _TABLE_5
        table = {
            found.seed: _scores(run, test, found.predictions[test.predicted], names, seed, note)
            for found in files
        }
        for at, figure in enumerate(table[best.seed]):
            figures.append(figure)
            values = [row[at].value for row in table.values()]
            figures += _spread(figure, [v for v in values if v is not None], list(table))
            if cell := printed.find(run, f"{test.name}.{names[at]}"):
                figures.append(_published(figure, cell.value, f"table {cell.table}"))
    return figures


def _scores(
    system: str,
    test: JudgedSet,
    values: Sequence[float],
    names: Sequence[str],
    seed: int,
    note: str = "",
) -> list[Figure]:
    """The named scores of a system on a set."""
    called = [values[at] >= HALF for at in test.at]
    prefix = f"{PREFIX}.{test.name}.{system}"

    def figures(gold: list[bool], called: list[bool], scores: Sequence[str]) -> list[Figure]:
        return binary_figures(
            prefix,
            gold,
            called,
            groups=test.groups,
            data=test.data,
            seed=seed,
            scores=scores,
            chosen_on="validation" if note else "",
            note=note,
        )

    literal, not_called = [not g for g in test.gold], [not c for c in called]
    rename: dict[str, Callable[[], list[Figure]]] = {
        "f1_metaphorical": lambda: figures(test.gold, called, ("f1",)),
        "f1_literal": lambda: figures(literal, not_called, ("f1",)),
    }
    found = []
    for name in names:
        (figure,) = rename[name]() if name in rename else figures(test.gold, called, (name,))
        found.append(msgspec.structs.replace(figure, name=f"{prefix}.{name}"))
    return found


def _spread(figure: Figure, values: Sequence[float], seeds: Sequence[int]) -> list[Figure]:
    """Mean and standard deviation over the seeds, where there are more than one."""
    if len(seeds) < 2 or len(values) < 2:
        return []
    note = f"over seeds {', '.join(map(str, seeds))}"
    return [
        Figure(f"{figure.name}.{name}", value, None, None, figure.n, figure.data, note=note)
        for name, value in (
            ("mean", statistics.fmean(values)),
            ("sd", statistics.stdev(values)),
        )
    ]


def _published(figure: Figure, value: float, table: str) -> Figure:
    note = f"printed in {table} of Joseph et al. (2023)"
    return Figure(f"{figure.name}.published", value, None, None, figure.n, figure.data, note=note)


def _tests(
    files: Mapping[str, Sequence[Predictions]],
    controls: Mapping[str, Mapping[str, Sequence[float]]],
    series: Series,
) -> list[Figure]:
    """McNemar's test of every pair that Table 5 is about, and of each run against the controls."""
    answers = {run: chosen(group).predictions for run, group in files.items()} | dict(controls)
    gold_plus = [run for run in series.runs if "gold_plus" in run]
    pairs = [(run, "d_imbal") for run in gold_plus]
    pairs += [(run, other) for run in ("d_imbal", *gold_plus) for other in controls]
    return [
        figure
        for test in series.sets
        if test.name not in _CUSTOM
        for run, other in pairs
        if run in answers and other in answers
        for figure in _mcnemar(test, run, answers[run], other, answers[other])
    ]


def _mcnemar(
    test: JudgedSet,
    run: str,
    first: Mapping[str, Sequence[float]],
    other: str,
    second: Mapping[str, Sequence[float]],
) -> list[Figure]:
    found = mcnemar(test.gold, test.called(first), test.called(second))
    note = (
        f"exact binomial, the statistic is the smaller of b = {found.first_only} (only {run} "
        f"right) and c = {found.second_only} (only {other} right); mid-p {found.mid_p:.4g}; "
        f"chi-square with continuity correction {found.corrected_statistic:.2f}, "
        f"p {found.corrected_p:.4g}"
    )
    prefix = f"{PREFIX}.{test.name}.{run}.vs_{other}"
    return [
        Figure(f"{prefix}.{name}", float(value), None, None, found.n, test.data, note=note)
        for name, value in (("mcnemar", found.statistic), ("mcnemar_p", found.exact_p))
    ]


def _count_figures(path: Path) -> list[Figure]:
    """How much was trained on, beside what the paper had; none where no summary is there."""
    if not path.is_file():
        return []
    try:
        summary = msgspec.json.decode(path.read_bytes(), type=Summary)
    except msgspec.DecodeError as error:
        raise BadRecord(path, None, f"is no summary of a preparation ({error})") from None
    figures = []
    for run, counts in summary.counts.items():
        for name, count in counts.items():
            printed = summary.paper.get(run, {}).get(name)
            notes = [f"paper: {printed}"] if printed else []
            if name == "total":
                notes.append(f"missing: {', '.join(summary.missing)}")
            if (run, name) == ("d_bal", "literal"):
                notes.append(f"WikiQA's stand-in: {summary.stand_in}")
            figure_name = f"{PREFIX}.{run}.items.{name}"
            figures.append(
                Figure(figure_name, count, None, None, count, NO_DATA, note="; ".join(notes))
            )
    return figures


def _detector_figures(folder: Path, sets: Sequence[JudgedSet], seed: int) -> list[Figure]:
    """A detector of `trope train metaphor --model`, at its own threshold."""
    from trope.catalog import DETECTORS

    detector = DETECTORS.load("transformers")(model=folder)
    note = f"{folder.name}, {detector.model_sha256[:12]}, threshold {detector.threshold:.4f}"
    figures: list[Figure] = []
    for test in sets:
        scores = detector.score_texts([headline.text for headline in test.headlines])
        # moved so that its threshold stands where `_scores` looks for one
        values = [HALF + (score or 0.0) - detector.threshold for score in scores]
        names = _TABLE_1 if test.name in _CUSTOM else _TABLE_5
        figures += (
            msgspec.structs.replace(figure, chosen_on=detector.notes.chosen_on)
            for figure in _scores("model", test, values, names, seed, note)
        )
    return figures
