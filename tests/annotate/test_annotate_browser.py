"""The service as it is started, in a real browser, with nothing but the keyboard."""

import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from trope.annotate.starting import new_project

pytestmark = pytest.mark.browser

TROPE = [sys.executable, "-m", "trope", "annotate"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], tuple[Path, str]]]:
    """Starts the service on a new project with the sample items; gives folder and owner's link."""
    started: list[subprocess.Popen[str]] = []

    def start(template: str) -> tuple[Path, str]:
        folder = tmp_path / template
        new_project(folder, template)
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

    page = chromium.new_context(**options).new_page()
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    for _ in range(100):
        try:
            page.goto(link)
            return page
        except Error:
            page.wait_for_timeout(100)
    raise AssertionError("the service does not answer")


def invited(chromium: Any, owner_link: str, name: str) -> tuple[Any, str]:
    """The owner's page, and the link that it gave for a new annotator."""
    owner = open_page(chromium, owner_link)
    owner.get_by_role("button", name="Enter").press("Enter")
    owner.get_by_label("Name").fill(name)
    owner.get_by_label("goes straight to work").check()
    owner.get_by_label("Name").press("Enter")
    return owner, owner.locator("#link").inner_text()


def exported(owner: Any) -> list[dict[str, Any]]:
    with owner.expect_download() as download:
        owner.get_by_role("link", name="as JSON lines").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def begin(chromium: Any, link: str, **options: Any) -> Any:
    """The first item, with its keys at work."""
    page = open_page(chromium, link, **options)
    page.get_by_role("button", name="I agree, begin").press("Enter")
    page.get_by_role("link", name="Begin judging").press("Enter")
    page.locator("fieldset.active").wait_for()
    return page


def test_tweets_by_keyboard_with_a_reload_in_between(
    chromium: Any, serve: Callable[[str], tuple[Path, str]]
) -> None:
    _, owner_link = serve("tweets2019")
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    assert not page.get_by_text("Is the marked expression metaphorical?").is_visible()
    with page.expect_response("**/judge/draft"):
        page.keyboard.press("1")
    assert page.get_by_text("Is the marked expression metaphorical?").is_visible()
    with page.expect_response("**/judge/draft"):
        page.keyboard.press("2")
    page.reload()
    page.locator("fieldset.active").wait_for()
    assert page.locator("input[name=metaphorical][value=no]").is_checked(), "the draft was kept"
    page.keyboard.press("4")
    assert page.locator("input[name=certainty][value=no_clue]").is_checked()
    page.keyboard.press("Enter")
    page.get_by_text("1 judged").wait_for()

    page.keyboard.press("2")  # not understood: nothing else is asked
    page.keyboard.press("Enter")
    page.get_by_text("2 judged").wait_for()
    before = page.locator("#item input[name=token]").input_value()
    page.keyboard.press("s")
    page.locator(f"#item input[name=token]:not([value='{before}'])").wait_for(state="attached")
    page.keyboard.press("?")
    assert page.locator("#help").get_attribute("open") is not None

    rows = exported(owner)
    assert [row["state"] in ("counted", "gold") for row in rows] == [True, True, False]
    assert rows[0]["answers"] == {
        "understood": "yes",
        "metaphorical": "no",
        "certainty": "no_clue",
    }
    assert rows[1]["answers"] == {"understood": "no"}
    assert {row["annotator"] for row in rows} == {"Ann"}


def test_scores_by_keyboard_to_the_end(
    chromium: Any, serve: Callable[[str], tuple[Path, str]]
) -> None:
    _, owner_link = serve("semeval2015")
    owner, link = invited(chromium, owner_link, "Bob")
    page = begin(chromium, link)
    page.keyboard.press("Enter")
    page.get_by_text("This needs an answer.").wait_for()
    scores = []
    while page.locator("#item").count():
        number = len(scores)
        keys, score = [(["-", "5"], -5), (["0"], 0), (["3"], 3)][number % 3]
        for key in keys:
            page.keyboard.press(key)
        assert page.locator(f"input[value='{score}']").is_checked()
        page.keyboard.press("Enter")
        page.locator(
            f"main:has-text('{number + 1} judged'), main h1:text('all for now')"
        ).wait_for()
        scores.append(score)
    assert 5 <= len(scores) <= 7
    assert page.get_by_text(f"You have judged {len(scores)} items").is_visible()
    assert [row["answers"]["score"] for row in exported(owner)] == scores


def test_page_works_without_scripts_and_fits_a_phone(
    chromium: Any, serve: Callable[[str], tuple[Path, str]]
) -> None:
    _, owner_link = serve("newsmet")
    _, link = invited(chromium, owner_link, "Cy")
    phone = {"width": 360, "height": 740}
    page = open_page(chromium, link, java_script_enabled=False, viewport=phone)
    page.get_by_role("button", name="I agree, begin").click()
    page.get_by_role("link", name="Begin judging").click()
    page.locator("input[name=sentence][value=invalid]").check()
    page.locator("input[name=verb][value=literal]").check()
    page.get_by_role("button", name="Save and go on").click()
    assert page.get_by_text("1 judged").is_visible()

    scripted = begin(chromium, link, viewport=phone)
    wide = scripted.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide
