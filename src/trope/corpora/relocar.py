"""Metonymic places: ReLocaR (Wikipedia) and the CoNLL lists (news), literal, metonymic or mixed."""

from __future__ import annotations

from collections.abc import Iterator

from trope.core.errors import BadInput, BadRecord
from trope.corpora.name_samples import NameSample, OnRefused, refuse
from trope.corpora.semeval2007_markup import SampleElement, pieces, read_attributes, read_elements
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.lexicon.readings import check_label

_RELOCAR_READINGS = {"lit": "literal", "met": "metonymic", "mix": "mixed"}


def read_relocar(source: Source, *, refused: OnRefused | None = None) -> Iterator[NameSample]:
    """The marked names; a sample with several gives one record each, `12` and `12.2`.

    Readings are those of the medium level; a text counts as one sentence, as in the task's lines.

    Raises:
        BadRecord: with number and line, for samples without a marked name, unknown readings,
            broken mark-up, numbers that come twice.
    """
    seen: set[str] = set()
    for element in read_elements(source, refused=refused):
        number = element.attributes.get("number", "")
        try:
            if not number or number in seen:
                raise BadInput("has no number of its own; each sample needs its own number")
            seen.add(number)
            yield from _relocar_samples(element, number)
        except BadInput as error:
            refuse(element.fault(number, str(error)), refused)


def _relocar_samples(element: SampleElement, number: str) -> list[NameSample]:
    text, open_reading, start = "", "", 0
    marks: list[tuple[int, int, str]] = []
    for piece in pieces(element.body):
        if not piece.name:
            text += " ".join(piece.text.split("\n"))
        elif piece.name != "loc" or piece.empty or piece.closing != bool(open_reading):
            raise BadInput(f"<{piece.name}> does not belong here; put names into <loc>…</loc>")
        elif not piece.closing:
            attribute = read_attributes(piece.attributes).get("reading", "")
            if attribute not in _RELOCAR_READINGS:
                raise BadInput(
                    f"unknown reading {attribute!r}; known: {', '.join(_RELOCAR_READINGS)}"
                )
            open_reading, start = _RELOCAR_READINGS[attribute], len(text)
        else:
            marks.append((start, len(text), open_reading))
            open_reading = ""
    if open_reading or not marks:
        raise BadInput("has no marked name, or one that is not closed; mark it with <loc>…</loc>")
    return [
        _relocar_sample(element, number if at == 1 else f"{number}.{at}", text, mark)
        for at, mark in enumerate(marks, start=1)
    ]


def _relocar_sample(
    element: SampleElement, sample: str, text: str, mark: tuple[int, int, str]
) -> NameSample:
    start, end, reading = mark
    name = text[start:end]
    start, end = start + len(name) - len(name.lstrip()), end - len(name) + len(name.rstrip())
    before = len(text) - len(text.lstrip())
    return NameSample(
        id=sample,
        name=name.strip(),
        name_class="location",
        sentences=(text.strip(),),
        target=0,
        start=start - before,
        end=end - before,
        reading=reading,
        known_at="medium",
        line=element.line,
    )


_CELLS, _MARKED = 2, 3


def read_conll_metonymy(
    source: Source, *, reading: str, refused: OnRefused | None = None
) -> Iterator[NameSample]:
    """The names of a list, all of which have the given reading: literal, metonymic or mixed.

    Raises:
        BadInput: for a reading that the medium level does not have.
        BadRecord: with the line, for lines of another form, and names that do not occur in their
            text.
    """
    check_label(reading, "location", "medium")
    path = source_name(source)
    for line, text in numbered_lines(source):
        if not text.strip():
            continue
        try:
            yield _conll_sample(text, reading, line)
        except BadInput as error:
            refuse(BadRecord(path, line, str(error)), refused)


def _conll_sample(text: str, reading: str, line: int) -> NameSample:
    parts = text.split("<SEP>")
    marked = parts[-1].split("<ENT>")
    if len(parts) != _CELLS or len(marked) != _MARKED:
        raise BadInput("is not a line Name<SEP>text with <ENT>Name<ENT> in it; check the format")
    name, (before, found, after) = parts[0].strip(), marked
    if not name or found.strip() != name:
        raise BadInput(f"the name {name!r} does not occur in its text where it is marked")
    before = before.lstrip() + found[: len(found) - len(found.lstrip())]
    rest = (found[len(found.rstrip()) :] + after).rstrip()
    return NameSample(
        id=f"{reading}:{line}",
        name=name,
        name_class="location",
        sentences=(f"{before}{name}{rest}",),
        target=0,
        start=len(before),
        end=len(before) + len(name),
        reading=reading,
        known_at="medium",
        line=line,
    )
