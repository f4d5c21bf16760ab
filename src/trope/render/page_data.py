"""What the scripts of a page draw from: the words and relations of a text as compact JSON.

Words have columns, each a list with an entry per word: how far the word begins after the last
one, its length, the number of its class, tag and relation among `names`, its head counted within
the sentence, its lemma (0 if that is the word in small letters) and its score in hundredths.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from trope.core.records import Analysis, Token
from trope.relations import REASONS
from trope.render.markup import printable
from trope.render.summary import relation_notes, relation_words


def page_data(analysis: Analysis, paragraphs: Sequence[tuple[int, int]]) -> str:
    """The data of a text as JSON that may stand in a script element."""
    starts = [sentence.start for sentence in analysis.sentences]
    data: dict[str, Any] = {
        "paragraphs": [(start, bisect_left(starts, end)) for start, end in paragraphs],
        "sentences": [sentence.last - sentence.first for sentence in analysis.sentences],
        "words": _places(analysis.tokens),
    }
    if "syntax" in analysis.tasks:
        data["syntax"] = _syntax(analysis)
    if "relations" in analysis.tasks:
        data["relations"] = _relations(analysis)
    if "metaphor" in analysis.tasks:
        data["scores"] = [round(100 * (token.metaphor or 0)) for token in analysis.tokens]
    if analysis.sentence_sentiments:
        data["sentiments"] = [round(score, 1) for score in analysis.sentence_sentiments]
    return encode(data)


def encode(data: Any) -> str:
    """Plain data as JSON without a character that HTML understands."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c").replace("&", "\\u0026")


def reasons() -> str:
    """Why relations are left out, by the name of the reason."""
    return encode(REASONS)


def _relations(analysis: Analysis) -> list[list[Any]]:
    """The relations of every sentence: kind, words, notes, and the reason if it is left out."""
    firsts = [sentence.first for sentence in analysis.sentences]
    found: list[list[Any]] = [[] for _ in firsts]
    for relation in analysis.relations:
        words = printable(relation_words(relation, analysis))
        notes = ", ".join(relation_notes(relation, analysis))
        row = (relation.kind, words, notes, relation.reason)
        found[bisect_right(firsts, relation.verb) - 1].append(row)
    return found


def _places(tokens: Sequence[Token]) -> dict[str, list[int]]:
    ends = [0, *(token.end for token in tokens)]
    return {
        "gaps": [token.start - end for token, end in zip(tokens, ends, strict=False)],
        "lengths": [token.end - token.start for token in tokens],
    }


def _syntax(analysis: Analysis) -> dict[str, Any]:
    tokens = analysis.tokens
    heads = [head for sentence in analysis.sentences for head in analysis.heads_in(sentence)]
    columns: dict[str, Any] = {
        "heads": heads,
        "lemmas": [0 if t.lemma == t.text.lower() else printable(t.lemma) for t in tokens],
    }
    for name in ("upos", "xpos", "deprel"):
        columns |= _numbered(name, [printable(getattr(token, name)) for token in tokens])
    return columns


def _numbered(name: str, values: Iterable[str]) -> dict[str, Any]:
    """A column as numbers, and the names that these stand for."""
    numbers: dict[str, int] = {}
    column = [numbers.setdefault(value, len(numbers)) for value in values]
    return {name: column, f"{name}_names": list(numbers)}
