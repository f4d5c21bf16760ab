"""Keyness: lemmas and source domains that are more, or less, frequent in one group of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare
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
from trope.workbench.corpus.database import literal
from trope.workbench.corpus.queries import DomainsQuery, KeynessQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row
from trope.workbench.corpus.word_tables import PERIODS

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


DOMAIN_COLUMNS = ("domain", "group", "metaphors", "texts", "share", "low", "high", "lemmas")
KEY_DOMAIN_COLUMNS = (
    *("domain", "direction", "count", "share", "other_count", "other_share"),
    *("log_likelihood", "log_ratio", "p", "p_corrected", "p_texts"),
)
_TYPICAL = 5
"""Lemmas that stand for a domain."""


def domains(corpus: IndexedCorpus, query: DomainsQuery) -> CorpusTable:
    """Source domains by the share of metaphors that is drawn from them.

    Shares are of the metaphors that have a domain, so that groups with more or fewer metaphors can
    be compared. With a `part`, the domains of its texts against those of other texts.
    """
    if not corpus.source.domains:
        again = corpus.source.detect_again(domains=True)
        raise BadInput(f"{corpus.folder}: has no source domains; add them with: {again}")
    if query.target:
        corpus.need_words("domains near a word")
    if query.part and not query.by:
        raise BadInput("a group needs the column that it is a value of; add --by COLUMN")
    if query.part:
        return _key_domains(corpus, query)
    where = corpus.conditions(query.where)
    group, condition, period = "''", "true", ""
    if query.by:
        column = corpus.column(query.by)
        if query.period and not column.date:
            raise BadInput(f"column {column.name!r} has no dates; do not set a period")
        period = (query.period or "year") if column.date else ""
        group = f"left({column.key}, {PERIODS[period]})" if period else column.key
        condition = f"{column.key} <> ''" if period else "true"
    sums = _domain_sums(corpus, query, where, group, condition)
    rows = [_domain_row(one) for one in sums if one[2] >= query.min_count]
    rows.sort(key=lambda row: (row[1] if period else "", -row[2], row[0], row[1]))
    about = {**query.paged(len(rows)), "by": query.by, "period": period}
    shown = rows[query.skipped : query.skipped + query.rows]
    typical = _typical_lemmas(corpus, query, where) if corpus.source.tokens else {}
    shown = [(*row, typical.get(row[0], [])) for row in shown]
    command = command_line(corpus.folder, query)
    return CorpusTable("domains", DOMAIN_COLUMNS, shown, command, about=about)


def _domain_row(sums: Row) -> Row:
    """Domain, group, metaphors and texts of the domain, its share with an interval."""
    domain, group, count, squares, products, texts, clusters, whole, whole_squares = sums
    share = ClusteredShare.from_sums(clusters, count, whole, squares, products, whole_squares)
    interval = share.interval()
    return domain, group, count, texts, interval.value, interval.low, interval.high


def _domain_sums(
    corpus: IndexedCorpus,
    query: DomainsQuery,
    where: Conditions,
    group: str = "''",
    condition: str = "true",
) -> list[Row]:
    """Of each domain in each group: metaphors, their squares and their products with those of the
    text, texts; then of the group the texts with a metaphor, its metaphors and their squares."""
    held, values = all_hold(where)
    near, given = _near(corpus, query)
    return corpus.database.ask(
        f"""
        WITH counted AS (
            SELECT doc, domain, count(*) AS n FROM domains WHERE {near}
                AND doc IN (SELECT doc FROM documents WHERE {held} AND {condition}) GROUP BY ALL
        ), sized AS (
            SELECT doc, name, sum(n)::BIGINT AS size FROM counted
                JOIN (SELECT doc, {group} AS name FROM documents) USING (doc) GROUP BY ALL
        ), whole AS (
            SELECT name, count(*) AS texts, sum(size)::BIGINT AS size,
                sum(size * size)::BIGINT AS squares FROM sized GROUP BY name
        )
        SELECT domain, name, n, squared, products, found, whole.texts, whole.size, whole.squares
        FROM (
            SELECT domain, name, sum(n)::BIGINT AS n, sum(n * n)::BIGINT AS squared,
                sum(n * size)::BIGINT AS products, count(*) AS found
            FROM counted JOIN sized USING (doc) GROUP BY domain, name
        ) JOIN whole USING (name)
        """,
        [*given, *values],
    )


def _near(corpus: IndexedCorpus, query: DomainsQuery) -> tuple[str, list[Any]]:
    """The SQL for metaphors near the target, all of them where there is none."""
    if not query.target:
        return "true", []
    lemma = query.target.lower()
    if not corpus.database.ask("SELECT lemma FROM lemmas WHERE text = ?", [lemma]):
        raise BadInput(f"{query.target!r} is not a lemma of this corpus; check its spelling")
    return (
        """
        EXISTS (SELECT 1 FROM words WHERE lemma = (SELECT lemma FROM lemmas WHERE text = ?)
            AND words.doc = domains.doc AND words.pos <> domains.pos
            AND words.pos BETWEEN domains.pos - ? AND domains.pos + ?)
        """,
        [lemma, query.window, query.window],
    )


def _typical_lemmas(
    corpus: IndexedCorpus, query: DomainsQuery, where: Conditions
) -> dict[str, list[str]]:
    """The most frequent words of each domain."""
    held, values = all_hold(where)
    near, given = _near(corpus, query)
    found = corpus.database.ask(
        f"""
        SELECT domain, text FROM (
            SELECT domain, lemma, count(*) AS n FROM domains WHERE {near}
                AND doc IN (SELECT doc FROM documents WHERE {held}) GROUP BY ALL
        ) JOIN lemmas USING (lemma)
        QUALIFY row_number() OVER (PARTITION BY domain ORDER BY n DESC, text) <= {_TYPICAL}
        ORDER BY domain, n DESC, text
        """,
        [*given, *values],
    )
    typical: dict[str, list[str]] = {}
    for domain, lemma in found:
        typical.setdefault(domain, []).append(lemma)
    return typical


def _key_domains(corpus: IndexedCorpus, query: DomainsQuery) -> CorpusTable:
    """Domains by the log-likelihood of their difference between two groups, highest first."""
    column, where = corpus.column(query.by), corpus.conditions(query.where)
    part = ColumnCondition(column, query.part)
    held, values = part.sql(), [query.part]
    other = f"NOT ({held})"
    if query.against:
        other, values = ColumnCondition(column, query.against).sql(), [query.part, query.against]
    groups = []
    for condition, value in ((held, values[0]), (other, values[-1])):
        sums = _domain_sums(corpus, query, where, condition=condition.replace("?", literal(value)))
        if not sums:
            raise BadInput(
                f"no texts with a source domain are in the group {value!r}; choose another value"
            )
        groups.append({row[0]: row for row in sums})
    names = sorted({*groups[0], *groups[1]})
    tested = [
        name
        for name in names
        if sum(group[name][2] for group in groups if name in group) >= query.min_count
    ]
    rows = _key_rows(tested, groups, query)
    about: dict[str, Any] = {**query.paged(len(rows)), "tested": len(tested)}
    sizes = [next(iter(group.values()))[7] for group in groups]
    about |= {"metaphors": sizes[0], "other_metaphors": sizes[1], "correction": query.correction}
    shown = rows[query.skipped : query.skipped + query.rows]
    command = command_line(corpus.folder, query)
    return CorpusTable("domains", KEY_DOMAIN_COLUMNS, shown, command, about=about)


def _key_rows(
    names: Sequence[str], groups: Sequence[dict[str, Row]], query: DomainsQuery
) -> list[Row]:
    sums = []
    for group in groups:
        texts, whole, squares = next(iter(group.values()))[6:]
        counted = [group.get(name, (name, "", 0, 0, 0))[2:5] for name in names]
        totals, own, products = np.array(counted, float).reshape(-1, 3).T
        sums.append(TextSums(totals, own, products, texts, whole, squares))
    (one, other), (c, d) = sums, (sums[0].words, sums[1].words)
    likelihood = log_likelihood(one.counts, other.counts, c, d)
    ratio = log_ratio(one.counts, other.counts, c, d)
    correct, p, units = _CORRECTIONS[query.correction], chi_square_p(likelihood), None
    corrected = correct(p)
    if (by_texts := welch_p(one, other)) is not None:
        units = correct(by_texts)
    rows: list[Row] = []
    for at in np.argsort(-likelihood, kind="stable"):
        shares = float(one.counts[at] / c), float(other.counts[at] / d)
        direction = "more" if shares[0] > shares[1] else "less" if shares[0] < shares[1] else "same"
        figures = round(float(likelihood[at]), 3), round(float(ratio[at]), 3)
        chances = float(f"{p[at]:.4g}"), float(f"{corrected[at]:.4g}")
        by_unit = None if units is None else float(f"{units[at]:.4g}")
        counts = int(one.counts[at]), shares[0], int(other.counts[at]), shares[1]
        rows.append((names[at], direction, *counts, *figures, *chances, by_unit))
    return rows
