"""The runner of code blocks finds what is wrong with a page."""

from pathlib import Path

import pytest
from command_lines import faults
from output_matching import matches
from page_blocks import read_blocks, read_inline_commands
from page_running import PageRunner, WrongBlock


def follow(tmp_path: Path, text: str) -> PageRunner:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    runner = PageRunner(tmp_path)
    for block in read_blocks(page):
        runner.do(block)
    return runner


def fence(language: str, *lines: str, before: str = "") -> str:
    return "\n".join([before, f"```{language}", *lines, "```", ""])


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("one\ntwo", "one\ntwo\n", True),
        ("one  \n", "one", True),
        ("one\n…\nfour", "one\ntwo\nthree\nfour\n", True),
        ("one\n…\nfour", "one\nfour\n", True),
        ("took … s", "took 3.14 s\n", True),
        ("took … s", "took 3\n4 s\n", False),
        ("a.c", "abc", False),
        ("score 0.93* of 7", "score 0.95* of 7", True),
        ("score 0.93* of 7", "score 0.96* of 7", False),
        ("score 0.93* of 7", "score 0.93* of 8", False),
        ("score −0.01", "score +0.01", True),
        ("score 0.93", "score 0.930", False),
        ("trope 0.1.0", "trope 0.1.1", False),
        ("… 0.5 … 0.7", "a 0.5 b 0.6", True),
        ("one", "one\ntwo", False),
        ("", "", True),
        ("", "noise", False),
    ],
)
def test_elisions(expected: str, got: str, same: bool) -> None:
    assert matches(expected, got) is same


def test_commands_run_and_their_output_is_compared(tmp_path: Path) -> None:
    follow(tmp_path, fence("console", "$ trope --version", "trope, version …"))
    with pytest.raises(WrongBlock, match=r"page.md:3: \$ trope --version"):
        follow(tmp_path, fence("console", "$ trope --version", "trope, version two"))


def test_an_error_has_to_be_shown_with_its_status(tmp_path: Path) -> None:
    shown = ["$ trope nonsense", "trope: No such command 'nonsense'; …"]
    follow(tmp_path, fence("console", *shown, "$ echo $?", "2"))
    with pytest.raises(WrongBlock, match="status 2"):
        follow(tmp_path, fence("console", *shown))


def test_a_shell_runs_what_needs_one(tmp_path: Path) -> None:
    lines = ["$ trope --version | tr a-z A-Z > said.txt", "$ cat said.txt", "TROPE, VERSION …"]
    follow(tmp_path, fence("console", *lines))


def test_files_stay_for_the_blocks_that_follow(tmp_path: Path) -> None:
    text = fence("csv", "a,b", "1,2", before="<!-- file: in/table.csv -->")
    follow(tmp_path, text + fence("console", "$ cat in/table.csv", "a,b", "1,2"))


def test_python_is_run_and_what_it_prints_compared(tmp_path: Path) -> None:
    text = fence("python", "x = 2", "print(x)") + fence("pycon", ">>> x + 1", "3")
    follow(tmp_path, text)
    follow(tmp_path, fence("python", "print(1)") + fence("output", "1"))
    with pytest.raises(WrongBlock):
        follow(tmp_path, fence("python", "print(1)") + fence("output", "2"))
    with pytest.raises(WrongBlock):
        follow(tmp_path, fence("pycon", ">>> 1 + 1", "3"))


@pytest.mark.parametrize(
    ("language", "line"),
    [("toml", "a = "), ("json", "{"), ("jsonl", "{}}"), ("csv", "a,b\n1"), ("text", "$ ls"),
     ("bash", "ls"), ("console", "ls"), ("pycon", "x = 1"), ("text", "trope data list"),
     ("text", "trope nonsense FILE")],
)  # fmt: skip
def test_what_cannot_be_right_is_refused(tmp_path: Path, language: str, line: str) -> None:
    with pytest.raises(WrongBlock, match=r"page\.md:2"):
        follow(tmp_path, fence(language, *line.splitlines()))


def test_a_block_that_is_not_run_still_names_real_commands(tmp_path: Path) -> None:
    mark = "<!-- not run: data; VUA -->"
    follow(tmp_path, fence("console", "$ trope evaluate syntax --from DATA", before=mark))
    with pytest.raises(WrongBlock, match="has no option --form"):
        follow(tmp_path, fence("console", "$ trope evaluate syntax --form DATA", before=mark))


@pytest.mark.parametrize(
    "line",
    [
        "trope analyze [TEXT | FILE …]",
        "trope recipe list, trope recipe run NAME",
        "trope query FOLDER rates --by source",
        "trope query FOLDER VIEW --json",
        "trope annotate new|import DIR",
        "trope COMMAND --help",
        "trope analyze 'a --odd text'",
        "trope --version",
        "make demo",
        "trope detect IN --out OUT --resume   # after a --power cut",
    ],
)
def test_commands_that_exist(line: str) -> None:
    assert faults(line) == []


@pytest.mark.parametrize(
    "line",
    ["trope analise x", "trope annotate fly", "trope analyze --colour", "make coffee",
     "trope annotate new|fly DIR", "trope query FOLDER rates --colour",
     "trope agree x && trope agree x --nothing"],
)  # fmt: skip
def test_commands_that_do_not_exist(line: str) -> None:
    assert faults(line)


def test_commands_in_sentences_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Ask `trope agree\nFILE`, or `x`.\n\n| a |\n|---|\n| `trope data list` |\n")
    assert read_inline_commands(page) == [(1, "trope agree FILE"), (6, "trope data list")]
