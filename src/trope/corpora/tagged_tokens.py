"""Sentences with a tag for every token, B-X, I-X or O: names, idioms, metaphors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from trope.core.errors import BadRecord
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, numbered_lines, source_name

_TAG = re.compile(r"O|[BI]-\S+")
_COMMENT = re.compile(r"#\s*(?:(?P<key>\w[\w ]*?)\s*=\s*(?P<value>.*)|new(?:doc|par)\b.*)")
_DOCUMENT_START = "-DOCSTART-"
_CELLS, _UNER_CELLS = 2, 5


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """The tokens `start` to `end` (exclusive) of a sentence, tagged as one `type`."""

    start: int
    end: int
    type: str


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence with a tag for every token; every span begins with B-.

    `text` is the sentence as it was written, empty where the file does not give it.
    """

    id: str
    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    line: int
    text: str = ""

    @property
    def spans(self) -> tuple[TaggedSpan, ...]:
        """The tagged spans, from left to right."""
        return tag_spans(self.tags)


def tag_spans(tags: Sequence[str]) -> tuple[TaggedSpan, ...]:
    """The spans of a sequence of tags; an I- that continues nothing begins a span."""
    found: list[TaggedSpan] = []
    for at, tag in enumerate(tags):
        if tag == "O":
            continue
        if _continues(tag, tags[at - 1] if at else "O"):
            found[-1] = TaggedSpan(found[-1].start, at + 1, found[-1].type)
        else:
            found.append(TaggedSpan(at, at + 1, tag[2:]))
    return tuple(found)


def read_tagged_tokens(source: Source, *, strict: bool = False) -> Iterator[TaggedSentence]:
    """Sentences as lines of token and tag, with a blank line after each.

    A tab separates token and tag; in a line without one, blanks do. `# id = NAME` before a
    sentence gives its id; sentences without one are counted from 1. An I- that continues no span
    becomes B-, unless `strict` refuses it.

    Raises:
        BadRecord: for lines of another form, unknown tags, ids that occur twice and ids without
            tokens.
    """
    name = source_name(source)
    seen = UniqueIds()
    for number, block in enumerate(_blocks(source), start=1):
        first = CheckedRow(name, block.line, {})
        identifier = block.values.get("id", str(number))
        if not identifier:
            raise first.fault("the id is empty; write it after '# id ='")
        seen.add(identifier, first, identifier)
        rows = [(line, _cells(name, line, text)) for line, text in block.rows]
        tags = _checked_tags(name, [(line, tag) for line, (_, tag) in rows], strict)
        yield TaggedSentence(identifier, tuple(token for _, (token, _) in rows), tags, block.line)


def read_uner(source: Source, *, strict: bool = False) -> Iterator[TaggedSentence]:
    """Sentences of Universal NER: lines of number, token, tag and two more columns.

    `# sent_id` gives the id and `# text` the sentence, in which the tokens must stand in order.

    Raises:
        BadRecord: for the faults of `read_tagged_tokens`, missing ids and texts, numbers out of
            order, and texts that do not consist of the tokens.
    """
    name = source_name(source)
    seen = UniqueIds()
    for block in _blocks(source):
        first = CheckedRow(name, block.line, block.values)
        identifier, text = first.text("sent_id"), first.text("text")
        seen.add(identifier, first, identifier)
        rows = [(line, _uner_cells(name, line, at, row)) for at, (line, row) in block.numbered()]
        tokens = tuple(token for _, (token, _) in rows)
        if "".join("".join(tokens).split()) != "".join(text.split()):
            raise first.fault("the text does not consist of the tokens; check '# text'")
        tags = _checked_tags(name, [(line, tag) for line, (_, tag) in rows], strict)
        yield TaggedSentence(identifier, tokens, tags, block.line, text)


@dataclass(slots=True)
class _SentenceBlock:
    """The lines of one sentence, in file order."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, str]] = field(default_factory=list)

    def numbered(self) -> Iterator[tuple[int, tuple[int, str]]]:
        return enumerate(self.rows, start=1)


def _blocks(source: Source) -> Iterator[_SentenceBlock]:
    name = source_name(source)
    block: _SentenceBlock | None = None
    for line, text in numbered_lines(source):
        if not text.strip():
            if block:
                yield _complete(name, block)
            block = None
            continue
        if text.split()[0] == _DOCUMENT_START:
            continue
        block = block or _SentenceBlock(line)
        comment = None if "\t" in text else _COMMENT.fullmatch(text)
        if comment is None:
            block.rows.append((line, text))
        elif block.rows:
            raise BadRecord(name, line, "is a comment inside a sentence; put a blank line before")
        elif comment["key"]:
            block.values[comment["key"]] = comment["value"].strip()
    if block:
        yield _complete(name, block)


def _complete(name: str, block: _SentenceBlock) -> _SentenceBlock:
    if not block.rows:
        raise BadRecord(name, block.line, "begins a sentence without tokens; add them or delete it")
    return block


def _cells(name: str, line: int, text: str) -> tuple[str, str]:
    cells = text.split("\t") if "\t" in text else text.split()
    if len(cells) != _CELLS or not cells[0].strip():
        raise BadRecord(name, line, "is not a token, a tab and a tag; check the format")
    return cells[0], cells[1]


def _uner_cells(name: str, line: int, number: int, text: str) -> tuple[str, str]:
    cells = text.split("\t")
    if len(cells) != _UNER_CELLS or not cells[1].strip():
        problem = f"has {len(cells)} columns, but lines here have number, token, tag and two more"
        raise BadRecord(name, line, problem)
    if cells[0] != str(number):
        raise BadRecord(
            name, line, f"has the number {cells[0]!r} instead of {number}; count from 1"
        )
    return cells[1], cells[2]


def _checked_tags(name: str, tags: Sequence[tuple[int, str]], strict: bool) -> tuple[str, ...]:
    """The tags of a sentence, each with its line, with a B- at the beginning of every span."""
    checked: list[str] = []
    for line, tag in tags:
        if not _TAG.fullmatch(tag):
            raise BadRecord(name, line, f"unknown tag {tag!r}; tags are O, B-X and I-X")
        if tag[0] == "I" and not _continues(tag, checked[-1] if checked else "O"):
            if strict:
                raise BadRecord(name, line, f"{tag} continues no span; begin spans with B-")
            tag = f"B{tag[1:]}"
        checked.append(tag)
    return tuple(checked)


def _continues(tag: str, before: str) -> bool:
    return tag[0] == "I" and before[2:] == tag[2:]
