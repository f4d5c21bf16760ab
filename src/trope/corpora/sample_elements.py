"""`<sample>` elements of files that no XML parser reads: unbound prefixes, bare ampersands.

The files are read as text. A DTD is passed over, never followed; one that declares entities from
other entities or from other files is refused, since nobody needs them for samples of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trope.core.errors import BadInput, BadRecord
from trope.corpora.entities import decode_entities
from trope.corpora.fields import read_bytes, told_encoding
from trope.corpora.name_samples import Refused, refuse
from trope.corpora.sources import Source, numbered_lines, source_name

MOST_CHARACTERS = 1_000_000
"""Of one sample: four sentences need a few thousand, and tagged ones some ten thousand."""

_BOUNDARY = re.compile(r"<sample(?=[\s>])[^<>]*>|</sample\s*>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("([^"]*)"|'([^']*)')""")
_TAG = re.compile(
    r"<(/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*)\s*(/?)>"
)
_ENTITY = re.compile(r"<!ENTITY\s+(%?)\s*(\S+)\s+(.*)", re.DOTALL)
_LONGEST_TAG = 10_000
_NESTED = re.compile(r"[&%](?!#)[\w.:-]+;")


@dataclass(frozen=True, slots=True)
class Element:
    """What stands between `<sample …>` and `</sample>`, with the line where it begins."""

    path: str
    line: int
    attributes: dict[str, str]
    body: str

    def fault(self, sample: str, problem: str, at: int = 0) -> BadRecord:
        """The error for a problem of this sample, `at` characters into its body."""
        line = self.line + self.body.count("\n", 0, at)
        return BadRecord(self.path, line, f"sample {sample!r}: {problem}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A tag (`name` set) or the text before the next one, `at` characters into its source."""

    at: int
    name: str = ""
    closing: bool = False
    empty: bool = False
    attributes: str = ""
    text: str = ""


def read_elements(source: Source, *, refused: Refused | None = None) -> Iterator[Element]:
    """The samples of a file in their order.

    Raises:
        BadRecord: for samples that are not closed, stand inside of another or are too long, and
            for hostile declarations. The latter end the reading whatever `refused` says.
    """
    content = read_bytes(source)
    encoding = told_encoding(content.getvalue(), "iso-8859-1")
    scanner = _Scanner(source_name(source), refused)
    for line, text in numbered_lines(content, encoding=encoding, keep_ends=True):
        at = 0
        for mark in _BOUNDARY.finditer(text):
            scanner.add(text[at : mark.start()], line)
            at = mark.end()
            if not mark[0].startswith("</"):
                scanner.begin(mark[0], line)
            elif (element := scanner.end(line)) is not None:
                yield element
        scanner.add(text[at:], line)
    scanner.finish()


class _Scanner:
    """Gathers the lines of one sample after the other."""

    def __init__(self, path: str, refused: Refused | None) -> None:
        self.path, self.refused = path, refused
        self.outside = _Outside(path)
        self.attributes: dict[str, str] | None = None
        self.start = self.size = 0
        self.broken = False
        self.parts: list[str] = []

    def add(self, text: str, line: int) -> None:
        """Take the next stretch of text."""
        if self.attributes is None:
            self.outside.add(text, line)
            return
        self.size += len(text)
        if self.size <= MOST_CHARACTERS:  # no more is kept than can be used
            self.parts.append(text)

    def begin(self, tag: str, line: int) -> None:
        """Begin a sample; one that is still open is given up."""
        if self.attributes is not None:
            self._refuse(line, "begins a sample inside of another; close the first with </sample>")
        self.attributes, self.start, self.size, self.parts = {}, line, 0, []
        self.broken = False
        try:
            self.attributes = read_attributes(tag)
        except BadInput as error:
            self.broken = True
            self._refuse(line, str(error))

    def end(self, line: int) -> Element | None:
        """The sample that ends here, if it can be used."""
        attributes, self.attributes = self.attributes, None
        if attributes is None:
            self._refuse(line, "closes a sample that was not begun")
            return None
        if self.size > MOST_CHARACTERS:
            self._refuse(self.start, f"holds a sample of over {MOST_CHARACTERS:,} characters")
            return None
        if self.broken:
            return None  # which has been said
        return Element(self.path, self.start, attributes, "".join(self.parts))

    def finish(self) -> None:
        """Say that the last sample has no end, if so."""
        if self.attributes is not None:
            self._refuse(self.start, "holds a sample that is not closed; the file is cut")

    def _refuse(self, line: int, problem: str) -> None:
        refuse(BadRecord(self.path, line, problem), self.refused)


class _Outside:
    """What stands outside of samples: only declarations matter, and only hostile ones."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pending = ""
        self.begun = 0

    def add(self, text: str, line: int) -> None:
        """Look at the next stretch; an entity is judged once its declaration is whole."""
        for piece in re.split(r"(?=<!ENTITY)", text):
            if piece.startswith("<!ENTITY"):
                self.pending, self.begun = piece, line
            elif self.pending:
                self.pending += piece
            if self.pending and (">" in self.pending or len(self.pending) > MOST_CHARACTERS):
                self._judge(self.pending)
                self.pending = ""

    def _judge(self, declaration: str) -> None:
        found = _ENTITY.match(declaration)
        value = found[3] if found else ""
        outer = value.startswith(("SYSTEM", "PUBLIC"))
        if found is None or found[1] or outer or _NESTED.search(value):
            what = "from another file" if outer else "made of other entities"
            raise BadRecord(
                self.path,
                self.begun,
                f"declares an entity {what}; such files are refused, remove the declaration",
            )


def read_attributes(text: str) -> dict[str, str]:
    """The attributes of a tag, their references replaced.

    Raises:
        BadInput: for a tag of absurd length, and for unknown entities.
    """
    if len(text) > _LONGEST_TAG:
        raise BadInput(f"holds a tag of {len(text):,} characters; the file is broken")
    return {
        match[1]: decode_entities(match[3] if match[3] is not None else match[4])
        for match in _ATTRIBUTE.finditer(text)
    }


def pieces(body: str) -> Iterator[Piece]:
    """Tags and the texts between them, in order; comments are left out.

    Raises:
        BadInput: for "<" that begins no tag, and for unknown entities.
    """
    body = _without_comments(body)
    at = 0
    for tag in _TAG.finditer(body):
        yield _text(body, at, tag.start())
        yield Piece(tag.start(), tag[2], bool(tag[1]), bool(tag[4]), tag[3])
        at = tag.end()
    yield _text(body, at, len(body))


def _without_comments(body: str) -> str:
    """The body with line breaks alone where comments were; one without an end stays."""
    kept: list[str] = []
    at = 0
    while (start := body.find("<!--", at)) >= 0 and (end := body.find("-->", start)) >= 0:
        kept += [body[at:start], "\n" * body.count("\n", start, end)]
        at = end + len("-->")
    return "".join([*kept, body[at:]])


def _text(body: str, start: int, end: int) -> Piece:
    text = body[start:end]
    if "<" in text:
        raise BadInput(f"{text[text.index('<') :][:20]!r} is no tag; write &lt; for the sign <")
    return Piece(start, text=decode_entities(text))
