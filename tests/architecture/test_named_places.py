"""Places that are named by text, `module:name`, are there: a renaming cannot miss them."""

import importlib
import re
from pathlib import Path

import pytest

import trope
from conftest import REPOSITORY

SOURCE = Path(trope.__file__).parent
DOCS = REPOSITORY / "docs"
PLACE = re.compile(r'"(trope(?:\.\w+)+):(\w+)"')
PLACES = sorted(
    {
        found
        for path in (*SOURCE.rglob("*.py"), *DOCS.glob("*.py"))
        for found in PLACE.findall(path.read_text("utf-8"))
    }
)


def test_there_are_such_places() -> None:
    assert len(PLACES) > 50


@pytest.mark.parametrize(("module", "name"), PLACES)
def test_what_is_named_is_there(module: str, name: str) -> None:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("trope"):
            raise
        pytest.skip(f"{error.name} is not installed")
    assert hasattr(loaded, name)
