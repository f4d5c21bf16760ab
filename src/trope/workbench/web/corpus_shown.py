"""Rows of a table as a page shows them: numbers in words, addresses of what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from trope.metrics.intervals import Interval
from trope.render.metaphor_page import percent
from trope.workbench.corpus.concordance import COLUMNS, ROLES
from trope.workbench.corpus.handover import line_key
from trope.workbench.corpus.table import Table

Row = dict[str, Any]
_SHADES = 10
_MOST_META = 2


def shown_rows(view: str, rows: Sequence[Row]) -> list[Row]:
    """The rows of a view, ready for its template."""
    return [_SHOWN[view](row) for row in rows]


def _rates(row: Row) -> Row:
    counts = {name: f"{row[name]:,}" for name in ("texts", "sentences", "words", "metaphors")}
    return {"group": row["group"] or "–", **counts, "rate": _interval(row)}


def _verbs(row: Row) -> Row:
    objects = [
        {**one, "address": concordance_of(lemma=row["verb"], object=one["lemma"])}
        for one in row["objects"]
    ]
    uses = f"{row['metaphors']:,} of {row['uses']:,}"
    address = concordance_of(lemma=row["verb"], upos="VERB")
    return {**row, "uses": uses, "rate": _interval(row), "objects": objects, "address": address}


def _keyness(row: Row) -> Row:
    corrected = row["p_corrected"]
    return {
        **row,
        "address": concordance_of(lemma=row["lemma"]),
        "p": "< .0001" if corrected < 0.0001 else f"{corrected:.4f}",
        **{name: f"{row[name]:,}" for name in ("count", "other_count")},
        **{name: f"{row[name]:,.1f}" for name in ("per_million", "other_per_million")},
        "log_likelihood": f"{row['log_likelihood']:,.1f}",
        "log_ratio": f"{row['log_ratio']:+.2f}",
    }


def _concordance(row: Row) -> Row:
    # what the corpus says of the text: its first columns, after all of ours
    meta = [str(value) for name, value in row.items() if name not in (*COLUMNS, *ROLES) and value]
    return {
        **row,
        "key": line_key(row),
        "number": row["text"],
        "score": f"{row['score']:.2f}",
        "meta": ", ".join(meta[:_MOST_META]),
    }


_SHOWN: dict[str, Callable[[Row], Row]] = {
    "rates": _rates,
    "verbs": _verbs,
    "keyness": _keyness,
    "concordance": _concordance,
}


def _interval(row: Row) -> str:
    return percent(Interval(row["rate"], row["low"], row["high"]))


def concordance_of(**fields: str) -> str:
    """The address of a concordance."""
    return f"/corpus/concordance?{urlencode(fields)}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a text, or what stands between two; `shade` is from 0 to 10."""

    text: str
    word: bool = False
    shade: int = 0
    metaphor: bool = False
    chosen: bool = False
    said: str = ""


def pieces(table: Table, chosen: str) -> list[Piece]:
    """The text of a table in pieces; the word that begins at `chosen` stands out."""
    said: str = table.about["text"]
    found, at = [], 0
    for row in table.dicts():
        found.append(Piece(said[at : row["start"]]))
        score = row["score"] or 0.0
        found.append(
            Piece(
                said[row["start"] : row["end"]],
                True,
                round(score * _SHADES),
                row["metaphor"],
                str(row["start"]) == chosen,
                f"{row['lemma']}, {row['upos']}, {score:.2f}",
            )
        )
        at = row["end"]
    return [piece for piece in [*found, Piece(said[at:])] if piece.text]
