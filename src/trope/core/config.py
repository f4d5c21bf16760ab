"""TOML files read into typed records, with every fault of a file reported at once."""

from __future__ import annotations

import dataclasses
import re
import sys
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from trope.core.errors import BadConfig, MissingData
from trope.core.files import read_text

T = TypeVar("T")


NO_RENAMES: Mapping[str, str] = {}

_HINTS = {
    "Unescaped": "write paths with / or between single quotes",
    "hex value": "write paths with / or between single quotes",
    "Invalid value": "write texts between quotes",
}


def read_config(path: str | Path, into: type[T], renames: Mapping[str, str] = NO_RENAMES) -> T:
    """The file as a record of type `into` (a dataclass or a msgspec struct).

    `renames` are old keys that are still read, as `renamed_keys` takes them.

    Raises:
        BadConfig: with all unknown keys, missing keys and wrong values of the file.
    """
    path = Path(path)
    return convert_config(read_toml(path), into, path, renames)


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds.

    Raises:
        MissingData: there is no such file.
        BadConfig: it is not TOML; the message has the line and, where it can be told, the remedy.
    """
    if not path.is_file():
        raise MissingData(path, "give the path of a TOML file")
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        remedy = next((hint for fault, hint in _HINTS.items() if fault in str(error)), "")
        raise BadConfig(path, [f"{error}; {remedy}" if remedy else str(error)]) from None
    except RecursionError:
        raise BadConfig(path, ["is nested too deeply"]) from None


def convert_config(
    data: dict[str, Any],
    into: type[T],
    path: str | Path,
    renames: Mapping[str, str] = NO_RENAMES,
) -> T:
    """A record of type `into` from parsed TOML; `path` is named in errors and warnings."""
    data = renamed_keys(data, renames, path)
    faults = list(_faults(data, into, ""))
    if faults:
        raise BadConfig(path, faults)
    return msgspec.convert(data, into)


def renamed_keys(
    data: dict[str, Any], renames: Mapping[str, str], path: str | Path
) -> dict[str, Any]:
    """The settings with every old key under its new name; each old key is warned of once.

    `renames` maps the old key to the new one, `{"crowd.judgments_an_item": "judgments_per_item"}`:
    dots lead into tables, also into each of a list of tables, and the new key stays in its table,
    or moves to a table in it ("sources.texts").
    Take an entry out one version after the key was renamed.

    Raises:
        BadConfig: where a table has a setting under both names.
    """
    for old, new in renames.items():
        tables = old.split(".")[:-1]
        data, found = _with_renamed_key(data, tables, old, new, path)
        if found:
            sys.stderr.write(
                f"trope: {path}: the setting {old!r} is now called {new!r}; rename it\n"
            )
    return data


def _with_renamed_key(
    data: dict[str, Any], tables: list[str], old: str, new: str, path: str | Path
) -> tuple[dict[str, Any], bool]:
    """A copy of the table with one key renamed, and whether the old key was there."""
    if tables:
        table, deeper = tables[0], tables[1:]
        below = data.get(table)
        if isinstance(below, dict):
            inner, found = _with_renamed_key(below, deeper, old, new, path)
            return ({**data, table: inner} if found else data), found
        if isinstance(below, list) and all(isinstance(each, dict) for each in below):
            rows = [_with_renamed_key(each, deeper, old, new, path) for each in below]
            return {**data, table: [row for row, _ in rows]}, any(found for _, found in rows)
        return data, False
    key = old.rpartition(".")[2]
    if key not in data:
        return data, False
    table, _, name = new.rpartition(".")
    below = data.get(table, {}) if table else data
    if name in below:
        raise BadConfig(path, [f"both {key!r} and {new!r} are set; keep {new!r}"])
    if table:
        others = {name: value for name, value in data.items() if name != key}
        return {**others, table: {**below, name: data[key]}}, True
    return {new if name == key else name: value for name, value in data.items()}, True


def _faults(value: Any, wanted: Any, where: str) -> Iterator[str]:
    """Each fault of a value, found by descending into records and lists field by field."""
    wanted = _member(value, wanted)
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


def _member(value: Any, wanted: Any) -> Any:
    """Of several possible types the one for tables or lists, if the value is one."""
    if typing.get_origin(wanted) not in (typing.Union, types.UnionType):
        return wanted
    for one in typing.get_args(wanted):
        is_list = typing.get_origin(one) in (list, tuple)
        if (isinstance(value, dict) and _fields(one)) or (isinstance(value, list) and is_list):
            return one
    return wanted


def _list_faults(value: Any, wanted: Any, where: str) -> Iterator[str]:
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
        said = _in_words(str(error))
        yield f"{where}: {said}" if where else said


_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def _in_words(message: str) -> str:
    """What msgspec says about a value, as a user would."""

    def words(found: re.Match[str]) -> str:
        return " or ".join(_TYPES.get(one, one) for one in found[1].split(" | "))

    message = re.sub(r"`([\w |]+)`", words, message)
    return message.replace("Expected ", "must be ", 1).replace(", got ", ", not ", 1)


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
