"""Figures of NewsMet's silver detectors: its Tables 1 and 5 and the printed values.

Predictions of `trope train metaphor --silver` are read from files (`--predictions`). A detector of
`trope train metaphor --model` is run here (`--model-folder`). Without either, only the controls are
scored. With `--gold`, the run of a recipe replaces NewsMet's splits; figure names then say so, and
whether its crowd was simulated.

A headline is called metaphorical where its probability is at least 0.5, as in the paper. Of several
seeds, the one with the best score on validation data stands for a run; mean and spread are given
too.
"""

from __future__ import annotations

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.newsmet import Headline
from trope.evaluate.metaphor_newsmet import (
    HALF,
    HeadlineSet,
    control_scores,
    read_headline_sets,
    read_training_headlines,
)
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.classification import binary_figures
from trope.metrics.figures import NO_DATA, DataRef, Measurement
from trope.metrics.intervals import mcnemar
from trope.published import read_published
from trope.tasks.metaphor.silver_sources import (
    GOLD_PLUS_ROWS,
    UserGold,
    gold_plus_run,
    lines_to_predict,
)

PREFIX = "metaphor.newsmet.silver"
RUNS = ("d_imbal", "d_bal", *(gold_plus_run(reading) for reading in GOLD_PLUS_ROWS))
_TABLE_1 = ("f1_metaphorical", "f1_literal", "accuracy")
_TABLE_5 = ("accuracy", "precision", "recall", "f1", "macro_f1")
_CUSTOM = ("test_1", "test_2")


class SilverPredictions(msgspec.Struct, frozen=True):
    """The fields that are used of a file of predictions."""

    run: str
    seed: int
    epoch: int
    model: dict[str, str]
    prepared_sha256: str
    tests_sha256: str
    validation_score: float
    predictions: dict[str, list[float]]


class SilverSummary(msgspec.Struct, frozen=True):
    """The fields that are used of the summary of a preparation."""

    counts: dict[str, dict[str, int]]
    paper: dict[str, dict[str, str]]
    missing: dict[str, str]
    stand_in: str


@dataclass(frozen=True, slots=True)
class SilverSeries:
    """What detectors are scored on: test sets, training headlines for the controls, names of runs.

    `tests` are the lines that were to be predicted.
    """

    sets: tuple[HeadlineSet, ...]
    train: tuple[Headline, ...]
    runs: tuple[str, ...]
    tests: str


def released_series(data: Path) -> SilverSeries:
    """NewsMet's test sets, and the runs with its gold+."""
    sets = tuple(read_headline_sets(data))
    return SilverSeries(sets, read_training_headlines(data), RUNS, lines_to_predict(data))


def own_series(own: UserGold) -> SilverSeries:
    """The test part of a recipe's run, and the runs with its gold+."""
    headlines = tuple(own.read("test"))
    checksum = next(iter(own.files.values()))
    sets = []
    for name, gold_only in ((own.test_set, False), (f"{own.crowd}_gold", True)):
        at = tuple(n for n, h in enumerate(headlines) if h.gold or not gold_only)
        data = DataRef(f"{own.crowd} newsmet run", name, checksum)
        sets.append(HeadlineSet(name, own.test_set, headlines, at, data))
    runs = ("d_imbal", *map(own.run, GOLD_PLUS_ROWS))
    return SilverSeries(tuple(sets), tuple(own.read("train")), runs, own.lines_to_predict())


def evaluate_silver(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """Figures of the controls, of the predictions, and of the given detector."""
    series = released_series(options.data) if options.gold is None else own_series(options.gold)
    sets = series.sets
    controls = control_scores(series.train, sets)
    figures: list[Measurement] = []
    for name, answers in controls.items():
        for test in sets:
            figures += _scores(name, test, answers[test.predicted], _TABLE_5, options.seed)
    if options.predictions is not None:
        files = read_predictions(options.predictions, series)
        for run in series.runs:
            if run in files:
                figures += _run_figures(run, files[run], sets, options.seed)
        figures += _tests(files, controls, series)
        if options.gold is None:  # the paper has counts for its own gold only
            figures += _count_figures(options.predictions / "summary.json")
    if options.detector is not None:
        figures += _detector_figures(options.detector, sets, options.seed)
    return figures


def _chosen(files: Sequence[SilverPredictions]) -> SilverPredictions:
    """The seed that is best on validation data, the lowest of equal ones."""
    return max(files, key=lambda found: (found.validation_score, -found.seed))


def _run_figures(
    run: str, files: Sequence[SilverPredictions], sets: Sequence[HeadlineSet], seed: int
) -> list[Measurement]:
    best = _chosen(files)
    model = best.model.get("name", ""), best.model.get("sha256", "")[:12]
    note = (
        f"seed {best.seed}, epoch {best.epoch}, validation {best.validation_score:.4f}; encoder "
        f"{model[0]} {model[1]}; prepared {best.prepared_sha256[:12]}"
    )
    printed = read_published("newsmet")
    figures: list[Measurement] = []
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
    test: HeadlineSet,
    values: Sequence[float],
    names: Sequence[str],
    seed: int,
    note: str = "",
) -> list[Measurement]:
    """The named scores of a system on a set."""
    called = test.called(values)
    prefix = f"{PREFIX}.{test.name}.{system}"

    def figures(gold: list[bool], called: list[bool], scores: Sequence[str]) -> list[Measurement]:
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
    rename: dict[str, Callable[[], list[Measurement]]] = {
        "f1_metaphorical": lambda: figures(test.gold, called, ("f1",)),
        "f1_literal": lambda: figures(literal, not_called, ("f1",)),
    }
    found = []
    for name in names:
        (figure,) = rename[name]() if name in rename else figures(test.gold, called, (name,))
        found.append(msgspec.structs.replace(figure, name=f"{prefix}.{name}"))
    return found


def _spread(
    figure: Measurement, values: Sequence[float], seeds: Sequence[int]
) -> list[Measurement]:
    """Mean and standard deviation over the seeds, where there are more than one."""
    if len(seeds) < 2 or len(values) < 2:
        return []
    note = f"over seeds {', '.join(map(str, seeds))}"
    return [
        Measurement(f"{figure.name}.{name}", value, None, None, figure.n, figure.data, note=note)
        for name, value in (
            ("mean", statistics.fmean(values)),
            ("sd", statistics.stdev(values)),
        )
    ]


def _published(figure: Measurement, value: float, table: str) -> Measurement:
    note = f"printed in {table} of Joseph et al. (2023)"
    return Measurement(
        f"{figure.name}.published", value, None, None, figure.n, figure.data, note=note
    )


def _tests(
    files: Mapping[str, Sequence[SilverPredictions]],
    controls: Mapping[str, Mapping[str, Sequence[float]]],
    series: SilverSeries,
) -> list[Measurement]:
    """McNemar's test of every pair that Table 5 is about, and of each run against the controls."""
    answers = {run: _chosen(group).predictions for run, group in files.items()} | dict(controls)
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
    test: HeadlineSet,
    run: str,
    first: Mapping[str, Sequence[float]],
    other: str,
    second: Mapping[str, Sequence[float]],
) -> list[Measurement]:
    found = mcnemar(
        test.gold, test.called(first[test.predicted]), test.called(second[test.predicted])
    )
    note = (
        f"exact binomial, the statistic is the smaller of b = {found.first_only} (only {run} "
        f"right) and c = {found.second_only} (only {other} right); mid-p {found.mid_p:.4g}; "
        f"chi-square with continuity correction {found.corrected_statistic:.2f}, "
        f"p {found.corrected_p:.4g}"
    )
    prefix = f"{PREFIX}.{test.name}.{run}.vs_{other}"
    return [
        Measurement(f"{prefix}.{name}", float(value), None, None, found.n, test.data, note=note)
        for name, value in (("mcnemar", found.statistic), ("mcnemar_p", found.exact_p))
    ]


def _count_figures(path: Path) -> list[Measurement]:
    """The sizes of the training sets and the paper's; none without a summary."""
    if not path.is_file():
        return []
    try:
        summary = msgspec.json.decode(path.read_bytes(), type=SilverSummary)
    except msgspec.DecodeError as error:
        raise BadRecord(
            path, None, f"is not a summary of a preparation ({error}); prepare again"
        ) from None
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
                Measurement(figure_name, count, None, None, count, NO_DATA, note="; ".join(notes))
            )
    return figures


def _detector_figures(folder: Path, sets: Sequence[HeadlineSet], seed: int) -> list[Measurement]:
    """A detector of `trope train metaphor --model`, at its own threshold."""
    from trope.catalog import DETECTORS

    detector = DETECTORS.load("transformers")(model=folder)
    note = f"{folder.name}, {detector.model_sha256[:12]}, threshold {detector.threshold:.4f}"
    figures: list[Measurement] = []
    for test in sets:
        scores = detector.score_texts([headline.text for headline in test.headlines])
        # shifted so that its threshold is at 0.5, which `_scores` uses
        values = [HALF + (score or 0.0) - detector.threshold for score in scores]
        names = _TABLE_1 if test.name in _CUSTOM else _TABLE_5
        figures += (
            msgspec.structs.replace(figure, chosen_on=detector.notes.chosen_on)
            for figure in _scores("model", test, values, names, seed, note)
        )
    return figures


def read_predictions(folder: Path, series: SilverSeries) -> dict[str, list[SilverPredictions]]:
    """Predictions by run, ordered by seed; all of one preparation, encoder and these test sets.

    Raises:
        BadRecord: for a file that holds something else, or other items.
    """
    wanted = hashlib.sha256(series.tests.encode()).hexdigest()
    sizes = Counter(json.loads(line)["set"] for line in series.tests.splitlines())
    files: dict[str, list[SilverPredictions]] = {}
    first: SilverPredictions | None = None
    for path in sorted(folder.glob("*-*.json")):
        try:
            found = msgspec.json.decode(path.read_bytes(), type=SilverPredictions)
        except msgspec.DecodeError as error:
            raise BadRecord(
                path, None, f"is not a file of predictions ({error}); predict again"
            ) from None
        first = first or found
        if found.tests_sha256 != wanted:
            raise BadRecord(
                path,
                None,
                "was predicted for other test sets; give the data and the --gold of its training",
            )
        if {name: len(values) for name, values in found.predictions.items()} != sizes:
            raise BadRecord(path, None, "does not have one prediction per item; predict again")
        if (found.prepared_sha256, found.model) != (first.prepared_sha256, first.model):
            raise BadRecord(path, None, "is of another preparation or encoder than the others")
        if found.run not in series.runs:
            known = ", ".join(series.runs)
            raise BadRecord(path, None, f"has the run {found.run!r}; known: {known}")
        files.setdefault(found.run, []).append(found)
    if not files:
        raise MissingData(folder, "run trope train metaphor --silver, which writes predictions")
    for run, group in files.items():
        seeds = [found.seed for found in group]
        if len(set(seeds)) != len(seeds):
            raise BadInput(f"{folder}: the run {run} has a seed twice; keep one file of each")
        group.sort(key=lambda found: found.seed)
    return files
