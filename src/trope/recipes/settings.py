"""The settings of a run: those of the recipe, those of a file, those of the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import msgspec

from trope.core.config import convert_config, read_toml, renamed_keys
from trope.core.errors import BadInput
from trope.recipes.recipe import Recipe

Count = Annotated[int, msgspec.Meta(ge=0)]
Number = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

CONFIG = "config.toml"


def resolve(recipe: Recipe, config: Path | None = None, changes: Sequence[str] = ()) -> Any:
    """The settings of a run: the recipe's defaults, then a file, then `key=value` changes.

    Raises:
        BadConfig: keys are unknown or values out of range; the message names the file and each key.
    """
    table = read_toml(recipe.folder / CONFIG)
    settings: Any = convert_config(table, recipe.settings, recipe.folder / CONFIG)
    if config is not None:
        table = _merge(table, renamed_keys(read_toml(config), recipe.renamed, config))
        settings = convert_config(table, recipe.settings, config)
    for change in changes:
        where = f"--set {change}"
        table = _merge(table, renamed_keys(_parse_change(change), recipe.renamed, where))
        settings = convert_config(table, recipe.settings, where)
    return settings


def to_table(settings: Any) -> dict[str, Any]:
    """The settings as plain data."""
    table: dict[str, Any] = msgspec.to_builtins(settings)
    return table


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The differences between two tables, one per key: `sample: 15000 there, 20 here`."""
    old, new = _flatten(before), _flatten(now)
    return [
        f"{key}: {_shown(old, key)} there, {_shown(new, key)} here"
        for key in sorted({*old, *new})
        if old.get(key, _ABSENT) != new.get(key, _ABSENT)
    ]


_ABSENT = object()


def _shown(table: Mapping[str, Any], key: str) -> str:
    return repr(table[key]) if key in table else "nothing"


def _flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            found |= _flatten(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def _parse_change(change: str) -> dict[str, Any]:
    """`a.b=3` as a table; a value that is not TOML is a string."""
    key, sign, value = change.partition("=")
    if not sign or not key.strip():
        raise BadInput(f"--set {change!r} is not a setting; write it as key=value")
    try:
        return tomllib.loads(f"{key} = {value}")
    except tomllib.TOMLDecodeError:
        pass
    try:
        return tomllib.loads(f"{key} = {msgspec.json.encode(value).decode()}")
    except tomllib.TOMLDecodeError:
        raise BadInput(f"--set {change!r} is not a setting; write it as key=value") from None


def _merge(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    found = deepcopy(dict(table))
    for key, given in changes.items():
        value, below = given, found.get(key)
        if isinstance(value, date):
            value = value.isoformat()  # dates are strings, as in the data
        both = isinstance(below, dict) and isinstance(value, dict)
        found[key] = _merge(below, value) if both else value  # type: ignore[arg-type]
    return found
