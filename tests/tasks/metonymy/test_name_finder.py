"""Countries and companies in texts: exact spans, the longest name, plurals, no demonyms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.lexicon.names import shipped_companies, shipped_countries
from trope.tasks.metonymy.names import NameFinder, shipped_finder


def found(text, finder=None):
    names = (finder or shipped_finder()).find(text)
    return [(text[name.start : name.end], name.name, name.plural) for name in names]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("France's wine, France’s bread", ["France", "France"]),
        ("the two Koreas and both Germanys", ["Koreas", "Germanys"]),
        ("Papua New Guinea is not Guinea", ["Papua New Guinea", "Guinea"]),
        ("New Mexico and the Gulf of Mexico", []),
        ("the French, Peruvians and a Chinese", []),
        ("they told us; the US and U.S. firms", ["US", "U.S."]),
        ("shares of AT&T and Marks & Spencer's", ["AT&T", "Marks & Spencer"]),
        ("Microsoft Corp. said so, Volvo AG.", ["Microsoft Corp.", "Volvo AG"]),
        ("two Toyotas and a Mercedes", ["Toyotas", "Mercedes"]),
        ("see shell.com, @Apple and #Peru", []),
        ("McDonald’s in Türkiye", ["McDonald’s", "Türkiye"]),
        ("a china cup", []),
        ("😀Peru😀", ["Peru"]),
    ],
)
def test_names_are_found_with_exact_spans(text, names):
    assert [name for name, _, _ in found(text)] == names


def test_all_spellings_of_a_name_have_one_name():
    assert {name for _, name, _ in found("US, U.S., USA, America, United States")} == {
        "United States"
    }
    assert found("Koreas") == [("Koreas", "Korea", True)]


def test_small_letters_are_found_on_demand_but_not_those_of_short_names():
    finder = NameFinder({"location": {"Peru": ["Peru"], "US": ["US"]}}, ignore_case=True)
    assert [name for name, _, _ in found("peru, PERU and us", finder)] == ["peru", "PERU"]


@given(
    st.lists(st.sampled_from([*shipped_countries(), *shipped_companies()]), max_size=5), st.data()
)
def test_spans_never_overlap_and_hold_what_is_listed(names, data):
    glue = st.sampled_from([" ", ", ", " and ", "\n", "'s ", " – "])
    text = "".join(name + data.draw(glue) for name in names)
    last = 0
    for name in shipped_finder().find(text):
        assert last <= name.start < name.end <= len(text)
        last = name.end
        spellings = {**shipped_countries(), **shipped_companies()}[name.name]
        assert any(text[name.start : name.end].startswith(s[:3]) for s in spellings)


@given(st.text())
def test_any_text_can_be_searched(text):
    for name in shipped_finder().find(text):
        assert text[name.start : name.end].strip() == text[name.start : name.end]


def test_a_name_that_cannot_be_found_is_refused():
    with pytest.raises(BadInput, match="does not begin with a letter"):
        NameFinder({"organisation": {"!": ["!"]}})
