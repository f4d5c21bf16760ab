"""Words in their context: found, counted, sorted, and shown a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trope.core.errors import BadInput
from trope.workbench.corpus.building_words import NEIGHBOURS
from trope.workbench.corpus.corpus import Corpus, all_hold
from trope.workbench.corpus.facts import FILE
from trope.workbench.corpus.queries import ConcordanceQuery, command_line
from trope.workbench.corpus.table import Row, Table

COLUMNS = (
    *("text", "id", "left", "word", "right", "lemma", "upos", "score", "metaphor"),
    *("start", "end"),
)
ROLES = ("subject", "object")


def _neighbours(side: str) -> str:
    return ", ".join(f"{side}{away} NULLS FIRST" for away in range(1, NEIGHBOURS + 1))


_ORDERS = {
    "place": "doc, pos",
    "score": "score DESC, doc, pos",
    "left": f"{_neighbours('l')}, doc, pos",
    "right": f"{_neighbours('r')}, doc, pos",
}


@dataclass(frozen=True, slots=True)
class _Search:
    """What stands after FROM, and its values."""

    table: str
    conditions: tuple[str, ...]
    values: tuple[Any, ...]

    @property
    def sql(self) -> str:
        return f"{self.table} WHERE {' AND '.join(self.conditions)}"


def concordance(corpus: Corpus, query: ConcordanceQuery) -> Table:
    """The words that were asked for, with what stands to their left and right."""
    corpus.need_words("keyness and concordance")
    search = _search(corpus, query)
    (total,) = corpus.database.one(f"SELECT count(*) FROM {search.sql}", search.values)
    roles = ROLES if query.of_relations else ()
    extra = [column for column in corpus.facts.columns if column.name != FILE]
    columns = (*COLUMNS, *roles, *(_free(column.name) for column in extra))
    rows = _lines(corpus, query, search, [column.key for column in extra]) if total else []
    command = command_line(corpus.folder, query)
    return Table("concordance", columns, rows, command, about=query.paged(total))


def _free(name: str) -> str:
    """The name of a column of the corpus, which must not be one of ours."""
    return f"{name} (column)" if name in (*COLUMNS, *ROLES) else name


def _search(corpus: Corpus, query: ConcordanceQuery) -> _Search:
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
        problem = "lemma, form, upos, regex, object, subject, relations, metaphors or a score"
        raise BadInput(f"nothing is asked for; name at least one: {problem}")
    if query.where:
        held, given = all_hold(corpus.conditions(query.where))
        ask(f"doc IN (SELECT doc FROM documents WHERE {held})", *given)
    table = "relations" if query.of_relations else "words"
    return _Search(table, tuple(conditions) or ("true",), tuple(values))


def _matches_all(corpus: Corpus, pattern: str) -> bool:
    """Whether a regular expression is found in every word, so that it need not be looked for.

    Raises:
        BadInput: for one that is none, or that would be too large.
    """
    try:
        (matches,) = corpus.database.one(
            "SELECT bool_and(regexp_matches(text, ?)) FROM forms", [pattern]
        )
        return bool(matches)
    except BadInput as error:
        problem = str(error).removesuffix("; ask otherwise")
        raise BadInput(f"{pattern!r} is no regular expression ({problem}); mend it") from None


def _lines(
    corpus: Corpus, query: ConcordanceQuery, search: _Search, extra: Sequence[str]
) -> list[Row]:
    places = "subject_pos, object_pos" if query.of_relations else "NULL, NULL"
    found = corpus.database.ask(
        f"""
        SELECT doc, pos, lemmas.text, tags.text, score, metaphor, start, stop, subject_pos,
            object_pos
        FROM (SELECT doc, pos, lemma, tag, score, metaphor, start, stop,
                {places.split(", ")[0]} AS subject_pos, {places.split(", ")[1]} AS object_pos,
                row_number() OVER () AS place
            FROM (SELECT * FROM {search.sql} ORDER BY {_ORDERS[query.sort]}
                LIMIT {query.rows} OFFSET {query.skipped}))
            JOIN lemmas USING (lemma) JOIN tags USING (tag)
        ORDER BY place
        """,
        search.values,
    )
    texts = _texts(corpus, {one[0] for one in found}, extra)
    return [_line(hit, texts[hit[0]], query) for hit in found]


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with the places of its tokens."""

    id: str
    text: str
    starts: list[int]
    ends: list[int]
    extra: tuple[str, ...]

    def word(self, place: int | None) -> str:
        return "" if place is None else self.text[self.starts[place] : self.ends[place]]


def _texts(corpus: Corpus, numbers: set[int], extra: Sequence[str]) -> dict[int, _Text]:
    if not numbers:
        return {}
    found = corpus.database.ask(
        f"SELECT doc, id, text, starts, ends{''.join(f', {key}' for key in extra)} "
        f"FROM documents WHERE doc IN ({', '.join(map(str, sorted(numbers)))})"
    )
    return {
        doc: _Text(identifier, text, starts, ends, tuple(values))
        for doc, identifier, text, starts, ends, *values in found
    }


def _line(hit: Row, text: _Text, query: ConcordanceQuery) -> Row:
    doc, at, lemma, tag, score, metaphor, start, end, subject, thing = hit
    first = text.starts[max(0, at - query.context)]
    last = text.ends[min(len(text.ends) - 1, at + query.context)]
    roles = (text.word(subject), text.word(thing)) if query.of_relations else ()
    return (
        *(doc, text.id),
        *(_flat(text.text[first:start]), text.text[start:end], _flat(text.text[end:last])),
        *(lemma, tag, score, metaphor, start, end),
        *roles,
        *text.extra,
    )


def _flat(context: str) -> str:
    """A stretch of a text on one line."""
    return " ".join(context.split())
