"""How often lemmas stand in some of the texts: from counts made beforehand where there are any."""

from __future__ import annotations

from trope.workbench.corpus.corpus import Conditions, all_hold

_SUMS = ", ".join(
    f"sum({name})::BIGINT AS {name}" for name in ("words", "metaphors", "verbs", "verb_metaphors")
)


def lemma_counts(conditions: Conditions) -> tuple[str, list[str]]:
    """A question and its values: lemma, words, metaphors, verbs, verb_metaphors of those texts."""
    if not conditions:
        return "SELECT lemma, words, metaphors, verbs, verb_metaphors FROM lemmas", []
    if len(conditions) == 1 and conditions[0].counted:
        (only,) = conditions
        question = f"FROM counts WHERE key = ? AND {only.sql('value')} GROUP BY lemma"
        return f"SELECT lemma, {_SUMS} {question}", [only.column.key, only.value]
    held, values = all_hold(conditions)
    verb = "tag = (SELECT tag FROM tags WHERE text = 'VERB')"
    return (
        "SELECT lemma, count(*) FILTER (word) AS words, "
        "count(*) FILTER (word AND metaphor) AS metaphors, "
        f"count(*) FILTER ({verb}) AS verbs, "
        f"count(*) FILTER ({verb} AND metaphor) AS verb_metaphors "
        f"FROM words WHERE doc IN (SELECT doc FROM documents WHERE {held}) GROUP BY lemma"
    ), values
