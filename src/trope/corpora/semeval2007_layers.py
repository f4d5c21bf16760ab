"""Further layers of SemEval-2007 Task 8, read and written: words with tags, names, roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.corpora.records import NameSample, OnRefused, refuse
from trope.corpora.semeval2007 import NAME_TAGS
from trope.corpora.semeval2007_markup import (
    MarkupPiece,
    SampleElement,
    decode_entities,
    pieces,
    read_attributes,
    read_elements,
)
from trope.corpora.sources import Source, detect_encoding, numbered_lines, read_bytes, source_name
from trope.lexicon.readings import NameClass

ROLES = (
    "subj", "subjpassive", "obj", "iobj", "pp", "gen", "premod", "app", "pred", "hasadj", "hasapp",
    "hasgen", "haspp", "haspremod", "nohead",
)  # fmt: skip
"""The relations that people annotated between a name and another word."""

_WORD_TAGS = ("bnc:w", "bnc:c")
_COLUMNS = 5
_CLOSE = "</annot>"
_MOST_CHARACTERS = 100_000  # of one stand-off name


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word or sign of the BNC with its CLAWS tag; `id` is BNC's own place of it."""

    text: str
    tag: str
    id: str


@dataclass(frozen=True, slots=True)
class TaggedSample:
    """The words of a sample, one tuple per sentence.

    Words `first` to `last` (exclusive) of the sentence `target` are the name.
    """

    id: str
    name_class: NameClass
    sentences: tuple[tuple[TaggedWord, ...], ...]
    target: int
    first: int
    last: int
    line: int

    @property
    def name(self) -> tuple[TaggedWord, ...]:
        """The words of the name."""
        return self.sentences[self.target][self.first : self.last]


@dataclass(frozen=True, slots=True)
class StandoffName:
    """A name by the places of its words in the BNC."""

    sample: str
    name_class: NameClass
    words: tuple[TaggedWord, ...]
    line: int


@dataclass(frozen=True, slots=True)
class RoleRow:
    """One relation of a name: `lemma` is the other word, empty where there is none."""

    sample: str
    lemma: str
    name: str
    role: str
    line: int


@dataclass(slots=True)
class _Tagged:
    """What has been read of a tagged sample so far."""

    sentences: list[list[TaggedWord]] = field(default_factory=list)
    name_class: NameClass | None = None
    spans: list[tuple[int, int, int]] = field(default_factory=list)
    word: dict[str, str] | None = None
    begun: int = 0

    @property
    def here(self) -> list[TaggedWord]:
        if not self.sentences:
            raise BadInput("a word is outside of any sentence")
        return self.sentences[-1]


def read_tagged(source: Source, *, refused: OnRefused | None = None) -> Iterator[TaggedSample]:
    """Samples with the words and tags of the BNC.

    Raises:
        BadRecord: with id and line, for samples that come twice, without words or with other than
            one name; with `refused` those are reported and skipped.
    """
    seen: set[str] = set()
    for element in read_elements(source, refused=refused):
        sample = element.attributes.get("id", "")
        try:
            if not sample or sample in seen:
                raise BadInput("has no id of its own; each sample needs its own id")
            seen.add(sample)
            yield _read_tagged(element, sample)
        except BadInput as error:
            refuse(element.fault(sample, str(error)), refused)


def _read_tagged(element: SampleElement, sample: str) -> TaggedSample:
    found = _Tagged()
    start = element.body.find("<par>")  # what stands before describes the book
    end = element.body.find("</par>")
    if start < 0 or end < start:
        raise BadInput("has no <par>; the sample is cut off")
    for piece in pieces(element.body[start + len("<par>") : end]):
        _take(found, piece)
    if len(found.spans) != 1 or found.name_class is None:
        raise BadInput(f"marks {len(found.spans)} names instead of one")
    target, first, last = found.spans[0]
    if first == last:
        raise BadInput("the marked name is empty; a name must occur in its text")
    sentences = tuple(map(tuple, found.sentences))
    return TaggedSample(sample, found.name_class, sentences, target, first, last, element.line)


def _take(found: _Tagged, piece: MarkupPiece) -> None:
    if piece.name == "bnc:s" and not piece.closing:
        found.sentences.append([])
    elif piece.name in _WORD_TAGS:
        found.word = None if piece.closing else read_attributes(piece.attributes)
    elif piece.name in NAME_TAGS and not piece.closing:
        found.name_class, found.begun = NAME_TAGS[piece.name], len(found.here)
    elif piece.name in NAME_TAGS:
        found.spans.append((len(found.sentences) - 1, found.begun, len(found.here)))
    elif not piece.name and found.word is not None and piece.text.strip():
        tag, place = found.word.get("bnc:type", ""), found.word.get("id", "")
        found.here.append(TaggedWord(" ".join(piece.text.split()), tag, place))


def read_standoff(source: Source, *, refused: OnRefused | None = None) -> Iterator[StandoffName]:
    """The names of a stand-off file, which has neither a root element nor namespaces.

    Raises:
        BadRecord: for names without words, or whose words lie in several samples.
    """
    path = source_name(source)
    content = read_bytes(source)
    encoding = detect_encoding(content.getvalue(), "iso-8859-1")
    body, start = "", 0
    for line, text in numbered_lines(content, encoding=encoding, keep_ends=True):
        if not body.strip():
            body, start = "", line
        body += text
        while _CLOSE in body:
            one, _, body = body.partition(_CLOSE)
            try:
                yield _read_standoff(one + _CLOSE, start)
            except BadInput as error:
                refuse(BadRecord(path, start, str(error)), refused)
        if len(body) > _MOST_CHARACTERS:
            raise BadRecord(path, start, "has an <annot> without an end; the file is broken")
    if body.strip():
        refuse(
            BadRecord(path, start, "has an <annot> without an end; the file is cut off"), refused
        )


def _read_standoff(body: str, line: int) -> StandoffName:
    found = _Tagged(sentences=[[]])
    for piece in pieces(body):
        _take(found, piece)
    words = tuple(found.sentences[0])
    samples = {word.id.partition("-")[0] for word in words}
    if len(samples) != 1 or found.name_class is None:
        raise BadInput("the name has no words, or words of several samples")
    return StandoffName(samples.pop(), found.name_class, words, line)


def read_roles(source: Source, *, refused: OnRefused | None = None) -> Iterator[RoleRow]:
    """The hand-made relations, a line each: id, lemma, name, role, reading.

    Raises:
        BadRecord: for lines of another form and unknown roles.
    """
    path = source_name(source)
    for line, text in numbered_lines(source):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.split("|")]
        if len(cells) != _COLUMNS or not cells[0] or not cells[2]:
            problem = "is not a line id|lemma|name|role|reading; check the format"
            refuse(BadRecord(path, line, problem), refused)
        elif cells[3] not in ROLES:
            problem = f"sample {cells[0]!r}: unknown role {cells[3]!r}; known: {', '.join(ROLES)}"
            refuse(BadRecord(path, line, problem), refused)
        else:
            lemma = "" if cells[1] == "NONE" else cells[1]
            yield RoleRow(cells[0], lemma, decode_entities(cells[2]), cells[3], line)


def roles_of(
    samples: Sequence[NameSample], rows: Iterable[RoleRow], path: str = "roles"
) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """The (role, lemma) pairs of every sample, by id.

    Raises:
        BadRecord: for a row of no sample, one with another name, and a sample without a row.
    """
    names = {sample.id: _plain(sample.name) for sample in samples}
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        if row.sample not in names:
            raise BadRecord(path, row.line, f"sample {row.sample!r} is not among the samples")
        if _plain(row.name) != names[row.sample]:
            problem = f"sample {row.sample!r}: the name {row.name!r} does not occur in its text"
            raise BadRecord(path, row.line, problem)
        found.setdefault(row.sample, []).append((row.role, row.lemma))
    missing = [sample for sample in names if sample not in found]
    if missing:
        raise BadRecord(
            path, None, f"has no role for sample {missing[0]!r}; every sample needs one"
        )
    return {sample: tuple(pairs) for sample, pairs in found.items()}


def _plain(name: str) -> str:
    """A name without blanks and case: annotators wrote FINLAND as Finland."""
    return "".join(name.split()).casefold()


_ELEMENTS = {name_class: tag for tag, name_class in NAME_TAGS.items()}


def write_tagged(samples: Iterable[TaggedSample], path: str | Path) -> None:
    """Write words and tags in the form that `read_tagged` reads, without readings."""
    with atomic_write(path) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<sampletexts xmlns:bnc="http://info.ox.ac.uk:80/bnc/">\n')
        for sample in samples:
            file.write(f"\n<sample id={quoteattr(sample.id)}>\n<par>\n")
            for number, words in enumerate(sample.sentences):
                shown = [_word(word) for word in words]
                if number == sample.target:
                    name = _annotated(sample, shown[sample.first : sample.last])
                    shown[sample.first : sample.last] = [name]
                file.write(f"<bnc:s> {' '.join(shown)} </bnc:s>\n")
            file.write("</par>\n</sample>\n")
        file.write("</sampletexts>\n")


def write_standoff(samples: Iterable[TaggedSample], path: str | Path) -> None:
    """Write the names of samples by the places of their words, as `read_standoff` reads them."""
    with atomic_write(path) as file:
        for sample in samples:
            file.write(f"{_annotated(sample, [_word(word) for word in sample.name])}\n\n")


def _word(word: TaggedWord) -> str:
    attributes = f"id={quoteattr(word.id)} bnc:type={quoteattr(word.tag)}"
    return f"<bnc:w {attributes}> {escape(word.text)} </bnc:w>"


def _annotated(sample: TaggedSample, words: Sequence[str]) -> str:
    tag = _ELEMENTS[sample.name_class]
    return f'<annot><{tag} reading="unknown"> {" ".join(words)} </{tag}></annot>'


def write_roles(rows: Iterable[RoleRow], readings: Mapping[str, str], path: str | Path) -> None:
    """Write relations in the form that `read_roles` reads, with the readings of the samples."""
    with atomic_write(path) as file:
        for row in rows:
            cells = (row.sample, row.lemma or "NONE", row.name, row.role, readings[row.sample])
            file.write("|".join(cell.replace("|", " ") for cell in cells) + "\n")
