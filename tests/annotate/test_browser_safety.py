"""Markup that people bring executes nothing in a real browser; every page is usable by everyone."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from pathlib import Path
from typing import Any

import pytest
from browsers import Serve, begin, chromium, follow, invited, open_page, serve
from projects import make_project  # sets Django up, for addresses
from routes import FILES, ROUTES

from chromium import axe_source, grave

pytestmark = pytest.mark.browser

EVIL = (
    "<script>window.hacked=1</script><img src=hack onerror='window.hacked=1'>"
    "<svg onload='window.hacked=1'></svg>\"'><a href=\"javascript:window.hacked=1\">x</a>"
    "{{ 61728394|add:61728395 }}{% load static %}${7*7}</textarea></style>"
    "<style>*{display:none}</style>"
)


def plant(folder: Path) -> None:
    """Evil in the plan and the items, wherever someone can write something."""
    quoted = json.dumps(EVIL)
    plan = (folder / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace('label = "Neither"', f"label = {quoted}")
    lines = []
    for line in plan.splitlines():
        name = line.partition(" = ")[0]
        lines.append(f"{name} = {quoted}" if name in ("title", "text_label") else line)
    plan = "\n".join(lines) + (
        f"\n[[examples]]\ntext = {quoted}\nnote = {quoted}\n"
        f'[[questions]]\nid = "why"\nkind = "text"\ntext = {quoted}\nhelp = {quoted}\n'
        "required = false\n"
    )
    plan = plan.replace("guidelines = '''", f"guidelines = '''\n{EVIL.replace(chr(39), chr(34))}\n")
    plan = plan.replace('guidelines = """', f'guidelines = """\n{EVIL.replace(chr(34), chr(39))}\n')
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    row = {"id": EVIL[:100], "text": EVIL, "second": EVIL}
    (folder / "items.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


def watch(page: Any) -> list[str]:
    """What a page does that it should not."""
    seen: list[str] = []
    page.on("dialog", lambda dialog: seen.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: "hack" in request.url and seen.append(request.url))
    return seen


def check(page: Any, seen: list[str]) -> None:
    assert page.evaluate("window.hacked") is None
    assert seen == []
    page.locator("main").wait_for()  # no style from elsewhere
    # a sum too long to stand in a random link by chance
    assert "123456789" not in page.locator("main").inner_text(), "no template from elsewhere"
    assert page.locator("a[href^=javascript]").count() == 0


def test_stored_markup_executes_nothing(
    chromium: Any,
    serve: Serve,
) -> None:
    _, owner_link = serve("pairs", plant)
    owner, link = invited(chromium, owner_link, EVIL[:100])
    seen = watch(owner)
    check(owner, seen)
    page = open_page(chromium, link)
    seen += watch(page)
    check(page, seen)
    follow(page.get_by_role("button", name="I agree, start"), "Enter")
    check(page, seen)
    follow(page.get_by_role("link", name="Start judging"), "Enter")
    page.locator("fieldset.active").wait_for()
    check(page, seen)
    assert "<script>" in page.locator("#text").inner_text()
    page.locator("textarea").fill(EVIL)
    page.keyboard.press("Escape")
    page.locator("fieldset label input").first.check()
    page.locator("#submit").click()
    page.get_by_role("heading", name="all for now").wait_for()
    check(page, seen)
    page.goto(page.url.replace("/judge", "/judge/earlier"))
    check(page, seen)
    follow(page.get_by_role("link", name="Change"))
    check(page, seen)
    assert page.locator("textarea").input_value() == EVIL
    owner.reload()
    check(owner, seen)


def test_policy_stops_markup_that_got_into_a_page(
    chromium: Any,
    serve: Serve,
) -> None:
    _, owner_link = serve("pairs")
    _, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    stopped = page.evaluate(
        """() => new Promise(done => {
          const stopped = [];
          document.addEventListener("securitypolicyviolation", event => {
            stopped.push(event.effectiveDirective);
            if (stopped.length === 3) done(stopped.sort());
          });
          document.body.insertAdjacentHTML("beforeend",
            "<p onclick='window.hacked=1' id=bait style='color:red'></p>"
            + "<img src='https://elsewhere.example/a.png'>");
          document.getElementById("bait").click();
        })"""
    )
    assert stopped == ["img-src", "script-src-attr", "style-src-attr"]
    assert page.evaluate("window.hacked") is None


# targets of a hand: at least 24 px each way, words in a text (which are inline) only in height
SMALL = """() => [...document.querySelectorAll(
    "a, button, summary, label:has(input), textarea, input")]
  .filter(each => each.checkVisibility() && !each.closest(".unseen, .jump")
    && !(each.matches("input") && each.closest("label")) && each.type !== "hidden")
  .filter(each => {
    const box = each.matches(".words label") ? each.querySelector("span").getBoundingClientRect()
      : each.getBoundingClientRect();
    const inText = each.matches(".words label, p a, p summary");
    return box.height < 24 && !each.matches("p a") || box.width < 24 && !inText;
  })
  .map(each => each.outerHTML.slice(0, 100))"""


# an image without words, and words that are hard to read in the dark alone
WRONG = """() => {
  document.body.append(new Image());
  const words = document.createElement("p");
  words.id = "pale";
  words.textContent = "Hard to read at night";
  words.style.setProperty("color", "light-dark(black, #777)");
  words.style.setProperty("background", "light-dark(white, #666)");
  words.style.setProperty("color-scheme", "light dark");
  document.body.append(words);
}"""


def visit_all(page: Any, role: str) -> list[str]:
    """The addresses of every page that the role can open."""
    from django.urls import reverse

    origin = page.url.split("/", 3)
    base = "/".join(origin[:3])
    found = []
    for name, route in ROUTES.items():
        if role in route.roles and "GET" in route.methods and name not in FILES:
            arguments = {
                key: 1 if key == "number" else value for key, value in route.arguments.items()
            }
            found.append(base + reverse(name, urlconf="trope.annotate.web.urls", kwargs=arguments))
    return found


@pytest.mark.parametrize("template", ["tweets2019", "spans"])
def test_every_page_is_accessible_and_fits_a_phone(
    template: str, chromium: Any, serve: Serve
) -> None:
    axe, faults = axe_source(), []
    _, owner_link = serve(template)
    owner, link = invited(chromium, owner_link, "Ann")
    phone = {"viewport": {"width": 390, "height": 844}}
    stranger = open_page(chromium, link, **phone)
    stranger.evaluate(WRONG)
    wrong = grave(stranger, axe)
    assert "image-alt" in str(wrong), "what is wrong is found"
    (pale,) = [fault for fault in wrong if 'id="pale"' in fault]
    assert pale.endswith("(dark)"), "also what is wrong in the dark alone"
    page = begin(chromium, link, **phone)
    page.keyboard.press("Enter")  # with faults shown, where something has to be answered
    page.locator("p.fault[role=alert]").or_(page.get_by_text("1 judged")).wait_for()
    faults += grave(page, axe)
    page.reload()
    page.locator("fieldset.active").wait_for()
    judged = page.get_by_text("1 judged").count()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.get_by_text(f"{judged + 1} judged").wait_for()
    page.keyboard.press("?")
    faults += grave(page, axe)
    chief = open_page(chromium, owner.url.removesuffix("project/invite"), **phone)
    chief.context.add_cookies(owner.context.cookies())
    for browser_page, role in ((stranger, ""), (page, "annotator"), (chief, "owner")):
        for address in visit_all(browser_page, role):
            browser_page.goto(address)
            faults += grave(browser_page, axe)
            wide = "document.documentElement.scrollWidth > window.innerWidth"
            assert not browser_page.evaluate(wide), f"{address} is too wide"
            faults += [f"{address}: small: {html}" for html in browser_page.evaluate(SMALL)]
    assert not faults, "\n".join(faults)
