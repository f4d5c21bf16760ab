"""The site builds without a warning, and its pages fetch nothing."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conftest import REPOSITORY
from trope import __all__ as public_names
from trope.cli.commands import COMMANDS

for module in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(module, reason=f"{module} is not installed (pip install 'trope[docs]')")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning is an error, as in `make docs`."""
    folder = tmp_path_factory.mktemp("site")
    options = ["-W", "-n", "--keep-going", "-q", "-b", "html", "-d", str(folder / "kept")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(REPOSITORY / "docs"), str(folder / "html")],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


class Fetched(HTMLParser):
    """Collects what a browser loads by itself when it opens a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        source = given.get("href") if tag == "link" else given.get("src")
        if source and tag in ("link", "script", "img", "iframe", "source", "video"):
            self.addresses.append(source)


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_is_there(site: Path) -> None:
    sources = (REPOSITORY / "docs").rglob("*.md")
    wanted = {path.relative_to(REPOSITORY / "docs").with_suffix(".html") for path in sources}
    assert wanted <= {path.relative_to(site) for path in pages(site)}


def test_blocks_do_not_end_with_a_blank_line(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert "</span> <span" in page  # highlighted
    assert not re.search(r"\n(?:<[^>]*>)*\n(?:<[^>]*>)*</pre>", page)


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    found = []
    for page in pages(site):
        parser = Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        found += [f"{page.name}: {a}" for a in parser.addresses if re.match(r"(https?:)?//", a)]
    assert found == []


def test_styles_fetch_nothing_from_elsewhere(site: Path) -> None:
    addresses = re.compile(r"(?:@import|url\()\s*['\"]?(?:https?:)?//")
    assert [p.name for p in site.rglob("*.css") if addresses.search(p.read_text("utf-8"))] == []


def test_reference_has_every_command_and_option(site: Path) -> None:
    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f">trope {name}<" not in text] == []
    assert "--threshold" in text
    assert "generated:" not in text


def test_reference_has_every_public_name(site: Path) -> None:
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert [name for name in public_names if f'id="trope.{name}"' not in text] == []


def test_reference_has_the_fields_of_formats(site: Path) -> None:
    text = (site / "reference" / "formats.html").read_text(encoding="utf-8")
    for key in ("model_sha256", "chosen_on", "shard_rows", "dropped"):
        assert f">{key}<" in text


def test_no_page_names_a_place_of_this_machine(site: Path) -> None:
    place = str(REPOSITORY)
    assert [p.name for p in pages(site) if place in p.read_text(encoding="utf-8")] == []
