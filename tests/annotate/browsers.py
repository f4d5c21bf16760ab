"""A real browser, and the service as it is started, for tests that look at pages.

A test module takes the fixtures by importing them: `from browsers import chromium, serve`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from chromium import chromium, follow, new_page
from ports import free_port
from trope.annotate.project import new_project

__all__ = [
    "begin",
    "chromium",
    "exported",
    "follow",
    "free_port",
    "invited",
    "open_page",
    "serve",
]

TROPE = [sys.executable, "-m", "trope", "annotate"]

Change = Callable[[Path], None]
Serve = Callable[..., tuple[Path, str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts the service on a new project with the sample items; gives folder and owner's link."""
    started: list[subprocess.Popen[str]] = []

    def start(template: str, change: Change | None = None) -> tuple[Path, str]:
        folder = tmp_path / template
        new_project(folder, template)
        if change is not None:
            change(folder)
        items = str(folder / "items.jsonl")
        subprocess.run([*TROPE, "import", str(folder), items], check=True, capture_output=True)
        command = [*TROPE, "serve", str(folder), "--port", str(free_port()), "--workers", "1"]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(service)
        assert service.stdout is not None
        link = re.search(r"http://\S+", service.stdout.readline())
        assert link
        return folder, link[0]

    yield start
    for service in started:
        service.terminate()
        service.communicate()


def open_page(chromium: Any, link: str, **options: Any) -> Any:
    """The page behind a link; the service may need a moment to listen."""
    from playwright.sync_api import Error

    page = new_page(chromium, **options)
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    for _ in range(1_200):
        try:
            page.goto(link)
            return page
        except Error:
            page.wait_for_timeout(100)
    raise AssertionError("the service does not answer")


def invited(chromium: Any, owner_link: str, name: str) -> tuple[Any, str]:
    """The owner's page, and the link that it gave for a new annotator."""
    owner = open_page(chromium, owner_link)
    follow(owner.get_by_role("button", name="Sign in"), "Enter")
    owner.get_by_label("Name").fill(name)
    straight = owner.get_by_label("starts work at once")
    if straight.count():
        straight.check()
    follow(owner.get_by_label("Name"), "Enter")
    return owner, owner.locator("#link").inner_text()


def exported(owner: Any) -> list[dict[str, Any]]:
    """What the owner gets as JSON lines."""
    with owner.expect_download() as download:
        owner.get_by_role("link", name="Judgments as JSON lines").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def begin(chromium: Any, link: str, **options: Any) -> Any:
    """The first item, with its keys at work."""
    page = open_page(chromium, link, **options)
    follow(page.get_by_role("button", name="I agree, start"), "Enter")
    follow(page.get_by_role("link", name="Start judging"), "Enter")
    page.locator("fieldset.active").wait_for()
    return page
