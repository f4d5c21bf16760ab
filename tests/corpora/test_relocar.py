"""ReLocaR and the CoNLL metonymy lists, from samples of our own in their forms."""

import io

import pytest

from trope.core.errors import BadInput, BadRecord
from trope.corpora.relocar import read_conll_metonymy, read_relocar

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
    with pytest.raises(BadInput, match="no medium reading"):
        list(read_conll_metonymy(io.BytesIO(b"x"), reading="place-for-people"))
