"""Phrases that must not come back: what users read is plain, modern English.

CONTRIBUTING.md says which word to use instead.
"""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import REPOSITORY

PHRASES = [
    "with a picture",
    "interval knows that",
    "intervals that know",
    "does not come first",
    "once out of once",
    "call the one of the texts so",
    "mend it",
    "cannot be had",
    "not to be had",
    "can be had",
    "no word stands in",
    "answers are usual",
    "in someone's hands",
    "1 items added",
    "that parts the corpus",
    "of the table a page",
    "From which score on",
    "from which score on",
    "Ways in",
    "the labels are no numbers",
    "which is no text",
    "is no Word document",
    "is no workbook",
    "one text is given as many",
    "both are said",
    "decide it yourself",
    "say so: `--",
    "costs the row",
    "default: found",
    "Least score",
    "how the text feels",
    "how a text feels",
    "a row a word",
    "a row a judgment",
    "what was not told to be done",
    "What was asked",
    "what was asked, and what shows it",
]
PLACES = ("docs", "src", "examples", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
TEXTS = {".md", ".py", ".toml", ".html", ".txt", ".js", ".ipynb", ".cff", ""}
GLOSSARY = "CONTRIBUTING.md"  # names what not to write


def texts() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *PLACES], cwd=REPOSITORY, capture_output=True, check=True
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and name != GLOSSARY]
    return [REPOSITORY / name for name in names if Path(name).suffix in TEXTS]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Every text with single blanks, so that a phrase is found across lines."""
    found = {}
    for path in texts():
        name = path.relative_to(REPOSITORY).as_posix()
        found[name] = " ".join(path.read_text(encoding="utf-8").split())
    return found


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrase_is_gone(phrase: str, pages: dict[str, str]) -> None:
    pattern = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
    assert [name for name, text in pages.items() if pattern.search(text)] == []
