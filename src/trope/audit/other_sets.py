"""Sets that ask for more than yes or no: analogies (MEAN), sentiment (SemEval-2015)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from trope.audit.audit import Audit, Rival
from trope.core.files import sha256
from trope.corpora.mean import read_mean
from trope.corpora.records import TextRecord
from trope.corpora.tables import read_rows, read_texts
from trope.metrics.figures import DataRef, Figure
from trope.metrics.intervals import Floats, Interval, bootstrap_ratios, bootstrap_sums
from trope.tasks.analogy.controls import overlaps, share_of_gold

_MEAN_SYSTEM = "analogy.mean.t1.grouped.accuracy"
_STATIC = 0.458  # the best of the published systems without a language model
_GUESS = -2.0


def audit_mean(data: Path, seed: int) -> Audit:
    """What the spelling of the four options gives away."""
    path = data / "mean" / "MEAN_datasetV1.csv"
    ref = DataRef("mean", "all", sha256(path))
    rows = list(read_mean(path))
    controls: Mapping[str, tuple[list[list[float]], str]] = {
        "chance": ([[0.0] * len(row.choices) for row in rows], "any of the four"),
        "longest": (
            [[float(len(choice)) for choice in row.choices] for row in rows],
            "the longest option",
        ),
        "spelling": (
            [list(overlaps(row)) for row in rows],
            "most letter pairs of target and role",
        ),
    }
    figures: list[Figure] = []
    for name, (scores, note) in controls.items():
        right = [share_of_gold(values) for values in scores]
        interval = bootstrap_ratios(right, np.ones(len(right)), seed=seed)[0]
        figures.append(_figure(f"audit.mean.{name}.accuracy", interval, len(rows), ref, note))
    source = "fastText, the best static vectors"
    rivals = {figure.name: Rival(_MEAN_SYSTEM, _STATIC, source) for figure in figures}
    return Audit("mean", figures, rivals)


def audit_semeval2015(data: Path, seed: int) -> Audit:
    """How far one answer for all tweets goes, over the test set and by category.

    The test set names no categories; sarcasm and irony are therefore those of the training data.
    """
    folder = data / "semeval2015"
    test = folder / "tagged-GoldTest.tsv.gz"
    columns = ("id", "score", "text", "tagged")
    rows = list(read_texts(test, format="tsv", columns=columns))
    ref = DataRef("semeval2015", "test", sha256(test))
    gold = [float(row.fields["score"]) for row in rows]
    figures = _constant_figures("constant", gold, ref, seed, f"always {_GUESS:g}")
    rivals = {
        figures[0].name: Rival("sentiment.semeval2015.test.cosine", 0.758, "CLaC, the winner")
    }
    published = {"sarcasm": ("sarcasticFRAMES.tsv", 0.892), "irony": ("ironicFRAMES.tsv", 0.904)}
    for category, (name, value) in published.items():
        path = folder / name
        scores = [
            float(fields["score"])
            for _, fields in read_rows(path, format="tsv", columns=("id", "score", "frames"))
        ]
        part = DataRef("semeval2015", f"train, {category}", sha256(path))
        note = f"always {_GUESS:g}, training tweets"
        made = _constant_figures(f"constant_{category}", scores, part, seed, note)
        system = f"sentiment.semeval2015.{category}.cosine"
        rivals[made[0].name] = Rival(system, value, "CLaC, on test")
        figures += made
    figures.append(_shared_texts(folder, [row.text for row in rows], ref, seed))
    return Audit("semeval2015", figures, rivals)


def _shared_texts(folder: Path, texts: Sequence[str], data: DataRef, seed: int) -> Figure:
    """The share of test tweets whose text is in train; the note counts copies inside of test."""
    known = {row.text for row in _train_texts(folder)}
    same = [float(text in known) for text in texts]
    copies = sum(count for count in Counter(texts).values() if count > 1)
    interval = bootstrap_ratios(same, np.ones(len(same)), seed=seed)[0]
    said = f"{round(sum(same))} texts are in train too; {copies} rows of test share a text"
    return _figure("audit.semeval2015.duplicates_train.share", interval, len(same), data, said)


def _train_texts(folder: Path) -> Iterator[TextRecord]:
    columns = ("id", "score", "text", "tagged")
    return read_texts(folder / "tagged-train.tsv.gz", format="tsv", columns=columns)


def _constant_figures(
    control: str, gold: Sequence[float], data: DataRef, seed: int, note: str
) -> list[Figure]:
    """Cosine and mean squared error of one guess for all."""
    truth = np.array(gold)
    guess = np.full_like(truth, _GUESS)
    sums = np.stack(
        [truth * guess, truth**2, guess**2, (truth - guess) ** 2, np.ones_like(truth)], axis=1
    )

    def scores(rows: Floats) -> Floats:
        product, ours, theirs, squares, count = rows.T
        return np.stack([product / np.sqrt(ours * theirs), squares / count], axis=1)

    intervals = bootstrap_sums(sums, scores, seed=seed)
    return [
        _figure(f"audit.semeval2015.{control}.{name}", interval, len(gold), data, note)
        for name, interval in zip(("cosine", "mse"), intervals, strict=True)
    ]


def _figure(name: str, interval: Interval, n: int, data: DataRef, note: str) -> Figure:
    return Figure(name, interval.value, interval.low, interval.high, n=n, data=data, note=note)
