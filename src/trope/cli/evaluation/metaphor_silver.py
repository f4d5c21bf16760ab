"""Figures of NewsMet's silver detector: its Tables 1 and 5 beside what was printed.

What `trope train metaphor --silver` predicted is read from files (`--predictions`); a single
detector of `trope train metaphor --model` is run here (`--model-folder`). Without either there are
the controls alone. A probability from 0.5 means metaphorical, as in the paper; of several seeds the
one with the best score on validation data stands for a run, mean and spread are beside it.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trope.cli.auditing.binary import Item
from trope.cli.auditing.classifiers import word_scores
from trope.cli.evaluation.options import EvaluationOptions, Reader
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.newsmet import Headline
from trope.metrics.binary import binary_figures
from trope.metrics.figures import NO_DATA, DataRef, Figure
from trope.metrics.significance import mcnemar
from trope.published.cells import read_published
from trope.tasks.metaphor.silver_sources import (
    READINGS,
    TEST_SETS,
    gold_plus_run,
    lines_to_predict,
    newsmet_headlines,
)

PREFIX = "metaphor.newsmet.silver"
RUNS = ("d_imbal", "d_bal", *(gold_plus_run(reading) for reading in READINGS))
_TABLE_1 = ("f1_metaphorical", "f1_literal", "accuracy")
_TABLE_5 = ("accuracy", "precision", "recall", "f1", "macro_f1")
_HALF = 0.5


class Predictions(msgspec.Struct, frozen=True):
    """One file of predictions, as far as it is needed here."""

    run: str
    seed: int
    epoch: int
    model: dict[str, str]
    prepared_sha256: str
    tests_sha256: str
    validation_score: float
    predictions: dict[str, list[float]]


class Summary(msgspec.Struct, frozen=True):
    """What was prepared, as far as it is shown here."""

    counts: dict[str, dict[str, int]]
    paper: dict[str, dict[str, str]]
    missing: dict[str, str]
    stand_in: str


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Items with their labels; `at` are their places among what was predicted."""

    name: str
    predicted: str
    headlines: tuple[Headline, ...]
    at: tuple[int, ...]
    data: DataRef

    @property
    def gold(self) -> list[bool]:
        """The labels."""
        return [self.headlines[at].metaphor for at in self.at]

    @property
    def groups(self) -> list[str]:
        """Originals: a headline and its candidates are drawn together."""
        return [self.headlines[at].group for at in self.at]

    def called(self, predictions: Mapping[str, Sequence[float]]) -> list[bool]:
        """The verdicts on the items."""
        return [predictions[self.predicted][at] >= _HALF for at in self.at]


def evaluate_silver(reader: Reader, options: EvaluationOptions) -> list[Figure]:
    """Controls, then what was predicted, then what a given detector says."""
    sets = read_judged_sets(options.data)
    controls = baseline_answers(options.data, sets)
    figures: list[Figure] = []
    for name, answers in controls.items():
        for test in sets:
            figures += _scores(name, test, answers[test.predicted], _TABLE_5, options.seed)
    if options.predictions is not None:
        files = read_predictions(options.predictions, options.data)
        for run in RUNS:
            if run in files:
                figures += _run_figures(run, files[run], sets, options.seed)
        figures += _tests(files, controls, sets)
        figures += _count_figures(options.predictions / "summary.json")
    if options.detector is not None:
        figures += _detector_figures(options.detector, sets, options.seed)
    return figures


def read_judged_sets(data: Path) -> list[JudgedSet]:
    """The custom test sets, the test split, and its original headlines by themselves."""
    found = []
    for name, predicted, gold_only in (
        ("test_1", "test_1", False),
        ("test_2", "test_2", False),
        ("test", "newsmet_test", False),
        ("gold", "newsmet_test", True),
    ):
        split = TEST_SETS[predicted]
        headlines, files = newsmet_headlines(data, split)
        ((_, checksum),) = files.items()
        at = tuple(n for n, h in enumerate(headlines) if h.gold or not gold_only)
        ref = DataRef("newsmet", f"{split} gold" if gold_only else split, checksum)
        found.append(JudgedSet(name, predicted, tuple(headlines), at, ref))
    return found


def read_predictions(folder: Path, data: Path) -> dict[str, list[Predictions]]:
    """Run → its predictions, by seed; all of one preparation, one encoder and these test sets.

    Raises:
        BadRecord: for a file that holds something else, or other items.
    """
    wanted = hashlib.sha256(lines_to_predict(data).encode()).hexdigest()
    sizes = {name: len(newsmet_headlines(data, split)[0]) for name, split in TEST_SETS.items()}
    files: dict[str, list[Predictions]] = {}
    first: Predictions | None = None
    for path in sorted(folder.glob("*-*.json")):
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Predictions)
        except msgspec.DecodeError as error:
            raise BadRecord(path, None, f"is no file of predictions ({error})") from None
        first = first or found
        if found.tests_sha256 != wanted:
            raise BadRecord(path, None, "was predicted for other test sets than those of --from")
        if {name: len(values) for name, values in found.predictions.items()} != sizes:
            raise BadRecord(path, None, "does not hold one prediction an item; predict again")
        if (found.prepared_sha256, found.model) != (first.prepared_sha256, first.model):
            raise BadRecord(path, None, "is of another preparation or encoder than the others")
        if found.run not in RUNS:
            raise BadRecord(path, None, f"has the run {found.run!r}; known: {', '.join(RUNS)}")
        files.setdefault(found.run, []).append(found)
    if not files:
        raise MissingData(folder, "run trope train metaphor --silver, which writes predictions")
    for run, group in files.items():
        seeds = [found.seed for found in group]
        if len(set(seeds)) != len(seeds):
            raise BadInput(f"{folder}: the run {run} has a seed twice; keep one file of each")
        group.sort(key=lambda found: found.seed)
    return files


def chosen(files: Sequence[Predictions]) -> Predictions:
    """The seed that is best on validation data, the lowest of equal ones."""
    return max(files, key=lambda found: (found.validation_score, -found.seed))


def baseline_answers(data: Path, sets: Sequence[JudgedSet]) -> dict[str, dict[str, list[float]]]:
    """Answers of two systems that know nothing of metaphor."""
    train = _items(newsmet_headlines(data, "train")[0])
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
        names = _TABLE_1 if test.name in ("test_1", "test_2") else _TABLE_5
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
    called = [values[at] >= _HALF for at in test.at]
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
    sets: Sequence[JudgedSet],
) -> list[Figure]:
    """McNemar's test of every pair that Table 5 is about, and of each run against the controls."""
    answers = {run: chosen(group).predictions for run, group in files.items()} | dict(controls)
    gold_plus = [gold_plus_run(reading) for reading in READINGS]
    pairs = [(run, "d_imbal") for run in gold_plus]
    pairs += [(run, other) for run in ("d_imbal", *gold_plus) for other in controls]
    return [
        figure
        for test in sets
        if test.predicted == "newsmet_test"
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
        values = [_HALF + (score or 0.0) - detector.threshold for score in scores]
        names = _TABLE_1 if test.name in ("test_1", "test_2") else _TABLE_5
        figures += (
            msgspec.structs.replace(figure, chosen_on=detector.notes.chosen_on)
            for figure in _scores("model", test, values, names, seed, note)
        )
    return figures
