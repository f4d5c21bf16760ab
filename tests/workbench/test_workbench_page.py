"""The page about the workbench gives the limits and error codes of the code."""

import re
from pathlib import Path

from trope.web.worker import READING_S
from trope.workbench import requests as limits

TESTS = Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "docs" / "workbench.md").read_text(encoding="utf-8")
SOURCE = TESTS.parent / "src" / "trope" / "workbench"


def test_limits_are_those_of_the_code() -> None:
    told = PAGE.split("## Limits")[1].split("## Safety")[0]
    for words in (
        f"{limits.BODY_LIMIT:,} bytes",
        f"{limits.TEXT_LIMIT:,} characters",
        f"{limits.REWRITING_LIMIT:,} where its verbs",
        f"{READING_S:g} seconds for the headers, {READING_S:g} for the body",
        f"{limits.ANSWER_S:g} seconds, waiting",
        f"{limits.WAITING} requests",
    ):
        assert words in told


def test_every_code_of_the_api_is_explained() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    written += (SOURCE.parent / "web" / "worker.py").read_text(encoding="utf-8")
    given = set(re.findall(r'(?:RequestRefused|RefusedBody)\(\s*\d+,\s*"([a-z0-9-]+)"', written))
    assert {"too-large", "busy", "not-json", "no-corpus"} <= given
    of_pages = {"no-such-text", "text-changed", "no-such-word", "unknown-kind", "text-too-long"}
    of_pages |= {"unknown-format", "no-file", "not-allowed", "not-stored"}
    missing = [code for code in sorted(given - of_pages) if f"`{code}`" not in PAGE]
    assert missing == []
