"""`trope detect` run in the process of the test, in its folder, and what it leaves there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from trope.cli.main import main


def trope(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    command = ["detect", *map(str, arguments)]
    return CliRunner().invoke(main, command, input=stdin, catch_exceptions=False)


def rows(out: str = "out") -> list[dict[str, Any]]:
    parts = sorted(Path(out).glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def problems(out: str = "out") -> list[tuple[str, int, str]]:
    lines = (Path(out) / "errors.jsonl").read_text().splitlines()
    return [tuple(json.loads(line).values()) for line in lines]


def write_parquet(path: str, columns: dict[str, list[Any]], **options: Any) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path, **options)
