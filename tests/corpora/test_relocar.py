"""ReLocaR and the CoNLL metonymy lists, from samples of our own in their forms."""

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.corpora.relocar import (
    read_conll_metonymy,
    read_geowebnews,
    read_relocar,
    read_wimcor,
)

RELOCAR = """<?xml version="1.0" encoding="UTF-8"?>
<data>
<sample number="1">We left <loc reading="lit">S&#227;o Tom&#233;</loc> &amp; slept.
</sample>
<sample number="2"><loc reading="met">Peru</loc> beat <loc reading="mix">Chile</loc>.
</sample>
<sample number="3">Nothing is marked.
</sample>
<sample number="4">In <loc reading="odd">Peru</loc>.</sample>
<sample number="1">In <loc reading="lit">Peru</loc>.</sample>
<sample number="5">In <loc reading="lit">Peru.</sample>
<sample number="6">In <loc reading="lit"></loc> it rains.</sample>
<sample number="7">In <loc reading="lit">Peru</loc> again.</sample>
</data>
"""


def test_relocar_is_read_and_its_faults_are_refused_by_number():
    errors = []
    read = list(read_relocar(io.BytesIO(RELOCAR.encode()), refused=errors.append))
    assert [(one.id, one.name, one.reading) for one in read] == [
        ("1", "São Tomé", "literal"),
        ("2", "Peru", "metonymic"),
        ("2.2", "Chile", "mixed"),
        ("7", "Peru", "literal"),
    ]
    assert read[0].sentence == "We left São Tomé & slept."
    assert all(one.sentence[one.start : one.end] == one.name for one in read)
    assert read[1].label("coarse") == "non-literal"
    assert read[1].label("fine") is None
    assert [error.line for error in errors] == [7, 9, 10, 11, 12]
    with pytest.raises(BadRecord, match="input:7: sample '3': has no marked name"):
        list(read_relocar(io.BytesIO(RELOCAR.encode())))


LIST = """Peru<SEP> <ENT>Peru<ENT> won.
Hong Kong<SEP>They flew from <ENT>Hong Kong<ENT>'s airport.
Peru<SEP>They flew from <ENT>Chile<ENT>.
Peru<SEP>They flew.
no separator
"""


def test_a_conll_list_is_read_with_the_reading_of_its_file():
    errors = []
    stream = io.BytesIO(LIST.encode())
    read = list(read_conll_metonymy(stream, reading="metonymic", refused=errors.append))
    assert [(one.id, one.name, one.start, one.label("coarse")) for one in read] == [
        ("metonymic:1", "Peru", 0, "non-literal"),
        ("metonymic:2", "Hong Kong", 15, "non-literal"),
    ]
    assert "input:3: the name 'Peru' does not occur" in str(errors[0])
    assert [error.line for error in errors] == [3, 4, 5]
    with pytest.raises(BadInput, match="medium reading"):
        list(read_conll_metonymy(io.BytesIO(b"x"), reading="place-for-people"))


def test_a_file_of_wimcor_has_the_kind_of_its_name(tmp_path):
    path = tmp_path / "wiki_TEAM_test.txt.gz"
    path.write_bytes(gzip.compress(LIST.encode()))
    errors = []
    read = list(read_wimcor(path, refused=errors.append))
    assert [(one.id, one.name, one.reading, one.notes) for one in read] == [
        ("wiki_TEAM_test:1", "Peru", "metonymic", "TEAM"),
        ("wiki_TEAM_test:2", "Hong Kong", "metonymic", "TEAM"),
    ]
    assert [error.line for error in errors] == [3, 4, 5]
    with pytest.raises(BadRecord, match=r"wiki_TEAM_test\.txt\.gz:3: the name 'Peru'"):
        list(read_wimcor(path))


def test_a_stream_of_wimcor_needs_a_kind_that_is_known():
    (one,) = read_wimcor(io.BytesIO(b"Peru<SEP>in <ENT>Peru<ENT> .\n"), kind="LOCATION")
    assert (one.id, one.sentence, one.start, one.reading) == ("input:1", "in Peru .", 3, "literal")
    for kind in (None, "RIVER"):
        with pytest.raises(BadInput, match="give one of LOCATION, ARTIFACT"):
            read_wimcor(io.BytesIO(b"x"), kind=kind)


def names(*items):
    return io.BytesIO(json.dumps(items, indent=1).encode())


def item(**changes):
    return {"sentence": ["In", "Hong", "Kong", "now"], "pos": [1, 3], "label": 1} | changes


def test_names_of_geowebnews_are_put_into_their_text():
    first, second = read_geowebnews(names(item(), item(pos=[0, 1], label=0)))
    assert (first.id, first.sentence, first.name) == ("1", "In Hong Kong now", "Hong Kong")
    assert (first.reading, first.label("coarse")) == ("metonymic", "non-literal")
    assert (second.name, second.start, second.reading) == ("In", 0, "literal")
    assert second.line > first.line


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (item(pos=[1, 5]), "position 1-5 lies outside of its 4 tokens"),
        (item(pos=[2, 2]), "position 2-2 lies outside"),
        (item(pos=[1]), "is not an object with sentence, pos and label"),
        ([1], "is not an object"),
        (item(label=2), "unknown label 2"),
        (item(label=True), "unknown label True"),
        (item(sentence=["In", "", "x"]), "tokens that are empty or not text"),
        (item(sentence=["In", "\ud83d", "x"]), "half of a surrogate pair"),
    ],
)
def test_faults_of_geowebnews_name_the_item(bad, problem):
    errors = []
    read = list(read_geowebnews(names(item(), bad, item()), refused=errors.append))
    assert [one.id for one in read] == ["1", "3"]
    assert errors[0].problem.startswith(f"item 2: {problem}") or problem in errors[0].problem
    assert 1 < errors[0].line < read[1].line


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"[\n{]", 2, "cannot be read as JSON"),
        (b'{"label": 0}', 1, "is not a JSON list"),
        (b'[\n"\xff"]', 2, "is not UTF-8"),
    ],
)
def test_content_that_is_no_list_of_names_is_refused(content, line, problem):
    with pytest.raises(BadRecord, match=problem) as caught:
        list(read_geowebnews(io.BytesIO(content)))
    assert caught.value.line == line


@given(st.lists(st.text("ab é", min_size=1).filter(str.strip), min_size=1, max_size=6), st.data())
def test_the_name_stands_where_the_tokens_are(tokens, data):
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = data.draw(st.integers(start + 1, len(tokens)))
    (one,) = read_geowebnews(names({"sentence": tokens, "pos": [start, end], "label": 0}))
    assert one.sentence[one.start : one.end] == " ".join(tokens[start:end])
