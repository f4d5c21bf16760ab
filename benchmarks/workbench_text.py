"""How long the workbench takes to show a text, compared with `trope analyze`.

    python benchmarks/workbench_text.py DATA/vua18/VUA_seq_formatted_test.csv

Real sentences are joined to a text of the given length. The workbench is timed from the press of
its button in Chromium until the page is complete and drawn; `trope analyze --format html` with its
model loaded, like that of the workbench, from the text to the written page, and also as a command
from its start to its end. Rounds take turns, each with another text, so that caches do not help.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import machine
import record
from annotation_service import free_port
from speed import read_sentences

from trope.core.errors import MissingData, TropeError
from trope.core.files import sha256
from trope.metrics.figures import DataRef
from trope.pipeline import Pipeline

DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolves when what is on the page has been drawn."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results; 2 where it cannot run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="VUA test file with a column 'sentence'")
    parser.add_argument("--words", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    try:
        _measure(options)
    except TropeError as error:
        print(f"workbench_text: {error}", file=sys.stderr)
        return 2
    return 0


def texts_of(sentences: Sequence[str], words: int, number: int) -> list[str]:
    """Texts of the given number and length, each of other sentences."""
    found: list[str] = []
    text: list[str] = []
    for sentence in sentences:
        text += sentence.split()
        if len(text) >= words:
            found.append(" ".join(text[:words]))
            text = []
        if len(found) == number:
            return found
    raise MissingData("sentences", f"{number} texts of {words} words need more of them")


def _measure(options: argparse.Namespace) -> None:
    texts = texts_of(read_sentences(options.sentences), options.words, options.rounds + 1)
    pipeline = Pipeline(threads=options.threads)
    loaded, whole, shown = [], [], []
    with tempfile.TemporaryDirectory() as folder, _page(Path(folder), options.threads) as page:
        for number, text in enumerate(texts):
            times = (
                time_loaded(pipeline, text),
                time_command(text, Path(folder), options.threads),
                time_shown(page, text),
            )
            if number:  # the first round fills caches of the machine
                for kept, seconds in zip((loaded, whole, shown), times, strict=True):
                    kept.append(seconds)
    _keep(options, pipeline, loaded, whole, shown)


def time_loaded(pipeline: Pipeline, text: str) -> float:
    """Seconds of `trope analyze --format html` without its start: from the text to the page."""
    from trope.render.html import write_html

    started = time.perf_counter()
    write_html([("", pipeline.analyze(text))], io.StringIO())
    return time.perf_counter() - started


def time_command(text: str, folder: Path, threads: int) -> float:
    """Seconds of the command from its start to its end."""
    source = folder / "text.txt"
    source.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "trope", "analyze", "--whole", "--format", "html", str(source)]
    out = ["--out", str(folder / "page.html"), "--threads", str(threads), "--quiet"]
    started = time.perf_counter()
    subprocess.run([*command, *out], check=True)
    return time.perf_counter() - started


def time_shown(page: Any, text: str) -> float:
    """Seconds from the press of the button until the page of the text is complete and drawn."""
    page.goto("/")
    page.locator("#text").evaluate("(field, text) => { field.value = text }", text)
    started = time.perf_counter()
    page.get_by_role("button", name="Analyse").click()
    page.wait_for_url("**/t/*", wait_until="load")
    page.evaluate(DRAWN)
    seconds = time.perf_counter() - started
    if page.locator("#words a.w").count() < len(text.split()) // 2:
        raise AssertionError("the page does not show the text")
    return seconds


@contextmanager
def _page(folder: Path, threads: int) -> Iterator[Any]:
    """A page of a browser at a workbench whose model is loaded."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise MissingData("chromium", "install it (apt-get install chromium)")
    port = free_port()
    command = [sys.executable, "-m", "trope", "serve", "--no-browser", "--port", str(port)]
    keep = ["--keep", str(folder / "texts"), "--threads", str(threads)]
    service = subprocess.Popen([*command, *keep], stdout=subprocess.PIPE, text=True, env=os.environ)
    try:
        base = service.stdout.readline().strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(base_url=base, viewport={"width": 1280, "height": 900})
            page.set_default_timeout(300_000)
            yield page
            browser.close()
    finally:
        service.terminate()
        service.communicate()


def _keep(
    options: argparse.Namespace,
    pipeline: Pipeline,
    loaded: Sequence[float],
    whole: Sequence[float],
    shown: Sequence[float],
) -> None:
    data = DataRef("vua18", "test", sha256(options.sentences))
    note = f"a text of {options.words:,} words, {machine.describe(options.threads)}"
    command = "trope analyze --format html"
    rows = (
        ("ratio", [a / b for a, b in zip(shown, loaded, strict=True)],
         f"shown in Chromium, over {command} with its model loaded"),
        ("command_ratio", [a / b for a, b in zip(shown, whole, strict=True)],
         f"shown in Chromium, over the whole command {command}"),
        ("shown_s", shown, "from the button until the page is drawn in Chromium"),
        ("analyze_s", loaded, f"{command}, its model loaded"),
        ("command_s", whole, f"{command}, from its start to its end"),
    )  # fmt: skip
    figures = [
        record.measured(
            f"workbench.text.{name}", values, n=len(values), note=f"{what}; {note}", data=data
        )
        for name, values, what in rows
    ]
    record.keep(
        figures, tier=pipeline.tier, model_sha256=pipeline.model_sha256, path=options.results
    )
    for figure in figures:
        print(f"{figure.name}: {figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})")


if __name__ == "__main__":
    sys.exit(main())
