"""The CoNLL metonymy lists: places in news, one file a label, a line `Name<SEP>text`."""

from __future__ import annotations

from collections.abc import Iterator

from trope.core.errors import BadInput, BadRecord
from trope.corpora.name_samples import NameSample, Refused, refuse
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.lexicon.readings import check_label

_PARTS, _MARKED = 2, 3


def read_conll_metonymy(
    source: Source, *, reading: str, refused: Refused | None = None
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
            yield _read(text, reading, line)
        except BadInput as error:
            refuse(BadRecord(path, line, str(error)), refused)


def _read(text: str, reading: str, line: int) -> NameSample:
    parts = text.split("<SEP>")
    marked = parts[-1].split("<ENT>")
    if len(parts) != _PARTS or len(marked) != _MARKED:
        raise BadInput("is no line Name<SEP>text with <ENT>Name<ENT> in it; check the format")
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
