"""The parts of a corpus as the database reads them, and names and values as it spells them."""

from __future__ import annotations

import glob
from pathlib import Path

from trope.workbench.corpus.source import CorpusSource

_TOKEN = (
    'STRUCT(text VARCHAR, start INTEGER, "end" INTEGER, upos VARCHAR, lemma VARCHAR, '
    "metaphor DOUBLE)[]"
)
_RELATION = "STRUCT(verb INTEGER, subject INTEGER, object INTEGER, kept BOOLEAN)[]"
_LARGEST_ROW = 64 * 1024 * 1024


def literal(value: str | Path) -> str:
    """A text as it stands in a statement."""
    return "'" + str(value).replace("'", "''") + "'"


def quoted(column: str) -> str:
    """The name of a column as it stands in a statement."""
    return '"' + column.replace('"', '""') + '"'


class Parts:
    """What statements say to read the parts of a corpus."""

    raw_lemma = "coalesce(nullif(t.lemma, ''), t.text)"
    """The lemma of a token `t`, or its form where it has none."""

    rebuilt = (
        "array_to_string(list_transform(tokens, lambda t, i: "
        "repeat(' ', t.start - CASE WHEN i = 1 THEN 0 ELSE tokens[i - 1].end END) || t.text), '')"
    )
    """The text of tokens, each where it stood, with blanks between them."""

    def __init__(self, source: CorpusSource) -> None:
        self._source = source

    @property
    def scan(self) -> str:
        """What stands after FROM."""
        source = self._source
        # a name with a star or a bracket is no pattern
        files = ", ".join(literal(glob.escape(str(path))) for path in source.parts)
        if source.manifest.settings.format == "parquet":
            return f"read_parquet([{files}])"
        columns = {
            **dict.fromkeys(("id", "file"), "VARCHAR"),
            "line": "BIGINT",
            **dict.fromkeys(source.manifest.settings.columns, "VARCHAR"),
            **dict.fromkeys(("words", "metaphors"), "BIGINT"),
            "figurative": "DOUBLE[]",
        }
        columns |= {"tokens": _TOKEN} if source.tokens else {}
        columns |= {"relations": _RELATION} if source.relations else {}
        types = ", ".join(f"{literal(key)}: {literal(kind)}" for key, kind in columns.items())
        return (
            f"read_json([{files}], format = 'newline_delimited', columns = {{{types}}}, "
            f"maximum_object_size = {_LARGEST_ROW})"
        )
