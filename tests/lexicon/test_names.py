"""Countries and companies in texts: exact spans, the longest name, plurals, no demonyms."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.lexicon.names import (
    NameFinder,
    package_countries,
    read_name_list,
    shipped_companies,
    shipped_countries,
    shipped_finder,
)


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


def test_a_users_list_is_read_and_its_faults_are_named(tmp_path):
    path = tmp_path / "firms.txt"
    path.write_text("# mine\nAcme\tAcme Rockets\n\nOtherCo\n", encoding="utf-8")
    assert read_name_list(path) == {"Acme": ("Acme", "Acme Rockets"), "OtherCo": ("OtherCo",)}
    path.write_text("Acme\nOther\tAcme\n", encoding="utf-8")
    with pytest.raises(BadRecord, match=r"firms\.txt:2: the name 'Acme' is also in line 1"):
        read_name_list(path)
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(BadRecord, match="lists no name"):
        read_name_list(path)
    path.write_text("&Co\n", encoding="utf-8")
    with pytest.raises(BadRecord, match="does not begin with a letter"):
        read_name_list(path)
    with pytest.raises(BadInput, match="does not begin with a letter"):
        NameFinder({"organisation": {"!": ["!"]}})


def test_every_state_of_the_package_is_listed():
    pytest.importorskip("pycountry", reason="pip install 'trope[names]'")
    ours = {spelling for names in shipped_countries().values() for spelling in names}
    theirs = package_countries()
    states = ("France", "Bolivia", "Türkiye", "North Macedonia", "South Korea", "Tanzania", "Laos")
    for state in states:
        assert set(theirs.get(state, (state,))) & ours
    assert len([name for name, names in theirs.items() if set(names) & ours]) >= 193


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycountry", None)
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[names\]'"):
        package_countries()
