"""The VU Amsterdam Metaphor Corpus as "VUA-18": word sequences, and verbs.

The files lost characters on their way. The test file is UTF-8; its column `sentence` is damaged,
`labeled_sentence` is not. The others were UTF-8, read as Windows text, written as Mac text. Words
are therefore taken from `labeled_sentence`, whose tokens are those of `sentence`, and repaired one
by one; their number never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from trope.corpora.fields import Row, Unique, read_bytes, told_encoding
from trope.corpora.records import LabelledSentence, LabelledTarget
from trope.corpora.sources import Source
from trope.corpora.tables import read_rows

SentenceWords = Mapping[str, tuple[str, ...]]
"""Id of a sentence, "text_sentence" → its words."""

_MARK = "M_"
_DAMAGED = "latin-1"  # what the damaged files are read as: every byte a character


def read_vua_words(source: Source, *, encoding: str | None = None) -> Iterator[LabelledSentence]:
    """Sentences with a verdict, a tag and the repaired spelling of every word.

    Without `encoding`, a file that is no UTF-8 is read as Latin-1 and repaired.

    Raises:
        BadRecord: for lists of different length, unknown labels, ids that come twice.
    """
    content = read_bytes(source)
    encoding = encoding or told_encoding(content.getvalue(), _DAMAGED)
    ids = Unique()
    for line, fields in read_rows(content, format="csv", encoding=encoding):
        row = Row(content.name, line, fields)
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
    encoding = encoding or told_encoding(content.getvalue(), _DAMAGED)
    for line, fields in read_rows(content, format="csv", encoding=encoding):
        row = Row(content.name, line, fields)
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


def _columns(row: Row) -> tuple[tuple[str, ...], tuple[bool, ...], tuple[str, ...]]:
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


def _repaired(word: str, row: Row) -> str:
    try:
        return repair_word(word)
    except UnicodeError:
        raise row.fault(
            f"the word {word!r} is damaged in no known way; give the encoding of the file"
        ) from None


def _repaired_sentence(
    row: Row, identifier: str, spelt: tuple[str, ...], words: SentenceWords
) -> tuple[str, ...]:
    if identifier not in words:
        raise row.fault(f"no sequence file that was given has the sentence {identifier!r}")
    repaired = words[identifier]
    if len(repaired) != len(spelt):
        raise row.fault(
            f"{len(spelt)} words, but {len(repaired)} in the sequence file; give files that belong "
            "together"
        )
    return repaired
