"""Names that become code only when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from trope.core.errors import MissingExtra, UnknownName

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an object lives ("package.module:attribute"), in one line what it is, what it needs."""

    target: str
    summary: str
    extra: str = ""


class Registry(Mapping[str, Entry], Generic[T]):
    """A fixed list of names of one kind; `load` imports, everything else does not."""

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self.kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownName(self.kind, name, tuple(self._entries)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def load(self, name: str) -> T:
        """The object behind a name; a missing foreign package names the extra that brings it."""
        entry = self[name]
        module_name, attribute = entry.target.split(":")
        try:
            module = import_module(module_name)
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            if not entry.extra or missing == "trope":
                raise
            raise MissingExtra(f"{self.kind} {name!r}", entry.extra, missing) from error
        return cast(T, getattr(module, attribute))
