"""A long JSON list, one element at a time: no more than an element is in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trope.annotate.exchange.records import RECORD_LIMIT
from trope.core.errors import BadRecord, MissingData

_PIECE = 64 * 1024
_SPACE = " \t\r\n"


def read_array(path: Path, *, limit: int = RECORD_LIMIT) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, counted from 1.

    Raises:
        BadRecord: with the number of the element, for one that is no object, is longer than
            `limit`, or cannot be read.
    """
    if not path.is_file():
        raise MissingData(path, "check the file name")
    try:
        yield from _objects(path, limit)
    except UnicodeDecodeError:
        raise BadRecord(path, None, "is not UTF-8; convert it") from None


def _objects(path: Path, limit: int) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig") as file:
        held = file.read(_PIECE).lstrip(_SPACE)
        if not held.startswith("["):
            raise BadRecord(path, 1, "is no JSON list of tasks; export it as JSON")
        held, number, decoder = held[1:], 0, json.JSONDecoder()
        while True:
            held = held.lstrip(_SPACE + ",")
            if held.startswith("]"):
                return
            found, end = _decoded(decoder, held)
            if end == 0:
                piece = file.read(max(_PIECE, len(held)))  # doubling: each element is read once
                if not piece or len(held) + len(piece) > 2 * limit + _PIECE:
                    cause = "is cut off" if not piece else f"is over {limit // 1024**2} MB"
                    raise BadRecord(path, number + 1, f"{cause}, or is no JSON; export it again")
                held += piece
                continue
            number += 1
            if not isinstance(found, dict):
                raise BadRecord(path, number, "is no task; a task is a JSON object")
            yield number, found
            held = held[end:]


def _decoded(decoder: json.JSONDecoder, text: str) -> tuple[Any, int]:
    """The first element and where it ends; 0 if more has to be read."""
    try:
        found, end = decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return None, 0
    # a number at the end of what was read may go on
    return (found, end) if end < len(text) else (None, 0)
