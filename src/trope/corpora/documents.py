"""Documents of other programs as paragraphs: Word, PDF, web pages, EPUB.

Headings are paragraphs too; cells of tables are paragraphs of their own. Of a web page, the article
or the main part is read, without menus, forms and footers.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from posixpath import dirname, join, normpath
from typing import Any, Literal
from urllib.parse import unquote

from trope.core.errors import BadRecord, MissingExtra
from trope.corpora.encodings import find_encoding
from trope.corpora.plain_text import unwrap
from trope.corpora.sources import BAD_ZIP, DAMAGED, check_unpacked
from trope.corpora.workbooks import FILES_EXTRA, check_office

DocumentFormat = Literal["docx", "pdf", "html", "epub"]

_PACKAGES = {"docx": "docx", "pdf": "pypdf", "html": "lxml", "epub": "lxml", "xlsx": "openpyxl"}
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.I)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_LEFT_OUT = {
    *("script", "style", "noscript", "template", "svg", "nav", "footer", "aside", "form"),
    *("button", "select", "iframe", "head"),
}
_INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
    *("em", "font", "i", "ins", "kbd", "label", "mark", "q", "ruby", "s", "samp", "small"),
    *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "img"),
}


def read_paragraphs(
    content: bytes, name: str, form: DocumentFormat, encoding: str | None = None
) -> list[str]:
    """The paragraphs of a document.

    Raises:
        MissingExtra: for a format whose package is not installed.
        BadRecord: for a file that is another than its name says, protected, or without text.
    """
    load_package(form)
    found = [" ".join(paragraph.split()) for paragraph in _READERS[form](content, name, encoding)]
    if not any(found):
        raise BadRecord(name, None, "has no text; leave it out")
    return [paragraph for paragraph in found if paragraph]


def load_package(form: str) -> Any:
    """The package that reads a format, or an error that names the extra that brings it."""
    try:
        return import_module(_PACKAGES[form])
    except ModuleNotFoundError as error:
        raise MissingExtra(f"a .{form} file", FILES_EXTRA, error.name or "") from None


def _word_paragraphs(content: bytes, name: str, _: str | None) -> Iterator[str]:
    check_office(content, name, "Word document", ".docx")
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from docx.table import Table

    try:
        blocks = list(docx.Document(io.BytesIO(content)).iter_inner_content())
    except (
        PackageNotFoundError,
        *DAMAGED,
        RuntimeError,
        LookupError,
        ValueError,
        SyntaxError,
    ) as error:
        problem = f"is not a Word document ({error}); open it in its program and save it as .docx"
        raise BadRecord(name, None, problem) from None
    for block in blocks:
        if isinstance(block, Table):
            # a cell that spans several columns comes as often
            cells = {cell._tc: cell for row in block.rows for cell in row.cells}
            for cell in cells.values():
                yield from (paragraph.text for paragraph in cell.paragraphs)
        else:
            yield block.text


# what pypdf lets through for files that are cut off or refer to themselves
_BAD_PDF = (
    *DAMAGED,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)


def _pdf_paragraphs(content: bytes, name: str, _: str | None) -> Iterator[str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = PdfReader(io.BytesIO(content))
            if reader.is_encrypted and not reader.decrypt(""):
                raise BadRecord(name, None, _PROTECTED)
            pages = [page.extract_text().splitlines() for page in reader.pages]
    except (FileNotDecryptedError, DependencyError):
        raise BadRecord(name, None, _PROTECTED) from None
    except PyPdfError as error:
        problem = f"is not a readable PDF ({error}); open it and print it to a new PDF"
        raise BadRecord(name, None, problem) from None
    except _BAD_PDF as error:
        problem = f"is not a readable PDF ({error}); open it and print it to a new PDF"
        raise BadRecord(name, None, problem) from None
    if not any(line.strip() for page in pages for line in page):
        problem = f"has no text on its {len(pages)} pages, only images"
        raise BadRecord(name, None, f"{problem}; recognise the text first, such as with ocrmypdf")
    yield from unwrap([line for page in _without_margins(pages) for line in page], hyphens=True)


_PROTECTED = "is protected by a password; save it without one"


def _without_margins(pages: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The lines of the pages without page numbers and titles that are repeated on most pages."""
    trimmed = [[line.strip() for line in page if line.strip()] for page in pages]
    ends = Counter(line for page in trimmed if page for line in {page[0], page[-1]})
    repeated = {line for line, times in ends.items() if times > 2 and times * 2 >= len(pages)}
    for page in trimmed:
        for at in (0, -1):
            while page and (page[at] in repeated or page[at].strip("-– ").isdecimal()):
                page.pop(at)
        yield page


def _page_paragraphs(content: bytes, name: str, encoding: str | None) -> Iterator[str]:
    from lxml import etree, html

    if not encoding:
        declared = _CHARSET.search(content[:4096])
        found = find_encoding(content)
        encoding = found if found != "cp1252" or not declared else declared[1].decode()
    try:
        text = content.decode(encoding, "replace").lstrip("\ufeff")
        root = html.document_fromstring(_DECLARATION.sub("", text, count=1))
    except (etree.ParserError, etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise BadRecord(name, None, f"cannot be read as HTML ({error}); save it again") from None
    articles = root.findall(".//article") or root.findall(".//main")
    yield from _blocks(articles[0] if len(articles) == 1 else root)


def _blocks(root: Any) -> Iterator[str]:
    """The text between the starts and ends of blocks."""
    held: list[str] = []

    def walk(element: Any) -> Iterator[str]:
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag and tag not in _LEFT_OUT:
            is_block = tag not in _INLINE
            if tag == "br":
                held.append(" ")
            elif is_block:
                yield from flush()
            held.append(element.text or "")
            for child in element:
                yield from walk(child)
                held.append(child.tail or "")
            if is_block and tag != "br":
                yield from flush()

    def flush() -> Iterator[str]:
        yield "".join(held)
        held.clear()

    yield from walk(root)


def _book_paragraphs(content: bytes, name: str, _: str | None) -> Iterator[str]:
    from lxml import etree

    check_unpacked(content, name)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            container = etree.fromstring(book.read("META-INF/container.xml"), parser)
            package = container.find(".//{*}rootfile").get("full-path")
            described = etree.fromstring(book.read(package), parser)
            items = {item.get("id"): item for item in described.iterfind(".//{*}item")}
            chapters = [
                normpath(join(dirname(package), unquote(items[ref.get("idref")].get("href"))))
                for ref in described.iterfind(".//{*}itemref")
                if ref.get("idref") in items
                and "nav" not in (items[ref.get("idref")].get("properties") or "").split()
            ]
            if _locked(book, chapters):
                raise BadRecord(name, None, "is protected; give a copy that is not")
            for chapter in chapters:
                yield from _page_paragraphs(book.read(chapter), name, "utf-8")
    except BadRecord:
        raise
    except (*BAD_ZIP, RuntimeError, KeyError, AttributeError, etree.XMLSyntaxError) as error:
        raise BadRecord(name, None, f"is not an EPUB file ({error}); get it again") from None


def _locked(book: zipfile.ZipFile, chapters: Sequence[str]) -> bool:
    """Whether chapters are encrypted; fonts often are, and do not matter."""
    if "META-INF/encryption.xml" not in book.namelist():
        return False
    listed = book.read("META-INF/encryption.xml").decode("utf-8", "replace")
    return any(f'URI="{chapter}"' in listed for chapter in chapters)


_READERS: dict[str, Callable[[bytes, str, str | None], Iterator[str]]] = {
    "docx": _word_paragraphs,
    "pdf": _pdf_paragraphs,
    "html": _page_paragraphs,
    "epub": _book_paragraphs,
}
