"""`trope detect` from files of every kind to rows of figures, and everything it refuses."""

import bz2
import gzip
import io
import json
import lzma
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from corpora_to_detect import contents

from builders import FakePipeline
from trope.cli.main import main
from trope.core.errors import (
    BadInput,
    BadRecord,
    MissingData,
    MissingExtra,
    TropeError,
    UnknownName,
)
from trope.scale import entries, local, shards
from trope.scale.entries import Columns, Corpus, Refused
from trope.scale.inputs import find_inputs

TEXTS = ["Rain ate roads.", "Sun shone. Wind bent trees."]


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(local, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
    monkeypatch.chdir(tmp_path)


def trope(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    command = ["detect", *map(str, arguments)]
    return CliRunner().invoke(main, command, input=stdin, catch_exceptions=False)


def rows(out: str = "out") -> list[dict[str, Any]]:
    parts = sorted(Path(out).glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def problems(out: str = "out") -> list[tuple[str, int, str]]:
    lines = (Path(out) / "errors.jsonl").read_text().splitlines()
    return [tuple(json.loads(line).values()) for line in lines]


def test_one_row_a_text_with_its_figures() -> None:
    Path("a.txt").write_text("\n".join(TEXTS) + "\n\n")
    done = trope("a.txt", "--out", "out")
    assert done.exit_code == 0
    assert done.stderr == "out: 2 texts, 8 words, 2 metaphors\n"
    assert rows() == [
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


def write_parquet(path: str, columns: dict[str, list[Any]], **options: Any) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)


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


BAD_ROWS = [
    ("a.jsonl", b'{"text": "ok"}\n{"text":\n', 2, "cannot be read as JSON"),
    ("a.jsonl", b'{"text": "ok"}\n[1]\n', 2, "is a JSON list"),
    ("a.jsonl", b'{"text": "ok"}\n{"text": ""}\n', 2, "column 'text' is empty"),
    ("a.jsonl", b'{"text": "ok"}\n{"word": "x"}\n', 2, "no column is a text among word"),
    ("a.jsonl", b'{"text": "ok"}\n{"text": "caf\xe9"}\n', 2, "is not UTF-8 (byte 0xe9)"),
    ("a.jsonl", b'{"text": "ok"}\n{"text": "\\ud83d"}\n', 2, "half of a surrogate pair"),
    (
        "a.jsonl",
        b'{"id": "1", "text": "ok"}\n{"id": "1", "text": "b"}\n',
        2,
        "is also in line 1",
    ),
    ("a.jsonl", b'{"id": 1, "text": "ok"}\n{"id": 1.2e18, "text": "b"}\n', 2, "lost digits"),
    ("a.csv", b"id,text\n1,ok\n2,a,b\n", 3, "the number of fields is 3, but the table has 2"),
    ("a.csv", b'id,text\n1,ok\n2,"a"b\n', 3, "cannot be split into fields"),
    ("a.csv", b'id,text\n1,ok\n2,"never\nends\n', 3, "cannot be split into fields"),
    ("a.csv", b"id,text\n1,ok\n2,caf\xe9\n", 3, "is not UTF-8"),
    ("a.tsv", b"id\ttext\n1\tok\n1\tb\n", 3, "id '1' is also in line 2"),
    ("a.txt", b"ok\nRain\x00\n", 2, "holds a NUL byte"),
    ("a.txt.gz", gzip.compress(b"ok\n" * 99)[:-9], 1, "is a damaged gzip file"),
    ("a.txt.xz", lzma.compress(b"ok\n")[:-9], None, "is a damaged xz file"),
    ("a.parquet", b"PAR1 no table PAR1", 1, "cannot be read as Parquet"),
]


@pytest.mark.parametrize(("name", "content", "line", "cause"), BAD_ROWS)
def test_a_bad_row_is_named_and_the_rest_is_done(
    name: str, content: bytes, line: int | None, cause: str
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    Path(name).write_bytes(content)
    Path("z.txt").write_text("Rain ate roads.\n")
    done = trope(name, "z.txt", "--out", "out")
    assert done.exit_code == 1
    ((file, at, problem),) = problems()
    assert file == name
    assert line is None or at >= line
    assert name.endswith(".gz") or line is None or at == line
    assert cause in problem
    assert "; " in problem, "says no remedy"
    assert rows()[-1]["file"] == "z.txt"
    assert done.stderr.endswith("out/errors.jsonl: 1 row refused; the file says where and why\n")


def test_rows_after_a_bad_one_are_read() -> None:
    Path("a.csv").write_bytes(b'id,text\n1,one\n2,"a"b\n3,"two\nlines"\n4,caf\xe9\n5,five\n')
    trope("a.csv", "--out", "out")
    assert [(row["id"], row["line"]) for row in rows()] == [("1", 2), ("3", 4), ("5", 7)]
    assert [line for _, line, _ in problems()] == [3, 6]


def test_ids_are_for_one_row_of_a_file() -> None:
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("id,text\n1,Rain.\n2,Sun.\n")
    assert trope("a.csv", "b.csv", "--out", "out").exit_code == 0
    assert [(row["file"], row["id"]) for row in rows()] == [
        ("a.csv", "1"),
        ("a.csv", "2"),
        ("b.csv", "1"),
        ("b.csv", "2"),
    ]


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "LINE_LIMIT", 100)
    Path("a.txt").write_text("one\n" + "x" * 1_000 + "\nthree\n" + "y" * 101)
    assert trope("a.txt", "--out", "out").exit_code == 1
    assert [row["line"] for row in rows()] == [1, 3]
    assert [(line, problem[:14]) for _, line, problem in problems()] == [
        (2, "is longer than"),
        (4, "is longer than"),
    ]


def test_a_corpus_of_refused_rows_alone_has_status_one() -> None:
    Path("a.csv").write_text("id,text\n1,\n2, \n")
    assert trope("a.csv", "--out", "out").exit_code == 1
    assert len(problems()) == 2
    assert rows() == []
    Path("empty.txt").write_text("")
    assert trope("empty.txt", "--out", "out2").exit_code == 1
    assert problems("out2") == [("empty.txt", 1, "holds no text; leave it out")]


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.csv", "id,word\n1,x\n", (), r"a\.csv:2: no column is a text among id, word; name it"),
        ("a.csv", "id,text\n1,x\n", ("--text-column", "body"), r"a\.csv:2: has no column 'body'"),
        ("a.csv", "id,text\n1,x\n", ("--id-column", "key"), r"a\.csv:2: has no column 'key'"),
        ("a.csv", "id,text\n1,x\n", ("--columns", "label"), r"has no column 'label'; it has id"),
        ("a.txt", "x\n", ("--columns", "label"), r"a\.txt:1: has no column 'label'; it has text"),
        ("a.jsonl", '{"a": "x"}\n', ("--text-column", "b"), r"a\.jsonl:1: has no column 'b'"),
        ("a.csv", "id,text\n1,x\n", ("--columns", "id"), "column 'id' is the name of a figure"),
        ("a.csv", "a,text\n1,x\n", ("--columns", "a,a"), "named twice"),
        ("a.bin", "x", (), r"a\.bin: its name does not tell what it is; say so: --input-format"),
        ("a.parquet.gz", "x", (), "unpack it first"),
    ],
)
def test_what_cannot_be_right_is_refused_before_anything_is_written(
    name: str, content: str, options: tuple[str, ...], message: str
) -> None:
    Path(name).write_text(content)
    with pytest.raises(TropeError, match=message):
        trope(name, "--out", "out", *options)
    assert not Path("out").exists()


def test_missing_files_double_names_and_unknown_tasks_are_told() -> None:
    Path("a.txt").write_text("Rain.\n")
    Path("empty").mkdir()
    with pytest.raises(MissingData, match=r"none\.txt"):
        trope("none.txt", "--out", "out")
    with pytest.raises(MissingData, match="no file matches"):
        trope("*.csv", "--out", "out")
    with pytest.raises(BadInput, match=r"\./a\.txt: is named more than once"):
        trope("a.txt", "./a.txt", "--out", "out")
    with pytest.raises(BadInput, match="no file of texts in 'empty'"):
        trope("empty", "--out", "out")
    with pytest.raises(UnknownName, match="'irony'"):
        trope("a.txt", "--out", "out", "--with", "irony")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    Path("a.parquet").write_bytes(b"PAR1")
    Path("b.txt.zst").write_bytes(b"x")
    for name in ("a.parquet", "b.txt.zst"):
        with pytest.raises(MissingExtra, match=r"pip install 'trope\[parquet\]'"):
            trope(name, "--out", "out")


def test_ray_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    Path("a.txt").write_text("Rain.\n")
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[scale\]'"):
        trope("a.txt", "--out", "out", "--engine", "ray")


@pytest.mark.parametrize("option", ["--workers", "--address"])
def test_options_of_a_cluster_need_the_engine(option: str) -> None:
    Path("a.txt").write_text("Rain.\n")
    with pytest.raises(BadInput, match=rf"{option} is for clusters; add --engine ray"):
        trope("a.txt", "--out", "out", option, "3")


def test_a_model_without_the_head_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "load_pipeline", lambda threads: FakePipeline())
    Path("a.txt").write_text("Rain.\n")
    with pytest.raises(BadInput, match="has no head for 'metaphor'; install"):
        trope("a.txt", "--out", "out")


def test_an_output_folder_of_something_else_is_left_alone() -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("x")
    for more in ((), ("--resume",)):
        with pytest.raises(BadInput, match=r"mine: holds thesis\.tex, which is not of trope"):
            trope("a.txt", "--out", "mine", *more)
    Path("mine/manifest.json").write_text('{"name": "my app"}')
    with pytest.raises(BadRecord, match=r"manifest\.json: is no manifest of trope detect"):
        trope("a.txt", "--out", "mine", "--resume")
    assert sorted(p.name for p in Path("mine").iterdir()) == ["manifest.json", "thesis.tex"]
    with pytest.raises(BadInput, match=r"a\.txt: is a file; give a folder"):
        trope("a.txt", "--out", "a.txt")


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (("--kind", "tweet"), "kind was 'plain', is 'tweet'"),
        (("--tokens",), "tokens was False, is True"),
        (("--shard-rows", "9"), "shard_rows was 5000, is 9"),
        (("b.txt",), r"b\.txt was not read then"),
    ],
)
def test_a_run_of_other_settings_is_not_gone_on_with(
    options: tuple[str, ...], difference: str
) -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    Path("b.txt").write_text("Sun shone.\n")
    trope("a.txt", "--out", "out")
    with pytest.raises(BadInput, match=r"belongs to a finished run; go on with it by --resume"):
        trope("a.txt", "--out", "out")
    with pytest.raises(BadInput, match=rf"manifest\.json: belongs to another run \({difference}\)"):
        trope("a.txt", *options, "--out", "out", "--resume")


def test_a_file_that_has_changed_is_told() -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    trope("a.txt", "--out", "out")
    Path("a.txt").write_text("Rain ate trees.\n")
    with pytest.raises(BadInput, match=r"a\.txt has changed since"):
        trope("a.txt", "--out", "out", "--resume")


def test_a_full_disk_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    Path("a.txt").write_text("Rain ate roads.\n")
    monkeypatch.setattr("trope.scale.shards.atomic_write", full)
    with pytest.raises(BadInput, match=r"No space left on device.*--resume"):
        trope("a.txt", "--out", "out")


def test_after_a_full_disk_resuming_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.txt").write_text("Rain ate roads.\n" * 9)
    trope("a.txt", "--out", "whole", "--shard-rows", "3")
    write, written = shards.atomic_write, []

    def filling(path: Path, mode: str) -> Any:
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device", str(path))
        return write(path, mode)

    monkeypatch.setattr(shards, "atomic_write", filling)
    with pytest.raises(BadInput, match=r"part-00001\.jsonl: cannot be written \(No space left"):
        trope("a.txt", "--out", "out", "--shard-rows", "3")
    assert trope("a.txt", "--out", "out", "--shard-rows", "3", "--resume").exit_code == 0
    assert [path.name for path in written].count("part-00000.jsonl") == 1
    assert contents(Path("out")) == contents(Path("whole"))


def test_a_parquet_file_damaged_in_the_middle_is_read_up_to_there() -> None:
    texts = [f"Rain ate road {n}." for n in range(4_000)]
    write_parquet("a.parquet", {"text": texts}, row_group_size=1_024, compression="zstd")
    content = bytearray(Path("a.parquet").read_bytes())
    half = len(content) // 2
    content[half : half + 2_000] = bytes(2_000)
    Path("a.parquet").write_bytes(content)
    Path("z.txt").write_text("Sun shone.\n")
    assert trope("a.parquet", "z.txt", "--out", "out").exit_code == 1
    ((file, line, problem),) = problems()
    done = [row["line"] for row in rows() if row["file"] == file]
    assert done == list(range(1, line))
    assert 1_000 < line < 4_000
    assert problem.startswith("cannot be read as Parquet (")
    assert rows()[-1]["file"] == "z.txt"


def test_a_parquet_file_without_the_column_is_refused_with_those_it_has() -> None:
    write_parquet("a.parquet", {"n": [7], "body": ["Rain."], "more": ["x"]})
    message = r"a\.parquet:1: has no column 'caption'; it has n, body, more"
    with pytest.raises(BadRecord, match=message):
        trope("a.parquet", "--out", "out", "--text-column", "caption")
    assert not Path("out").exists()


def test_columns_of_parquet_that_nobody_asks_for_are_not_read() -> None:
    names = ("id", "heavy", "text", "label")
    assert Columns(kept=("label",)).needed(names) == ["id", "text", "label"]
    assert Columns(text="heavy").needed(names) == ["id", "heavy"]
    assert Columns(id="label").needed(names) == ["text", "label"]
    assert Columns(text="none").needed(names) == names


@pytest.mark.parametrize("form", ["txt", "csv", "jsonl"])
def test_a_line_of_100_mb_is_refused_in_bounded_memory(form: str) -> None:
    first, last = {
        "txt": ("Rain.\n", "Sun.\n"),
        "csv": ("id,text\n1,Rain.\n2,", "3,Sun.\n"),
        "jsonl": ('{"text": "Rain."}\n', '{"text": "Sun."}\n'),
    }[form]
    path = Path(f"long.{form}")
    with path.open("w") as file:
        file.write(first)
        for _ in range(100):
            file.write("x" * 1_000_000)
        file.write("\n" + last)
    tracemalloc.start()
    found = list(Corpus(find_inputs([str(path)]), Columns()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [type(entry).__name__ for entry in found] == ["TextRow", "Refused", "TextRow"]
    refused = found[1]
    assert isinstance(refused, Refused)
    assert refused.problem == "is longer than 64 MB; split it into lines"
    assert peak < 200_000_000


def test_entries_are_read_one_at_a_time(tmp_path: Path) -> None:
    rows = (f'{{"id": "{n}", "text": "{"word " * 20}{n}"}}\n' for n in range(60_000))
    path = tmp_path / "many.jsonl"
    path.write_text("".join(rows))
    corpus = Corpus(find_inputs([str(path)]), Columns())
    tracemalloc.start()
    counted = sum(not isinstance(entry, Refused) for entry in corpus)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert counted == 60_000
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
        report(command.Progress(texts=50, position=400, size=1_000))
    shown = screen.getvalue()
    assert "50 texts" in shown
    assert "texts/s" in shown
    assert "40 %" in shown
