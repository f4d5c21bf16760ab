"""What `trope detect` refuses: each fault is named, and the rest is done or left as it was."""

import gzip
import lzma
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from corpora_to_detect import contents
from detect_in_process import problems, rows, trope, write_parquet

from builders import FakePipeline
from trope.core.errors import (
    BadInput,
    BadRecord,
    MissingData,
    MissingExtra,
    TropeError,
    UnknownName,
)
from trope.core.run_folder import RunFolder
from trope.corpora import files, sources
from trope.corpora.files import find_files
from trope.scale import executors, shards
from trope.scale.entries import Columns, InputCorpus, RefusedRow


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))
    monkeypatch.chdir(tmp_path)


BAD_ROWS = [
    ("a.jsonl", b'{"text": "ok"}\n{"text":\n', 2, "cannot be read as JSON"),
    ("a.jsonl", b'{"text": "ok"}\n[1]\n', 2, "is a JSON list"),
    ("a.jsonl", b'{"text": "ok"}\n{"text": ""}\n', 2, "column 'text' is empty"),
    ("a.jsonl", b'{"text": "ok"}\n{"word": "x"}\n', 2, "none of the columns holds the text: word"),
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
    ("a.csv", b'id,text\n1,ok\n2,"never\n3,ends\n', 3, "cannot be split into fields"),
    ("a.csv", b'id,text\n1,ok\n2,"never\n3,"ends"\n4,x\n', 3, "cannot be split into fields"),
    ("a.csv", b"id,text\n1,\xe2\x82\xac 5\n2,caf\xe9\n", 3, "is not UTF-8 (byte 0xe9)"),
    ("a.csv", b"id,text\n1,ok\n2,NaN\n3,more\n", 3, "has 'NaN', which is not a text"),
    ("a.jsonl", b'{"text": "ok"}\n{"text": NaN}\n', 2, "column 'text' is empty"),
    ("a.csv", b"id,text,id\n1,ok,2\n", 1, "the header has 'id' more than once; rename"),
    ("a.tsv", b"id\ttext\n1\tok\n1\tb\n", 3, "id '1' is also in line 2"),
    ("a.txt", b"ok\nRain\x00\n", 2, "holds a NUL byte"),
    ("a.txt.gz", gzip.compress(b"ok\n" * 99, mtime=0)[:-9], 1, "is a damaged gzip file"),
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
    Path("a.csv").write_bytes(
        b'id,text\n1,\xe2\x82\xac\n2,"a"b\n3,"two\nlines"\n4,caf\xe9\n5,five\n'
    )
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
    monkeypatch.setattr(files, "read_lines", partial(sources.read_lines, limit=100))
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
        (
            "a.csv",
            "id,word\n1,x\n",
            (),
            r"a\.csv:2: none of the columns holds the text: id, word; name it",
        ),
        ("a.csv", "id,text\n1,x\n", ("--text-column", "body"), r"a\.csv:2: has no column 'body'"),
        ("a.csv", "id,text\n1,x\n", ("--id-column", "key"), r"a\.csv:2: has no column 'key'"),
        ("a.csv", "id,text\n1,x\n", ("--columns", "label"), r"has no column 'label'; it has id"),
        ("a.txt", "x\n", ("--columns", "label"), r"a\.txt:1: has no column 'label'; it has text"),
        ("a.jsonl", '{"a": "x"}\n', ("--text-column", "b"), r"a\.jsonl:1: has no column 'b'"),
        (
            "a.csv",
            "id,text\n1,x\n",
            ("--columns", "id"),
            "column 'id' has the name of an output",
        ),
        ("a.csv", "a,text\n1,x\n", ("--columns", "a,a"), "named twice"),
        (
            "a.bin",
            "x",
            (),
            r"a\.bin: its name does not show its format; name it",
        ),
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
    Path("b.txt.zst").write_bytes(b"\x28\xb5\x2f\xfd")
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
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline())
    Path("a.txt").write_text("Rain.\n")
    with pytest.raises(BadInput, match="has no head for 'metaphor'; install"):
        trope("a.txt", "--out", "out")


def test_an_output_folder_of_something_else_is_left_alone() -> None:
    Path("a.txt").write_text("Rain ate roads.\n")
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("x")
    for more in ((), ("--resume",)):
        with pytest.raises(BadInput, match=r"mine: contains thesis\.tex, which trope"):
            trope("a.txt", "--out", "mine", *more)
    Path("mine/manifest.json").write_text('{"name": "my app"}')
    with pytest.raises(BadRecord, match=r"manifest\.json: is not a manifest of trope detect"):
        trope("a.txt", "--out", "mine", "--resume")
    assert sorted(p.name for p in Path("mine").iterdir()) == ["manifest.json", "thesis.tex"]
    with pytest.raises(BadInput, match=r"a\.txt: is a file; give a folder"):
        trope("a.txt", "--out", "a.txt")


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (("--kind", "tweet"), "kind was 'plain', is 'tweet'"),
        (("--unit", "line"), "unit was 'auto', is 'line'"),
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
    with pytest.raises(BadInput, match=r"belongs to a finished run; check it with --resume"):
        trope("a.txt", "--out", "out")
    with pytest.raises(BadInput, match=rf"manifest\.json: belongs to another run \({difference}\)"):
        trope("a.txt", *options, "--out", "out", "--resume")


def test_the_first_of_many_differences_are_named() -> None:
    folder: RunFolder[object] = RunFolder(Path("out"))
    with pytest.raises(BadInput) as refused:
        folder.check_same([f"key{number}: 1 there, 2 here" for number in range(9)])
    assert "key3: 1 there, 2 here; 5 more); give the same again" in str(refused.value)
    assert "key4" not in str(refused.value)


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
    write, written = shards.atomic_write, []  # type: ignore[attr-defined]

    def filling(path: Path, mode: Literal["wb"]) -> Any:
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
    found = list(InputCorpus(find_files([str(path)]), Columns()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [type(entry).__name__ for entry in found] == ["TextRow", "RefusedRow", "TextRow"]
    refused = found[1]
    assert isinstance(refused, RefusedRow)
    assert refused.problem == "is longer than 64 MB; split it into lines"
    assert peak < 200_000_000


def test_input_that_changes_while_it_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.txt").write_text("Prices climb.\nGoats climb.\n")
    make = shards.make_shard

    def made_while_someone_writes(*args: Any) -> Any:
        Path("a.txt").write_text("Prices fall.\nGoats climb.\n")
        return make(*args)

    monkeypatch.setattr("trope.scale.run.make_shard", made_while_someone_writes)
    with pytest.raises(BadInput, match=r"a\.txt: changed while it was read"):
        trope("a.txt", "--out", "out")
    assert '"done"' not in (Path("out") / "manifest.json").read_text()
