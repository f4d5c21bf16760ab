"""The way of someone who fails control items, of a disputed item, and of the figures about both."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import TROPE, chromium, follow, free_port, open_page
from projects import PLAN
from walking import fits_a_phone, shoot

from trope.annotate.project import new_project

pytestmark = pytest.mark.browser

__all__ = ["chromium"]

STRICT = """
[gold]
share = 0.5
at_least = 4
[quality]
gold_rule = "plain"
warn_after = 2
"""


@pytest.fixture
def owner_link(tmp_path: Path) -> Iterator[str]:
    """The service on a project of four items and many control items, whose answer is yes."""
    folder = tmp_path / "project"
    new_project(folder, "pairs")
    plan = PLAN.format(k=2, page=4, more=STRICT)
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    rows = [{"id": f"i{n}", "text": f"Sentence number {n}."} for n in range(4)]
    rows += [
        {"id": f"g{n}", "text": f"Control {n}.", "gold": {"metaphor": "yes"}}  # type: ignore[dict-item]
        for n in range(12)
    ]
    items = folder / "items.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    subprocess.run([*TROPE, "import", str(folder), str(items)], check=True, capture_output=True)
    command = [*TROPE, "serve", str(folder), "--port", str(free_port()), "--workers", "1"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    link = re.search(r"http://\S+", service.stdout.readline())
    assert link
    yield link[0]
    service.terminate()
    service.communicate()


def invite(owner: Any, name: str, role: str = "annotator") -> str:
    follow(owner.get_by_role("link", name="Project", exact=True))
    owner.get_by_label("Name").fill(name)
    owner.get_by_label("Role").select_option(role)
    follow(owner.get_by_role("button", name="Invite"))
    return str(owner.locator("#link").inner_text())


def begin(chromium: Any, link: str) -> Any:
    page = open_page(chromium, link)
    follow(page.get_by_role("button", name="I agree, start"), "Enter")
    follow(page.get_by_role("link", name="Start judging"), "Enter")
    page.locator("fieldset.active").wait_for()
    return page


def answer(page: Any, choose: Callable[[str], str], items: int) -> None:
    """Answer so many items by key, as told by their text."""
    for _ in range(items):
        token = page.locator("#item input[name=token]").input_value()
        page.keyboard.press(choose(page.locator("#text").inner_text()))
        page.keyboard.press("Enter")
        gone = f"#item input[name=token][value='{token}']"
        page.locator(gone).wait_for(state="detached")


def test_warned_dismissed_reinstated_disputed_decided(chromium: Any, owner_link: str) -> None:
    owner = open_page(chromium, owner_link)
    follow(owner.get_by_role("button", name="Sign in"))
    shoot(owner, "project")

    ann = begin(chromium, invite(owner, "Ann"))
    answer(ann, lambda _: "2", 4)  # no to everything: two control items are wrong
    ann.get_by_role("heading", name="About your work").wait_for()
    shoot(ann, "warned")
    follow(ann.get_by_role("button", name="I have read this"))
    ann.locator("fieldset.active").wait_for()
    assert not ann.get_by_text("About your work").count()
    answer(ann, lambda _: "2", 4)
    ann.get_by_text("Your work on this project has ended.").wait_for()
    shoot(ann, "dismissed")
    follow(ann.get_by_role("link", name="Your work and your right to appeal"))
    ann.get_by_label("If you think this is wrong").fill("The guidelines say little.")
    shoot(ann, "appeal")
    follow(ann.get_by_role("button", name="Send the appeal"))
    ann.get_by_text("Your appeal was sent").wait_for()

    follow(owner.get_by_role("link", name="Project", exact=True))
    follow(owner.get_by_role("link", name="Review of people"))
    owner.get_by_text("The guidelines say little.").wait_for()
    shoot(owner, "review")
    follow(owner.locator("main").get_by_role("link", name="Ann").first)
    owner.get_by_label("Your answer").fill("True; they are better now.")
    shoot(owner, "person")
    follow(owner.get_by_role("button", name="Reinstate Ann"))
    owner.get_by_text("Reinstated", exact=True).wait_for()
    ann.goto(ann.url)
    assert ann.get_by_text("no longer counts").count() == 2
    assert fits_a_phone(ann)
    shoot(ann, "me")

    bob = begin(chromium, invite(owner, "Bob"))
    controls = lambda text: "1" if "Control" in text or "0" in text else "2"  # noqa: E731
    while bob.locator("#item").count():
        answer(bob, controls, 1)
    bob.get_by_text("no items left for you").wait_for()

    judy = open_page(chromium, invite(owner, "Judy", "adjudicator"))
    follow(judy.get_by_role("button", name="Sign in"))
    shoot(judy, "disputes")
    follow(judy.get_by_role("link", name="Sentence number 0."))
    judy.get_by_text("1 × yes").wait_for()
    assert "Ann" not in judy.locator("main").inner_text()
    judy.get_by_label("Note").fill("Nothing here is a metaphor.")
    judy.locator("input[value=no]").check()
    shoot(judy, "dispute")
    follow(judy.get_by_role("button", name="Decide"))
    judy.get_by_text("No item is waiting for a decision.").wait_for()

    follow(owner.get_by_role("link", name="Project", exact=True))
    follow(owner.get_by_role("link", name="Quality"))
    owner.locator("svg.heat").wait_for()
    row = owner.get_by_role("row", name="share of equal answers 0.750")
    row.wait_for()  # they agree on three of four
    assert fits_a_phone(owner)
    shoot(owner, "quality")
    follow(owner.get_by_role("link", name="Labels"))
    owner.get_by_text("decided by an adjudicator", exact=True).wait_for()
    assert fits_a_phone(owner)
    shoot(owner, "labels")
