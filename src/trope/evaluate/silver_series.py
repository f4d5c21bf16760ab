"""What silver detectors are judged by, NewsMet's splits or one's own, and what they predicted."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.newsmet import Headline
from trope.metrics.figures import DataRef
from trope.tasks.metaphor.silver_sources import (
    GOLD_PLUS_ROWS,
    TEST_SETS,
    UserGold,
    gold_plus_run,
    lines_to_predict,
    newsmet_headlines,
)

RUNS = ("d_imbal", "d_bal", *(gold_plus_run(reading) for reading in GOLD_PLUS_ROWS))
HALF = 0.5
"""From which probability on a headline is called metaphorical."""


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
        return [predictions[self.predicted][at] >= HALF for at in self.at]


@dataclass(frozen=True, slots=True)
class Series:
    """What detectors are judged by: test sets, headlines for the controls to learn from, the names
    of the trainings, and what was to be predicted, line by line.
    """

    sets: tuple[JudgedSet, ...]
    train: tuple[Headline, ...]
    runs: tuple[str, ...]
    tests: str


def released_series(data: Path) -> Series:
    """NewsMet's test sets, and the trainings with its gold+."""
    train = tuple(newsmet_headlines(data, "train")[0])
    return Series(tuple(read_judged_sets(data)), train, RUNS, lines_to_predict(data))


def own_series(own: UserGold) -> Series:
    """The test part of a recipe's run, and the trainings with its gold+."""
    headlines = tuple(own.read("test"))
    checksum = next(iter(own.files.values()))
    sets = []
    for name, gold_only in ((own.test_set, False), (f"{own.crowd}_gold", True)):
        at = tuple(n for n, h in enumerate(headlines) if h.gold or not gold_only)
        data = DataRef(f"{own.crowd} newsmet run", name, checksum)
        sets.append(JudgedSet(name, own.test_set, headlines, at, data))
    runs = ("d_imbal", *map(own.run, GOLD_PLUS_ROWS))
    return Series(tuple(sets), tuple(own.read("train")), runs, own.lines_to_predict())


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


def read_predictions(folder: Path, series: Series) -> dict[str, list[Predictions]]:
    """Run → its predictions, by seed; all of one preparation, one encoder and these test sets.

    Raises:
        BadRecord: for a file that holds something else, or other items.
    """
    wanted = hashlib.sha256(series.tests.encode()).hexdigest()
    sizes = Counter(json.loads(line)["set"] for line in series.tests.splitlines())
    files: dict[str, list[Predictions]] = {}
    first: Predictions | None = None
    for path in sorted(folder.glob("*-*.json")):
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Predictions)
        except msgspec.DecodeError as error:
            raise BadRecord(path, None, f"is no file of predictions ({error})") from None
        first = first or found
        if found.tests_sha256 != wanted:
            raise BadRecord(
                path,
                None,
                "was predicted for other test sets; give the data and the --gold of its training",
            )
        if {name: len(values) for name, values in found.predictions.items()} != sizes:
            raise BadRecord(path, None, "does not hold one prediction an item; predict again")
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
