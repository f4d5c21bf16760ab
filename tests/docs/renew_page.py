"""Puts what commands print now into a page where it says otherwise. Read the difference after it.

PYTHONPATH=src:tests:tests/docs python tests/docs/renew_page.py PAGE.md …
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from page_blocks import Block, read_blocks
from page_running import COLUMNS, Reader, execute, read_commands
from said_and_done import matches


def renew(page: Path) -> int:
    """Run the page; write what was printed where it differs, and say how many blocks did."""
    text = page.read_text(encoding="utf-8")
    blocks = read_blocks(page)
    changed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        reader = Reader(Path(folder))
        reader.follow([])
        for block in blocks:
            new = _renewed(reader, block)
            if new != block.content:
                assert text.count(block.content) == 1, f"{block.place}: stands twice on the page"
                text = text.replace(block.content, new)
                changed += 1
    page.write_text(text, encoding="utf-8")
    return changed


def _renewed(reader: Reader, block: Block) -> str:
    if block.directive or block.not_run:
        return block.content
    if block.language == "console":
        return "".join(_console(reader, block))
    if block.language == "output":
        same = matches(block.content, reader.printed)
        return block.content if same else reader.printed
    reader.do(block)
    return block.content


def _console(reader: Reader, block: Block) -> list[str]:
    lines = block.content.splitlines(keepends=True)
    begins = [place - block.line - 1 for place, _, _ in read_commands(block)]
    new = []
    for begin, (_, command, expected) in zip(begins, read_commands(block), strict=True):
        end = begin + 1
        while lines[end - 1].rstrip().endswith("\\"):
            end += 1
        got, reader.status = execute(reader, command)
        shown = expected if matches(expected, got) else "\n".join(map(str.rstrip, got.split("\n")))
        shown = shown.rstrip("\n")
        new += [*lines[begin:end], f"{shown}\n" if shown else ""]
    return new


if __name__ == "__main__":
    os.environ["COLUMNS"] = COLUMNS
    for name in [Path(name).resolve() for name in sys.argv[1:]]:
        sys.stderr.write(f"{name.name}: {renew(name)} blocks renewed\n")
