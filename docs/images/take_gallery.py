"""Takes the screenshots of the gallery: wide and phone, light and dark.

python docs/images/take_gallery.py

They show the page of `trope analyze --format html`, an analysis in a notebook (drawn by nbconvert,
which must be installed) and the pages of `trope serve`. The texts and the two small corpora of
headlines are our own. Screenshots have few colours, so that they stay small.
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

SPEECH = """\
Friends, the road behind us was long, and the road ahead will not be easy. For ten years the old \
mills stood silent while Westminster slept. Nobody in London heard the town cry for help. We heard \
it.

The bank that swallowed our savings now preaches thrift to the people it robbed. Its chairman, \
cold as a January pavement, told this council to tighten its belt. When the steelworks closed, \
hope drained out of these streets like water from a cracked basin.

But look around you. The harbour is breathing. Young families are putting down roots on Mill Lane, \
and the market has found its voice. Some say that we should wait. I say that patience is a luxury \
of the rich. We will bite the bullet where we must, and we will keep the wolf from the door.
"""
CELL = f"import trope\n\ntrope.analyze({SPEECH.split(chr(10) * 2)[1]!r})"

CORPUS_PAGES = {
    "corpus-overview": "/corpus/",
    "corpus-figures": "/corpus/figures?sort=surprise&rows=12",
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
    tasks = ("--with", "relations,metonymy,domains", "--quiet")
    made = trope("detect", *SOURCES, "--out", corpus, *columns, *tasks)
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


def write_page(folder: Path) -> str:
    """The address of the page of the speech."""
    source, page = folder / "speech.txt", folder / "speech.html"
    source.write_text(SPEECH, encoding="utf-8")
    command = trope("analyze", "--whole", "--format", "html", "--out", page, source, "--quiet")
    subprocess.run(command, check=True)
    return page.as_uri()


def write_notebook(folder: Path, scheme: str) -> str:
    """The address of a notebook with an analysis, as nbconvert draws it."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    body, _ = HTMLExporter(theme=scheme).from_notebook_node(notebook)
    path = folder / f"notebook-{scheme}.html"
    path.write_text(body, encoding="utf-8")
    return path.as_uri()


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
        speech = write_page(Path(folder))
        notebooks = {scheme: write_notebook(Path(folder), scheme) for scheme in SCHEMES}
        for size, (width, height) in SIZES.items():
            for scheme in SCHEMES:
                page = browser.new_page(
                    base_url=address,
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,
                )
                page.set_default_timeout(120_000)
                page.goto(speech)
                take(page, f"page-{size}-{scheme}")
                page.goto(notebooks[scheme], wait_until="domcontentloaded")
                take(page, f"notebook-{size}-{scheme}")
                take_text(page, f"text-{size}-{scheme}")
                for name, path in CORPUS_PAGES.items():
                    page.goto(path)
                    take(page, f"{name}-{size}-{scheme}")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
