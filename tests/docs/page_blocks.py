"""The code blocks of a page, each with its place and with what a comment before it says.

A comment of HTML right before a block says what is to be done with it:

    <!-- file: NAME -->             the block is written to NAME, in the folder of the page
    <!-- not run: KIND; WHY -->     the block is not run; KIND is one of `NOT_RUN`
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

NOT_RUN = {
    "data": "needs the research data",
    "extra": "needs torch, or weights that are not in the package",
    "service": "a service that runs until it is stopped, or a cluster",
    "installation": "installs something, or needs the network",
    "minutes": "takes longer than a test may",
    "names": "shows the form of a command; names in it stand for yours",
}
"""Why a block may be left alone."""

REPOSITORY = Path(__file__).resolve().parents[2]

_MARK = re.compile(r"<!--\s*(file|not run):\s*(.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: where it begins, its language ("" where none is given), its lines."""

    page: Path
    line: int
    language: str
    content: str
    file: str = ""
    not_run: str = ""
    indented: bool = False

    @property
    def place(self) -> str:
        """PAGE:LINE, as an editor jumps to it."""
        return f"{self.page.name}:{self.line}"

    @property
    def directive(self) -> bool:
        """Whether the block is an instruction to the builder of the site."""
        return self.language.startswith("{")


def pages() -> list[Path]:
    """All pages whose blocks are run."""
    patterns = ("*.md", "docs/**/*.md", "examples/**/*.md", "src/trope/recipes/*/README.md")
    return sorted(path for pattern in patterns for path in REPOSITORY.glob(pattern))


def read_blocks(page: Path) -> list[Block]:
    """All code blocks of a page, in their order."""
    tokens = _parse(page)
    return [
        _block(page, token, tokens[place - 1] if place else None)
        for place, token in enumerate(tokens)
        if token.type in ("fence", "code_block")
    ]


def read_inline_commands(page: Path) -> list[tuple[int, str]]:
    """Line and text of every `trope …` in a sentence or a table."""
    return [(line, code) for line, code in _inline_code(page) if code.startswith("trope ")]


def read_inline_code(page: Path) -> list[str]:
    """Every piece of code in a sentence or a table."""
    return [code for _, code in _inline_code(page)]


def _inline_code(page: Path) -> list[tuple[int, str]]:
    return [
        (token.map[0] + 1 if token.map else 0, " ".join(child.content.split()))
        for token in _parse(page)
        for child in token.children or ()
        if child.type == "code_inline"
    ]


def _parse(page: Path) -> list[Token]:
    return _tokens(page.read_text(encoding="utf-8"))


@cache
def _tokens(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def _block(page: Path, token: Token, before: Token | None) -> Block:
    marks = {}
    if before is not None and before.type == "html_block":
        marks = dict(_MARK.findall(before.content))
    assert token.map is not None
    return Block(
        page=page,
        line=token.map[0] + 1,
        language=token.info.split()[0] if token.info.strip() else "",
        content=token.content,
        file=marks.get("file", ""),
        not_run=marks.get("not run", ""),
        indented=token.type == "code_block",
    )
