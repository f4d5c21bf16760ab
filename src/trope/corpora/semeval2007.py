"""SemEval-2007 Task 8: names of countries and companies in up to four sentences of the BNC.

Hardly one of the files is XML that a parser takes; `sample_elements` says how they are read. A
sentence is a line of `<par>`. One file has every text twice, `<par>` with and `<par2>` without
readings; the second is skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.corpora.records import NameSample, OnRefused, refuse
from trope.corpora.semeval2007_markup import (
    MarkupPiece,
    SampleElement,
    pieces,
    read_attributes,
    read_elements,
)
from trope.corpora.sources import Source, read_bytes, source_name
from trope.lexicon.readings import METONYMIC, NON_LITERAL, NameClass, check_label

NAME_TAGS: dict[str, NameClass] = {"location": "location", "org": "organisation"}
UNKNOWN = "unknown"

_TITLES = ("bnc:title", "title")
_BLANKS = re.compile(r"\s+")
_FALSE_LABELS = {"samp945": NON_LITERAL}
"""The JSON file of the company training set calls one metonymic sample literal."""


def read_samples(source: Source, *, refused: OnRefused | None = None) -> Iterator[NameSample]:
    """The samples of a training, test or gold file.

    Raises:
        BadRecord: with id and line, for samples that are broken or come twice, unknown readings,
            other than one marked name; with `refused` those are reported and skipped.
    """
    lines: dict[str, int] = {}
    for element in read_elements(source, refused=refused):
        sample = element.attributes.get("id", "")
        try:
            if not sample:
                raise BadInput("has no id; every sample needs one")
            if sample in lines:
                raise BadInput(f"is also in line {lines[sample]}; each sample needs its own id")
            lines[sample] = element.line
            yield _read(element, sample)
        except BadRecord as error:
            refuse(error, refused)
        except BadInput as error:
            refuse(element.fault(sample, str(error)), refused)


@dataclass(slots=True)
class _Parts:
    """What has been read of a sample so far."""

    text: list[str] = field(default_factory=list)
    length: int = 0
    title: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    tag: str = ""
    attributes: dict[str, str] = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.text.append(text)
        self.length += len(text)


def _read(element: SampleElement, sample: str) -> NameSample:
    parts = _Parts()
    inside: list[str] = []
    for piece in pieces(element.body):
        if not piece.name:
            _take(parts, inside, piece.text)
        elif not piece.closing:
            _open(parts, inside, piece)
        elif not inside or inside.pop() != piece.name:
            raise element.fault(
                sample, f"</{piece.name}> closes an element that is not open", piece.at
            )
    if inside:
        raise element.fault(sample, f"<{inside[-1]}> is not closed")
    if len(parts.spans) != 1:
        problem = f"marks {len(parts.spans)} names instead of one"
        raise element.fault(sample, problem)
    return _assemble(element, sample, parts)


def _open(parts: _Parts, inside: list[str], piece: MarkupPiece) -> None:
    allowed = {"": ("par", "par2", *_TITLES), "par": ("annot",), "annot": tuple(NAME_TAGS),
               "par2": ("annotorg", "annotlocation")}  # fmt: skip
    outer = inside[-1] if inside else ""
    if piece.empty or piece.name not in allowed.get(outer, ()):
        raise BadInput(f"<{piece.name}> does not belong in <{outer or 'sample'}>")
    if piece.name in NAME_TAGS:
        parts.tag, parts.attributes = piece.name, read_attributes(piece.attributes)
    inside.append(piece.name)


def _take(parts: _Parts, inside: list[str], text: str) -> None:
    """Keep text where it belongs; blanks around a name are those of the mark-up."""
    where = inside[-1] if inside else ""
    if where in NAME_TAGS:
        name = _BLANKS.sub(" ", text.strip())
        if not name:
            raise BadInput("the marked name is empty; a name must occur in its text")
        parts.spans.append((parts.length, parts.length + len(name)))
        parts.add(name)
    elif where == "par":
        parts.add(text)
    elif where in _TITLES:
        parts.title.append(text)
    elif where in ("", "annot") and text.strip():
        raise BadInput(f"the text {text.strip()[:20]!r} is outside of <par>")


def _assemble(element: SampleElement, sample: str, parts: _Parts) -> NameSample:
    text = "".join(parts.text)
    start, end = parts.spans[0]
    sentences: list[str] = []
    target = begin = offset = 0
    for line in text.split("\n"):
        first = len(line) - len(line.lstrip())
        if offset <= start <= offset + len(line) and line.strip():
            target, begin = len(sentences), offset + first
        if line.strip():
            sentences.append(line.strip())
        offset += len(line) + 1
    name_class = NAME_TAGS[parts.tag]
    reading = _reading(parts.attributes, name_class)
    return NameSample(
        id=sample,
        name=text[start:end],
        name_class=name_class,
        sentences=tuple(sentences),
        target=target,
        start=start - begin,
        end=end - begin,
        reading=reading,
        known_at="fine" if reading else None,
        title=_BLANKS.sub(" ", "".join(parts.title)).strip(),
        notes=parts.attributes.get("notes", ""),
        line=element.line,
    )


def _reading(attributes: dict[str, str], name_class: NameClass) -> str:
    """The fine reading, empty for an unknown one."""
    reading, pattern = attributes.get("reading", ""), attributes.get("metotype", "")
    if reading == METONYMIC:
        if not pattern:
            raise BadInput("is metonymic without a metotype; name the pattern")
        return check_label(pattern, name_class, "fine")
    if pattern:
        raise BadInput(f"has the metotype {pattern!r} but the reading {reading!r}")
    if reading == UNKNOWN:
        return ""
    if reading not in ("literal", "mixed"):
        raise BadInput(f"unknown reading {reading!r}; known: literal, metonymic, mixed, unknown")
    return reading


def read_company_labels(source: Source) -> list[tuple[str, bool]]:
    """Name and whether it is literal, in the order of the samples, from a JSON file of companies.

    Raises:
        BadRecord: for a file of another form, and for spans outside of their sentence.
    """
    path = source_name(source)
    try:
        rows = json.loads(read_bytes(source).getvalue())
    except (ValueError, RecursionError) as error:
        raise BadRecord(path, None, f"is not JSON ({error}); give the companies' file") from None
    found: list[tuple[str, bool]] = []
    for number, row in enumerate(rows if isinstance(rows, list) else [None], start=1):
        match row:
            case {"sentence": list(words), "pos": [int(a), int(b)], "label": 0 | 1 as label} if (
                0 <= a < b <= len(words)
            ):
                found.append((" ".join(map(str, words[a:b])), label == 0))
            case _:
                problem = "needs sentence, pos inside of it and label 0 or 1"
                raise BadRecord(path, None, f"item {number} {problem}")
    return found


def with_company_labels(
    samples: Sequence[NameSample], labels: Sequence[tuple[str, bool]], path: str | Path
) -> list[NameSample]:
    """The samples with the coarse readings of the JSON file, which has no ids but the same order.

    Raises:
        BadRecord: where the two do not fit.
    """
    if len(samples) != len(labels):
        raise BadRecord(path, None, f"has {len(labels)} labels for {len(samples)} samples")
    found: list[NameSample] = []
    for sample, (name, literal) in zip(samples, labels, strict=True):
        if "".join(name.split()) != "".join(sample.name.split()):
            problem = f"has {name!r} where sample {sample.id!r} has {sample.name!r}"
            raise BadRecord(path, None, f"{problem}; the order must be the same")
        reading = _FALSE_LABELS.get(sample.id, "literal" if literal else NON_LITERAL)
        found.append(replace(sample, reading=reading, known_at="coarse"))
    return found


def write_samples(samples: Iterable[NameSample], path: str | Path) -> None:
    """Write samples to a file of the task's form, in UTF-8 and well-formed."""
    with atomic_write(path) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write('<sampletexts xmlns:bnc="http://info.ox.ac.uk:80/bnc/">\n')
        for sample in samples:
            file.write(_as_xml(sample))
        file.write("</sampletexts>\n")


def _as_xml(sample: NameSample) -> str:
    tag = {name_class: tag for tag, name_class in NAME_TAGS.items()}[sample.name_class]
    sentence = sample.sentence
    marked = (
        f"{escape(sentence[: sample.start])}<annot><{tag}{_reading_attributes(sample)}> "
        f"{escape(sample.name)} </{tag}></annot>{escape(sentence[sample.end :])}"
    )
    lines = [escape(text) for text in sample.sentences]
    lines[sample.target] = marked
    body = "\n".join(" ".join(line.splitlines()) for line in lines)
    return (
        f"\n<sample id={quoteattr(sample.id)}>\n<bnc:title> {escape(sample.title)} </bnc:title>\n"
        f"<par>\n{body}\n</par>\n</sample>\n"
    )


def _reading_attributes(sample: NameSample) -> str:
    if sample.known_at not in ("fine", None):
        raise BadInput(f"sample {sample.id!r} has no fine reading, which its file needs")
    notes = f" notes={quoteattr(sample.notes)}" if sample.notes else ""
    if sample.known_at is None:
        return f' reading="{UNKNOWN}"{notes}'
    if sample.reading in ("literal", "mixed"):
        return f' reading="{sample.reading}"{notes}'
    return f' reading="{METONYMIC}" metotype="{sample.reading}"{notes}'
