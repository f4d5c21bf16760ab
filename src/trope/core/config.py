"""TOML files read into typed records, with every fault of a file reported at once."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from trope.core.errors import BadConfig, MissingData
from trope.core.files import read_text

T = TypeVar("T")


def read_config(path: str | Path, into: type[T]) -> T:
    """The file as a record of type `into` (a dataclass or a msgspec struct).

    Raises:
        BadConfig: with all unknown keys, missing keys and wrong values of the file.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingData(path, "give the path of a TOML file")
    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(path, [str(error)]) from None
    return convert_config(data, into, path)


def convert_config(data: dict[str, Any], into: type[T], path: str | Path) -> T:
    """A record of type `into` from parsed TOML; `path` is named in the error."""
    faults = list(_faults(data, into, ""))
    if faults:
        raise BadConfig(path, faults)
    return msgspec.convert(data, into)


def _faults(value: Any, wanted: Any, where: str) -> typing.Iterator[str]:
    """Each fault of a value, found by descending into records and lists field by field."""
    fields = _fields(wanted)
    if fields is None or not isinstance(value, dict):
        yield from _list_faults(value, wanted, where)
        return
    for key in value:
        if key not in fields:
            yield f"unknown key {_join(where, key)!r} (known: {', '.join(fields)})"
    for name, (kind, required) in fields.items():
        if name in value:
            yield from _faults(value[name], kind, _join(where, name))
        elif required:
            yield f"missing key {_join(where, name)!r}"


def _list_faults(value: Any, wanted: Any, where: str) -> typing.Iterator[str]:
    arguments = typing.get_args(wanted)
    if typing.get_origin(wanted) in (list, tuple) and isinstance(value, list) and arguments:
        for index, item in enumerate(value):
            yield from _faults(item, arguments[0], f"{where}[{index}]")
        return
    if typing.get_origin(wanted) is dict and isinstance(value, dict) and len(arguments) == 2:
        for key, item in value.items():
            yield from _faults(item, arguments[1], _join(where, key))
        return
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        yield f"{where}: {error}" if where else str(error)


def _fields(kind: Any) -> dict[str, tuple[Any, bool]] | None:
    """Name → (type, required) of a record type, None for any other type."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return {
            f.encode_name: (
                f.type,
                f.default is msgspec.NODEFAULT and f.default_factory is msgspec.NODEFAULT,
            )
            for f in msgspec.structs.fields(kind)
        }
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)  # limits of values too
        return {
            f.name: (
                hints[f.name],
                f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING,
            )
            for f in dataclasses.fields(kind)
        }
    return None


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
