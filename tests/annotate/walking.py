"""People at the keyboard: their way through the stages, their answers, and pictures of both."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browsers import TROPE, follow, free_port, open_page

from trope.annotate.project import new_project

Keys = Callable[[str], str]
"""What is typed for an item with that text, before Enter; keys stand apart."""


def trope(*words: str) -> str:
    """What a command prints."""
    done = subprocess.run([*TROPE, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@contextmanager
def served(
    folder: Path, template: str, changes: Mapping[str, str], more: str = ""
) -> Iterator[tuple[str, str]]:
    """The service on a new project with the template's samples; gives the owner's link, and one
    for external workers. `changes` are lines of the plan, `more` further items."""
    new_project(folder, template)
    plan = (folder / "project.toml").read_text(encoding="utf-8")
    for pattern, line in changes.items():
        plan, number = re.subn(pattern, line, plan, count=1, flags=re.M)
        assert number, pattern
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    with (folder / "items.jsonl").open("a", encoding="utf-8") as items:
        items.write(more)
    trope("import", str(folder), str(folder / "items.jsonl"))
    if (folder / "demo.jsonl").exists():
        trope("import", str(folder), str(folder / "demo.jsonl"), "--demo")
    port = free_port()
    outside = trope("link", str(folder), "--origin", f"http://127.0.0.1:{port}")
    command = [*TROPE, "serve", str(folder), "--port", str(port), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            yield service.stdout.readline().split()[-1], outside
        finally:
            service.terminate()


def enter(chromium: Any, link: str) -> Any:
    """The page of an owner or adjudicator."""
    page = open_page(chromium, link)
    follow(page.get_by_role("button", name="Sign in"), "Enter")
    return page


def invite(owner: Any, name: str, role: str = "annotator", *, trusted: bool = False) -> str:
    """The link that the owner's page gives."""
    follow(owner.get_by_role("link", name="Project", exact=True))
    owner.get_by_label("Name").fill(name)
    owner.get_by_label("Role").select_option(role)
    straight = owner.get_by_label("starts work at once")
    if trusted and straight.count():
        straight.check()
    follow(owner.get_by_role("button", name="Invite"))
    return str(owner.locator("#link").inner_text())


def stage(page: Any) -> str:
    """The stage at which a page is."""
    page.wait_for_load_state()
    return urlsplit(page.url).path.split("/")[1]


def leaves(page: Any, here: str) -> None:
    """Wait for another stage than this."""
    page.wait_for_url(lambda url: urlsplit(url).path.split("/")[1] != here)


def answer(page: Any, keys: Keys) -> None:
    """Answer the item on the page by the keyboard alone, and wait for what follows."""
    page.locator("fieldset.active").first.wait_for()
    token = page.locator("#item input[name=token]").input_value()
    for key in keys(page.locator("#text").inner_text()).split():
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.locator(f"#item input[name=token][value='{token}']").wait_for(state="detached")


def judge_all(page: Any, keys: Keys) -> int:
    """Answer until nothing is left; gives the number of items."""
    number = 0
    while page.locator("#item").count():
        answer(page, keys)
        number += 1
    return number


def walk_in(page: Any, keys: Keys, *, profile: str = "1", until: str = "judge") -> list[str]:
    """Pass the stages by the keyboard; gives their names in order."""
    passed: list[str] = []
    while (here := stage(page)) != until:
        if not passed or passed[-1] != here:
            passed.append(here)
            shoot(page, here)
        if here in ("join", "outside"):
            follow(page.get_by_role("button", name="I agree, start"), "Enter")
            leaves(page, here)
        elif here == "profile":
            page.locator("fieldset.active").first.wait_for()
            for key in [*profile.split(), "Enter"]:
                page.keyboard.press(key)
            leaves(page, here)
        elif here == "guidelines":
            first = page.get_by_role("button", name="I have read this, continue")
            go_on = page.get_by_role("link", name="Start judging")
            first.or_(go_on).first.press("Enter")
            leaves(page, here)
        elif here == "training" and page.locator("#next").count():
            page.keyboard.press("Enter")
            page.locator("#next").wait_for(state="detached")
        else:
            answer(page, keys)
    return passed


def reload_in_mid_item(page: Any) -> None:
    """Begin an item, load the page again, and find what was chosen."""
    page.locator("fieldset.active").first.wait_for()
    active = page.locator("fieldset.active").first
    with page.expect_response("**/judge/draft"):
        if active.get_attribute("data-kind") == "spans":
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Space")
        else:
            page.keyboard.press("1")
    chosen = page.locator("#item input:checked").first.get_attribute("value")
    page.reload()
    page.locator("fieldset.active").first.wait_for()
    assert page.locator("#item input:checked").first.get_attribute("value") == chosen
    if active.get_attribute("data-kind") == "spans":  # taken out again
        with page.expect_response("**/judge/draft"):
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Space")
        page.reload()
        page.locator("fieldset.active").first.wait_for()
        return
    for _ in page.locator("fieldset").all():
        page.keyboard.press("ArrowUp")  # back to the first question, whose answer is there


def download(owner: Any, link: str) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines behind a link of the owner's page."""
    follow(owner.get_by_role("link", name="Project", exact=True))
    with owner.expect_download() as found:
        owner.get_by_role("link", name=link, exact=True).click()
    lines = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def shoot(page: Any, name: str) -> None:
    """Pictures in light, dark and on a phone, where a folder for them is named."""
    folder = os.environ.get("TROPE_SCREENSHOTS")
    if not folder:
        return
    for scheme, width in (("light", 1000), ("dark", 1000), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=f"{folder}/{name}-{scheme}-{width}.png", full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1000, "height": 800})


def fits_a_phone(page: Any) -> bool:
    """Whether nothing has to be moved sideways on a narrow screen."""
    page.set_viewport_size({"width": 390, "height": 800})
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    page.set_viewport_size({"width": 1000, "height": 800})
    return not wide
