"""A user's own files, made with the libraries that write them: each read with the right texts."""

import gzip
import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from trope.cli.sources import ReadingOptions, read_sources
from trope.core.errors import BadInput, BadRecord, MissingExtra
from trope.corpora.files import FileOptions, find_files, read_document, read_entries
from trope.corpora.tables import read_texts
from trope.scale.entries import Columns, InputCorpus, TextRow

docx = pytest.importorskip("docx", reason="python-docx is not installed (trope[files])")
openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed (trope[files])")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed (trope[files])")

TEXTS = ["Café owners drown in debt – again.", "The senate killed; the bill died."]
PROSE = (
    "The river had eaten the bank again, and the old house leaned toward the\n"
    "water as a tired man leans toward his bed. Nobody in the village spoke\n"
    "of it any more.\n"
)


def table(sign: str, end: str = "\n") -> str:
    rows = [("id", "text"), *((str(n), f'"{text}"') for n, text in enumerate(TEXTS, start=1))]
    return end.join(sign.join(row) for row in rows) + end


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    for number, text in enumerate(TEXTS, start=1):
        book.active.append([number, text])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def word() -> bytes:
    document = docx.Document()
    for text in TEXTS:
        document.add_paragraph(text)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def page() -> bytes:
    body = "".join(f"<p>{text}</p>" for text in TEXTS)
    return f"<html><body><nav>Home</nav><article>{body}</article></body></html>".encode()


def epub() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        container = '<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>'
        book.writestr("META-INF/container.xml", container)
        manifest = '<manifest><item id="c" href="c%201.xhtml"/></manifest>'
        book.writestr(
            "o/b.opf", f'<package>{manifest}<spine><itemref idref="c"/></spine></package>'
        )
        book.writestr("o/c 1.xhtml", page())
    return file.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


def pdf(text: str) -> bytes:
    """A page with one line of text, or with none, as a scan has."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    sheet = writer.add_blank_page(300, 300)
    if text:
        names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        font = DictionaryObject({NameObject(k): NameObject(v) for k, v in names.items()})
        fonts = DictionaryObject({NameObject("/F1"): font})
        sheet[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
        sheet[NameObject("/Contents")] = writer._add_object(stream)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


LINES = "\n".join(TEXTS) + "\n"
JSONL = "".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in enumerate(TEXTS, start=1))
WHOLE = ["\n\n".join(TEXTS)]
FILES: dict[str, tuple[bytes, list[str]]] = {
    "01-comma.csv": (table(",").encode(), TEXTS),
    "02-semicolon.csv": (table(";").encode(), TEXTS),
    "03-excel.csv": (b"\xef\xbb\xbf" + table(";", "\r\n").encode(), TEXTS),
    "04-windows.csv": (table(";", "\r\n").encode("cp1252"), TEXTS),
    "05-unicode.csv": (table("\t", "\r\n").encode("utf-16"), TEXTS),
    "06-named.csv": (b"sep=|\r\n" + table("|", "\r\n").encode(), TEXTS),
    "07-plain.tsv": (table("\t").replace('"', "").encode(), TEXTS),
    "08-lines.jsonl": (JSONL.encode(), TEXTS),
    "09-list.json": (json.dumps([{"text": t} for t in TEXTS], indent=1).encode(), TEXTS),
    "10-book.xlsx": (workbook(), TEXTS),
    "11-list.txt": (LINES.encode(), TEXTS),
    "12-windows.txt": (LINES.encode("cp1252"), TEXTS),
    "13-big-endian.txt": (b"\xfe\xff" + LINES.encode("utf-16-be"), TEXTS),
    "14-novel.txt": (PROSE.encode(), [PROSE.replace("\n", " ").strip()]),
    "15-letter.docx": (word(), WHOLE),
    "16-page.html": (page(), WHOLE),
    "17-book.epub": (epub(), WHOLE),
    "18-print.pdf": (pdf("The market bled."), ["The market bled."]),
    "19-packed.csv.gz": (gzip.compress(table(",").encode()), TEXTS),
    "20-archive.zip": (zipped("in/a.csv", table(";").encode("cp1252")), TEXTS),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, (content, _) in FILES.items():
        (tmp_path / name).write_bytes(content)
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
    elif found[0].format != "txt":
        assert read_document(content, name) == texts[0]


def test_a_folder_of_twenty_files_is_read_alike_by_all_commands(folder: Path) -> None:
    (folder / "old.doc").write_bytes(b"x")
    expected = [text for _, texts in FILES.values() for text in texts]
    told: list[tuple[str, str]] = []
    options = ReadingOptions(tell=lambda name, note: told.append((Path(name).name, note)))
    assert [text.text for text in read_sources([str(folder)], options)] == expected
    corpus = InputCorpus(find_files([str(folder)]), Columns())
    assert [entry.text for entry in corpus if isinstance(entry, TextRow)] == expected
    assert ("old.doc", "skipped: .doc is not read; save it as .docx") in told


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("scan.pdf", pdf(""), "has no text on its 1 pages, only images; recognise"),
        ("no.pdf", b"hello", "is no PDF that can be read"),
        ("locked.xlsx", OLE, "is protected by a password"),
        ("no.docx", b"just words", "is no Word document"),
        ("other.docx", workbook(), "is no Word document"),
        ("no.epub", b"PK no", "is no EPUB"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadRecord, match=problem):
        list(read_sources([str(tmp_path / name)], ReadingOptions()))


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
