"""Conceptual metaphors: example sentences, frames with role mappings, and concepts of the LCC data.

Example sentences come from MetaNet and from the Master Metaphor List; all of them are metaphorical.
Metaphors and frames come from YAML files. As in MetaNet, a metaphor TOPIC_IS_VEHICLE has the frame
of the topic as its target frame and that of the vehicle as its source frame. The LCC data name the
source and target concepts of labelled texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trope.core.errors import BadRecord, MissingExtra
from trope.core.files import decode
from trope.corpora.records import TextRecord
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, read_bytes, source_name
from trope.corpora.tables import read_rows

_LINE = "__line__"
_METAPHOR_LABELS = {"Metaphor": True, "Non-metaphor": False}
_CONFIDENCES = ("sure", "likely", "unsure")


def read_metanet_examples(source: Source) -> Iterator[TextRecord]:
    """Sentences of a tab-separated table `#Source, #Target, #Sentence`; ids count the rows."""
    name = source_name(source)
    rows = read_rows(source, format="tsv")
    for number, (line, fields) in enumerate(rows, start=1):
        row = CheckedRow(name, line, fields)
        yield TextRecord(
            str(number),
            row.text("#Sentence"),
            line,
            {"source": row.text("#Source"), "target": row.text("#Target")},
        )


def read_master_list(source: Source) -> Iterator[TextRecord]:
    """The sentences of either JSON file of the list, wherever they are nested; ids count them.

    Raises:
        BadRecord: where the file is not JSON, or an example is not a text.
    """
    content = read_bytes(source)
    text = decode(content.getvalue(), content.name)
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadRecord(content.name, error.lineno, f"is not JSON ({error.msg})") from None
    for number, example in enumerate(_examples(entries, content.name), start=1):
        # a JSON document has no rows: the number of the example stands for a line
        yield TextRecord(str(number), example, number)


def _examples(value: Any, path: str) -> Iterator[str]:
    """The strings in all lists called `examples` or `Examples`, in order."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.lower() == "examples":
                yield from _sentences(inner, path)
            elif isinstance(inner, list | dict):
                yield from _examples(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from _examples(inner, path)


def _sentences(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        raise BadRecord(path, None, f"has {value!r} for a list of examples; give a list")
    for item in value:
        if isinstance(item, str) and item.strip():
            yield item.strip()
        elif isinstance(item, dict):
            yield from _examples(item, path)
        else:
            raise BadRecord(path, None, f"has the example {item!r}; examples are sentences")


@dataclass(frozen=True, slots=True)
class RoleMapping:
    """A role of the topic and the role of the vehicle that stands for it."""

    topic_role: str
    vehicle_role: str


@dataclass(frozen=True, slots=True)
class ConceptualMetaphor:
    """A metaphor by its name, TOPIC_IS_VEHICLE, with its two frames and its mappings."""

    name: str
    topic_frame: str
    vehicle_frame: str
    mappings: tuple[RoleMapping, ...]
    examples: tuple[str, ...]
    families: tuple[str, ...]
    line: int

    @property
    def domains(self) -> tuple[str, str] | None:
        """Topic and vehicle, where the name has the shape A_IS_B or A_ARE_B; else None."""
        for verb in ("_IS_", "_ARE_"):
            topic, found, vehicle = self.name.partition(verb)
            if found and topic and vehicle:
                return topic, vehicle
        return None


@dataclass(frozen=True, slots=True)
class ConceptualFrame:
    """A frame, its roles and its lexical units ("move.v")."""

    name: str
    roles: tuple[str, ...]
    lexical_units: tuple[str, ...]
    families: tuple[str, ...]
    line: int


def read_metaphors(source: Source) -> Iterator[ConceptualMetaphor]:
    """The metaphors of a file with the key `metaphors`."""
    for entry, name in _entries(source, "metaphors"):
        yield ConceptualMetaphor(
            _text(entry, "name", name),
            _text(entry, "target_frame", name),
            _text(entry, "source_frame", name),
            tuple(
                RoleMapping(_text(pair, "target_role", name), _text(pair, "source_role", name))
                for pair in _records(entry.get("mappings"), "mappings", name, entry[_LINE])
            ),
            _texts(entry, "examples", name),
            _texts(entry, "families", name),
            entry[_LINE],
        )


def read_frames(source: Source) -> Iterator[ConceptualFrame]:
    """The frames of a file with the key `frames`."""
    for entry, name in _entries(source, "frames"):
        roles = _records(entry.get("roles"), "roles", name, entry[_LINE])
        yield ConceptualFrame(
            _text(entry, "name", name),
            tuple(_text(role, "name", name) for role in roles),
            _texts(entry, "lexical_units", name),
            _texts(entry, "frame_families", name),
            entry[_LINE],
        )


def _entries(source: Source, *keys: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The records under the first of the keys that the file has, and the name of the file."""
    content = read_bytes(source)
    found = _parsed(decode(content.getvalue(), content.name), content.name)
    key = next((key for key in keys if isinstance(found, dict) and key in found), None)
    if key is None:
        problem = f"has no list called {' or '.join(keys)}; give a file of conceptual metaphors"
        raise BadRecord(content.name, 1, problem)
    for entry in _records(found[key], key, content.name, found[_LINE]):
        yield entry, content.name


def _parsed(text: str, name: str) -> Any:
    """The document as plain objects; every mapping also says on which line it begins."""
    try:
        import yaml  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        raise MissingExtra("reading conceptual metaphors", "systems", "pyyaml") from None

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class NumberedLoader(loader):  # type: ignore[misc, valid-type]
        """Puts the line of a mapping among its keys."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            mapping = super().construct_mapping(node, deep=True)
            mapping[_LINE] = node.start_mark.line + 1
            return mapping

    try:
        return yaml.load(text, NumberedLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        cause = getattr(error, "problem", None) or "cannot be read"
        line = mark.line + 1 if mark else None
        raise BadRecord(name, line, f"is not YAML ({cause}); repair it there") from None


def _records(value: Any, key: str, name: str, line: int) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise BadRecord(name, line, f"{key!r} is not a list of records; check the indentation")
    return value


def _text(entry: dict[str, Any], key: str, name: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadRecord(
            name, entry[_LINE], f"{key!r} is missing or not a text; every entry needs one"
        )
    return value.strip()


def _texts(entry: dict[str, Any], key: str, name: str) -> tuple[str, ...]:
    value = entry.get(key) or []
    if not isinstance(value, list):
        raise BadRecord(
            name, entry[_LINE], f"{key!r} is not a list; write one text per line with '-'"
        )
    return tuple(str(item) for item in value)


@dataclass(frozen=True, slots=True)
class ConceptText:
    """A text with one concept: the source of its metaphor, or the target it speaks of.

    `span` is [start, end) of the metaphorical words, None where it is not known. `guess` is a
    span that was found with the label in view: use it for training only. `group` is given for
    source concepts, `metaphor` for target concepts whose span is known.
    """

    id: str
    words: tuple[str, ...]
    label: int
    name: str
    line: int
    span: tuple[int, int] | None = None
    guess: tuple[int, int] | None = None
    group: str = ""
    metaphor: bool | None = None


@dataclass(frozen=True, slots=True)
class ConceptName:
    """What a label of the texts is called, how sure that is, and which words are typical.

    `frequent` are words with their counts; `group` is empty for target concepts.
    """

    label: int
    name: str
    confidence: str
    group: str
    train: int
    dev: int
    frequent: tuple[tuple[str, int], ...]
    typical: tuple[str, ...]
    line: int


def read_concept_texts(source: Source) -> Iterator[ConceptText]:
    """Rows of `id,text,span1,words,label,name` with `guess,group` (source) or `metaphor` (target).

    Raises:
        BadRecord: for spans outside of the text or with other words, a guess beside a span, a
            metaphor label without a span, labels that are not numbers and ids that occur twice.
    """
    name = source_name(source)
    seen = UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        identifier = row.text("id")
        seen.add(identifier, row, identifier)
        words = row.words("text")
        span = _marked_span(row, words)
        yield ConceptText(
            identifier,
            words,
            row.whole("label"),
            row.text("name"),
            line,
            span=span,
            guess=_guess(row, span, len(words)),
            group=row.text("group") if "group" in fields else "",
            metaphor=_metaphor(row, span),
        )


def read_concept_names(source: Source) -> Iterator[ConceptName]:
    """The table of names: one row per label, separated by tabs.

    Raises:
        BadRecord: for labels and counts that are not numbers, unknown confidences and labels or
            names that occur twice.
    """
    name = source_name(source)
    labels, names = UniqueIds(), UniqueIds()
    for line, fields in read_rows(source, format="tsv"):
        row = CheckedRow(name, line, fields)
        label, called, confidence = row.whole("id"), row.text("name"), row.text("confidence")
        labels.add(label, row, str(label))
        names.add(called, row, called)
        if confidence not in _CONFIDENCES:
            raise row.fault(f"unknown confidence {confidence!r}; known: {', '.join(_CONFIDENCES)}")
        yield ConceptName(
            label,
            called,
            confidence,
            row.text("group") if "group" in fields else "",
            row.whole("train"),
            row.whole("dev"),
            tuple(_counted(row, one) for one in _listed(row.optional("words_by_frequency"))),
            tuple(_listed(row.optional("words_by_log_odds"))),
            line,
        )


def _marked_span(row: CheckedRow, words: tuple[str, ...]) -> tuple[int, int] | None:
    marked = row.optional("words")
    if not row.optional("span1"):
        if marked:
            raise row.fault("has marked words but no span; fill 'span1' or empty 'words'")
        return None
    start, end = row.span("span1", len(words))
    if " ".join(words[start:end]) != marked:
        raise row.fault(f"the words at {start}-{end} are not {marked!r}; check the span")
    return start, end


def _guess(row: CheckedRow, span: tuple[int, int] | None, words: int) -> tuple[int, int] | None:
    if "guess" not in row.fields or not row.optional("guess"):
        return None
    if span:
        raise row.fault("has a guess beside a span; keep the span")
    return row.span("guess", words)


def _metaphor(row: CheckedRow, span: tuple[int, int] | None) -> bool | None:
    if "metaphor" not in row.fields or not row.optional("metaphor"):
        return None
    if not span:
        raise row.fault("has a metaphor label but no span; fill 'span1' or empty 'metaphor'")
    return row.choice("metaphor", _METAPHOR_LABELS)


def _listed(value: str) -> list[str]:
    return [one.strip() for one in value.split(",") if one.strip()]


def _counted(row: CheckedRow, value: str) -> tuple[str, int]:
    word, _, count = value.rpartition(" ")
    if not word or not count.isdecimal():
        raise row.fault(f"{value!r} is not a word and its count, such as 'tower 3'")
    return word, int(count)
