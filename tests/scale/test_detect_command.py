"""`trope detect` from files of every kind to rows of figures, and everything it refuses."""

import bz2
import gzip
import io
import json
import lzma
import sys
import tracemalloc
from pathlib import Path

import pytest
from detect_in_process import problems, rows, trope, write_parquet

from builders import FakePipeline
from trope.core.errors import (
    BadInput,
)
from trope.corpora.files import find_files
from trope.scale import executors
from trope.scale.entries import Columns, InputCorpus, RefusedRow

TEXTS = ["Rain ate roads.", "Sun shone. Wind bent trees."]


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
    monkeypatch.chdir(tmp_path)


def test_one_row_a_text_with_its_figures() -> None:
    Path("a.txt").write_text("\n".join(TEXTS) + "\n\n")
    done = trope("a.txt", "--out", "out", "--counts-only")
    assert done.exit_code == 0
    listed = "trope: a.txt: read as a list, one text per line; --unit file reads it as one document"
    assert done.stderr == f"{listed}\nout: 2 texts, 8 words, 2 metaphors\n"
    rows_found = rows()
    assert [row.pop("view") for row in rows_found] == ["content", "content"]
    shown = [row.pop("figures") for row in rows_found]
    assert [[(f["kind"], f["start"], f["end"]) for f in own] for own in shown] == [
        [("metaphor", 5, 8)],
        [("metaphor", 16, 20)],
    ]
    assert rows_found == [
        {
            "id": "a.txt:1",
            "file": "a.txt",
            "line": 1,
            "words": 3,
            "metaphors": 1,
            "rate": 0.3333,
            "figurative": [0.93],
        },
        {
            "id": "a.txt:2",
            "file": "a.txt",
            "line": 2,
            "words": 5,
            "metaphors": 1,
            "rate": 0.2,
            "figurative": [0.02, 0.72],
        },
    ]
    assert sorted(path.name for path in Path("out").iterdir()) == [
        ".lock",
        "manifest.json",
        "part-00000.jsonl",
    ]


def table(separator: str) -> str:
    return "\n".join(
        separator.join(row) for row in (("id", "text"), *zip("12", TEXTS, strict=True))
    )


CONTENTS = {
    "csv": table(","),
    "tsv": table("\t"),
    "txt": "\n".join(TEXTS),
    "jsonl": "\n".join(json.dumps({"id": n, "text": t}) for n, t in enumerate(TEXTS, start=1)),
}


def packed(content: bytes, packing: str) -> bytes:
    if packing == "zst":
        pyarrow = pytest.importorskip("pyarrow")
        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return bytes(sink.getvalue())
    pack = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[packing]
    return pack(content)


@pytest.mark.parametrize("packing", ["", "gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("form", sorted(CONTENTS))
def test_every_format_packed_or_not_gives_the_same_figures(form: str, packing: str) -> None:
    name = f"texts.{form}" + (f".{packing}" if packing else "")
    Path(name).write_bytes(packed(CONTENTS[form].encode(), packing))
    assert trope(name, "--out", "out").exit_code == 0
    found = rows()
    assert [(row["words"], row["metaphors"]) for row in found] == [(3, 1), (5, 1)]
    places = [f"{name}:1", f"{name}:2"] if form == "txt" else ["1", "2"]
    assert [row["id"] for row in found] == places


def test_parquet_in_and_out() -> None:
    write_parquet("a.parquet", {"n": [7, 8, 9], "text": [*TEXTS, None]})
    done = trope(
        "a.parquet", "--out", "o.parquet", "--columns", "n,text", "--tokens", "--with", "relations"
    )
    assert done.exit_code == 1
    import pyarrow.parquet

    found = pyarrow.parquet.read_table("o.parquet/part-00000.parquet").to_pylist()
    assert [(row["id"], row["n"], row["text"]) for row in found] == [
        ("a.parquet:1", "7", TEXTS[0]),
        ("a.parquet:2", "8", TEXTS[1]),
    ]
    assert found[0]["tokens"][1]["metaphor"] == 0.93
    assert found[0]["relations"][0]["words"] == {
        "verb": "ate",
        "subject": "Rain",
        "object": "roads",
    }
    assert problems("o.parquet") == [
        ("a.parquet", 3, "column 'text' is empty; every row needs a text")
    ]


def test_parquet_rows_equal_json_rows() -> None:
    Path("a.txt").write_text("\n".join(TEXTS))
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    options = ("--tokens", "--with", "relations", "--columns", "text")
    trope("a.txt", "--out", "out", *options)
    trope("a.txt", "--out", "out2", "--format", "parquet", *options)
    assert pyarrow.parquet.read_table("out2/part-00000.parquet").to_pylist() == rows()


def test_folders_and_patterns_are_read_in_the_order_of_names() -> None:
    for name in ("in/b.txt", "in/a.txt", "in/deep/c.txt", "in/.hidden.txt", "in/notes.pdf"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"{name} shone.\n")
    trope("in", "--out", "out")
    assert [row["file"] for row in rows()] == ["in/a.txt", "in/b.txt", "in/deep/c.txt"]
    trope("in/*.txt", "--out", "out2")
    assert [row["file"] for row in rows("out2")] == ["in/a.txt", "in/b.txt"]
    trope("in/**/*.txt", "--out", "out3")
    assert [row["file"] for row in rows("out3")] == ["in/a.txt", "in/b.txt", "in/deep/c.txt"]


def test_the_output_is_never_the_input() -> None:
    Path("a.jsonl").write_text(CONTENTS["jsonl"])
    assert trope(".", "--out", "out").exit_code == 0
    assert trope(".", "--out", "out", "--resume").exit_code == 0


def test_standard_input_is_read_once() -> None:
    assert trope("-", "--out", "out", stdin=b"Rain ate roads.\n").exit_code == 0
    assert [row["id"] for row in rows()] == ["-:1"]
    with pytest.raises(BadInput, match="standard input cannot be read again"):
        trope("-", "--out", "out", "--resume", stdin=b"Rain ate roads.\n")


def test_options_choose_columns_tokens_relations_and_threshold() -> None:
    Path("a.jsonl").write_text('{"key": "k", "caption": "Wind bent trees.", "n": 1.50}\n')
    trope(
        *("a.jsonl", "--out", "out", "--text-column", "caption", "--id-column", "key"),
        *("--columns", "n,caption,none", "--tokens", "--with", "relations", "--threshold", "0.8"),
    )
    (row,) = rows()
    assert (row["id"], row["n"], row["caption"], row["none"]) == (
        "k",
        "1.50",
        "Wind bent trees.",
        None,
    )
    assert row["metaphors"] == 0
    assert [token["text"] for token in row["tokens"]] == ["Wind", "bent", "trees", "."]
    assert row["relations"][0]["metaphor"] == 0.72


def test_shards_have_so_many_rows_and_the_manifest_knows_their_checksums() -> None:
    import hashlib

    Path("a.txt").write_text("Rain ate roads.\n" * 7)
    trope("a.txt", "--out", "out", "--shard-rows", "3")
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert [shard["texts"] for shard in manifest["shards"]] == [3, 3, 1]
    for shard in manifest["shards"]:
        content = Path("out", shard["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == shard["sha256"]
    assert manifest["state"] == "done"
    assert manifest["totals"] == {
        "texts": 7,
        "sentences": 7,
        "words": 21,
        "metaphors": 7,
        "refused": 0,
    }
    (given,) = manifest["inputs"]
    assert given["sha256"] == hashlib.sha256(Path("a.txt").read_bytes()).hexdigest()


def test_json_prints_the_totals_and_nothing_else() -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    done = trope("a.txt", "--out", "out", "--json")
    assert json.loads(done.stdout) == {
        "out": "out",
        "texts": 1,
        "sentences": 1,
        "words": 3,
        "metaphors": 1,
        "refused": 0,
    }


def test_entries_are_read_one_at_a_time(tmp_path: Path) -> None:
    rows = (f'{{"id": "{n}", "text": "{"word " * 20}{n}"}}\n' for n in range(20_000))
    path = tmp_path / "many.jsonl"
    path.write_text("".join(rows))
    corpus = InputCorpus(find_files([str(path)]), Columns())
    tracemalloc.start()
    counted = sum(not isinstance(entry, RefusedRow) for entry in corpus)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == 20_000
    assert peak < 2_000_000
    assert corpus.position == corpus.size == path.stat().st_size


def test_progress_says_how_far_and_how_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    from trope.cli import detect as command

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with command._progress(quiet=False) as report:
        report(command.DetectProgress(texts=50, position=400, size=1_000))  # type: ignore[attr-defined]
    shown = screen.getvalue()
    assert "50 texts" in shown
    assert "texts/s" in shown
    assert "40 %" in shown
