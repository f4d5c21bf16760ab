"""Predictions of `trope train analogy`, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from trope.core.errors import BadRecord, MissingData
from trope.core.files import read_lines
from trope.corpora.mean import CODES, Analogy
from trope.tasks.analogy.controls import share_of_gold
from trope.tasks.analogy.cross_validation import FoldAnswers
from trope.tasks.analogy.ranker import Floats

FILE = "predictions.jsonl"
HEADLINE, FIRST, CHOOSE = "two_stages", "first", "choose"


class PredictionsHead(msgspec.Struct, frozen=True):
    """The first line: what the predictions are of."""

    prepared_sha256: str
    model: dict[str, str | dict[str, str]]
    data: dict[str, str]


class PredictionLine(msgspec.Struct, frozen=True):
    """One training: its name, the items it was tested on, and their scores."""

    job: str
    items: list[int]
    scores: list[list[float]]
    repaired: list[list[float]] = msgspec.field(default_factory=list)


@dataclass(slots=True)
class AnalogyPredictions:
    """Answers of complete rounds of folds, by run; scores of the first stage, by template."""

    head: PredictionsHead
    runs: dict[str, FoldAnswers] = field(default_factory=dict)
    first: dict[str, Floats] = field(default_factory=dict)
    tried: dict[str, list[float]] = field(default_factory=dict)
    """Settings that were tried → what each proposed item gave them."""

    @property
    def model_sha256(self) -> str:
        """The checksum of the encoder's weights."""
        sums = self.head.model.get("sha256", {})
        return ", ".join(sums.values()) if isinstance(sums, dict) else sums


def read_analogy_predictions(
    folder: Path, items: Sequence[Analogy], data_sha256: str
) -> AnalogyPredictions:
    """The predictions of a folder; rounds with a fold missing are left out.

    Raises:
        BadRecord: for lines that are not predictions, or of other items.
    """
    path = folder / FILE
    if not path.is_file():
        raise MissingData(path, "run trope train analogy, which writes it")
    found: AnalogyPredictions | None = None
    lines: list[PredictionLine] = []
    for number, text in read_lines(path):
        try:
            if found is None:
                found = AnalogyPredictions(msgspec.json.decode(text, type=PredictionsHead))
                continue
            line = msgspec.json.decode(text, type=PredictionLine)
        except msgspec.DecodeError as error:
            raise BadRecord(path, number, f"is not a prediction ({error}); predict again") from None
        lines.append(_checked(line, path, number, len(items)))
    if found is None:
        raise BadRecord(path, 1, "is empty; predict again")
    if data_sha256 not in found.head.data.values():
        raise BadRecord(path, 1, "was predicted for other items than those of --from")
    _sort_in(found, lines, len(items))
    return found


def _checked(line: PredictionLine, path: Path, number: int, count: int) -> PredictionLine:
    tables = [line.scores, *([line.repaired] if line.repaired else [])]
    if any(len(table) != len(line.items) for table in tables):
        raise BadRecord(path, number, "does not have one row of scores per item; predict again")
    if any(len(row) != len(CODES) for table in tables for row in table):
        raise BadRecord(path, number, f"has a row without {len(CODES)} scores; predict again")
    if not line.job.startswith(f"{CHOOSE}/") and any(not 0 <= at < count for at in line.items):
        raise BadRecord(path, number, f"names items beyond the {count} that there are")
    return line


def _sort_in(found: AnalogyPredictions, lines: Sequence[PredictionLine], count: int) -> None:
    rounds: dict[tuple[str, str, str, int], list[PredictionLine]] = {}
    tried: dict[str, list[PredictionLine]] = {}
    for line in lines:
        run, template, *rest = line.job.split("/")
        if run == FIRST:
            found.first[template] = _table([line], count)
        elif run == CHOOSE:
            tried.setdefault(rest[0], []).append(line)
        else:
            rounds.setdefault((run, template, rest[0], int(rest[1])), []).append(line)
    for name, group in tried.items():
        found.tried[name] = [share_of_gold(row) for line in group for row in line.scores]
    for (run, template, kind, seed), group in rounds.items():
        if sorted(at for line in group for at in line.items) != list(range(count)):
            continue
        answers = found.runs.setdefault(run, FoldAnswers())
        answers.scores.setdefault((template, kind), {})[seed] = _table(group, count)
        if all(line.repaired for line in group):
            table = _table(group, count, repaired=True)
            answers.repaired.setdefault((template, kind), {})[seed] = table


def _table(lines: Sequence[PredictionLine], count: int, *, repaired: bool = False) -> Floats:
    table = np.zeros((count, len(CODES)))
    for line in lines:
        table[line.items] = line.repaired if repaired else line.scores
    return table
