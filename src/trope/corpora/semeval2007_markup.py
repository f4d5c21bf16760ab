"""`<sample>` elements of files that no XML parser reads: unbound prefixes, bare ampersands.

The files are read as text. A DTD is skipped, never followed; one that declares entities from
other entities or from other files is refused. Entities come from a fixed table: the names of HTML,
BNC's own and ISO's Greek letters. A reference that the table does not have is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import OnRefused, refuse
from trope.corpora.sources import Source, detect_encoding, numbered_lines, read_bytes, source_name

_GREEK = {
    "a": "α", "b": "β", "g": "γ", "d": "δ", "e": "ε", "z": "ζ", "ee": "η", "th": "θ", "i": "ι",
    "k": "κ", "l": "λ", "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "s": "σ",
    "t": "τ", "u": "υ", "ph": "φ", "kh": "χ", "ps": "ψ", "oh": "ω",
}  # fmt: skip
_ENTITIES: dict[str, str] = {
    **{name.removesuffix(";"): text for name, text in html5.items() if name.endswith(";")},
    **{f"{name}gr": letter for name, letter in _GREEK.items()},
    **{f"{name.upper()}gr": letter.upper() for name, letter in _GREEK.items()},
    "bquo": "“", "equo": "”", "rehy": "\u00ad", "ft": "′", "ins": "″", "shilling": "/-",
    "formula": "[formula]", "circ": "^", "tilde": "~",
    "frac17": "1/7", "frac19": "1/9", "frac47": "4/7",
}  # fmt: skip
"""Name → characters."""

_REFERENCE = re.compile(r"&(#x[0-9A-Fa-f]+|#[0-9]+|[A-Za-z][A-Za-z0-9.]*);")
_LAST_CODE_POINT = 0x10FFFF


def decode_entities(text: str) -> str:
    """The text with its references replaced, once; an ampersand that begins none stays.

    Raises:
        BadInput: for a reference that the table does not have.
    """
    return _REFERENCE.sub(lambda match: _character(match[1]), text)


def _character(name: str) -> str:
    if not name.startswith("#"):
        if name not in _ENTITIES:
            raise BadInput(f"unknown entity '&{name};'; entities of a document are never expanded")
        return _ENTITIES[name]
    digits = name[1:]
    number = int(digits[1:], 16) if digits.startswith("x") else int(digits[:9])
    is_text = 0 < number <= _LAST_CODE_POINT and not 0xD800 <= number <= 0xDFFF
    if not is_text or (number < 32 and number not in (9, 10, 13)):
        raise BadInput(f"'&{name};' is not a character; write the character itself")
    return chr(number)


_MOST_CHARACTERS = 1_000_000
"""Of one sample: four sentences need a few thousand, and tagged ones some ten thousand."""

_BOUNDARY = re.compile(r"<sample(?=[\s>])[^<>]*>|</sample\s*>")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("([^"]*)"|'([^']*)')""")
_TAG = re.compile(
    r"<(/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*)\s*(/?)>"
)
_DECLARATION = re.compile(r"<!ENTITY\s+(%?)\s*(\S+)\s+(.*)", re.DOTALL)
_LONGEST_TAG = 10_000
_NESTED = re.compile(r"[&%](?!#)[\w.:-]+;")


@dataclass(frozen=True, slots=True)
class SampleElement:
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
class MarkupPiece:
    """A tag (`name` set) or the text before the next one, `at` characters into its source."""

    at: int
    name: str = ""
    closing: bool = False
    empty: bool = False
    attributes: str = ""
    text: str = ""


def read_elements(source: Source, *, refused: OnRefused | None = None) -> Iterator[SampleElement]:
    """The samples of a file in their order.

    Raises:
        BadRecord: for samples that are not closed, stand inside of another or are too long, and
            for hostile declarations. The latter end the reading whatever `refused` says.
    """
    content = read_bytes(source)
    encoding = detect_encoding(content.getvalue(), "iso-8859-1")
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

    def __init__(self, path: str, refused: OnRefused | None) -> None:
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
        if self.size <= _MOST_CHARACTERS:  # no more is kept than can be used
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

    def end(self, line: int) -> SampleElement | None:
        """The sample that ends here, if it can be used."""
        attributes, self.attributes = self.attributes, None
        if attributes is None:
            self._refuse(line, "closes a sample that was not begun")
            return None
        if self.size > _MOST_CHARACTERS:
            self._refuse(self.start, f"holds a sample of over {_MOST_CHARACTERS:,} characters")
            return None
        if self.broken:
            return None  # already reported
        return SampleElement(self.path, self.start, attributes, "".join(self.parts))

    def finish(self) -> None:
        """Say that the last sample has no end, if so."""
        if self.attributes is not None:
            self._refuse(self.start, "holds a sample that is not closed; the file is cut off")

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
            if self.pending and (">" in self.pending or len(self.pending) > _MOST_CHARACTERS):
                self._judge(self.pending)
                self.pending = ""

    def _judge(self, declaration: str) -> None:
        found = _DECLARATION.match(declaration)
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


def pieces(body: str) -> Iterator[MarkupPiece]:
    """Tags and the texts between them, in order; comments are left out.

    Raises:
        BadInput: for "<" that begins no tag, and for unknown entities.
    """
    body = _without_comments(body)
    at = 0
    for tag in _TAG.finditer(body):
        yield _text(body, at, tag.start())
        yield MarkupPiece(tag.start(), tag[2], bool(tag[1]), bool(tag[4]), tag[3])
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


def _text(body: str, start: int, end: int) -> MarkupPiece:
    text = body[start:end]
    if "<" in text:
        raise BadInput(f"{text[text.index('<') :][:20]!r} is not a tag; write &lt; for the sign <")
    return MarkupPiece(start, text=decode_entities(text))
