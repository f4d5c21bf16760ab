"""Figures of analogies: accuracies with two kinds of intervals, subsets, errors by kind, tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trope.corpora.mean import CODES, Analogy
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import bootstrap_ratios, mcnemar
from trope.tasks.analogy.cross_validation import (
    FoldAnswers,
    Key,
    domain_errors,
    error_counts,
    right,
    right_shares,
)
from trope.tasks.analogy.ranker import Floats

PREFIX = "analogy.mean"
FOLD_RESAMPLES = 10_000
"""Drawings of the interval over folds."""


@dataclass(frozen=True, slots=True)
class AnalogyItems:
    """The items, how they are called in figures, and what is drawn by which seed."""

    items: Sequence[Analogy]
    data: DataRef
    seed: int
    prefix: str = PREFIX

    def accuracy(
        self, name: str, shares: Floats, *, note: str = "", chosen_on: str = ""
    ) -> Measurement:
        """The mean of the items' shares, its interval over items."""
        interval = bootstrap_ratios(shares, np.ones(len(shares)), seed=self.seed)[0]
        note = note if len(shares) else "undefined: no such item"
        return Measurement(
            f"{self.prefix}.{name}",
            interval.value,
            interval.low,
            interval.high,
            len(shares),
            self.data,
            chosen_on=chosen_on,
            note=note,
        )


def fold_interval(accuracies: Sequence[float], *, seed: int) -> tuple[float, float, float]:
    """Mean of the folds' accuracies and its 95 % interval by resampling folds, as in the paper."""
    drawn = np.random.default_rng(seed).choice(
        np.asarray(accuracies), size=(FOLD_RESAMPLES, len(accuracies))
    )
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(np.mean(accuracies)), float(low), float(high)


def answer_figures(
    measured: AnalogyItems,
    answers: FoldAnswers,
    folds: Mapping[str, Mapping[int, Sequence[Sequence[int]]]],
    overlap: Floats,
    *,
    system: str = "",
    note: str = "",
    chosen_on: str = "",
) -> list[Measurement]:
    """Accuracies of a system by template and kind of folds; the headline's have no system name."""
    figures = []
    for (template, kind), by_seed in sorted(answers.scores.items()):
        name = ".".join(part for part in (template, kind, system) if part)
        seeds = f"mean of fold seeds {', '.join(map(str, sorted(by_seed)))}"
        shares = right_shares(by_seed)
        full_note = "; ".join(part for part in (seeds, note) if part)
        figures.append(
            measured.accuracy(f"{name}.accuracy", shares, note=full_note, chosen_on=chosen_on)
        )
        if system:
            continue
        figures.append(_over_folds(measured, name, by_seed, folds[kind]))
        hard = shares[right(overlap) == 0]
        subset = "items that the control by spelling gets wrong"
        figures.append(measured.accuracy(f"{name}.overlap_wrong.accuracy", hard, note=subset))
        if (template, kind) in answers.repaired:
            fixed = right_shares(answers.repaired[template, kind])
            subset = "the repaired variant, models trained on the original"
            figures.append(measured.accuracy(f"{name}.repaired.accuracy", fixed, note=subset))
    return figures


def _over_folds(
    measured: AnalogyItems,
    name: str,
    by_seed: Mapping[int, Floats],
    folds: Mapping[int, Sequence[Sequence[int]]],
) -> Measurement:
    seed = min(by_seed)
    shares = right(by_seed[seed])
    parts = [float(shares[list(fold)].mean()) for fold in folds[seed]]
    value, low, high = fold_interval(parts, seed=measured.seed)
    note = f"fold seed {seed}, interval over {len(parts)} folds as in the paper"
    full = f"{PREFIX}.{name}.folds.accuracy"
    return Measurement(full, value, low, high, len(shares), measured.data, note=note)


def error_figures(measured: AnalogyItems, answers: FoldAnswers, kind: str) -> Iterator[Measurement]:
    """Table 4: shares of the kinds of wrong choices, by template and over all."""
    counts = {
        template: error_counts(by_seed)
        for (template, folds), by_seed in sorted(answers.scores.items())
        if folds == kind
    }
    counts["all"] = sum(counts.values(), start=Counter[str]())
    for row, errors in counts.items():
        n = errors.total()
        for code in CODES[1:]:
            value = errors[code] / n if n else None
            note = f"{errors[code]} of {n} errors, {kind} folds, all seeds"
            full = f"{PREFIX}.errors.{row}.{code}"
            reason = note if n else "undefined: no error was made"
            yield Measurement(full, value, None, None, n, measured.data, note=reason)


def domain_figures(
    measured: AnalogyItems, answers: FoldAnswers, kind: str
) -> Iterator[Measurement]:
    """Share of wrong answers by second domain, over templates and seeds; the worst first."""
    rounds = [
        scores
        for (_, folds), by_seed in answers.scores.items()
        if folds == kind
        for scores in by_seed.values()
    ]
    found = domain_errors(measured.items, rounds)
    for domain, codes in sorted(
        found.items(), key=lambda pair: (pair[1]["gold"] / pair[1].total(), pair[0])
    ):
        n = codes.total()
        counts = ", ".join(f"{codes[code]} {code}" for code in CODES[1:])
        full = f"{PREFIX}.wrong.{domain.lower()}"
        value = 1 - codes["gold"] / n
        yield Measurement(full, value, None, None, n, measured.data, note=f"{counts}; {kind} folds")


def paired_tests(
    measured: AnalogyItems, answers: FoldAnswers, controls: Mapping[str, Floats], key: Key
) -> Iterator[Measurement]:
    """McNemar's test of the first seed's answers against each control."""
    by_seed = answers.scores.get(key)
    if not by_seed:
        return
    ours = right(by_seed[min(by_seed)]) == 1
    gold = [True] * len(ours)
    for name, scores in controls.items():
        found = mcnemar(gold, list(ours), list(right(scores) == 1))
        note = (
            f"exact, fold seed {min(by_seed)}; {found.first_only} items only ours, "
            f"{found.second_only} only {name}; a tie counts as wrong"
        )
        full = f"{PREFIX}.{key[0]}.{key[1]}.vs_{name}.mcnemar_p"
        yield Measurement(full, found.exact_p, None, None, found.n, measured.data, note=note)
