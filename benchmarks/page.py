"""How large the page of `trope analyze --format html` is, and how soon Chromium shows it.

    python benchmarks/page.py DATA/vua18/VUA_seq_formatted_test.csv

Real sentences are joined to a text with paragraphs. A page is readable when it is loaded and what
is in the window has been drawn. `--text FILE` only writes the text, and `--page FILE` measures a
page that another version has made of it and keeps nothing.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import machine
import record
from speed import read_sentences
from workbench_text import DRAWN

from trope.core.errors import MissingData, TropeError
from trope.core.files import sha256
from trope.metrics.figures import DataRef
from trope.pipeline import Pipeline
from trope.render import write

PARAGRAPH = 6  # sentences
BEFORE_PUNCTUATION = re.compile(r" (?=[.,;:!?)\]’'%]|n't\b)")
AFTER_BRACKET = re.compile(r"(?<=[(\[‘]) ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--words", type=int, default=12_600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--text", type=Path, help="only write the text to this file")
    parser.add_argument("--page", type=Path, help="measure this page, and keep nothing")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one round")
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    try:
        _measure(options)
    except TropeError as error:
        print(f"page: {error}", file=sys.stderr)
        return 2
    return 0


def prose(sentences: Sequence[str], words: int) -> str:
    """So many words of the sentences as paragraphs, without blanks before punctuation."""
    paragraphs: list[list[str]] = [[]]
    left = words
    for sentence in sentences:
        taken = sentence.split()[:left]
        left -= len(taken)
        if len(paragraphs[-1]) == PARAGRAPH:
            paragraphs.append([])
        text = BEFORE_PUNCTUATION.sub("", " ".join(taken))
        paragraphs[-1].append(AFTER_BRACKET.sub("", text))
        if not left:
            return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs) + "\n"
    raise MissingData("sentences", f"a text of {words} words needs more of them")


def _measure(options: argparse.Namespace) -> None:
    text = prose(read_sentences(options.sentences), options.words)
    if options.text is not None:
        options.text.write_text(text, encoding="utf-8")
    elif options.page is not None:
        seconds = time_readable(options.page, options.rounds, options.timeout)
        shown = ", ".join(f"{each:.2f}" for each in seconds)
        print(f"{options.page}: {_megabytes(options.page):.2f} MB, readable after {shown} s")
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            pipeline = Pipeline()
            with path.open("w", encoding="utf-8") as file:
                write("html", [("", pipeline.analyze(text))], file)
            seconds = time_readable(path, options.rounds, options.timeout)
            _keep(options, pipeline, _megabytes(path), seconds)


def time_readable(path: Path, rounds: int, timeout: int) -> list[float]:
    """Seconds from the address until the page is loaded and drawn, in a new window each time."""
    found = []
    with _browser() as browser:
        for number in range(rounds + 1):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            context.set_default_timeout(1000 * timeout)
            page = context.new_page()
            started = time.perf_counter()
            page.goto(path.resolve().as_uri(), wait_until="load")
            page.evaluate(DRAWN)
            seconds = time.perf_counter() - started
            context.close()
            if number or rounds == 1:  # the first of several fills caches of the machine
                found.append(seconds)
            if rounds == 1:
                break
    return found


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise MissingData("chromium", "install it (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def _megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def _keep(
    options: argparse.Namespace, pipeline: Pipeline, size: float, seconds: Sequence[float]
) -> None:
    data = DataRef("vua18", "test", sha256(options.sentences))
    note = f"the HTML page of a text of {options.words:,} words"
    figures = [
        record.measured("page.size_mb", [size], n=1, note=note, data=data),
        record.measured(
            "page.readable_s", seconds, n=len(seconds), data=data,
            note=f"{note}, loaded and drawn in Chromium, {machine.describe(1)}",
        ),
    ]  # fmt: skip
    record.keep(
        figures, tier=pipeline.tier, model_sha256=pipeline.model_sha256, path=options.results
    )
    for figure in figures:
        print(f"{figure.name}: {figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})")


if __name__ == "__main__":
    sys.exit(main())
