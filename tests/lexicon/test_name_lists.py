"""Lists of countries and companies, ours and others."""

import sys

import pytest

from trope.core.errors import BadRecord, MissingExtra
from trope.lexicon.names import (
    package_countries,
    read_name_list,
    shipped_countries,
)


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
