"""Metonymic places, literal, metonymic or mixed: ReLocaR, CoNLL lists, WiMCor, GeoWebNews."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import NameSample, OnRefused, refuse
from trope.corpora.rows import json_text
from trope.corpora.semeval2007_markup import SampleElement, pieces, read_attributes, read_elements
from trope.corpora.sources import Source, numbered_lines, read_bytes, source_name
from trope.lexicon.readings import LITERAL, METONYMIC, check_label

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
    return _marked_names(source, reading, reading, refused=refused)


WIMCOR_KINDS = {
    "LOCATION": LITERAL,
    "ARTIFACT": METONYMIC,
    "EVENT": METONYMIC,
    "INSTITUTE": METONYMIC,
    "TEAM": METONYMIC,
}
"""What a name of WiMCor stands for, and the reading that this is."""

_WIMCOR_FILE = re.compile(r"wiki_(?P<kind>[A-Z]+)_\w+")


def read_wimcor(
    source: Source, *, kind: str | None = None, refused: OnRefused | None = None
) -> Iterator[NameSample]:
    """The names of a file of WiMCor, which has one kind: `wiki_TEAM_train.txt` has teams.

    Without `kind`, one of `WIMCOR_KINDS`, the file name gives it; `notes` of a sample holds it.
    Ids are the file name without endings and the line: `wiki_TEAM_train:12`.

    Raises:
        BadInput: for an unknown kind.
        BadRecord: for the faults of `read_conll_metonymy`.
    """
    stem = Path(source_name(source)).name.split(".")[0]
    if kind is None:
        named = _WIMCOR_FILE.fullmatch(stem)
        kind = named["kind"] if named else ""
    if kind not in WIMCOR_KINDS:
        known = ", ".join(WIMCOR_KINDS)
        raise BadInput(f"{source_name(source)}: no kind is called {kind!r}; give one of {known}")
    return _marked_names(source, WIMCOR_KINDS[kind], stem, notes=kind, refused=refused)


def _marked_names(
    source: Source, reading: str, prefix: str, *, notes: str = "", refused: OnRefused | None
) -> Iterator[NameSample]:
    path = source_name(source)
    for line, text in numbered_lines(source):
        if not text.strip():
            continue
        try:
            name, sentence, start = _marked_name(text)
            yield NameSample(
                id=f"{prefix}:{line}",
                name=name,
                name_class="location",
                sentences=(sentence,),
                target=0,
                start=start,
                end=start + len(name),
                reading=reading,
                known_at="medium",
                notes=notes,
                line=line,
            )
        except BadInput as error:
            refuse(BadRecord(path, line, str(error)), refused)


def _marked_name(text: str) -> tuple[str, str, int]:
    """The name of a line, its text without marks, and where the name begins in it."""
    parts = text.split("<SEP>")
    marked = parts[-1].split("<ENT>")
    if len(parts) != _CELLS or len(marked) != _MARKED:
        raise BadInput("is not a line Name<SEP>text with <ENT>Name<ENT> in it; check the format")
    name, (before, found, after) = parts[0].strip(), marked
    if not name or found.strip() != name:
        raise BadInput(f"the name {name!r} does not occur in its text where it is marked")
    before = before.lstrip() + found[: len(found) - len(found.lstrip())]
    rest = (found[len(found.rstrip()) :] + after).rstrip()
    return name, f"{before}{name}{rest}", len(before)


_JSON_LABELS = {0: LITERAL, 1: METONYMIC}


def read_geowebnews(source: Source, *, refused: OnRefused | None = None) -> Iterator[NameSample]:
    """The names of a JSON list of `{"sentence": [tokens], "pos": [start, end], "label": 0 or 1}`.

    The text of a sample is its tokens with blanks between them; ids count from 1.

    Raises:
        BadRecord: with the line where an item begins, for content that is not such a list,
            positions outside of the sentence and other labels.
    """
    path = source_name(source)
    for number, (line, item) in enumerate(_json_items(source), start=1):
        try:
            yield _json_sample(item, number, path, line)
        except BadInput as error:
            problem = error.problem if isinstance(error, BadRecord) else str(error)
            refuse(BadRecord(path, line, f"item {number}: {problem}"), refused)


def _json_items(source: Source) -> Iterator[tuple[int, Any]]:
    """The items of a JSON list, with the line where each begins."""
    content = read_bytes(source)
    try:
        text = content.getvalue().decode("utf-8")
        items = json.loads(text)
    except UnicodeDecodeError as error:
        line = content.getvalue()[: error.start].count(b"\n") + 1
        raise BadRecord(content.name, line, "is not UTF-8; convert the file") from None
    except (ValueError, RecursionError) as error:
        line, cause = getattr(error, "lineno", 1), getattr(error, "msg", str(error))
        problem = f"cannot be read as JSON ({cause}); give a list of objects"
        raise BadRecord(content.name, line, problem) from None
    if not isinstance(items, list):
        raise BadRecord(content.name, 1, "is not a JSON list; give a list of objects")
    at, line, between = text.index("[") + 1, 1 + text.count("\n", 0, text.index("[")), " \t\r\n,"
    decoder = json.JSONDecoder()
    for item in items:
        start = at
        while text[start] in between:
            start += 1
        line += text.count("\n", at, start)
        yield line, item
        _, at = decoder.raw_decode(text, start)
        line += text.count("\n", start, at)


def _json_sample(item: Any, number: int, path: str, line: int) -> NameSample:
    match item:
        case {"sentence": [*tokens], "pos": [int(start), int(end)], "label": label}:
            pass
        case _:
            raise BadInput("is not an object with sentence, pos and label; check the format")
    if not all(isinstance(token, str) and token.strip() for token in tokens):
        raise BadInput("has tokens that are empty or not text; check its sentence")
    if not 0 <= start < end <= len(tokens):
        raise BadInput(f"position {start}-{end} lies outside of its {len(tokens)} tokens")
    if isinstance(label, bool) or label not in (0, 1):
        raise BadInput(f"unknown label {label!r}; write 0 for literal and 1 for metonymic")
    before = "".join(f"{token} " for token in tokens[:start])
    name = " ".join(tokens[start:end])
    return NameSample(
        id=str(number),
        name=name,
        name_class="location",
        sentences=(json_text(" ".join(tokens), path, line),),
        target=0,
        start=len(before),
        end=len(before) + len(name),
        reading=_JSON_LABELS[label],
        known_at="medium",
        line=line,
    )
