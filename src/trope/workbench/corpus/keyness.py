"""Keyness: what is more frequent in one group of texts than in another; what rises and falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import msgspec
import numpy as np

from trope.core.errors import BadInput
from trope.metrics.keyness import (
    Floats,
    TextSums,
    benjamini_hochberg,
    chi_square_p,
    holm,
    log_likelihood,
    log_ratio,
    poisson_trends,
    welch_p,
)
from trope.workbench.corpus.corpus import (
    ColumnCondition,
    Conditions,
    IndexedCorpus,
    all_hold,
    lemma_counts,
)
from trope.workbench.corpus.database import CLASSES
from trope.workbench.corpus.queries import (
    ComparedQuery,
    CompareQuery,
    KeynessQuery,
    TrendQuery,
    command_line,
)
from trope.workbench.corpus.table import CorpusTable, Row
from trope.workbench.corpus.word_tables import PERIODS, tagged_counts

COLUMNS = (
    *("direction", "count", "per_million", "other_count", "other_per_million"),
    *("log_likelihood", "log_ratio", "p", "p_corrected", "p_texts"),
)
_TREND_COLUMNS = (
    *("direction", "count", "per_million", "log2_per_year", "p", "p_corrected", "rates"),
)
NAMES = {"lemmas": "lemma", "classes": "upos", "figures": "figure", "domains": "domain"}
"""What is compared, and the column with its names."""

_CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
_MILLION = 1_000_000
_SIZES = "count(*) FILTER (words > 0), sum(words), sum(words::BIGINT * words)"
_FEWEST_PERIODS, _OTHERS = 3, "all other texts"
_SAME = ("model_sha256", "kind", "threshold", "unit")
"""Settings that two corpora must share."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Counts in some texts: of each name its sum, its squares and its products with the sizes of
    the texts; and how many texts with words there are, their words, and the squares of these."""

    counts: dict[str, tuple[float, ...]]
    sizes: tuple[int, int, int]

    def without(self, part: _Group) -> _Group:
        """The texts that are not in a part of these."""
        nothing = (0.0, 0.0, 0.0)
        left = {
            name: tuple(np.subtract(sums, part.counts.get(name, nothing)))
            for name, sums in self.counts.items()
        }
        texts, words, squares = np.subtract(self.sizes, part.sizes)
        return _Group(left, (int(texts), int(words), int(squares)))

    def sums(self, names: Sequence[str]) -> TextSums:
        """The sums of the named, for a test with texts as units."""
        known = [self.counts.get(name, (0.0, 0.0, 0.0)) for name in names]
        counts, squares, products = np.array(known, float).reshape(-1, 3).T
        return TextSums(counts, squares, products, *self.sizes)


def keyness(corpus: IndexedCorpus, query: KeynessQuery) -> CorpusTable:
    """What differs between two groups, by the log-likelihood of the difference, highest first."""
    corpus.need_words("keyness and concordance")
    column = corpus.column(query.by)
    where = corpus.conditions(query.where)
    part = _group(corpus, (*where, ColumnCondition(column, query.part)), query)
    if query.against:
        other = _group(corpus, (*where, ColumnCondition(column, query.against)), query)
    else:
        other = _group(corpus, where, query).without(part)
    for group, value in ((part, query.part), (other, query.against)):
        if not group.sizes[1]:
            raise BadInput(no_words(corpus, query.by, value))
    table = _key_table(part, other, query, command_line(corpus.folder, query))
    compared = {"by": query.by, "part": query.part, "against": query.against or _OTHERS}
    return replace(table, about={**table.about, **compared})


def compare(corpus: IndexedCorpus, other: IndexedCorpus, query: CompareQuery) -> CorpusTable:
    """What differs between two corpora of the same settings.

    Raises:
        BadInput: their settings differ, so that their rates cannot be compared.
    """
    _check_same(corpus, other, query)
    groups = []
    for one in (corpus, other):
        one.need_words("comparisons")
        groups.append(_group(one, one.conditions(query.where), query))
        if not groups[-1].sizes[1]:
            raise BadInput(f"{one.folder}: no texts with words meet the conditions; change --where")
    table = _key_table(groups[0], groups[1], query, command_line(corpus.folder, query))
    compared = {"part": corpus.folder.name, "against": other.folder.name}
    return replace(table, about={**table.about, **compared, **corpus.counted})


def _check_same(corpus: IndexedCorpus, other: IndexedCorpus, query: CompareQuery) -> None:
    one, two = (each.source.manifest.settings for each in (corpus, other))
    pairs = [(name.partition("_")[0], getattr(one, name), getattr(two, name)) for name in _SAME]
    pairs.append(("view of words", corpus.view, other.view))
    if query.of == "domains":
        pairs.append(("domains by", one.domains, two.domains))
    different = {name: (_said(a), _said(b)) for name, a, b in pairs if a != b}
    if different:
        told = "; ".join(f"{name}: {b} instead of {a}" for name, (a, b) in different.items())
        problem = f"has other settings than {corpus.folder} ({told})"
        if set(different) == {"view of words"} and corpus.view in other.source.views:
            remedy = f"count by one view in both: --words {corpus.view}"
            raise BadInput(f"{other.folder}: {problem}; {remedy}")
        same = {name: getattr(one, name) for name in ("kind", "threshold", "unit", "words")}
        settings = msgspec.structs.replace(two, **same)
        manifest = msgspec.structs.replace(other.source.manifest, settings=settings)
        again = replace(other.source, manifest=manifest).detect_again()
        model = "with the model of the first " if one.model_sha256 != two.model_sha256 else ""
        raise BadInput(f"{other.folder}: {problem}; write it again {model}and compare: {again}")


def _said(setting: str | float | None) -> str:
    """A setting as an error names it; of a checksum, the beginning."""
    if setting is None:
        return "the model's"
    return repr(setting[:12] if isinstance(setting, str) else setting) if setting != "" else "none"


def no_words(corpus: IndexedCorpus, name: str, value: str) -> str:
    """That no texts have a value of a column, with others that are like it."""
    if not value:
        return "all texts are in the group; there are no others to compare with"
    key = corpus.column(name).key
    known = [one for (one,) in corpus.database.ask(
        f"SELECT DISTINCT {key} FROM documents WHERE words > 0 ORDER BY "
        f"jaro_winkler_similarity({key}, ?) DESC, {key} LIMIT 5", [value])]  # fmt: skip
    near = get_close_matches(value, known, n=3) or known[:3]
    listed = ", ".join(repr(one) for one in near if one)
    return f"no texts with words have the {name} {value!r}; choose another value, such as {listed}"


def _group(corpus: IndexedCorpus, conditions: Conditions, query: ComparedQuery) -> _Group:
    held, values = all_hold(conditions)
    told = corpus.database.one(f"SELECT {_SIZES} FROM documents WHERE {held}", values)
    sizes = (int(told[0]), int(told[1] or 0), int(told[2] or 0))
    if query.of == "lemmas":
        question, given = _lemmas(conditions, query.upos)
        counted = "metaphors" if query.metaphors else "words"
        found = corpus.database.ask(
            f"SELECT text, found.{counted}, found.{counted}_squared, found.{counted}_sized "
            f"FROM ({question}) AS found JOIN lemmas USING (lemma) WHERE found.{counted} > 0",
            given,
        )
        return _Group({name: tuple(map(float, one)) for name, *one in found}, sizes)
    sums = "sum(n), sum(n * n), sum(n * words)"
    found = corpus.database.ask(
        f"SELECT name, {sums} FROM ({_of_texts(corpus, query)}) WHERE {held} AND n > 0 "
        "GROUP BY name",
        values,
    )
    return _Group({name: tuple(map(float, one)) for name, *one in found}, sizes)


def _lemmas(conditions: Conditions, upos: str) -> tuple[str, list[str]]:
    """The SQL for the counts of lemmas, of all their uses or those as a part of speech."""
    if not upos:
        return lemma_counts(conditions)
    held, values = all_hold(conditions)
    tagged = "tag = (SELECT tag FROM tags WHERE text = ?)"
    if not conditions:
        return f"SELECT * FROM tagged WHERE {tagged}", [upos.upper()]
    within = f"{tagged} AND doc IN (SELECT doc FROM documents WHERE {held})"
    return tagged_counts(within), [upos.upper(), *values]


def _of_texts(corpus: IndexedCorpus, query: ComparedQuery) -> str:
    """The SQL for how often each text has what is compared, with its columns."""
    columns = "d.* EXCLUDE (text, starts, ends)"
    texts = f"(SELECT {columns} FROM documents AS d)"
    if query.of == "domains":
        if not corpus.source.domains:
            again = corpus.source.detect_again(domains=True)
            raise BadInput(f"{corpus.folder}: has no source domains; add them with: {again}")
        return f"""
            SELECT d.*, name, n FROM (SELECT doc, domain AS name, n FROM drawn)
            JOIN {texts} AS d USING (doc)
        """
    if query.of == "figures":
        named: dict[str, str] = {kind: kind for kind in corpus.source.kinds}
        base = f"{texts} AS d JOIN features AS f USING (doc)"
        parts = [f"SELECT d.*, 'metaphor' AS name, metaphors::BIGINT AS n FROM {texts} AS d"]
    else:
        suffix = "_metaphors" if query.metaphors else ""
        named = {one: f"{one}{suffix}" for one in CLASSES}
        base, parts = f"{texts} AS d JOIN features AS f USING (doc)", []
    parts += [
        f"SELECT d.*, '{name}' AS name, f.{key}::BIGINT AS n FROM {base}"
        for name, key in named.items()
    ]
    return " UNION ALL ".join(parts)


def _key_table(
    part: _Group, other: _Group, query: KeynessQuery | CompareQuery, command: str
) -> CorpusTable:
    both = {**part.counts, **other.counts}
    names = sorted(
        name
        for name in both
        if part.counts.get(name, (0,))[0] + other.counts.get(name, (0,))[0] >= query.min_count
    )
    sums = part.sums(names), other.sums(names)
    p = welch_p(*sums) if names else None
    by_texts = None if p is None else _CORRECTIONS[query.correction](p)
    rows = _rows(names, sums, by_texts, query)
    about: dict[str, Any] = {**query.paged(len(rows)), "tested": len(names), "of": query.of}
    about |= {"words": sums[0].words, "other_words": sums[1].words}
    about["correction"] = query.correction
    shown = rows[query.skipped : query.skipped + query.rows]
    return CorpusTable("keyness", (NAMES[query.of], *COLUMNS), shown, command, about=about)


def _rows(
    names: list[str],
    sums: tuple[TextSums, TextSums],
    by_texts: Floats | None,
    query: KeynessQuery | CompareQuery,
) -> list[Row]:
    c, d = (one.words for one in sums)
    a, b = (one.counts for one in sums)
    likelihood, ratio = log_likelihood(a, b, c, d), log_ratio(a, b, c, d)
    p = chi_square_p(likelihood)
    corrected = _CORRECTIONS[query.correction](p)
    rows: list[Row] = []
    for at in np.argsort(-likelihood, kind="stable"):
        times, others = int(a[at]), int(b[at])
        more, less = times * d, others * c
        direction = "more" if more > less else "less" if more < less else "same"
        if query.direction not in ("both", direction):
            continue
        rates = round(times / c * _MILLION, 2), round(others / d * _MILLION, 2)
        figures = (round(float(likelihood[at]), 3), round(float(ratio[at]), 3))
        chances = float(f"{p[at]:.4g}"), float(f"{corrected[at]:.4g}")
        units = None if by_texts is None else float(f"{by_texts[at]:.4g}")
        counts = (times, rates[0], others, rates[1])
        rows.append((names[at], direction, *counts, *figures, *chances, units))
    return rows


def trend(corpus: IndexedCorpus, query: TrendQuery) -> CorpusTable:
    """What rises and falls over time, the surest changes first."""
    corpus.need_words("trend")
    column = corpus.column(query.by)
    corpus.need_dates(column)
    period = query.period or column.legible_period
    length = PERIODS[period]
    held, values = all_hold(corpus.conditions(query.where))
    sized = corpus.database.ask(
        f"SELECT left({column.key}, {length}) AS p, sum(words) FROM documents WHERE {held} "
        f"AND length({column.key}) >= {length} GROUP BY p HAVING sum(words) > 0 ORDER BY p",
        values,
    )
    if len(sized) < _FEWEST_PERIODS:
        problem = f"{len(sized)} period{'' if len(sized) == 1 else 's'} with words; a trend needs"
        raise BadInput(f"{problem} three: set a shorter --period, or choose other texts")
    periods = [one for one, _ in sized]
    sizes = np.array([words for _, words in sized], float)
    names, counts = _over_time(corpus, query, column.key, length, periods)
    slopes, p = poisson_trends(counts, sizes, [_years(one) for one in periods])
    corrected = _CORRECTIONS[query.correction](p)
    wanted = {"rising": (True,), "falling": (False,)}.get(query.direction, (True, False))
    chosen = [at for at in np.lexsort((-np.abs(slopes), p)) if bool(slopes[at] > 0) in wanted]
    rows: list[Row] = []
    for at in chosen[query.skipped : query.skipped + query.rows]:
        direction = "rising" if slopes[at] > 0 else "falling"
        total = int(counts[at].sum())
        rates = [round(float(one), 1) for one in counts[at] / sizes * _MILLION]
        chances = float(f"{p[at]:.4g}"), float(f"{corrected[at]:.4g}")
        change = round(total / sizes.sum() * _MILLION, 2), round(float(slopes[at]), 4)
        rows.append((names[at], direction, total, *change, *chances, rates))
    about: dict[str, Any] = {**query.paged(len(chosen)), "tested": len(names), "of": query.of}
    about |= {"periods": periods, "period": period, "correction": query.correction}
    columns, command = (NAMES[query.of], *_TREND_COLUMNS), command_line(corpus.folder, query)
    return CorpusTable("trend", columns, rows, command, about=about)


def _years(period: str) -> float:
    """The middle of a period as a year; a month or day that does not exist is no fault here."""
    year, month, day = (*map(int, period.split("-")), -1, -1)[:3]
    if month < 0:
        return year + 0.5
    return year + (month - 1) / 12 + (15 if day < 0 else day - 0.5) / 365.25


def _over_time(
    corpus: IndexedCorpus, query: TrendQuery, key: str, length: int, periods: list[str]
) -> tuple[list[str], Floats]:
    """What occurs often enough, and how often it does in each period."""
    counted = "metaphors" if query.metaphors else "words"
    column, conditions = corpus.column(query.by), corpus.conditions(query.where)
    held, given = all_hold(conditions)
    values: list[Any] = [*given]
    if query.of != "lemmas":
        texts = _of_texts(corpus, query)
        source = f"SELECT name, left({key}, {length}) AS p, n FROM ({texts}) WHERE {held}"
    elif conditions or query.upos or not column.counted or length > PERIODS["month"]:
        tagged = "tag = (SELECT tag FROM tags WHERE text = ?)" if query.upos else "true"
        values = [*([query.upos.upper()] if query.upos else []), *given]
        only = "metaphor" if query.metaphors else "true"
        source = f"""
            SELECT text AS name, p, n FROM (
                SELECT lemma, left({key}, {length}) AS p, count(*) AS n
                FROM (SELECT lemma, doc FROM words WHERE word AND {tagged} AND {only})
                    JOIN (SELECT * EXCLUDE (text) FROM documents WHERE {held}) USING (doc)
                GROUP BY ALL
            ) JOIN lemmas USING (lemma)
        """
    else:
        source = f"""
            SELECT text AS name, left(value, {length}) AS p, counts.{counted} AS n
            FROM counts JOIN lemmas USING (lemma) WHERE key = '{key}'
        """
    found = corpus.database.ask(
        f"""
        SELECT name, list(place), list(n) FROM
            (SELECT name, p, sum(n)::BIGINT AS n FROM ({source}) GROUP BY name, p)
            JOIN (SELECT unnest(?::VARCHAR[]) AS p, unnest(range({len(periods)})) AS place)
            USING (p)
        GROUP BY name HAVING sum(n) >= ? ORDER BY name
        """,
        [*values, periods, query.min_count],
    )
    counts = np.zeros((len(found), len(periods)))
    for row, (_, places, times) in zip(counts, found, strict=True):
        row[places] = times
    return [name for name, _, _ in found], counts
