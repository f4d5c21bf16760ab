"""Writes into pages what their commands print now, and the recorded figures into the README.

    python tests/docs/renew_page.py            # all pages
    python tests/docs/renew_page.py PAGE.md …  # some pages

Read the difference afterwards. `make pages` does this for all pages.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
import tempfile
from difflib import get_close_matches
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.extend([str(HERE.parent), str(REPOSITORY / "docs"), str(REPOSITORY / "src")])

from figure_values import substitute  # noqa: E402
from output_matching import ELISION, matches  # noqa: E402
from page_blocks import Block, pages, read_blocks  # noqa: E402
from page_running import (  # noqa: E402
    COLUMNS,
    Checker,
    PageRunner,
    execute,
    read_commands,
    read_session,
)

FIGURE = re.compile(r"[\d.,]+(\s*<!-- figure: ([^ ]+) -->)")


def renew(page: Path) -> int:
    """Run the page, write what was printed where it differs, and return how many blocks did."""
    text = page.read_text(encoding="utf-8")
    blocks = read_blocks(page)
    changed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runner = PageRunner(Path(folder))
        runner.follow([])
        for block in blocks:
            new = renewed(runner, block)
            if new != block.content:
                assert text.count(block.content) == 1, f"{block.place}: the block occurs twice"
                text = text.replace(block.content, new)
                changed += 1
        os.chdir(REPOSITORY)
    text = FIGURE.sub(lambda found: substitute(f"{{{{ figure:{found[2]} }}}}") + found[1], text)
    page.write_text(text, encoding="utf-8")
    return changed


def renewed(runner: PageRunner, block: Block) -> str:
    """The content of a block with what it prints now; it runs in the folder of the page."""
    if block.directive or block.not_run:
        return block.content
    if block.language == "console":
        return "".join(_console(runner, block))
    if block.language == "pycon":
        return "".join(_session(runner, block))
    if block.language == "output":
        same = matches(block.content, runner.printed)
        return block.content if same else runner.printed
    try:
        runner.do(block)
    except Exception as error:  # noqa: BLE001 - only a person can renew this block
        sys.stderr.write(f"{block.place}: {type(error).__name__}: {error}\n")
    return block.content


def _console(runner: PageRunner, block: Block) -> list[str]:
    lines = block.content.splitlines(keepends=True)
    begins = [place - block.line - 1 for place, _, _ in read_commands(block)]
    new = []
    for begin, (_, command, expected) in zip(begins, read_commands(block), strict=True):
        end = begin + 1
        while lines[end - 1].rstrip().endswith("\\"):
            end += 1
        got, runner.status = execute(runner, command)
        shown = _updated(expected, got).rstrip("\n")
        new += [*lines[begin:end], f"{shown}\n" if shown else ""]
    return new


class _Printed(doctest.DocTestRunner):
    """Keeps what was printed where the page has something else."""

    def __init__(self) -> None:
        super().__init__(checker=Checker(), verbose=False)
        self.by_line: dict[int, str] = {}

    def report_failure(
        self, out: object, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        """An example that printed something else."""
        self.by_line[example.lineno] = re.sub(r"(?m)^$\n", "<BLANKLINE>\n", got)


def _session(runner: PageRunner, block: Block) -> list[str]:
    test, printed = read_session(runner, block), _Printed()
    printed.run(test, out=sys.stderr.write, clear_globs=False)
    runner.names.update(test.globs)
    lines = block.content.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno in printed.by_line:
            begin = example.lineno + example.source.count("\n")
            end = begin + example.want.count("\n")
            got = _updated(example.want.rstrip("\n"), printed.by_line[example.lineno])
            lines[begin:end] = [f"{got.rstrip()}\n"] if got else []
    return lines


def _updated(expected: str, got: str) -> str:
    """What the page shows of an output; it keeps its elisions where that is possible."""
    if matches(expected, got):
        return expected
    printed = [line.rstrip() for line in got.split("\n")]
    lines = []
    for line in expected.split("\n"):
        known = ELISION in line or any(matches(line, each) for each in printed)
        close = [] if known else get_close_matches(line, printed, n=1, cutoff=0.5)
        lines += close or [line]
    shown = "\n".join(lines)
    return shown if matches(shown, got) else "\n".join(printed)


def main(names: list[str]) -> None:
    """Renew the named pages, or all."""
    os.environ["COLUMNS"] = COLUMNS
    home = tempfile.mkdtemp()
    os.environ["XDG_CACHE_HOME"], os.environ["XDG_DATA_HOME"] = f"{home}/cache", f"{home}/data"
    os.environ.pop("TROPE_SHARED", None)
    for page in [Path(name).resolve() for name in names] or pages():
        if read_blocks(page):
            number = renew(page)
            sys.stderr.write(f"{page.relative_to(REPOSITORY)}: {number} blocks renewed\n")


if __name__ == "__main__":
    main(sys.argv[1:])
