from __future__ import annotations

import pytest

from trope.core.errors import BadConfig, MissingData
from trope.lexicon.verbs import read_verbs, shipped_verbs


def test_shipped_classes_are_those_of_the_paper():
    verbs = shipped_verbs()
    assert verbs.class_of("give") == "light"
    assert verbs.class_of("begin") == "aspectual"
    assert verbs.class_of("imagine") == "weak"
    assert verbs.class_of("devour") == ""
    assert len(verbs.classes) == 6 + 5 + 11


def test_class_does_not_depend_on_capitals():
    assert shipped_verbs().class_of("Take") == "light"


def test_auxiliaries_leave_out_verbs_that_may_be_lexical():
    assert {"be", "must", "ought"} <= shipped_verbs().auxiliary
    assert not {"do", "have", "need", "dare"} & shipped_verbs().auxiliary


def test_own_file_replaces_the_lists(tmp_path):
    path = tmp_path / "verbs.toml"
    path.write_text('light = ["put"]\n')
    verbs = read_verbs(path)
    assert verbs.class_of("put") == "light"
    assert verbs.class_of("give") == ""
    assert verbs.raising == frozenset()


def test_verb_in_two_classes_is_refused(tmp_path):
    path = tmp_path / "verbs.toml"
    path.write_text('light = ["put", "let"]\nweak = ["let", "put"]\n')
    with pytest.raises(BadConfig) as caught:
        read_verbs(path)
    assert caught.value.faults == (
        "'let' is both light and weak; keep one",
        "'put' is both light and weak; keep one",
    )


def test_unknown_list_is_refused(tmp_path):
    path = tmp_path / "verbs.toml"
    path.write_text('heavy = ["lift"]\n')
    with pytest.raises(BadConfig, match="heavy"):
        read_verbs(path)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(MissingData, match=r"none\.toml"):
        read_verbs(tmp_path / "none.toml")
