"""Keyness: lemmas that are more, or less, frequent in one group of texts than in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.keyness import benjamini_hochberg, chi_square_p, holm, log_likelihood, log_ratio
from trope.workbench.corpus.corpus import ColumnCondition, Conditions, IndexedCorpus, lemma_counts
from trope.workbench.corpus.queries import KeynessQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row

COLUMNS = (
    *("lemma", "direction", "count", "per_million", "other_count", "other_per_million"),
    *("log_likelihood", "log_ratio", "p", "p_corrected"),
)
_CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
_MILLION = 1_000_000


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
    rows = _rows(counted, sizes, query)
    about: dict[str, Any] = {**query.paged(len(rows)), "tested": len(counted)}
    about |= {"words": sizes[0], "other_words": sizes[1], "correction": query.correction}
    shown = rows[query.skipped : query.skipped + query.rows]
    return CorpusTable("keyness", COLUMNS, shown, command_line(corpus.folder, query), about=about)


def _no_words(column: str, value: str) -> str:
    if not value:
        return "all texts are in the group; there are no others to compare with"
    return f"no texts with words have the {column} {value!r}; choose another value"


def _size(corpus: IndexedCorpus, texts: Conditions) -> int:
    """The number of words in the texts."""
    question, values = lemma_counts(texts)
    (size,) = corpus.database.one(f"SELECT sum(words) FROM ({question})", values)
    return int(size or 0)


def _counts(
    corpus: IndexedCorpus, part: Conditions, other: Conditions, query: KeynessQuery
) -> list[tuple[str, int, int]]:
    """Every tested lemma, with its counts in the group and in the other one."""
    counted = "metaphors" if query.metaphors else "words"
    one, one_values = lemma_counts(part)
    two, two_values = lemma_counts(other)
    b = "coalesce(two.n, 0)" if query.against else "coalesce(two.n, 0) - coalesce(one.n, 0)"
    return corpus.database.ask(
        f"""
        SELECT text, a, b FROM (
            SELECT lemma, coalesce(one.n, 0) AS a, {b} AS b
            FROM (SELECT lemma, {counted} AS n FROM ({one})) AS one
                FULL JOIN (SELECT lemma, {counted} AS n FROM ({two})) AS two USING (lemma)
        ) JOIN lemmas USING (lemma) WHERE a + b >= ? ORDER BY text
        """,
        [*one_values, *two_values, query.min_count],
    )


def _rows(
    counted: Sequence[tuple[str, int, int]], sizes: list[int], query: KeynessQuery
) -> list[Row]:
    c, d = sizes
    a, b = np.array([one[1:] for one in counted], float).reshape(-1, 2).T
    likelihood, ratio = log_likelihood(a, b, c, d), log_ratio(a, b, c, d)
    p = chi_square_p(likelihood)
    corrected = _CORRECTIONS[query.correction](p)
    rows: list[Row] = []
    for at in np.argsort(-likelihood, kind="stable"):
        lemma, times, others = counted[at]
        more, less = times * d, others * c
        direction = "more" if more > less else "less" if more < less else "same"
        if query.direction not in ("both", direction):
            continue
        rates = round(times / c * _MILLION, 2), round(others / d * _MILLION, 2)
        figures = (round(float(likelihood[at]), 3), round(float(ratio[at]), 3))
        chances = float(f"{p[at]:.4g}"), float(f"{corrected[at]:.4g}")
        rows.append((lemma, direction, times, rates[0], others, rates[1], *figures, *chances))
    return rows
