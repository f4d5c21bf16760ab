import io

import pytest

from trope.core.errors import BadRecord
from trope.corpora import plain_text as plain
from trope.corpora.plain_text import is_wrapped, read_documents, read_line_texts


def read(reader, text):
    return [(r.id, r.text, r.line) for r in reader(io.BytesIO(text.encode()))]


def test_a_text_a_line_keeps_its_blanks_and_its_line_number():
    assert read(read_line_texts, "  One.\n\n \t\nTwo. \n") == [
        ("1", "  One.", 1),
        ("4", "Two. ", 4),
    ]


def test_documents_end_at_blank_lines_and_keep_their_line_breaks():
    assert read(read_documents, "\nA storm\nof protest.\n \n\nCalm.\n") == [
        ("1", "A storm\nof protest.", 2),
        ("2", "Calm.", 6),
    ]


@pytest.mark.parametrize("reader", [read_line_texts, read_documents])
def test_blank_lines_alone_are_refused(reader):
    with pytest.raises(BadRecord, match="input:1: has only blank lines"):
        read(reader, "\n \n")


def test_a_document_without_end_is_refused_at_its_first_line(monkeypatch):
    monkeypatch.setattr(plain, "LINE_LIMIT", 100)
    with pytest.raises(BadRecord, match="input:3: begins a document that is too long"):
        read(read_documents, "short\n\n" + "a line of text\n" * 20)


VERSE = """The evening folds its letters, one by one,
and posts them through the narrow slot of hills.
My window is an eye that shuts at noon;
the clock is counting all its little bills,

and you, my road, a ribbon someone dropped,
have led me here, where every watch has stopped."""
PROSE = """The evening was cold and the road went on for
miles, past farms, past a mill and a small church,
until it came to the river. There was no bridge
over it, but a ferry, and the man who rowed it had
gone home for supper, so that we had to wait, and
wait."""


def test_lines_that_end_with_phrases_are_verse_and_stay_lines():
    assert not is_wrapped(VERSE.splitlines())
    assert is_wrapped(PROSE.splitlines())
