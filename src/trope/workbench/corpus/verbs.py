"""The most metaphorical verbs of a corpus, with their objects."""

from __future__ import annotations

from typing import Any

from trope.tasks.metaphor.corpus_rates import OBJECT_LIMIT, VerbUse
from trope.workbench.corpus.corpus import Conditions, IndexedCorpus, all_hold, lemma_counts
from trope.workbench.corpus.queries import VerbsQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row

COLUMNS = ("verb", "uses", "metaphors", "rate", "low", "high", "objects")


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
    rows = [_row(use, objects.get(use.lemma, [])) for use in shown]
    about, command = query.paged(len(uses)), command_line(corpus.folder, query)
    return CorpusTable("verbs", COLUMNS, rows, command, notes, about)


def _row(use: VerbUse, objects: list[dict[str, Any]]) -> Row:
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
