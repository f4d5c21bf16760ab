"""A user's own files, made with the libraries that write them: each read with the right texts."""

import io
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from own_files import (
    FILES,
    epub,
    fill_folder,
    pdf,
    protected,
    protected_pdf,
    scan,
    word,
    workbook,
)
from trope.cli.sources import ReadingOptions, read_sources
from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.corpora.files import FileOptions, find_files, read_document, read_entries
from trope.corpora.tables import read_texts
from trope.scale.entries import Columns, InputCorpus, TextRow
from trope.text.language import other_language


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill_folder(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_with_the_right_texts(folder: Path, name: str) -> None:
    content, texts = FILES[name]
    path = str(folder / name)
    found = find_files([path])
    assert [e.text for e in InputCorpus(found, Columns()) if isinstance(e, TextRow)] == texts
    assert [text.text for text in read_sources([path], ReadingOptions())] == texts
    if found[0].is_table:
        assert [record.text for record in read_texts(path)] == texts
    assert read_document(content, name).split() == " ".join(texts).split()


def test_a_folder_of_twenty_files_is_read_alike_by_all_commands(folder: Path) -> None:
    (folder / "old.doc").write_bytes(b"x")
    expected = [text for _, texts in FILES.values() for text in texts]
    told: list[tuple[str, str]] = []
    options = ReadingOptions(tell=lambda name, note: told.append((Path(name).name, note)))
    assert [text.text for text in read_sources([str(folder)], options)] == expected
    corpus = InputCorpus(find_files([str(folder)]), Columns())
    assert [entry.text for entry in corpus if isinstance(entry, TextRow)] == expected
    assert ("old.doc", "skipped: .doc is not read; save it as .docx") in told


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("scan.pdf", scan(2), "has no text on its 2 pages, only images; recognise"),
        ("no.pdf", b"hello", "is not a readable PDF"),
        ("cut.pdf", pdf("Rain fell.")[:300], "is not a readable PDF"),
        ("locked.pdf", protected_pdf("Rain fell."), "is protected by a password; save it without"),
        ("locked.xlsx", protected(workbook()), "is protected by a password; save it without one"),
        ("locked.docx", protected(word()), "is protected by a password; save it without one"),
        ("old.xlsx", OLD, "has an old format; open it and save it as .xlsx"),
        ("no.xlsx", b"id,text", "is not a workbook; open it in its program and save it as .xlsx"),
        ("no.docx", b"just words", "is not a Word document"),
        ("other.docx", workbook(), "is not a Word document"),
        ("no.epub", b"PK no", "is not an EPUB file"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadRecord, match=problem):
        list(read_sources([str(tmp_path / name)], ReadingOptions()))


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """A small archive that unpacks to more than 200 MB."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("META-INF/container.xml", "w") as part,
    ):
        for _ in range(201):
            part.write(bytes(1_000_000))
    return made.getvalue()


@pytest.mark.parametrize("name", ["b.epub", "b.docx", "b.xlsx"])
def test_a_document_that_unpacks_to_far_too_much_is_refused(
    name: str, bomb: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(bomb)
    with pytest.raises(BadRecord, match="unpacks to 201,000,000 bytes, more than a text needs"):
        list(read_sources([str(tmp_path / name)], ReadingOptions()))


def test_parquet_whose_text_is_not_utf8_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow.parquet import write_table

    raw = pyarrow.array([b"\xff\xfe no text", b"Rain fell."], type=pyarrow.binary())
    text = pyarrow.Array.from_buffers(pyarrow.string(), 2, raw.buffers())
    write_table(pyarrow.table({"text": text}), tmp_path / "a.parquet")
    with pytest.raises(BadRecord, match=r"cannot be read as Parquet .*utf-8.*; write the file"):
        list(read_sources([str(tmp_path / "a.parquet")], ReadingOptions()))


def test_a_book_whose_archive_was_altered_is_refused(tmp_path: Path) -> None:
    sound = epub()
    for place in range(0, len(sound), 7):  # flags, methods, places of parts
        altered = bytearray(sound)
        altered[place] ^= 0xFF
        (tmp_path / "a.epub").write_bytes(altered)
        with suppress(BadRecord):
            list(read_sources([str(tmp_path / "a.epub")], ReadingOptions()))


def test_a_stray_quote_in_a_large_table_costs_its_row_alone(tmp_path: Path) -> None:
    row = "{},a tweet of ordinary length that nobody ever wrote about the rain and the roads\n"
    count = 130_000
    with (tmp_path / "a.csv").open("w") as file:
        file.write("id,text\n")
        file.writelines('9,"open\n' if n == 50 else row.format(n) for n in range(count))
    assert (tmp_path / "a.csv").stat().st_size > 10_000_000
    (found,) = find_files([str(tmp_path / "a.csv")])
    rows = [(line, row) for line, row in read_entries(found, FileOptions())]
    assert [line for line, row in rows if isinstance(row, str)] == [52]
    assert len(rows) == count


def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("Rain fell.\n" * 20_000)
    told: list[str] = []
    (found,) = find_files([str(path)])
    before = found.sha256()
    rows = 0
    for rows, _ in enumerate(
        read_entries(found, FileOptions(), tell=lambda _, n: told.append(n)), 1
    ):
        if rows == 1:
            with path.open("a") as file:
                file.write("More rain.\n" * 10)
    assert rows == 20_000
    assert "grew while it was read" in told[-1]
    assert found.sha256() == before


def test_cells_without_a_value_are_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,Rain.\n2,NaN\n3,None\n4,\n5,Sun.\n")
    told: list[str] = []
    options = ReadingOptions(tell=lambda _, note: told.append(note))
    assert [text.text for text in read_sources([str(path)], options)] == ["Rain.", "Sun."]
    assert told == ["left out 3 rows without a text (line 3)"]


@pytest.mark.parametrize("form", ["csv", "excel", "parquet", "json"])
def test_missing_values_of_pandas_are_left_out(tmp_path: Path, form: str) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (trope[pandas])")
    frame = pandas.DataFrame({"id": range(4), "text": ["Rain.", float("nan"), None, "Sun."]})
    path = tmp_path / f"a.{'xlsx' if form == 'excel' else form}"
    how = {"orient": "records"} if form == "json" else {"index": False}
    getattr(frame, f"to_{form}")(path, **how)
    told: list[str] = []
    options = ReadingOptions(tell=lambda _, note: told.append(note))
    assert [text.text for text in read_sources([str(path)], options)] == ["Rain.", "Sun."]
    assert told[0].startswith("left out 2 rows without a text")


def test_lines_of_json_may_leave_the_text_out(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "Rain."}\n{"text": NaN}\n{"id": 3}\n{"id": 4, "text": "Sun."}\n')
    options = ReadingOptions(tell=lambda *note: None)
    assert [text.text for text in read_sources([str(path)], options)] == ["Rain.", "Sun."]


def test_a_column_named_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,text\nRain.,Sun.\n")
    with pytest.raises(BadRecord, match="the header has 'text' more than once; rename"):
        list(read_sources([str(path)], ReadingOptions()))


def test_a_book_in_one_line_is_one_text(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    book = "The river had eaten the bank again, and nobody spoke of it any more. " * 8_000
    path.write_text(book)
    assert [text.text for text in read_sources([str(path)], ReadingOptions())] == [book]


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    (tmp_path / "a.docx").write_bytes(word())
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[files\]'"):
        find_files([str(tmp_path / "a.docx")])
    with pytest.raises(BadInput, match=r"no file of texts.*trope\[files\]"):
        find_files([str(tmp_path)])


def test_the_last_byte_of_a_file_tells_its_encoding_too(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("They drown in the café".encode("cp1252"))
    assert [text.text for text in read_sources([str(path)], ReadingOptions())] == [
        "They drown in the café"
    ]


def test_another_language_is_told_unless_it_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Der Regen hat die Straße gefressen, und es ist nicht vorbei.\n")
    for quiet in (False, True):
        told: list[str] = []

        def tell(_: str, note: str, told: list[str] = told) -> None:
            told.append(note)

        list(read_sources([str(path)], ReadingOptions(any_language=quiet, tell=tell)))
        assert any("looks like German" in note for note in told) is not quiet


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Vertrag wurde am Montag in Berlin unterzeichnet, aber niemand war froh.", "German"),
        ("約束を破った。", "Chinese or Japanese"),
        ("Он нарушил слово.", "a language in Cyrillic script"),
        ("He broke his word.", ""),
        ("I am at the war museum in Berlin.", ""),
    ],
)
def test_the_language_of_a_single_sentence_is_told(text: str, language: str) -> None:
    assert other_language(text) == language


def test_an_empty_first_sheet_is_told_with_the_others(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed (trope[files])")
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    notes = book.create_sheet("Notes 2")
    for row in (("id", "text"), (1, "So it goes")):
        notes.append(row)
    path = tmp_path / "two sheets.xlsx"
    book.save(path)
    said = "two sheets.xlsx: the first sheet, 'Cover', is empty; name another sheet: Notes 2"
    with pytest.raises(BadRecord, match=said):
        list(read_texts(path))
    (entry,) = read_entries(find_files([str(path)])[0], FileOptions(sheet="Notes 2"))
    assert entry[1] == {"id": "1", "text": "So it goes"}
