"""Files of many formats, encodings and dialects, made with the libraries that people use."""

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

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
    """A page with one line of text."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    sheet = writer.add_blank_page(300, 300)
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


def scan(pages: int = 2) -> bytes:
    """A PDF whose pages are images of text, as a scanner makes it."""
    from PIL import Image, ImageDraw

    images = []
    for number in range(pages):
        image = Image.new("L", (300, 400), "white")
        ImageDraw.Draw(image).text((30, 40), f"The market bled on page {number + 1}.", fill=0)
        images.append(image)
    file = io.BytesIO()
    images[0].save(file, "PDF", save_all=True, append_images=images[1:])
    return file.getvalue()


def protected(content: bytes, password: str = "secret") -> bytes:
    """A workbook or document that a password protects, as an office program saves it."""
    office = pytest.importorskip("msoffcrypto", reason="msoffcrypto-tool is not installed")
    file = io.BytesIO()
    office.OfficeFile(io.BytesIO(content)).encrypt(password, file)
    return file.getvalue()


def protected_pdf(text: str) -> bytes:
    """A PDF that is not shown without a password."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(text)))
    writer.encrypt("secret", algorithm="AES-256")
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


def fill_folder(folder: Path) -> list[str]:
    """Put the twenty files into a folder; returns their texts."""
    for name, (content, _) in FILES.items():
        (folder / name).write_bytes(content)
    return [text for _, texts in FILES.values() for text in texts]


def write_tables(rows: Sequence[Sequence[str]]) -> dict[str, bytes]:
    """The same table in every format, encoding and dialect; the first row is its header."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (trope[parquet])")
    parquet = pytest.importorskip("pyarrow.parquet")

    def dialect(sign: str, **how: str) -> str:
        file = io.StringIO()
        csv.writer(file, delimiter=sign, **how).writerows(rows)
        return file.getvalue()

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    saved = io.BytesIO()
    book.save(saved)
    header, *body = rows
    objects = [dict(zip(header, row, strict=True)) for row in body]
    packed = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(objects), packed)
    comma = dialect(",").encode()
    zstandard = pa.compress(comma, codec="zstd", asbytes=True)
    return {
        "comma.csv": comma,
        "unix.csv": dialect(",", lineterminator="\n").encode(),
        "semicolon.csv": dialect(";").encode(),
        "tab.csv": dialect("\t").encode(),
        "bar.csv": dialect("|").encode(),
        "named.csv": b"sep=;\r\n" + dialect(";").encode(),
        "mark.csv": dialect(",").encode("utf-8-sig"),
        "excel.csv": dialect(";").encode("utf-8-sig"),
        "windows.csv": dialect(";").encode("cp1252"),
        "unicode.csv": dialect("\t").encode("utf-16"),
        "big-endian.csv": b"\xfe\xff" + dialect(",").encode("utf-16-be"),
        "plain.tsv": dialect("\t").encode(),
        "tab.txt": dialect("\t").encode(),
        "book.xlsx": saved.getvalue(),
        "lines.jsonl": "".join(json.dumps(row) + "\n" for row in objects).encode(),
        "list.json": json.dumps(objects, indent=1, ensure_ascii=False).encode(),
        "columns.parquet": packed.getvalue(),
        "packed.csv.gz": gzip.compress(comma),
        "packed.csv.bz2": bz2.compress(comma),
        "packed.csv.xz": lzma.compress(comma),
        "packed.csv.zst": zstandard,
        "packed.xlsx.gz": gzip.compress(saved.getvalue()),
        "archive.zip": zipped("in/a.csv", dialect(";").encode("cp1252")),
    }
