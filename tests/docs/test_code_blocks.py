"""Every command and code block of the pages runs, or says why it cannot."""

from collections import Counter
from pathlib import Path

import pytest
from command_lines import faults
from page_blocks import NOT_RUN, pages, read_blocks, read_inline_commands
from page_running import COLUMNS, PageRunner

from conftest import REPOSITORY

PAGES = pages()
WITH_BLOCKS = [page for page in PAGES if read_blocks(page)]


def page_name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=page_name)
def test_blocks_do_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    for kept in ("CACHE", "DATA"):  # nothing stays behind, and nothing of before is found
        monkeypatch.setenv(f"XDG_{kept}_HOME", str(tmp_path / "home" / kept))
    monkeypatch.delenv("TROPE_SHARED", raising=False)  # no page may lean on the research data
    PageRunner(tmp_path).follow(read_blocks(page))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_blocks_are_fenced_and_have_a_language(page: Path) -> None:
    bare = [block.place for block in read_blocks(page) if block.indented or not block.language]
    assert bare == []


def test_blocks_that_are_not_run_say_why() -> None:
    """Prints the list (`pytest -rP` shows it); a kind without a reason is a fault."""
    left = [block for page in PAGES for block in read_blocks(page) if block.not_run]
    kinds = Counter(block.not_run.partition(";")[0].strip() for block in left)
    for block in left:
        print(f"{page_name(block.page)}:{block.line}: {block.not_run}")  # noqa: T201
    for kind, number in kinds.most_common():
        print(f"{number:4} {kind}: {NOT_RUN.get(kind, 'unknown')}")  # noqa: T201
    assert set(kinds) <= set(NOT_RUN)
    run = sum(not block.not_run for page in PAGES for block in read_blocks(page))
    assert run > len(left), "more is left out than run"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_in_sentences_exist(page: Path) -> None:
    found = [
        f"{page.name}:{line}: {fault}"
        for line, command in read_inline_commands(page)
        for fault in faults(command)
    ]
    assert found == []
