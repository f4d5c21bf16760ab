"""The shared tasks of 2018 and 2020 on the VU Amsterdam corpus: keys, and texts with marks.

An id of a key, "a3m-fragment02_45_3", is text, sentence and token; the token is counted from 1
over the blank-separated words of the corpus file. Records count from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trope.core.errors import BadRecord
from trope.corpora.fields import NamedBytes, Row, Unique, read_bytes
from trope.corpora.records import LabelledSentence
from trope.corpora.sources import Source, numbered_lines
from trope.corpora.tables import read_rows

_ID = re.compile(r"(?P<sentence>.+_[^_]+)_(?P<token>[1-9]\d*)")
_MARK = "M_"

# What the training corpus has for characters that are not ASCII; the last two are single words
_DAMAGE = {
    b"\xe4\xf3\xd6": "‘",
    b"\xe4\xf3\xbb": "’",
    b"\xe4\xf3\xee": "—",
    b"\xe4\xf3\xf1": "–",
    b"\xe4\xf3_": "…",
    b"\x8c\xa3": "£",
    b"\x8c_": "-",
    b"\xed\xa9": "é",
    b"\xed\xc2": "è",
    b"\xed\xa2": "â",
    b"\xed\xb1": "ñ",
    b"\xed\x84": "×",
    b"\xed_": "ü",
    b"\xed\xc8": "ê",
}


@dataclass(frozen=True, slots=True)
class KeyToken:
    """A token of a key: its sentence, its position from 0, its verdict (None in lists of ids)."""

    id: str
    sentence: str
    position: int
    metaphor: bool | None
    line: int


def read_key(source: Source) -> Iterator[KeyToken]:
    """Tokens of a key, with or without a header, with or without labels.

    Raises:
        BadRecord: for ids of another form, unknown labels, ids that come twice.
    """
    content = read_bytes(source)
    ids = Unique()
    for line, text in numbered_lines(content):
        cells = text.strip().split(",")
        if cells in (["id", "label"], [""]):
            continue
        row = Row(content.name, line, dict(zip(("id", "label"), cells, strict=False)))
        if len(cells) > 2:
            raise row.fault(f"has {len(cells)} fields; a key has an id and a label")
        identifier = row.text("id")
        ids.add(identifier, row, identifier)
        found = _ID.fullmatch(identifier)
        if found is None:
            raise row.fault(f"{identifier!r} is no id of text_sentence_token, tokens from 1")
        verdict = row.label() if len(cells) == 2 else None
        yield KeyToken(identifier, found["sentence"], int(found["token"]) - 1, verdict, line)


def read_vuamc(source: Source) -> Iterator[LabelledSentence]:
    """Sentences of the corpus files; a word was marked with "M_", which is taken off.

    The training file has some sentences without words; they are kept, so that counts agree.

    Raises:
        BadRecord: for ids that come twice and bytes that no rule repairs.
    """
    content = _repaired(read_bytes(source))
    ids = Unique()
    for line, fields in read_rows(content, format="csv"):
        row = Row(content.name, line, fields)
        identifier = f"{row.text('txt_id')}_{row.text('sentence_id')}"
        ids.add(identifier, row, identifier)
        marked = row.optional("sentence_txt").split()
        words = tuple(word.replace(_MARK, "") for word in marked)
        labels = tuple(word.startswith(_MARK) for word in marked)
        yield LabelledSentence(identifier, words, labels, line)


def _repaired(content: NamedBytes) -> NamedBytes:
    raw = content.getvalue()
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        for damage, character in _DAMAGE.items():
            raw = raw.replace(damage, character.encode())
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        bad = raw[error.start : error.start + 1].hex()
        raise BadRecord(
            content.name, line, f"holds the byte 0x{bad}, which no rule repairs; convert to UTF-8"
        ) from None
    return NamedBytes(raw, content.name)
