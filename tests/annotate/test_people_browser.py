"""A worker from elsewhere in a real browser, with the keyboard, from the link to the code."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from browsers import TROPE, follow, free_port, open_page

from chromium import chromium
from trope.annotate.project import new_project

pytestmark = pytest.mark.browser
browser = chromium  # the fixture, by the name that the tests give it

PLAN = """
title = "Headlines"
guidelines = "Read the headline, then choose."
consent = "Your answers are used for research."
judgments_per_item = 1
order = "given"
[reading]
first = true
[demo]
items = 2
gold = 1
[selection]
by = "owner"
best = 1
[outside]
return_url = "https://panel.example/done?cc={code}"
[[profile.questions]]
id = "native"
kind = "choice"
text = "Is English your first language?"
options = [{ value = "yes", label = "Yes" }, { value = "no", label = "No" }]
[[profile.eligible]]
question = "native"
values = ["yes"]
[[training.items]]
text = "Prices climb again"
highlight = "climb"
answers = { metaphor = "yes" }
message = "Prices have no feet: a metaphor."
[[questions]]
id = "metaphor"
kind = "choice"
text = "Is it a metaphor?"
options = [{ value = "yes", label = "Yes" }, { value = "no", label = "No" }]
"""
ITEMS = '{"id": "i1", "text": "Storm eats coast"}\n{"id": "i2", "text": "Shop opens"}\n'
DEMO = (
    '{"id": "d1", "text": "Hope dies last"}\n'
    '{"id": "d2", "text": "Dog bites man", "gold": {"metaphor": "no"}}\n'
)


def trope(*words: str) -> str:
    done = subprocess.run([*TROPE, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


Serve = Callable[[str], tuple[str, str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts the service with a plan; gives the owner's link and one for external workers."""
    with ExitStack() as stack:

        def start(plan: str) -> tuple[str, str]:
            folder = tmp_path / "headlines"
            new_project(folder, "pairs")
            for name, text in (
                ("project.toml", plan),
                ("items.jsonl", ITEMS),
                ("demo.jsonl", DEMO),
            ):
                (folder / name).write_text(text, encoding="utf-8")
            trope("import", str(folder), str(folder / "items.jsonl"))
            trope("import", str(folder), str(folder / "demo.jsonl"), "--demo")
            port = free_port()
            outside = trope("link", str(folder), "--origin", f"http://127.0.0.1:{port}")
            command = [*TROPE, "serve", str(folder), "--port", str(port), "--workers", "1"]
            service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            stack.enter_context(service)
            stack.callback(service.terminate)
            assert service.stdout is not None
            return service.stdout.readline().split()[-1], outside

        yield start


def as_prolific(link: str, worker: str) -> str:
    """The link as the panel fills it in."""
    for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"):
        link = link.replace("{{%" + name + "%}}", f"{worker}{name[:2].lower()}")
    return link


def on(page: Any, address: str) -> None:
    page.wait_for_url(f"**{address}")


def test_worker_from_the_link_to_the_code(browser: Any, serve: Serve) -> None:
    owner_link, outside = serve(PLAN)
    page = open_page(browser, as_prolific(outside, "w1"))
    page.get_by_text("You may withdraw at any time").wait_for()
    page.keyboard.press("Enter")
    on(page, "/profile")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    on(page, "/guidelines")
    follow(page.get_by_role("button", name="I have read this, continue"), "Enter")

    on(page, "/training")
    assert not page.get_by_text("no feet").count()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.get_by_text("Prices have no feet: a metaphor.").wait_for()
    page.get_by_role("heading", name="Not quite").wait_for()
    assert page.locator("#next").evaluate("link => link === document.activeElement")
    page.keyboard.press("Enter")

    on(page, "/demo")
    page.get_by_text("1 of 2").wait_for()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.get_by_text("2 of 2").wait_for()
    with page.expect_response("**/practice/draft"):
        page.keyboard.press("2")
    page.reload()
    assert page.locator("input[name=metaphor][value=no]").is_checked(), "the draft was kept"
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your application is being reviewed").wait_for()

    owner = open_page(browser, owner_link)
    follow(owner.get_by_role("button", name="Sign in"), "Enter")
    follow(owner.get_by_role("link", name="Applicants"))
    owner.get_by_role("row", name="w1pr").get_by_text("1 of 1").wait_for()
    follow(owner.get_by_role("button", name="Accept the best 1"))
    owner.get_by_role("row", name="w1pr").get_by_text("accepted").wait_for()

    page.goto(as_prolific(outside, "w1"))
    page.keyboard.press("Enter")
    on(page, "/judge")
    for number in (1, 2):
        assert not page.locator("#code").count()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.locator(f"main:has-text('{number} judged'), #code").first.wait_for()
    code = page.locator("#code").inner_text()
    assert len(code) == 10
    back = page.get_by_role("link", name="Return to the site that sent you").get_attribute("href")
    assert back == f"https://panel.example/done?cc={code}"

    follow(owner.get_by_role("link", name="Project"))
    owner.get_by_role("row", name="w1pr").get_by_text(code).wait_for()


def test_last_test_question_leads_on_to_work_in_the_same_window(browser: Any, serve: Serve) -> None:
    plan = PLAN.replace('by = "owner"', 'by = "pass"\npass_mark = 1.0')
    plan = plan.replace("first = true", "first = false")
    _, outside = serve(plan[: plan.index("[[profile.questions]]")] + plan[plan.index("[[quest") :])
    page = open_page(browser, as_prolific(outside, "w3"))
    page.keyboard.press("Enter")
    on(page, "/demo")
    for number in (1, 2):
        page.get_by_text(f"{number} of 2").wait_for()
        page.keyboard.press("2")
        page.keyboard.press("Enter")
    on(page, "/judge")
    page.get_by_text("0 judged").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.get_by_text("1 judged").wait_for()


def test_way_in_works_without_scripts_and_fits_a_phone(browser: Any, serve: Serve) -> None:
    phone = {"width": 390, "height": 800}
    owner_link, outside = serve(PLAN)
    link = as_prolific(outside, "w2")
    page = open_page(browser, link, java_script_enabled=False, viewport=phone)
    follow(page.get_by_role("button", name="I agree, start"))
    page.get_by_label("Yes").check()
    follow(page.get_by_role("button", name="Save and continue"))
    follow(page.get_by_role("button", name="I have read this, continue"))
    page.get_by_label("Yes").check()
    follow(page.get_by_role("button", name="Save and continue"))
    page.get_by_role("heading", name="That is right").wait_for()
    follow(page.get_by_role("link", name="Training done, continue"))
    for _ in range(2):
        page.get_by_label("No").check()
        follow(page.get_by_role("button", name="Save and continue"))
    page.get_by_role("heading", name="Your application is being reviewed").wait_for()

    scripted = open_page(browser, link, viewport=phone)
    for address in ("", "/waiting", "/withdraw", "/guidelines", "/training/1"):
        if address:
            scripted.goto(owner_link.partition("/join")[0] + address)
        else:
            follow(scripted.get_by_role("button", name="I agree, start"))
        wide = scripted.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        assert not wide, address
