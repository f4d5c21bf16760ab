"""Files as they should not be, given to the real command with the model that ships."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope import Pipeline
from trope.core.export import to_json
from trope.core.records import TextKind
from trope.encoder.trees import is_tree

SOURCE = Path(__file__).parents[2] / "src"
ERROR = re.compile(r"trope: (?P<place>[^;]+?): [^;\n]+; [^\n]+\n")


def trope(*arguments: str | bytes | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    code = "from trope.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, "analyze", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)},
    )


def assert_right(analysis: dict[str, Any]) -> None:
    """Exact spans, in order, without gaps but blanks; one well-formed tree a sentence."""
    text, tokens = analysis["text"], analysis["tokens"]
    place = 0
    for token in tokens:
        assert token["start"] >= place
        assert token["end"] > token["start"]
        assert text[token["start"] : token["end"]] == token["text"]
        place = token["end"]
    first = 0
    for start, end in analysis["sentences"]:
        own = [token for token in tokens if start <= token["start"] and token["end"] <= end]
        heads = [token["head"] for token in own]
        assert is_tree([head if head < 0 else head - first for head in heads])
        first += len(own)
    assert first == len(tokens)
    for relation in analysis["relations"]:
        assert text[relation["start"] : relation["end"]] == relation["expression"]
        for role, word in relation["words"].items():
            assert word == (None if relation[role] is None else tokens[relation[role]]["text"])


@pytest.mark.parametrize("options", [(), ("--whole",)], ids=["lines", "whole"])
@pytest.mark.parametrize(
    ("content", "line", "cause"),
    [
        (b"", 1, "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 1, "is not UTF-8 (byte 0x89)"),
        (bytes(range(32)), 1, "holds a NUL byte"),
        ("Le café.\n".encode() + "Le café.\n".encode("latin-1"), 2, "is not UTF-8 (byte 0xe9)"),
        (b"Rain fell.\nRain\x00fell.\n", 2, "holds a NUL byte"),
        (b"Rain fell.\n\nRain \xed\xa0\xbd fell.\n", 3, "is not UTF-8 (byte 0xed)"),
        (gzip.compress(b"Rain fell.\n", mtime=0)[:-12], 1, "is a damaged gzip file"),
        (b"\x1f\x8bno gzip", 1, "is a damaged gzip file"),
    ],
    ids=[
        "empty",
        "binary",
        "control",
        "mixed",
        "nul",
        "surrogate",
        "half-gzip",
        "no-gzip",
    ],
)
def test_what_is_no_text_is_refused_with_its_line(
    tmp_path: Path, content: bytes, line: int, cause: str, options: tuple[str, ...]
) -> None:
    file = tmp_path / "odd.txt"
    file.write_bytes(content)
    done = trope(file, "--json", *options)
    assert done.returncode == 2
    assert done.stdout == b""
    error = done.stderr.decode()
    found = ERROR.fullmatch(error)
    assert found, error
    assert found["place"] == f"{file}:{line}"
    assert cause in error


def test_blank_lines_alone_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "blank.txt"
    file.write_text(" \n\t\n\u00a0\n")
    done = trope(file)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"trope: {file}:1: has only blank lines; give")


def test_missing_files_and_empty_folders_are_named_with_a_cure(tmp_path: Path) -> None:
    missing = tmp_path / "none.txt"
    for path, cause in (
        (missing, f"trope: {missing}: not found; check"),
        (tmp_path, f"trope: no file of texts in '{tmp_path}'; give .txt, .csv"),
    ):
        done = trope(path)
        assert done.returncode == 2
        assert done.stdout == b""
        assert done.stderr.decode().startswith(cause)


GOOD = [
    "Rain 😂😂 ate 👩‍👩‍👧 the 🏳️‍🌈 road 👍🏽.",
    "مرحبا بالعالم. السلام عليكم!",
    "שלום \u202bעולם\u202c and \u200frain.",
    "Cafe\u0301 Zu\u0308rich sank n\u0303o boats.",
    "Z̸͎͔a̷l̶g̵o ate \ufffd\ufffd roads \u200b\u2060 \ufeff.",
    "\x01\x02 Rain\x7f ate\x1b[31m roads.",
    "漢字かな交じり文。 Ｆｕｌｌ　ｗｉｄｔｈ",
    "!!!!!!!! ??? ... #",
    "a" * 3_000 + " ate " + "-" * 3_000,
]


def test_odd_but_good_texts_have_exact_spans(tmp_path: Path) -> None:
    file = tmp_path / "good.txt"
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(GOOD).encode())
    done = trope(file, "--json", "--unit", "line", "--any-language")
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert [analysis["text"] for analysis in found] == GOOD
    for analysis in found:
        assert analysis["tokens"]
        assert_right(analysis)


def test_a_lone_surrogate_on_the_command_line_is_read_around() -> None:
    done = trope(b"R\xe4in ate roads.", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    analysis = json.loads(done.stdout)
    assert analysis["text"] == "R\udce4in ate roads."
    assert_right(analysis)


def test_a_packed_file_without_its_suffix_is_read(tmp_path: Path) -> None:
    file = tmp_path / "packed.txt"
    file.write_bytes(gzip.compress("Rain ate the rôads.\n".encode()))
    done = trope(file, "--json", "--whole")
    assert (done.returncode, done.stderr) == (0, b"")
    assert_right(json.loads(done.stdout))


@settings(max_examples=80)
@given(
    text=st.text(
        st.one_of(st.characters(), st.sampled_from("aei ns.!?\n@#'😂\u200d\ufe0f\u202e\ud83d"))
    ),
    kind=st.sampled_from(["plain", "tweet", "headline"]),
)
def test_any_text_has_exact_spans_and_well_formed_trees(
    shipped: Pipeline, text: str, kind: TextKind
) -> None:
    analysis = json.loads(to_json(shipped.analyze(text, kind=kind)))
    assert analysis["text"] == text
    assert_right(analysis)
