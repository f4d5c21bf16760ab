"""Keyness: lemmas that are more, or less, frequent in one group of texts than in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.keyness import (
    TextSums,
    benjamini_hochberg,
    chi_square_p,
    holm,
    log_likelihood,
    log_ratio,
    welch_p,
)
from trope.workbench.corpus.corpus import (
    ColumnCondition,
    Conditions,
    IndexedCorpus,
    all_hold,
    lemma_counts,
)
from trope.workbench.corpus.queries import KeynessQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row

COLUMNS = (
    *("lemma", "direction", "count", "per_million", "other_count", "other_per_million"),
    *("log_likelihood", "log_ratio", "p", "p_corrected", "p_texts"),
)
_CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
_MILLION = 1_000_000
_SIZES = "count(*) FILTER (words > 0), sum(words), sum(words::BIGINT * words)"


def keyness(corpus: IndexedCorpus, query: KeynessQuery) -> CorpusTable:
    """Lemmas by the log-likelihood of their difference between two groups, highest first."""
    corpus.need_words("keyness and concordance")
    column = corpus.column(query.by)
    where = corpus.conditions(query.where)
    part = (*where, ColumnCondition(column, query.part))
    other = (*where, ColumnCondition(column, query.against)) if query.against else where
    sizes = [_size(corpus, texts) for texts in (part, other)]
    if not query.against:
        sizes[1] -= sizes[0]
    for size, value in zip(sizes, (query.part, query.against), strict=True):
        if not size:
            raise BadInput(_no_words(column.name, value))
    counted = _counts(corpus, part, other, query)
    rows = _rows(counted, sizes, _texts_as_units(corpus, part, other, query, counted), query)
    about: dict[str, Any] = {**query.paged(len(rows)), "tested": len(counted)}
    about |= {"words": sizes[0], "other_words": sizes[1], "correction": query.correction}
    shown = rows[query.skipped : query.skipped + query.rows]
    return CorpusTable("keyness", COLUMNS, shown, command_line(corpus.folder, query), about=about)


def _no_words(column: str, value: str) -> str:
    if not value:
        return "all texts are in the group; there are no others to compare with"
    return f"no texts with words have the {column} {value!r}; choose another value"


def _texts_as_units(
    corpus: IndexedCorpus,
    part: Conditions,
    other: Conditions,
    query: KeynessQuery,
    counted: Sequence[Row],
) -> np.typing.NDArray[np.float64] | None:
    """The corrected p of each lemma with texts as units; None if a group has a single text."""
    groups = [
        np.array(corpus.database.one(f"SELECT {_SIZES} FROM documents WHERE {held}", values), float)
        for held, values in map(all_hold, (part, other))
    ]
    sums = np.array([row[1:] for row in counted], float).reshape(-1, 6).T
    if not query.against:
        groups[1] = groups[1] - groups[0]
    one, two = (
        TextSums(*sums[at::2], *(int(size) for size in group)) for at, group in enumerate(groups)
    )
    p = welch_p(one, two)
    return None if p is None else _CORRECTIONS[query.correction](p)


def _size(corpus: IndexedCorpus, texts: Conditions) -> int:
    """The number of words in the texts."""
    question, values = lemma_counts(texts)
    (size,) = corpus.database.one(f"SELECT sum(words) FROM ({question})", values)
    return int(size or 0)


def _counts(
    corpus: IndexedCorpus, part: Conditions, other: Conditions, query: KeynessQuery
) -> list[Row]:
    """Every tested lemma, with its counts in the group and in the other one, and what the variance
    between texts needs: squares, and products with the sizes of texts."""
    counted = "metaphors" if query.metaphors else "words"
    one, one_values = lemma_counts(part)
    two, two_values = lemma_counts(other)
    less = "0" if query.against else "1"
    sums = (counted, f"{counted}_squared", f"{counted}_sized")
    pairs = ", ".join(
        f"coalesce(one.{name}, 0) AS a{at}, "
        f"coalesce(two.{name}, 0) - {less} * coalesce(one.{name}, 0) AS b{at}"
        for at, name in enumerate(sums)
    )
    return corpus.database.ask(
        f"""
        SELECT text, a0, b0, a1, b1, a2, b2 FROM (
            SELECT lemma, {pairs} FROM ({one}) AS one FULL JOIN ({two}) AS two USING (lemma)
        ) JOIN lemmas USING (lemma) WHERE a0 + b0 >= ? ORDER BY text
        """,
        [*one_values, *two_values, query.min_count],
    )


def _rows(
    counted: Sequence[Row],
    sizes: list[int],
    by_texts: np.typing.NDArray[np.float64] | None,
    query: KeynessQuery,
) -> list[Row]:
    c, d = sizes
    a, b = np.array([one[1:3] for one in counted], float).reshape(-1, 2).T
    likelihood, ratio = log_likelihood(a, b, c, d), log_ratio(a, b, c, d)
    p = chi_square_p(likelihood)
    corrected = _CORRECTIONS[query.correction](p)
    rows: list[Row] = []
    for at in np.argsort(-likelihood, kind="stable"):
        lemma, times, others = counted[at][:3]
        more, less = times * d, others * c
        direction = "more" if more > less else "less" if more < less else "same"
        if query.direction not in ("both", direction):
            continue
        rates = round(times / c * _MILLION, 2), round(others / d * _MILLION, 2)
        figures = (round(float(likelihood[at]), 3), round(float(ratio[at]), 3))
        chances = float(f"{p[at]:.4g}"), float(f"{corrected[at]:.4g}")
        units = None if by_texts is None else float(f"{by_texts[at]:.4g}")
        counts = (times, rates[0], others, rates[1])
        rows.append((lemma, direction, *counts, *figures, *chances, units))
    return rows
