"""`make pages` writes what is printed now, and keeps what a page leaves out."""

from pathlib import Path

import pytest
from page_blocks import read_blocks
from page_running import PageRunner
from renew_page import renewed

SESSION = """\
```pycon
>>> words = ["tea", "rain"]
>>> [word.upper()
...  for word in words]
{list}
>>> print("one", "", "three", sep="\\n")
{lines}
>>> sum(len(word) for word in words)
7
```
"""


def renewed_page(tmp_path: Path, text: str) -> list[str]:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    runner = PageRunner(tmp_path)
    return [renewed(runner, block) for block in read_blocks(page)]


def in_block(text: str) -> str:
    return text.removeprefix("```pycon\n").removesuffix("```\n")


@pytest.mark.parametrize("old", ["['COFFEE']", "['TEA',\n 'RAIN', 'SNOW']"])
def test_a_session_shows_what_is_printed_now(tmp_path: Path, old: str) -> None:
    before = SESSION.format(list=old, lines="one\ntwo")
    after = SESSION.format(list="['TEA', 'RAIN']", lines="one\n<BLANKLINE>\nthree")
    assert renewed_page(tmp_path, before) == [in_block(after)]


def test_what_a_session_leaves_out_stays_left_out(tmp_path: Path) -> None:
    page = SESSION.format(list="['TEA', …]", lines="one\n…")
    assert renewed_page(tmp_path, page) == [in_block(page)]


def test_names_of_a_renewed_session_serve_the_next_one(tmp_path: Path) -> None:
    first = "```pycon\n>>> tea = 2\n>>> tea\n1\n```\n"
    second = "```pycon\n>>> tea + 1\n5\n```\n"
    assert renewed_page(tmp_path, f"{first}\n{second}") == [
        ">>> tea = 2\n>>> tea\n2\n",
        ">>> tea + 1\n3\n",
    ]


def test_an_error_in_a_session_is_told_and_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = "```pycon\n>>> 1 / 0\n0\n```\n"
    assert renewed_page(tmp_path, page) == [in_block(page)]
    assert "ZeroDivisionError" in capsys.readouterr().err
