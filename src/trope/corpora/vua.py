"""The VU Amsterdam Metaphor Corpus: "VUA-18", the shared tasks of 2018 and 2020, scores of novelty.

The files of VUA-18 lost characters. The test file is UTF-8; its column `sentence` is damaged,
`labeled_sentence` is not. The others were UTF-8, read as Windows text, written as Mac text. Words
are therefore taken from `labeled_sentence`, whose tokens are those of `sentence`, and repaired one
by one; their number never changes.

An id of a shared task's key, "a3m-fragment02_45_3", is text, sentence and token; the token is
counted from 1 over the blank-separated words of the corpus file. Records count from 0. How new the
metaphors are was scored by Do Dinh et al. (2018).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from trope.core.errors import BadRecord
from trope.corpora.records import LabelledSentence, LabelledTarget
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import (
    NamedBytes,
    Source,
    detect_encoding,
    numbered_lines,
    read_bytes,
    source_name,
)
from trope.corpora.tables import read_rows

SentenceWords = Mapping[str, tuple[str, ...]]
"""Id of a sentence, "text_sentence" → its words."""

_MARK = "M_"
_DAMAGED = "latin-1"  # what the damaged files are read as: every byte a character

_ID = re.compile(r"(?P<sentence>.+_[^_]+)_(?P<token>[1-9]\d*)")
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
_HIGHEST = 1.0


def read_vua_words(source: Source, *, encoding: str | None = None) -> Iterator[LabelledSentence]:
    """Sentences with a verdict, a tag and the repaired spelling of every word.

    Without `encoding`, a file that is no UTF-8 is read as Latin-1 and repaired.

    Raises:
        BadRecord: for lists of different length, unknown labels, ids that come twice.
    """
    content = read_bytes(source)
    encoding = encoding or detect_encoding(content.getvalue(), _DAMAGED)
    ids = UniqueIds()
    for line, fields in read_rows(content, format="csv", encoding=encoding):
        row = CheckedRow(content.name, line, fields)
        identifier = f"{row.text('txt_id')}_{row.text('sen_ix')}"
        ids.add(identifier, row, identifier)
        words, labels, tags = _columns(row)
        if encoding == _DAMAGED:
            words = tuple(_repaired(word, row) for word in words)
        yield LabelledSentence(identifier, words, labels, line, tags, row.text("genre"))


def read_vua_verbs(
    source: Source, *, words: SentenceWords | None = None, encoding: str | None = None
) -> Iterator[LabelledTarget]:
    """Verbs in their sentences; the same verb of a sentence may come more than once.

    Args:
        words: sentences with repaired words, from `sentence_words`; without them the words are
            spelt as the file has them, damage included.
    """
    content = read_bytes(source)
    encoding = encoding or detect_encoding(content.getvalue(), _DAMAGED)
    for line, fields in read_rows(content, format="csv", encoding=encoding):
        row = CheckedRow(content.name, line, fields)
        sentence = f"{row.text('text_idx')}_{row.text('sentence_idx')}"
        spelt = row.words("sentence")
        if words is not None:
            spelt = _repaired_sentence(row, sentence, spelt, words)
        target = row.position("verb_idx", len(spelt))
        identifier = f"{sentence}_{target}"
        yield LabelledTarget(identifier, spelt, target, row.text("verb"), row.label(), line)


def sentence_words(sentences: Iterable[LabelledSentence]) -> dict[str, tuple[str, ...]]:
    """The words of sentences by id, for `read_vua_verbs`."""
    return {sentence.id: sentence.words for sentence in sentences}


def repair_word(word: str) -> str:
    """The right spelling of a word of the damaged files, read as Latin-1."""
    if word.isascii():
        return word
    twice = word.encode("latin-1").decode("mac_roman")
    # two bytes were lost as "_": they can only have been these
    once = twice.replace("Ã_", "Ã¼").replace("Â_", "-")
    return once.encode("cp1252").decode("utf-8")


def _columns(row: CheckedRow) -> tuple[tuple[str, ...], tuple[bool, ...], tuple[str, ...]]:
    """Words without marks, labels and tags, one of each for every word."""
    plain = row.text("sentence").split(" ")
    marked = row.text("labeled_sentence").split(" ")
    labels, tags = row.items("label_seq"), row.items("pos_seq")
    if not len(plain) == len(marked) == len(labels) == len(tags):
        raise row.fault(
            f"{len(plain)} words (labelled: {len(marked)}), {len(labels)} labels and "
            f"{len(tags)} tags; every word needs one label and one tag"
        )
    for label in labels:
        if label not in (0, 1):
            raise row.fault(f"unknown label {label!r} in column 'label_seq'; known: 0, 1")
    words = tuple(
        word if _MARK in original else word.replace(_MARK, "")
        for word, original in zip(marked, plain, strict=True)
    )
    return words, tuple(label == 1 for label in labels), tuple(map(str, tags))


def _repaired(word: str, row: CheckedRow) -> str:
    try:
        return repair_word(word)
    except UnicodeError:
        raise row.fault(
            f"the word {word!r} is damaged in an unknown way; give the encoding of the file"
        ) from None


def _repaired_sentence(
    row: CheckedRow, identifier: str, spelt: tuple[str, ...], words: SentenceWords
) -> tuple[str, ...]:
    if identifier not in words:
        raise row.fault(f"none of the given sequence files has the sentence {identifier!r}")
    repaired = words[identifier]
    if len(repaired) != len(spelt):
        raise row.fault(
            f"{len(spelt)} words, but {len(repaired)} in the sequence file; give files of the same "
            "version"
        )
    return repaired


@dataclass(frozen=True, slots=True)
class KeyToken:
    """A token of a key: its sentence, its position from 0, its verdict (None in lists of ids)."""

    id: str
    sentence: str
    position: int
    metaphor: bool | None
    line: int


def read_vua_key(source: Source) -> Iterator[KeyToken]:
    """Tokens of a key, with or without a header, with or without labels.

    Raises:
        BadRecord: for ids of another form, unknown labels, ids that come twice.
    """
    content = read_bytes(source)
    ids = UniqueIds()
    for line, text in numbered_lines(content):
        cells = text.strip().split(",")
        if cells in (["id", "label"], [""]):
            continue
        row = CheckedRow(content.name, line, dict(zip(("id", "label"), cells, strict=False)))
        if len(cells) > 2:
            raise row.fault(f"has {len(cells)} fields; a key has an id and a label")
        identifier = row.text("id")
        ids.add(identifier, row, identifier)
        found = _ID.fullmatch(identifier)
        if found is None:
            raise row.fault(
                f"{identifier!r} is not an id text_sentence_token with tokens counted from 1"
            )
        verdict = row.label() if len(cells) == 2 else None
        yield KeyToken(identifier, found["sentence"], int(found["token"]) - 1, verdict, line)


def read_vuamc(source: Source) -> Iterator[LabelledSentence]:
    """Sentences of the corpus files; a word was marked with "M_", which is taken off.

    The training file has some sentences without words; they are kept, so that counts agree.

    Raises:
        BadRecord: for ids that come twice and bytes that no rule repairs.
    """
    content = _repaired_content(read_bytes(source))
    ids = UniqueIds()
    for line, fields in read_rows(content, format="csv"):
        row = CheckedRow(content.name, line, fields)
        identifier = f"{row.text('txt_id')}_{row.text('sentence_id')}"
        ids.add(identifier, row, identifier)
        marked = row.optional("sentence_txt").split()
        words = tuple(word.replace(_MARK, "") for word in marked)
        labels = tuple(word.startswith(_MARK) for word in marked)
        yield LabelledSentence(identifier, words, labels, line)


def _repaired_content(content: NamedBytes) -> NamedBytes:
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
            content.name, line, f"holds the byte 0x{bad}, which no rule can fix; convert to UTF-8"
        ) from None
    return NamedBytes(raw, content.name)


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with the novelty of each of its metaphors, -1 to 1; None for all other words."""

    id: str
    text: str
    words: tuple[str, ...]
    novelty: tuple[float | None, ...]


def read_novelty(source: Source, sentences: Iterable[LabelledSentence]) -> Iterator[ScoredSentence]:
    """The sentences that have scored metaphors, with their scores.

    The file counts texts, sentences and tokens from 0: texts in the order of their names,
    sentences and tokens in the order of the corpus files, of which `sentences` must hold all.
    Scores whose token is not a metaphor there are left out: multi-word tokens have shifted them.

    Raises:
        BadRecord: for positions and scores that are not numbers, or out of range.
    """
    scores = _scores(source)
    by_text = groupby(sorted(sentences, key=_text_of), key=_text_of)
    for text_number, (text, own) in enumerate(by_text):
        for number, sentence in enumerate(own):
            found = scores.get((text_number, number), {})
            novelty = tuple(
                found.get(at) if label else None for at, label in enumerate(sentence.labels)
            )
            if any(value is not None for value in novelty):
                yield ScoredSentence(sentence.id, text, sentence.words, novelty)


def _text_of(sentence: LabelledSentence) -> str:
    return sentence.id.rsplit("_", 1)[0]


def _scores(source: Source) -> dict[tuple[int, int], dict[int, float]]:
    name = source_name(source)
    found: dict[tuple[int, int], dict[int, float]] = {}
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        try:
            text, sentence, token = (
                int(row.text(f"{part} id")) for part in ("text", "sentence", "token")
            )
            score = float(row.text("score"))
        except ValueError:
            raise row.fault("needs whole numbers as ids and a number as score") from None
        if min(text, sentence, token) < 0 or not abs(score) <= _HIGHEST:
            raise row.fault("ids count from 0 and scores lie between -1 and 1; check the row")
        found.setdefault((text, sentence), {})[token] = score
    return found
