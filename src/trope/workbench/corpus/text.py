"""One text of a corpus, word by word."""

from __future__ import annotations

from trope.core.errors import BadInput
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import TextQuery, command_line
from trope.workbench.corpus.table import CorpusTable, Row

COLUMNS = ("place", "word", "lemma", "upos", "score", "metaphor", "start", "end", "novelty")


def text(corpus: IndexedCorpus, query: TextQuery) -> CorpusTable:
    """The tokens of a text; `about` has the text itself and its columns."""
    fields = corpus.facts.columns
    keys = "".join(f", {column.key}" for column in fields)
    found = corpus.database.ask(
        f"SELECT id, line, text, words, metaphors, sentences{keys} FROM documents WHERE doc = ?",
        [query.text],
    )
    if not found:
        number = f"{corpus.facts.texts:,}"
        raise BadInput(f"there is no text {query.text}; texts are numbered from 1 to {number}")
    identifier, line, original, words, metaphors, sentences, *values = found[0]
    about = {"number": query.text, "id": identifier, "line": line, "text": original, "words": words}
    about |= {"metaphors": metaphors, "sentences": sentences}
    about["fields"] = {column.name: value for column, value in zip(fields, values, strict=True)}
    notes = [] if corpus.facts.text else [_REBUILT]
    rows: list[Row] = []
    if corpus.source.tokens:
        rows = corpus.database.ask(
            """
            SELECT pos, forms.text, lemmas.text, tags.text, score, metaphor, start, stop,
                novelty
            FROM (SELECT * FROM words WHERE doc = ?)
                JOIN forms USING (form) JOIN lemmas USING (lemma) JOIN tags USING (tag)
            ORDER BY pos
            """,
            [query.text],
        )
    else:
        notes = [f"words need the column 'tokens'; add it with: {corpus.source.detect_again()}"]
    command = command_line(corpus.folder, query)
    return CorpusTable("text", COLUMNS, rows, command, tuple(notes), about)


_REBUILT = "the text is rebuilt from its tokens; trope detect --columns text keeps the original"
