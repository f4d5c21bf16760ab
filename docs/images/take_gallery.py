"""Takes the screenshots of the gallery: pages of `trope serve`, wide and phone, light and dark.

python docs/images/take_gallery.py

The text and the two small corpora of headlines are our own. Screenshots have few colours, so that
they stay small.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
GALLERY = HERE / "gallery"
SOURCES = [EXAMPLES / "first-hour" / name for name in ("herald.csv", "ledger.csv")]
SIZES = {"wide": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
COLOURS = 64

TEXT = """\
The new tax strangles small shops, and their owners are drowning in forms. "We will fight this \
plan until the last door closes," said a baker who has sold bread on the square for thirty years. \
She wipes the counter and looks out at the rain.

France watched the quarrel with open amusement. Siemens shed 300 jobs; its shares climbed all \
the same. Critics attacked the minister, but the party swallowed the proposal whole. It was a \
wonderful evening for those who had bet on it, and a bitter one for the rest.
"""

CORPUS_PAGES = {
    "corpus-rates": "/corpus/rates?by=source",
    "corpus-months": "/corpus/rates?by=date&period=month",
    "corpus-verbs": "/corpus/verbs",
    "corpus-keyness": "/corpus/keyness?by=source&part=Herald&min_count=2",
    "corpus-concordance": "/corpus/concordance?upos=VERB&metaphors=true&sort=score",
}


def trope(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "trope", *map(str, arguments)]


@contextmanager
def workbench(folder: Path, port: int = 8298) -> Iterator[str]:
    """A workbench with the headlines, and its address."""
    corpus = folder / "headlines.parquet"
    columns = ("--text-column", "headline", "--columns", "headline,source,date", "--tokens")
    made = trope("detect", *SOURCES, "--out", corpus, *columns, "--with", "relations", "--quiet")
    subprocess.run(made, check=True)
    command = trope("serve", corpus.name, "--port", port, "--no-browser", "--keep", "texts")
    service = subprocess.Popen(
        [*command, "--index", "index"], stdout=subprocess.PIPE, text=True, cwd=folder
    )
    try:
        yield service.stdout.readline().strip()
    finally:
        service.terminate()
        service.communicate()


def take_text(page: Any, name: str) -> None:
    """The text view with an open word and its plain rewrites."""
    page.goto("/")
    page.locator("#text").fill(TEXT)
    page.get_by_role("button", name="Analyse").click()
    page.locator("#words a.w", has_text="strangles").click()
    rewrites = page.locator("#panel details[data-to=literal]")
    rewrites.locator("summary").click()
    rewrites.locator("td").first.wait_for()
    page.locator("#panel").evaluate("panel => panel.scrollTo(0, 0)")
    page.evaluate("scrollTo(0, 0)")
    take(page, name)


def take(page: Any, name: str) -> None:
    """What the window shows, as a small image."""
    path = GALLERY / f"{name}.png"
    page.mouse.move(0, 0)
    page.screenshot(path=path)
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def main() -> None:
    GALLERY.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        workbench(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for size, (width, height) in SIZES.items():
            for scheme in SCHEMES:
                page = browser.new_page(
                    base_url=address,
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                )
                page.set_default_timeout(120_000)
                take_text(page, f"text-{size}-{scheme}")
                for name, path in CORPUS_PAGES.items():
                    page.goto(path)
                    take(page, f"{name}-{size}-{scheme}")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
