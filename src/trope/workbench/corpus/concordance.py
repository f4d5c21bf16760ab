"""Where a word occurs: in context, counted, sorted and paged; dispersion over texts; domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from trope.core.errors import BadInput
from trope.metrics.intervals import ClusteredShare
from trope.workbench.corpus.corpus import IndexedCorpus, all_hold
from trope.workbench.corpus.database import drawn_sums
from trope.workbench.corpus.queries import (
    ConcordanceQuery,
    DispersionQuery,
    DomainsQuery,
    command_line,
)
from trope.workbench.corpus.table import CorpusTable, Row
from trope.workbench.corpus.word_tables import FILE, NEIGHBOURS, PERIODS, USES_OF

COLUMNS = (
    *("text", "id", "left", "word", "right", "lemma", "upos", "score", "metaphor"),
    *("start", "end", "novelty"),
)
_TEXT_COLUMNS = (
    *("text", "id", "words", "count", "per_thousand", "metaphors", "places", "other_places"),
)
_BY_SCORE = (
    "the model of this corpus does not say how novel a metaphor is; ordered by score instead"
)
_THOUSAND = 1_000
ROLES = ("subject", "object")


def _neighbours(side: str) -> str:
    return ", ".join(f"{side}{away} NULLS FIRST" for away in range(1, NEIGHBOURS + 1))


_ORDERS = {
    "place": "doc, pos",
    "score": "score DESC, doc, pos",
    "novelty": "novelty DESC NULLS LAST, doc, pos",
    "left": f"{_neighbours('l')}, doc, pos",
    "right": f"{_neighbours('r')}, doc, pos",
}


@dataclass(frozen=True, slots=True)
class _Search:
    """The SQL after FROM, and its parameters."""

    table: str
    conditions: tuple[str, ...]
    values: tuple[Any, ...]

    @property
    def sql(self) -> str:
        return f"{self.table} WHERE {' AND '.join(self.conditions)}"


def concordance(corpus: IndexedCorpus, query: ConcordanceQuery) -> CorpusTable:
    """The words that match a query, with their left and right context."""
    corpus.need_words("keyness and concordance")
    if (query.sort == "column") != bool(query.by):
        raise BadInput("--sort column needs a column, and --by is for this order; give both")
    search = _search(corpus, query)
    (total,) = corpus.database.one(f"SELECT count(*) FROM {search.sql}", search.values)
    roles = ROLES if query.of_relations else ()
    extra = [column for column in corpus.facts.columns if column.name != FILE]
    columns = (*COLUMNS, *roles, *(_free(column.name) for column in extra))
    command, notes = command_line(corpus.folder, query), tuple[str, ...]()
    if query.sort == "novelty" and not corpus.knows_novelty:
        query, notes = msgspec.structs.replace(query, sort="score"), (_BY_SCORE,)
    rows = _lines(corpus, query, search, [column.key for column in extra]) if total else []
    return CorpusTable("concordance", columns, rows, command, notes, query.paged(total))


def _free(name: str) -> str:
    """The name of a column of the corpus, changed if the table has one of that name."""
    return f"{name} (column)" if name in (*COLUMNS, *ROLES) else name


def _search(corpus: IndexedCorpus, query: ConcordanceQuery) -> _Search:
    conditions: list[str] = []
    values: list[Any] = []

    def ask(condition: str, *given: Any) -> None:
        conditions.append(condition)
        values.extend(given)

    for column, lemma in (("lemma", query.lemma), *((r, getattr(query, r)) for r in ROLES)):
        if lemma:
            ask(f"{column} = (SELECT lemma FROM lemmas WHERE text = ?)", lemma.lower())
    if query.form:
        ask("form IN (SELECT form FROM forms WHERE lower(text) = lower(?))", query.form)
    if query.regex and not _matches_all(corpus, query.regex):
        ask("form IN (SELECT form FROM forms WHERE regexp_matches(text, ?))", query.regex)
    if query.upos:
        ask("tag = (SELECT tag FROM tags WHERE text = ?)", query.upos.upper())
    if query.metaphors:
        ask("metaphor")
    if query.min_score > 0:
        ask("score >= ?", query.min_score)
    if query.max_score < 1:
        ask("score <= ?", query.max_score)
    if query.of_relations:
        corpus.need_relations()
    if not (conditions or query.regex or query.of_relations or query.where):
        fields = "lemma, form, upos, regex, object, subject, relations, metaphors or a score"
        raise BadInput(f"the search is empty; give at least one of {fields}")
    if query.where:
        held, given = all_hold(corpus.conditions(query.where))
        ask(f"doc IN (SELECT doc FROM documents WHERE {held})", *given)
    table = "relations" if query.of_relations else "words"
    return _Search(table, tuple(conditions) or ("true",), tuple(values))


def _matches_all(corpus: IndexedCorpus, pattern: str) -> bool:
    """Whether a regular expression matches every word, so that it can be left out.

    Raises:
        BadInput: it is not a regular expression, or too large.
    """
    try:
        (matches,) = corpus.database.one(
            "SELECT bool_and(regexp_matches(text, ?)) FROM forms", [pattern]
        )
        return bool(matches)
    except BadInput as error:
        problem = str(error).removesuffix("; change the query")
        raise BadInput(f"{pattern!r} is not a regular expression ({problem}); fix it") from None


def _lines(
    corpus: IndexedCorpus, query: ConcordanceQuery, search: _Search, extra: Sequence[str]
) -> list[Row]:
    roles = [f"{role}_pos" if query.of_relations else "NULL" for role in ROLES]
    order = _ORDERS.get(query.sort, "")
    if query.sort == "column":
        key = corpus.column(query.by).key
        order = f"(SELECT {key} FROM documents AS d WHERE d.doc = {search.table}.doc), doc, pos"
    found = corpus.database.ask(
        f"""
        SELECT doc, pos, {", ".join(roles)}, lemmas.text, tags.text, score, metaphor, start, stop,
            novelty
        FROM (SELECT *, row_number() OVER () AS place
            FROM (SELECT * FROM {search.sql} ORDER BY {order}
                LIMIT {query.rows} OFFSET {query.skipped}))
            JOIN lemmas USING (lemma) JOIN tags USING (tag)
        ORDER BY place
        """,
        search.values,
    )
    around = contexts(corpus, [hit[:4] for hit in found], query.context, extra)
    return [
        (
            *(hit[0], identifier, _flat(left), word, _flat(right), *hit[4:]),
            *((subject, thing) if query.of_relations else ()),
            *values,
        )
        for hit, (identifier, left, word, right, subject, thing, *values) in zip(
            found, around, strict=True
        )
    ]


def contexts(
    corpus: IndexedCorpus, places: Sequence[Row], width: int, extra: Sequence[str]
) -> list[Row]:
    """For every hit, the id of its text, the word with its context, and the columns.

    The database cuts out the context, so that long texts are not copied.
    """
    if not places:
        return []
    names = ("doc", "spot", *(f"{role}_spot" for role in ROLES))
    hits = ", ".join(f"unnest(?::INTEGER[]) AS {name}" for name in names)
    roles = ", ".join(
        f"coalesce(substr(text, starts[{role}] + 1, ends[{role}] - starts[{role}]), '')"
        for role in (f"{name}_spot + 1" for name in ROLES)
    )
    return corpus.database.ask(
        f"""
        SELECT id, substr(text, first + 1, start - first), substr(text, start + 1, stop - start),
            substr(text, stop + 1, last - stop), {roles}{"".join(f", {key}" for key in extra)}
        FROM (
            SELECT *, starts[greatest(spot - {width}, 0) + 1] AS first, starts[spot + 1] AS start,
                ends[spot + 1] AS stop, ends[least(spot + {width} + 1, len(ends))] AS last
            FROM (SELECT unnest(range({len(places)})) AS number, {hits}) JOIN documents USING (doc)
        )
        ORDER BY number
        """,
        [list(one) for one in zip(*places, strict=True)],
    )


def _flat(context: str) -> str:
    """A part of a text on one line."""
    return " ".join(context.split())


def dispersion(corpus: IndexedCorpus, query: DispersionQuery) -> CorpusTable:
    """The texts with a word and its places in them; `about` has how evenly it is spread."""
    corpus.need_words("dispersion")
    lemma, (within, values) = corpus.lemma(query.lemma), corpus.within(query.where)
    tagged, tag = "true", []
    if query.upos:
        tagged, tag = "tag = (SELECT tag FROM tags WHERE text = ?)", [query.upos.upper()]
    uses = (
        f"SELECT doc, pos, metaphor FROM words WHERE lemma = ? AND {tagged} AND {within} "
        f"AND {USES_OF[query.uses]}"
    )
    given = [lemma, *tag, *values]
    orders = {"count": "n DESC", "rate": "n / words DESC, n DESC", "place": "doc"}
    found = corpus.database.ask(
        f"""
        SELECT doc, id, words, n, m, yes, no, len(starts) FROM (
            SELECT doc, n, m, yes, no, words FROM (
                SELECT doc, count(*) AS n, count(*) FILTER (metaphor) AS m,
                    list(pos) FILTER (metaphor) AS yes, list(pos) FILTER (NOT metaphor) AS no
                FROM ({uses}) GROUP BY doc
            ) JOIN (SELECT doc, words FROM documents) USING (doc)
            ORDER BY {orders[query.sort]}, doc LIMIT {query.rows} OFFSET {query.skipped}
        ) JOIN (SELECT doc, id, starts FROM documents) USING (doc)
        ORDER BY {orders[query.sort]}, doc
        """,
        given,
    )
    rows = [
        (doc, name, words, n, round(n / words * _THOUSAND, 3) if words else None, m,
         _places(yes, tokens), _places(no, tokens))
        for doc, name, words, n, m, yes, no, tokens in found
    ]  # fmt: skip
    about = _evenness(corpus, uses, given, query)
    about = {**query.paged(about["texts"]), **about, "lemma": query.lemma.lower()}
    return CorpusTable(
        "dispersion", _TEXT_COLUMNS, rows, command_line(corpus.folder, query), about=about
    )


def _places(positions: Sequence[int] | None, tokens: int) -> list[float]:
    """Where in a text some words are, from 0 to 1, in steps of a thousandth."""
    return sorted({round(at / tokens, 3) for at in positions or ()})


def _evenness(
    corpus: IndexedCorpus, uses: str, given: list[Any], query: DispersionQuery
) -> dict[str, Any]:
    """How often a word occurs, in how many texts, and its dispersion over all texts.

    `dp` is Gries's DP and `dp_norm` the same divided by its greatest value, `d` Juilland's D of the
    rates in the texts, weighted by their words.
    """
    held, values = all_hold(corpus.conditions(query.where))
    every, size, least = corpus.database.one(
        f"SELECT count(*), sum(words), min(words) FILTER (words > 0) FROM documents WHERE {held}",
        values,
    )
    texts, n, metaphors, apart, there, squares = corpus.database.one(
        f"""
        SELECT count(*), coalesce(sum(times), 0)::BIGINT, coalesce(sum(m), 0)::BIGINT,
            sum(abs(share - size)), sum(size), sum(times * times / nullif(words, 0))
        FROM (
            SELECT times, m, words, words / ? AS size, times / sum(times) OVER () AS share FROM (
                SELECT doc, count(*) AS times, count(*) FILTER (metaphor) AS m
                FROM ({uses}) GROUP BY doc
            ) JOIN (SELECT doc, words FROM documents) USING (doc)
        )
        """,
        [size, *given],
    )
    found = {"uses": n, "metaphors": metaphors, "texts": texts, "all_texts": every}
    if not n or every < 2:
        return found | {"dp": None, "dp_norm": None, "d": None}
    dp = max(0.0, (apart + 1 - there) / 2)
    greatest, rate = 1 - least / size, n / size
    variation = max(0.0, squares / size - rate**2) ** 0.5 / rate
    return found | {
        "dp": round(dp, 4),
        "dp_norm": round(dp / greatest, 4) if greatest else None,
        "d": round(1 - variation / (every - 1) ** 0.5, 4),
    }


DOMAIN_COLUMNS = ("domain", "group", "metaphors", "texts", "share", "low", "high", "lemmas")
_TYPICAL = 5
"""Lemmas that stand for a domain."""


def domains(corpus: IndexedCorpus, query: DomainsQuery) -> CorpusTable:
    """Source domains by the share of metaphors that is drawn from them.

    Shares are of the metaphors that have a domain, so that groups with more or fewer metaphors can
    be compared.
    """
    if not corpus.source.domains:
        again = corpus.source.detect_again(domains=True)
        raise BadInput(f"{corpus.folder}: has no source domains; add them with: {again}")
    if query.target:
        corpus.need_words("domains near a word")
    where = corpus.conditions(query.where)
    group, condition, period = "''", "true", ""
    if query.by:
        column = corpus.column(query.by)
        if query.period:
            corpus.need_dates(column)
        period = (query.period or "year") if column.date else ""
        group = f"left({column.key}, {PERIODS[period]})" if period else column.key
        condition = f"{column.key} <> ''" if period else "true"
    held, values = all_hold(where)
    texts = f"(SELECT doc, {group} AS name FROM documents WHERE {held} AND {condition})"
    sums = _domain_sums(corpus, query, texts, values)
    rows = [_domain_row(one) for one in sums if one[2] >= query.min_count]
    rows.sort(key=lambda row: (row[1] if period else "", -row[2], row[0], row[1]))
    about = {**query.paged(len(rows)), "by": query.by, "period": period}
    shown = rows[query.skipped : query.skipped + query.rows]
    named = [row[:2] for row in shown]
    tokens = corpus.source.tokens
    typical = _typical_lemmas(corpus, query, texts, values, named) if tokens else {}
    shown = [(*row, typical.get(row[:2], [])) for row in shown]
    command = command_line(corpus.folder, query)
    return CorpusTable("domains", DOMAIN_COLUMNS, shown, command, about=about)


def _domain_row(sums: Row) -> Row:
    """Domain, group, metaphors and texts of the domain, its share with an interval."""
    domain, group, count, squares, products, texts, clusters, whole, whole_squares = sums
    share = ClusteredShare.from_sums(clusters, count, whole, squares, products, whole_squares)
    interval = share.interval()
    return domain, group, count, texts, interval.value, interval.low, interval.high


def _domain_sums(
    corpus: IndexedCorpus, query: DomainsQuery, texts: str, values: list[str]
) -> list[Row]:
    """Of each domain in each group: metaphors, their squares and their products with those of the
    text, texts; then of the group the texts with a metaphor, its metaphors and their squares."""
    near, given = _near(corpus, query)
    counted = "drawn"  # counted in advance
    if query.target:
        counted = f"({drawn_sums(f'SELECT * FROM domains WHERE {near}')})"
    return corpus.database.ask(
        f"""
        WITH named AS (
            SELECT * FROM {counted} JOIN {texts} USING (doc)
        ), whole AS (
            SELECT name, count(*) AS texts, sum(size)::BIGINT AS size,
                sum(size * size)::BIGINT AS squares FROM named WHERE once GROUP BY name
        )
        SELECT domain, name, n, squared, products, found, whole.texts, whole.size, whole.squares
        FROM (
            SELECT domain, name, sum(n)::BIGINT AS n, sum(n * n)::BIGINT AS squared,
                sum(n * size)::BIGINT AS products, count(*) AS found
            FROM named GROUP BY domain, name
        ) JOIN whole USING (name)
        """,
        [*given, *values],
    )


def _near(corpus: IndexedCorpus, query: DomainsQuery) -> tuple[str, list[Any]]:
    """The SQL for metaphors near the target, all of them where there is none."""
    if not query.target:
        return "true", []
    near = """
        EXISTS (SELECT 1 FROM words WHERE lemma = ? AND words.doc = domains.doc
            AND words.pos <> domains.pos
            AND words.pos BETWEEN domains.pos - ? AND domains.pos + ?)
    """
    return near, [corpus.lemma(query.target), query.window, query.window]


def _typical_lemmas(
    corpus: IndexedCorpus, query: DomainsQuery, texts: str, values: list[str], named: list[Row]
) -> dict[Row, list[str]]:
    """The most frequent words of each domain in each group of those that are named."""
    near, given = _near(corpus, query)
    rows = ", ".join(f"unnest(?::VARCHAR[]) AS {key}" for key in ("domain", "name"))
    found = corpus.database.ask(
        f"""
        SELECT domain, name, text FROM (
            SELECT domain, name, lemma, count(*) AS n FROM domains JOIN {texts} USING (doc)
            WHERE {near} GROUP BY ALL
        ) JOIN (SELECT {rows}) USING (domain, name) JOIN lemmas USING (lemma)
        QUALIFY row_number() OVER (PARTITION BY domain, name ORDER BY n DESC, text) <= {_TYPICAL}
        ORDER BY domain, name, n DESC, text
        """,
        [*values, *given, [one for one, _ in named], [group for _, group in named]],
    )
    typical: dict[Row, list[str]] = {}
    for domain, name, lemma in found:
        typical.setdefault((domain, name), []).append(lemma)
    return typical
