"""The words of a text as a table for spreadsheets."""

from __future__ import annotations

import csv
import io

from trope.annotate.exchange.files import protect
from trope.core.records import Analysis

COLUMNS = (
    "sentence", "word", "text", "start", "end", "lemma", "upos", "xpos", "head", "deprel",
    "metaphor", "is_metaphor",
)  # fmt: skip


def words_csv(analysis: Analysis) -> str:
    """A row a word; sentences, words and heads are counted from 0 as in the JSON."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    for place, sentence in enumerate(analysis.sentences):
        for number, token in enumerate(analysis.tokens_in(sentence), start=sentence.first):
            cells = (
                place, number, token.text, token.start, token.end, token.lemma, token.upos,
                token.xpos, token.head, token.deprel,
                "" if token.metaphor is None else token.metaphor, int(analysis.is_metaphor(number)),
            )  # fmt: skip
            rows.writerow([protect(str(cell)) for cell in cells])
    return file.getvalue()
