"""The size of the house: how many modules there are, and how far a sentence has to walk."""

import sys
from importlib import import_module
from typing import Any

import pytest

from conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "trope"
MAX_MODULES = 470
MAX_CHANGES = 20


@pytest.fixture(scope="module")
def structure() -> Any:
    """The script that counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "tools"))
        return import_module("structure")


def test_modules_are_few_and_none_is_empty(structure: Any) -> None:
    counts = structure.count_code(PACKAGE)
    assert counts["modules"] <= MAX_MODULES
    assert counts["empty"] == 0


def test_no_class_name_occurs_twice(structure: Any) -> None:
    assert structure.classes_named_twice(PACKAGE) == {}


def test_a_class_that_occurs_twice_is_seen(structure: Any, tmp_path: Any) -> None:
    (tmp_path / "one.py").write_text("class Text: ...\nclass _Own: ...\n")
    (tmp_path / "two.py").write_text("class Text: ...\nclass _Own: ...\n")
    assert structure.classes_named_twice(tmp_path) == {"Text": ["one.py", "two.py"]}


def test_nothing_imports_itself_by_way_of_others(structure: Any) -> None:
    before = list(sys.path)
    try:
        assert not any(structure.count_cycles(REPOSITORY / "src").values())
    finally:
        sys.path[:] = before


def test_a_sentence_meets_packages_in_few_changes(structure: Any) -> None:
    walk = structure.walks(REPOSITORY, ["sentence"])["sentence"]
    assert walk.get("failed") is None
    assert walk["changes"] <= MAX_CHANGES, " → ".join(walk["path"])
