"""Modules, names and files that the pages mention exist."""

import importlib
import re
from pathlib import Path

import pytest
from page_blocks import pages, read_inline_code

from conftest import REPOSITORY

PAGES = [page for page in pages() if page.name != "CHANGELOG.md"]
DOTTED = re.compile(r"trope(?:\.[a-z_]\w*)+(?:\.[A-Za-z_]\w*)*")
FILE = re.compile(r"(?:src/|docs/|tests/|tools/|benchmarks/|examples/|trope/)[\w./-]+")
NOT_CODE = {"trope.fish", "trope.json"}  # files
NOT_FILES = {"trope/texts", "trope/corpora"}  # below the user's own folders


def page_name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    module, names = name, []
    while module:
        try:
            found: object = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not module.startswith(error.name or ""):
                return True  # something that is not installed here
            module, _, last = module.rpartition(".")
            names.insert(0, last)
            continue
        for each in names:
            if not hasattr(found, each):
                return False
            found = getattr(found, each)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_named_code_exists(page: Path) -> None:
    code = read_inline_code(page)
    dotted = {name for text in code for name in DOTTED.findall(text)} - NOT_CODE
    assert [name for name in sorted(dotted) if not exists(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_named_files_exist(page: Path) -> None:
    files = {text for text in read_inline_code(page) if FILE.fullmatch(text)} - NOT_FILES
    roots = (REPOSITORY, REPOSITORY / "src")
    missing = [name for name in files if not any((root / name).exists() for root in roots)]
    assert sorted(missing) == []
