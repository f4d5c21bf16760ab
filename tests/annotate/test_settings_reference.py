"""The reference of annotation settings has every key of project.toml."""

import dataclasses

from conftest import REPOSITORY
from trope.annotate.plan import Plan

PAGE = (REPOSITORY / "docs" / "reference" / "annotation.md").read_text(encoding="utf-8")


def test_every_key_is_in_the_reference() -> None:
    keys: list[str] = []
    for key in dataclasses.fields(Plan):
        inner: object = key.default_factory
        if isinstance(inner, type) and dataclasses.is_dataclass(inner):
            keys += [f"{key.name}.{each.name}" for each in dataclasses.fields(inner)]
        else:
            keys.append(key.name)
    missing = [key for key in keys if not _described(key)]
    assert missing == []


def _described(key: str) -> bool:
    table, _, name = key.rpartition(".")
    if f"`{key}" in PAGE or f"[[{key}]]" in PAGE:
        return True
    return bool(table) and f"`[{table}]`" in PAGE and f"`{name}`" in PAGE
