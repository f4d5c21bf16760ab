"""Words around a word: collocates, verbs with their objects, sketches of verbs, n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trope.core.errors import BadInput
from trope.metrics.keyness import log_dice, log_likelihood, log_ratio
from trope.tasks.metaphor.corpus_rates import OBJECT_LIMIT, VerbUse
from trope.workbench.corpus.corpus import Conditions, IndexedCorpus, all_hold, lemma_counts
from trope.workbench.corpus.queries import (
    CollocatesQuery,
    NgramsQuery,
    SketchQuery,
    VerbsQuery,
    command_line,
)
from trope.workbench.corpus.table import CorpusTable, Row
from trope.workbench.corpus.word_tables import USES_OF, ngram_words, uses_of, with_metaphor

COLLOCATE_COLUMNS = (
    *("lemma", "count", "metaphors", "total", "log_likelihood", "log_ratio", "log_dice"),
)
_SKETCH_COLUMNS = (
    *("role", "lemma", "metaphors", "others", "log_dice_metaphors", "log_dice_others"),
    *("log_likelihood", "log_ratio"),
)
_NGRAM_COLUMNS = ("ngram", "count", "per_million", "metaphors", "texts")
_VERB_COLUMNS = ("verb", "uses", "metaphors", "rate", "low", "high", "objects")
_ROLES = ("object", "subject")
_MILLION = 1_000_000
_BLOCK = 64
"""Words of a block, more than a window has."""


def collocates(corpus: IndexedCorpus, query: CollocatesQuery) -> CorpusTable:
    """Words near a lemma, by how much more frequent they are there than elsewhere.

    `metaphors` counts those that are near a metaphorical use of the lemma.
    """
    corpus.need_words("collocates")
    lemma = corpus.lemma(query.lemma)
    near = _near_in_window if query.near == "window" else _near_by_relation
    counted, here, elsewhere, node = near(corpus, query, lemma)
    rows = _near_rows(counted, here, elsewhere, node, query)
    about = {**query.paged(len(rows)), "uses": node, "near_words": here}
    shown = rows[query.skipped : query.skipped + query.rows]
    command = command_line(corpus.folder, query)
    return CorpusTable("collocates", COLLOCATE_COLUMNS, shown, command, about=about)


_NearWords = tuple[list[tuple[str, int, int, int]], int, int, int]
"""Each word with its counts near the lemma, near its metaphors and in all; the number of words near
the lemma, and of others; the uses of the lemma."""


def _near_in_window(corpus: IndexedCorpus, query: CollocatesQuery, lemma: int) -> _NearWords:
    conditions = corpus.conditions(query.where)
    held, values = all_hold(conditions)
    within = f"doc IN (SELECT doc FROM documents WHERE {held})" if conditions else "true"
    uses = f"SELECT doc, pos, metaphor FROM words WHERE lemma = ? AND {USES_OF[query.uses]}"
    tagged, tag = "true", []
    totals, given = lemma_counts(conditions)
    if query.upos:
        tagged, tag = "tag = (SELECT tag FROM tags WHERE text = ?)", [query.upos.upper()]
        table = f"({uses_of(within)})" if conditions else "uses"
        totals, given = f"SELECT lemma, words FROM {table} WHERE {tagged}", [*values, *tag]
    # places are joined by blocks, or a long text with many uses would compare all with all
    blocks = (
        f"SELECT *, unnest(range(greatest(pos - ?, 0) // {_BLOCK}, (pos + ?) // {_BLOCK} + 1)) "
        f"AS block FROM ({uses} AND {within})"
    )
    found = corpus.database.ask(
        f"""
        SELECT text, n, m, coalesce(totals.words, 0), (sum(near) OVER ())::BIGINT FROM (
            SELECT lemma, count(*) AS near, count(*) FILTER ({tagged}) AS n,
                count(*) FILTER ({tagged} AND metaphor) AS m
            FROM (
                SELECT any_value(words.lemma) AS lemma, any_value(tag) AS tag,
                    bool_or(uses.metaphor) AS metaphor
                FROM words JOIN ({blocks}) AS uses ON words.doc = uses.doc
                    AND words.pos // {_BLOCK} = block
                    AND words.pos BETWEEN uses.pos - ? AND uses.pos + ? AND words.pos <> uses.pos
                WHERE word GROUP BY words.doc, words.pos
            ) GROUP BY lemma
        ) JOIN lemmas USING (lemma) LEFT JOIN ({totals}) AS totals USING (lemma)
        """,
        [*tag, *tag, *[query.window] * 2, lemma, *values, *[query.window] * 2, *given],
    )
    (node,) = corpus.database.one(f"SELECT count(*) FROM ({uses} AND {within})", [lemma, *values])
    (size,) = corpus.database.one(f"SELECT sum(words) FROM documents WHERE {held}", values)
    here = found[0][4] if found else 0
    counted = [row[:4] for row in found if row[1] >= query.min_count]
    return counted, here, int(size or 0) - here, node


def _near_by_relation(corpus: IndexedCorpus, query: CollocatesQuery, lemma: int) -> _NearWords:
    corpus.need_relations()
    role, (held, values) = query.near, all_hold(corpus.conditions(query.where))
    within = f"doc IN (SELECT doc FROM documents WHERE {held})" if query.where else "true"
    if query.upos:
        raise BadInput("a part of speech can only be chosen in a window; leave out --upos")
    chosen = f"lemma = ? AND {USES_OF[query.uses]}"
    counted = corpus.database.ask(
        f"""
        SELECT lemmas.text, n, m, total FROM (
            SELECT {role}, count(*) FILTER ({chosen}) AS n,
                count(*) FILTER ({chosen} AND metaphor) AS m, count(*) AS total
            FROM relations WHERE {role} IS NOT NULL AND {within} GROUP BY {role}
        ) AS found JOIN lemmas ON lemmas.lemma = found.{role} WHERE n >= ?
        """,
        [lemma, lemma, *values, query.min_count],
    )
    here, size = corpus.database.one(
        f"SELECT count(*) FILTER ({chosen}), count(*) FROM relations "
        f"WHERE {role} IS NOT NULL AND {within}",
        [lemma, *values],
    )
    return counted, here, size - here, here


def _near_rows(
    counted: Sequence[tuple[str, int, int, int]],
    here: int,
    elsewhere: int,
    node: int,
    query: CollocatesQuery,
) -> list[Row]:
    near, total = np.array([(n, whole) for _, n, _, whole in counted], float).reshape(-1, 2).T
    likelihood = log_likelihood(near, total - near, here, elsewhere)
    ratio = log_ratio(near, total - near, max(here, 1), max(elsewhere, 1))
    dice = log_dice(near, node, total)
    rows = [
        (*row, round(float(one), 3), round(float(two), 3), round(float(three), 3))
        for row, one, two, three in zip(counted, likelihood, ratio, dice, strict=True)
    ]
    at = COLLOCATE_COLUMNS.index(query.sort)
    return sorted(rows, key=lambda row: (-row[at], -row[1], row[0]))


def verbs(corpus: IndexedCorpus, query: VerbsQuery) -> CorpusTable:
    """Metaphorical verbs, sorted by the lower end of the rate's interval, as in a summary."""
    corpus.need_words("verbs")
    conditions = corpus.conditions(query.where)
    question, values = lemma_counts(conditions)
    found = corpus.database.ask(
        f"SELECT text, found.verbs, found.verb_metaphors FROM ({question}) AS found "
        "JOIN lemmas USING (lemma) WHERE found.verb_metaphors > 0 AND found.verbs >= ?",
        [*values, query.min_uses],
    )
    uses = [VerbUse(lemma, count, metaphors, ()) for lemma, count, metaphors in found]
    uses.sort(key=lambda use: (-(use.rate.low or 0), -use.count, use.lemma))
    shown = uses[query.skipped : query.skipped + query.rows]
    notes: tuple[str, ...] = ()
    objects: dict[str, list[dict[str, Any]]] = {}
    if corpus.source.relations:
        objects = _objects(corpus, [use.lemma for use in shown], conditions)
    else:
        again = corpus.source.detect_again(relations=True)
        notes = (f"objects need the column 'relations'; add it with: {again}",)
    rows = [_verb_row(use, objects.get(use.lemma, [])) for use in shown]
    about, command = query.paged(len(uses)), command_line(corpus.folder, query)
    return CorpusTable("verbs", _VERB_COLUMNS, rows, command, notes, about)


def _verb_row(use: VerbUse, objects: list[dict[str, Any]]) -> Row:
    rate = use.rate
    return use.lemma, use.count, use.metaphors, rate.value, rate.low, rate.high, objects


def _objects(
    corpus: IndexedCorpus, lemmas: list[str], conditions: Conditions
) -> dict[str, list[dict[str, Any]]]:
    """The objects of the verbs, those with the most metaphorical uses first."""
    held, values = all_hold(conditions)
    within = f"AND doc IN (SELECT doc FROM documents WHERE {held})" if conditions else ""
    found = corpus.database.ask(
        f"""
        SELECT verb.text, thing.text, times, pairs.metaphors FROM (
            SELECT lemma, object, count(*) AS times, count(*) FILTER (metaphor) AS metaphors
            FROM relations
            WHERE lemma IN (SELECT lemma FROM lemmas WHERE list_contains(?::VARCHAR[], text))
                {within}
            GROUP BY lemma, object
        ) AS pairs JOIN lemmas AS verb USING (lemma) JOIN lemmas AS thing
            ON thing.lemma = pairs.object
        ORDER BY pairs.metaphors DESC, times DESC, thing.text
        """,
        [lemmas, *values],
    )
    objects: dict[str, list[dict[str, Any]]] = {}
    for verb, thing, times, metaphors in found:
        listed = objects.setdefault(verb, [])
        if len(listed) < OBJECT_LIMIT:
            listed.append({"lemma": thing, "count": times, "metaphors": metaphors})
    return objects


def sketch(corpus: IndexedCorpus, query: SketchQuery) -> CorpusTable:
    """The objects and subjects of a verb, beside metaphorical uses and beside the others.

    The log-likelihood and the log ratio compare the two kinds of uses: above 0, a word is more
    frequent beside metaphorical ones.
    """
    corpus.need_relations()
    lemma, (within, values) = corpus.lemma(query.lemma), corpus.within(query.where)
    about: dict[str, Any] = {}
    rows: list[Row] = []
    for role in _ROLES:
        if query.role in ("both", role):
            counted = corpus.database.ask(
                f"""
                SELECT lemmas.text, m, n - m, total FROM (
                    SELECT {role}, count(*) FILTER (lemma = ?) AS n,
                        count(*) FILTER (lemma = ? AND metaphor) AS m, count(*) AS total
                    FROM relations WHERE {role} IS NOT NULL AND {within} GROUP BY {role}
                ) AS found JOIN lemmas ON lemmas.lemma = found.{role} WHERE n > 0
                """,
                [lemma, lemma, *values],
            )
            sizes = sum(one[1] for one in counted), sum(one[2] for one in counted)
            about |= {f"{role}_metaphors": sizes[0], f"{role}_others": sizes[1]}
            kept = [one for one in counted if one[1] + one[2] >= query.min_count]
            rows += _sketch_rows(role, kept, sizes, query.sort)
    about = {**query.paged(len(rows)), **about, "lemma": query.lemma.lower()}
    shown = rows[query.skipped : query.skipped + query.rows]
    command = command_line(corpus.folder, query)
    return CorpusTable("sketch", _SKETCH_COLUMNS, shown, command, about=about)


def _sketch_rows(
    role: str, counted: Sequence[tuple[str, int, int, int]], sizes: tuple[int, int], sort: str
) -> list[Row]:
    """The rows of a role; without uses of both kinds there is nothing to compare."""
    one, two, total = np.array([row[1:] for row in counted], float).reshape(-1, 3).T
    compared = [log_likelihood(one, two, *sizes), log_ratio(one, two, *sizes)] if all(sizes) else []
    with np.errstate(divide="ignore"):
        dice = [log_dice(side, size, total) for side, size in zip((one, two), sizes, strict=True)]
    rows = [
        (
            *(role, *row[:3]),
            *(round(float(side[at]), 3) if row[1 + n] else None for n, side in enumerate(dice)),
            *([round(float(values[at]), 3) for values in compared] or (None, None)),
        )
        for at, row in enumerate(counted)
    ]
    sign = {"count": 0, "metaphors": -1, "others": 1}[sort]
    return sorted(rows, key=lambda row: (sign * (row[7] or 0), -row[2] - row[3], row[1]))


def ngrams(corpus: IndexedCorpus, query: NgramsQuery) -> CorpusTable:
    """Sequences of words that recur, most frequent first."""
    corpus.need_words("n-grams")
    places = [f"w{at}" for at in range(query.size)]
    held, values = all_hold(corpus.conditions(query.where))
    counted, given = _counted_ngrams(corpus, query)
    least = "metaphors > 0" if query.metaphors else "true"
    spelt = "".join(
        f" JOIN spellings AS s{at} ON s{at}.folded = {w}" for at, w in enumerate(places)
    )
    words = " AND ".join(f"s{at}.word" for at in range(query.size))
    first = "metaphors DESC, count DESC" if query.metaphors else "count DESC"
    listed = ", ".join(places)
    said = ", ".join(f"s{at}.text" for at in range(query.size))
    found = corpus.database.ask(
        f"""
        SELECT {listed}, concat_ws(' ', {said}) AS ngram, count, metaphors, count(*) OVER ()
        FROM ({counted}){spelt} WHERE {words} AND count >= ? AND {least}
        ORDER BY {first}, ngram LIMIT {query.rows} OFFSET {query.skipped}
        """,
        [*given, query.min_count],
    )
    (size,) = corpus.database.one(f"SELECT sum(words) FROM documents WHERE {held}", values)
    texts = _texts_of(corpus, [row[: query.size] for row in found], query)
    rows = [
        (ngram, count, round(count / size * _MILLION, 2), metaphors, texts[row[: query.size]])
        for row in found
        for ngram, count, metaphors in [row[query.size : -1]]
    ]
    total = found[0][-1] if found else 0
    about = {**query.paged(total), "size": query.size}
    return CorpusTable(
        "ngrams", _NGRAM_COLUMNS, rows, command_line(corpus.folder, query), about=about
    )


def _counted_ngrams(corpus: IndexedCorpus, query: NgramsQuery) -> tuple[str, list[Any]]:
    """The SQL for n-grams with their counts, and its parameters; those of all texts are counted in
    advance."""
    listed = ", ".join(f"w{at}" for at in range(query.size))
    counted = f"SELECT {listed}, count(*) AS count, count(*) FILTER (metaphor) AS metaphors"
    within, values = corpus.within(query.where)
    if query.lemma:
        found, parameters = _with_lemma(query, listed, within, values, corpus.lemma(query.lemma))
        return f"{counted} FROM ({found}) GROUP BY {listed}", parameters
    if query.where:
        return f"{counted} FROM ({_placed(query.size, 0, within)}) GROUP BY {listed}", values
    return f"SELECT {listed}, count, metaphors FROM ngrams WHERE size = {query.size}", []


def _placed(size: int, before: int, condition: str) -> str:
    """The SQL for the n-grams around words, with so many of their words before them."""
    words = ngram_words(size, before)
    named = ", ".join(f"{word} AS w{at}" for at, word in enumerate(words))
    filled = " AND ".join(f"{word} IS NOT NULL" for word in words)
    return f"""
        SELECT doc, pos - {before} AS start, {named}, {with_metaphor(size, before)} AS metaphor
        FROM (SELECT words.*, folded FROM words JOIN forms USING (form) WHERE {condition})
        WHERE {filled}
    """


def _with_lemma(
    query: NgramsQuery, listed: str, within: str, values: list[str], lemma: int
) -> tuple[str, list[Any]]:
    """The SQL for the n-grams with a lemma, and its parameters; what may have it twice is told
    apart by its place, so that it is counted once."""
    chosen = f"{within} AND lemma = ?"
    once, again = [], []
    for before in range(query.size):
        found = _placed(query.size, before, chosen)
        others = [word for word in ngram_words(query.size, before) if word != "folded"]
        twice = " OR ".join(f"{word} IN (FROM same)" for word in others)
        once.append(f"SELECT {listed}, metaphor FROM ({found} AND NOT ({twice}))")
        again.append(f"{found} AND ({twice})")
    return (
        f"""
        WITH same AS MATERIALIZED (SELECT DISTINCT folded FROM words JOIN forms USING (form)
            WHERE lemma = ?)
        {" UNION ALL ".join(once)}
        UNION ALL SELECT {listed}, bool_or(metaphor) FROM ({" UNION ALL ".join(again)})
            GROUP BY doc, start, {listed}
        """,
        [lemma, *([*values, lemma] * 2 * query.size)],
    )


def _texts_of(
    corpus: IndexedCorpus, shown: list[tuple[int, ...]], query: NgramsQuery
) -> dict[tuple[int, ...], int]:
    """In how many texts each of some n-grams occurs."""
    if not shown:
        return {}
    within, values = corpus.within(query.where)
    columns = [list(one) for one in zip(*shown, strict=True)]
    listed = ", ".join(f"unnest(?::INTEGER[]) AS w{at}" for at in range(query.size))
    words = ngram_words(query.size, 0)
    same = " AND ".join(f"{word} = w{at}" for at, word in enumerate(words))
    found = corpus.database.ask(
        f"""
        WITH shown AS MATERIALIZED (SELECT {listed})
        SELECT {", ".join(f"w{at}" for at in range(query.size))}, count(DISTINCT doc)
        FROM (SELECT words.*, folded FROM words JOIN forms USING (form)
            WHERE folded IN (SELECT w0 FROM shown) AND {within}) JOIN shown ON {same} GROUP BY ALL
        """,
        [*columns, *values],
    )
    return {row[:-1]: row[-1] for row in found}
