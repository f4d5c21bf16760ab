"""Conceptual metaphors with the frames they join and the roles they map, from YAML files.

As in MetaNet, a metaphor TOPIC_IS_VEHICLE has the frame of the topic as its target frame and that
of the vehicle as its source frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trope.core.errors import BadRecord, MissingExtra
from trope.core.files import decode
from trope.corpora.fields import read_bytes
from trope.corpora.sources import Source

_LINE = "__line__"


@dataclass(frozen=True, slots=True)
class Mapping:
    """A role of the topic and the role of the vehicle that stands for it."""

    topic_role: str
    vehicle_role: str


@dataclass(frozen=True, slots=True)
class ConceptualMetaphor:
    """A metaphor by its name, TOPIC_IS_VEHICLE, with its two frames and its mappings."""

    name: str
    topic_frame: str
    vehicle_frame: str
    mappings: tuple[Mapping, ...]
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
class Frame:
    """A frame, its roles and its lexical units ("move.v")."""

    name: str
    roles: tuple[str, ...]
    lexical_units: tuple[str, ...]
    families: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Family:
    """A family of metaphors or frames and the names of its members."""

    name: str
    members: tuple[str, ...]
    line: int


def read_metaphors(source: Source) -> Iterator[ConceptualMetaphor]:
    """The metaphors of a file with the key `metaphors`."""
    for entry, name in _entries(source, "metaphors"):
        yield ConceptualMetaphor(
            _text(entry, "name", name),
            _text(entry, "target_frame", name),
            _text(entry, "source_frame", name),
            tuple(
                Mapping(_text(pair, "target_role", name), _text(pair, "source_role", name))
                for pair in _records(entry.get("mappings"), "mappings", name, entry[_LINE])
            ),
            _texts(entry, "examples", name),
            _texts(entry, "families", name),
            entry[_LINE],
        )


def read_frames(source: Source) -> Iterator[Frame]:
    """The frames of a file with the key `frames`."""
    for entry, name in _entries(source, "frames"):
        roles = _records(entry.get("roles"), "roles", name, entry[_LINE])
        yield Frame(
            _text(entry, "name", name),
            tuple(_text(role, "name", name) for role in roles),
            _texts(entry, "lexical_units", name),
            _texts(entry, "frame_families", name),
            entry[_LINE],
        )


def read_families(source: Source) -> Iterator[Family]:
    """The families of a file with the key `metaphor_families` or `frame_families`."""
    for entry, name in _entries(source, "metaphor_families", "frame_families"):
        yield Family(_text(entry, "name", name), _texts(entry, "members", name), entry[_LINE])


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
        raise BadRecord(name, line, f"is no YAML ({cause}); repair it there") from None


def _records(value: Any, key: str, name: str, line: int) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise BadRecord(name, line, f"{key!r} is no list of records; check the indentation")
    return value


def _text(entry: dict[str, Any], key: str, name: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadRecord(name, entry[_LINE], f"{key!r} is missing or no text; every entry has one")
    return value.strip()


def _texts(entry: dict[str, Any], key: str, name: str) -> tuple[str, ...]:
    value = entry.get(key) or []
    if not isinstance(value, list):
        raise BadRecord(name, entry[_LINE], f"{key!r} is no list; write one text a line with '-'")
    return tuple(str(item) for item in value)
