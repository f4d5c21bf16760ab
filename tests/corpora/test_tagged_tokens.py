"""Sentences with a tag for every token, from small files of our own."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.corpora.tagged_tokens import (
    TaggedSentence,
    TaggedSpan,
    read_tagged_tokens,
    read_uner,
    tag_spans,
)

NAMED = """# id = toy-1
Harbour	B-ORG
Bank	I-ORG
left	O
Oslo	B-LOC

# id = toy-2
#	O
Rain	O
"""
UNER = """# newdoc id = toy
# newpar
# sent_id = toy-0001
# text = Ann can't swim.
1	Ann	B-PER	-	me
2	ca	O	-	-
3	n't	O	-	-
4	swim	O	-	-
5	.	O	-	-

# sent_id = toy-0002
# text = Oslo
1	Oslo	B-LOC	-	me
"""


def read(text, **options):
    return list(read_tagged_tokens(io.BytesIO(text.encode()), **options))


def uner(text, **options):
    return list(read_uner(io.BytesIO(text.encode()), **options))


def test_tokens_tags_ids_and_lines_are_read():
    first, second = read(NAMED, strict=True)
    assert first.tokens == ("Harbour", "Bank", "left", "Oslo")
    assert first.spans == (TaggedSpan(0, 2, "ORG"), TaggedSpan(3, 4, "LOC"))
    assert (first.id, first.line, second.id, second.line) == ("toy-1", 1, "toy-2", 7)
    assert (second.tokens, second.spans) == (("#", "Rain"), ())


def test_a_packed_file_is_read(tmp_path):
    path = tmp_path / "toy.tsv.gz"
    path.write_bytes(gzip.compress(NAMED.encode()))
    assert list(read_tagged_tokens(path)) == read(NAMED)


def test_sentences_without_ids_are_counted_and_blanks_may_separate():
    first, second = read("-DOCSTART- O\n\nOslo I-LOC\nwon O\n\t\n\nAnn I-PER\n")
    assert (first.id, first.tokens, first.tags) == ("1", ("Oslo", "won"), ("B-LOC", "O"))
    assert (second.id, second.line) == ("2", 7)


def test_a_blank_in_a_token_stays():
    (sentence,) = read("New York\tB-LOC\n")
    assert sentence.tokens == ("New York",)


def test_an_i_of_another_type_begins_a_span():
    (sentence,) = read("Oslo\tB-LOC\nBank\tI-ORG\nran\tI-ORG\n")
    assert sentence.tags == ("B-LOC", "B-ORG", "I-ORG")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("Oslo\tB-LOC\tx\n", 1, "is not a token, a tab and a tag"),
        ("won\tO\nOslo\n", 2, "is not a token, a tab and a tag"),
        ("\tO\n", 1, "is not a token, a tab and a tag"),
        ("won\tO\nOslo\tLOC\n", 2, "unknown tag 'LOC'"),
        ("Oslo\tB-\n", 1, "unknown tag 'B-'"),
        ("# id = a\nOslo\tO\n\n# id = a\nOslo\tO\n", 4, "id 'a' is also in line 1"),
        ("# id = a\n\nOslo\tO\n", 1, "a sentence without tokens"),
        ("Oslo\tO\n\n# id = a\n", 3, "a sentence without tokens"),
        ("# id =\nOslo\tO\n", 1, "the id is empty"),
        ("Oslo\tO\n# id = a\nOslo\tO\n", 2, "a comment inside a sentence"),
        ("", 1, "is empty"),
    ],
)
def test_faults_are_reported_with_their_line(text, line, problem):
    with pytest.raises(BadRecord, match=problem) as caught:
        read(text)
    assert caught.value.line == line


def test_an_i_that_continues_nothing_is_refused_if_wished():
    with pytest.raises(BadRecord, match="input:2: I-LOC continues no span"):
        read("in\tO\nOslo\tI-LOC\n", strict=True)


def test_universal_ner_has_the_text_too():
    first, second = uner(UNER, strict=True)
    assert (first.id, first.text, first.line) == ("toy-0001", "Ann can't swim.", 1)
    assert first.spans == (TaggedSpan(0, 1, "PER"),)
    assert second.tokens == ("Oslo",)


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("# sent_id = toy-0002\n", "", 11, "has no column 'sent_id'"),
        ("# text = Oslo\n", "", 11, "has no column 'text'"),
        ("# text = Oslo", "# text = Rome", 11, "does not consist of the tokens"),
        ("toy-0002", "toy-0001", 11, "is also in line 1"),
        ("2	ca", "3	ca", 6, "has the number '3' instead of 2"),
        ("2	ca	O	-	-", "2	ca	O", 6, "has 3 columns"),
        ("2	ca	O", "2	ca	X", 6, "unknown tag 'X'"),
    ],
)
def test_faults_of_universal_ner_are_reported_with_their_line(old, new, line, problem):
    with pytest.raises(BadRecord, match=problem) as caught:
        uner(UNER.replace(old, new))
    assert caught.value.line == line


TAGS = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), min_size=1, max_size=12)


@given(TAGS)
def test_spans_cover_what_is_tagged_and_begin_with_b(tags):
    text = "".join(f"t{at}\t{tag}\n" for at, tag in enumerate(tags))
    (sentence,) = read(text)
    covered = [at for span in sentence.spans for at in range(span.start, span.end)]
    assert covered == [at for at, tag in enumerate(tags) if tag != "O"]
    assert sentence.spans == tag_spans(tags)
    for span in sentence.spans:
        inside = set(sentence.tags[span.start + 1 : span.end])
        assert sentence.tags[span.start] == f"B-{span.type}"
        assert inside <= {f"I-{span.type}"}


@given(TAGS)
def test_what_was_read_is_strict(tags):
    text = "".join(f"t{at}\t{tag}\n" for at, tag in enumerate(tags))
    (sentence,) = read(text)
    again = "".join(f"{a}\t{b}\n" for a, b in zip(sentence.tokens, sentence.tags, strict=True))
    assert read(again, strict=True) == [TaggedSentence("1", sentence.tokens, sentence.tags, 1)]
