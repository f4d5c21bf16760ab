"""Files of items that others made: rows are named, sizes are bounded."""

import json
import sys
import tracemalloc
from pathlib import Path

import pytest
from projects import make_project

from trope.annotate.exchange.items import read_items
from trope.annotate.exchange.label_studio import read_array
from trope.core.errors import BadRecord, MissingExtra


def test_parquet_brings_items_with_rows_named(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    project = make_project(tmp_path / "p")
    columns = {"id": [11, 12], "text": ["A 🌊 rises.", "It falls."], "n": [1.5, None]}
    columns["highlight"] = [[[2, 3]], None]
    parquet.write_table(arrow.table(columns), tmp_path / "t.parquet")
    items = list(read_items(tmp_path / "t.parquet", project.plan))
    assert [(item.id, item.text) for item in items] == [("11", "A 🌊 rises."), ("12", "It falls.")]
    assert items[0].payload == {"n": "1.5", "highlight": [[2, 3]]}
    parquet.write_table(arrow.table({"text": ["Fine.", " "]}), tmp_path / "bad.parquet")
    with pytest.raises(BadRecord, match=r"bad.parquet:2: has no text"):
        list(read_items(tmp_path / "bad.parquet", project.plan))
    (tmp_path / "no.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(BadRecord, match="cannot be read as Parquet"):
        list(read_items(tmp_path / "no.parquet", project.plan))


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    project = make_project(tmp_path / "p")
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[parquet\]'"):
        list(read_items(tmp_path / "t.parquet", project.plan))


@pytest.mark.parametrize(
    ("name", "before", "filling"),
    [
        ("line.jsonl", b'{"text": "', b"a"),
        ("line.csv", b"text\n", b"a"),
        ("open-quote.csv", b'text\n"', b"a line\n"),
    ],
)
def test_line_of_100_megabytes_is_refused_in_little_memory(
    name: str, before: bytes, filling: bytes, tmp_path: Path
) -> None:
    project = make_project(tmp_path / "p")
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(before)
        for _ in range(100):
            file.write(filling * (1_000_000 // len(filling)))
    tracemalloc.start()
    try:
        with pytest.raises(BadRecord, match=r"longer than (4 MB|20,000 lines)"):
            list(read_items(path, project.plan))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30e6


def test_list_of_tasks_is_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    tasks = [{"id": n, "text": "x" * n, "emoji": "🌊"} for n in range(0, 90_000, 9_000)]
    path.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), encoding="utf-8")
    assert [task for _, task in read_array(path)] == tasks
    for text, words in (
        ('[{"a": 1}, {"a": 2', "t.json:2: is cut off"),
        ("{}", "is not a JSON list"),
        ("[1]", "t.json:1: is not a task"),
        ("[" + "{}," * 3 + '{"a": "' + "x" * 9_000_000, "t.json:4: is over 4 MB"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadRecord, match=words):
            list(read_array(path))
