"""What the readers of running text yield."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A text and where it stood; `fields` holds the other columns of a table."""

    id: str
    text: str
    line: int
    fields: Mapping[str, str] = field(default_factory=dict)
