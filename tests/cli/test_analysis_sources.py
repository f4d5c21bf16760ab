import gzip
import io
import sys
from pathlib import Path

import pytest

from trope.cli.sources import ReadingOptions, read_sources
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.corpora.files import FileOptions
from trope.corpora.plain_text import Unit


def read(*arguments: object, column: str = "", unit: Unit = "auto") -> list[tuple[str, str]]:
    options = ReadingOptions(column=column, files=FileOptions(unit=unit))
    found = read_sources([str(argument) for argument in arguments], options)
    return [(text.name, text.text) for text in found]


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_an_argument_that_is_no_file_is_a_text() -> None:
    assert read("Rain ate the road.", "so what") == [("", "Rain ate the road."), ("", "so what")]


def test_a_text_file_has_a_text_a_line_and_blank_lines_are_none(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeffOne.\r\n\n  \nZwö 😂.".encode())
    assert read(file) == [(f"{file}:1", "One."), (f"{file}:4", "Zwö 😂.")]


def test_a_whole_file_is_one_text(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("One.\nTwo.\n")
    assert read(file, unit="file") == [(str(file), "One.\nTwo.\n")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", 'id,text\n1,"One, two."\n2,Three.\n'),
        ("t.tsv", "id\ttext\n1\tOne, two.\n2\tThree.\n"),
        ("t.jsonl", '{"id": 1, "text": "One, two."}\n\n{"text": "Three."}\n'),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_tables_are_read_by_their_suffix(
    tmp_path: Path, name: str, content: str, packed: bool
) -> None:
    file = tmp_path / (name + ".gz" if packed else name)
    data = content.encode()
    file.write_bytes(gzip.compress(data) if packed else data)
    assert [text for _, text in read(file)] == ["One, two.", "Three."]


def test_column_chooses_and_a_missing_one_names_the_others(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,caption\n1,Rain falls.\n")
    assert [text for _, text in read(file, column="caption")] == ["Rain falls."]
    with pytest.raises(BadRecord, match="id, caption"):
        read(file)


def test_bad_json_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"text": "One."}\n{"text": \n')
    with pytest.raises(BadRecord, match=r"t\.jsonl:2"):
        read(file)


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    stdin(monkeypatch, b"One.\nTwo.\n")
    assert read(*arguments) == [("standard input:1", "One."), ("standard input:2", "Two.")]


def test_nothing_on_a_terminal_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    with pytest.raises(BadInput, match="no text given"):
        read()


@pytest.mark.parametrize("name", ["missing.txt", "data/missing.csv", "x.jsonl.gz"])
def test_what_looks_like_a_file_name_must_be_one(name: str) -> None:
    with pytest.raises(MissingData, match="not found"):
        read(name)


@pytest.mark.parametrize("text", ["U.S.A.", "a.b", "Read a.txt today", "x" * 5000, "nul\0nul"])
def test_what_does_not_look_like_one_is_a_text(text: str) -> None:
    assert read(text) == [("", text)]


def test_a_folder_is_read_file_by_file_and_one_without_texts_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file of texts in"):
        read(tmp_path)
    (tmp_path / "b.txt").write_text("Two.\n")
    (tmp_path / "a.csv").write_text("id,text\n1,One.\n")
    assert [text for _, text in read(tmp_path)] == ["One.", "Two."]


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_a_file_without_text_is_an_error(tmp_path: Path, data: bytes) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(data)
    with pytest.raises(BadInput, match=r"empty\.txt"):
        read(empty)


def test_bytes_that_are_no_text_name_their_line(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"One \xe2\x82\xac.\nTw\xf6.\n")
    with pytest.raises(BadRecord, match=r"a\.txt:2: is not UTF-8 \(byte 0xf6\) at character 3"):
        read(file)
    file.write_bytes(b"One.\nTwo.\nPK\0\n")
    with pytest.raises(BadRecord, match=r"a\.txt:3: holds a NUL byte"):
        read(file)
