"""ReLocaR: places in sentences of Wikipedia, literal, metonymic or mixed."""

from __future__ import annotations

from collections.abc import Iterator

from trope.core.errors import BadInput
from trope.corpora.name_samples import NameSample, Refused, refuse
from trope.corpora.sample_elements import Element, pieces, read_attributes, read_elements
from trope.corpora.sources import Source

_READINGS = {"lit": "literal", "met": "metonymic", "mix": "mixed"}


def read_relocar(source: Source, *, refused: Refused | None = None) -> Iterator[NameSample]:
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
                raise BadInput("has no number of its own; a number is for one sample")
            seen.add(number)
            yield from _read(element, number)
        except BadInput as error:
            refuse(element.fault(number, str(error)), refused)


def _read(element: Element, number: str) -> list[NameSample]:
    text, open_reading, start = "", "", 0
    marks: list[tuple[int, int, str]] = []
    for piece in pieces(element.body):
        if not piece.name:
            text += " ".join(piece.text.split("\n"))
        elif piece.name != "loc" or piece.empty or piece.closing != bool(open_reading):
            raise BadInput(f"<{piece.name}> does not belong here; names stand in <loc>…</loc>")
        elif not piece.closing:
            said = read_attributes(piece.attributes).get("reading", "")
            if said not in _READINGS:
                raise BadInput(f"unknown reading {said!r}; known: {', '.join(_READINGS)}")
            open_reading, start = _READINGS[said], len(text)
        else:
            marks.append((start, len(text), open_reading))
            open_reading = ""
    if open_reading or not marks:
        raise BadInput("has no marked name, or one that is not closed; mark it with <loc>…</loc>")
    return [
        _sample(element, number if at == 1 else f"{number}.{at}", text, mark)
        for at, mark in enumerate(marks, start=1)
    ]


def _sample(element: Element, sample: str, text: str, mark: tuple[int, int, str]) -> NameSample:
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
