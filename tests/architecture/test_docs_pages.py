"""The pages keep their word: links lead somewhere, commands are described.

That their examples run is tested in tests/docs.
"""

import re
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trope.cli.commands import COMMANDS

PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")


def page_name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_to_files(page: Path) -> None:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    targets = [target.partition("#")[0] for pair in found for target in pair if target]
    local = [target for target in targets if target and not re.match("[a-z]+:", target)]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_index_links_every_page() -> None:
    index = (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")
    folder = REPOSITORY / "docs"
    pages = {path.relative_to(folder).as_posix() for path in PAGES if folder in path.parents}
    assert [name for name in sorted(pages - {"index.md"}) if f"({name})" not in index] == []


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_in_the_readme_and_in_the_docs(command: str) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    docs = "\n".join(
        path.read_text(encoding="utf-8") for path in PAGES if path.parent.name == "docs"
    )
    assert f"trope {command}" in readme
    assert f"trope {command}" in docs


def test_every_make_target_of_the_readme_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^\$ )make ([a-z]+)", readme, flags=re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_docs_are_short() -> None:
    folder = REPOSITORY / "docs"
    pages = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    assert sum(len(text.split()) for text in pages.values()) <= 60_000
    assert [path.name for path, text in pages.items() if len(text.encode()) > 40_000] == []
    assert len(pages[folder / "model-card.md"].split()) <= 1_200
