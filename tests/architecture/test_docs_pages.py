"""The pages keep their word: links lead somewhere, commands are described, examples run."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trope.cli.main import COMMANDS, run

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
    pages = {path.name for path in PAGES if path.parent.name == "docs"} - {"index.md"}
    assert [name for name in sorted(pages) if f"({name})" not in index] == []


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


def test_commands_of_the_readme_print_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"^```console\n\$ trope ([^\n]+)\n(.*?)^```", readme, re.MULTILINE | re.DOTALL
    )
    assert blocks
    for command, output in blocks:
        with pytest.raises(SystemExit) as leave:
            run(shlex.split(command))
        assert leave.value.code == 0
        assert capsys.readouterr().out == output


def test_python_of_the_readme_prints_what_it_says() -> None:
    failed, tried = doctest.testfile(
        str(REPOSITORY / "README.md"), module_relative=False, encoding="utf-8"
    )
    assert tried >= 4
    assert failed == 0
