"""The speeches of examples/commons: what make.py chose, as it says."""

import csv
import importlib.util
import json
from types import ModuleType

import pytest

from conftest import REPOSITORY

FOLDER = REPOSITORY / "examples" / "commons"


@pytest.fixture(scope="module")
def make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_commons", FOLDER / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("side", "number"), [("government", 316), ("opposition", 132)])
def test_speeches_are_those_that_the_script_chooses(
    make: ModuleType, side: str, number: int
) -> None:
    with (FOLDER / f"{side}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["id"] for row in rows}) == number
    assert {make.side_of(row["party"], row["date"]) for row in rows} == {side}
    assert [row["date"] for row in rows] == sorted(row["date"] for row in rows)
    assert all(make.repaired(row["text"]) == row["text"] for row in rows)


def test_characters_read_in_the_wrong_encoding_are_repaired(make: ModuleType) -> None:
    meant = "“us and them” for £5 at a café"
    broken = b"".join(char.encode("utf-8") for char in meant)
    read = "".join(
        bytes([byte]).decode("latin-1" if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else "cp1252")
        for byte in broken
    )
    assert read != meant
    assert make.repaired(read) == meant
    assert make.repaired(meant) == meant


def test_governments_change_on_the_day(make: ModuleType) -> None:
    days = ("1997-05-01", "1997-05-02", "2010-05-10", "2010-05-11")
    labour = ["opposition", "government", "government", "opposition"]
    assert [make.side_of("Lab", day) for day in days] == labour
    conservative = ["government", "opposition", "opposition", "government"]
    assert [make.side_of("Con", day) for day in days] == conservative


def test_every_drawn_word_has_one_judgment() -> None:
    lines = {
        name: (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for name in ("sample", "judgments")
    }
    drawn = [json.loads(line)["id"] for line in lines["sample"]]
    assert [json.loads(line)["item"] for line in lines["judgments"]] == drawn
