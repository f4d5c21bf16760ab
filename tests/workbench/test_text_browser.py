"""The text view in a real browser: by mouse, by keys alone, on a phone, in the dark."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from typing import Any

import pytest
from benches import TEXT, Bench, bench

from chromium import axe_source, chromium, grave, new_page

pytestmark = pytest.mark.browser

EVIL = "<script>window.hacked=1</script> strangles <img src=x onerror='window.hacked=1'>"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MARKED = """() => [...document.querySelectorAll('.m')].filter(
  e => getComputedStyle(e).backgroundColor.match(/[\\d.]+\\)$/)[0] !== '0)').length"""


def home(chromium: Any, bench: Bench, **options: Any) -> Any:
    page = new_page(chromium, **options)
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    page.on("console", lambda told: told.type != "error" or pytest.fail(f"console: {told.text}"))
    page.goto(bench.url)
    return page


def shown(chromium: Any, bench: Bench, text: str = TEXT, **options: Any) -> Any:
    """The page of a pasted text."""
    page = home(chromium, bench, **options)
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Analyse").click()
    page.locator("#keys").wait_for(state="attached")
    page.wait_for_url("**/t/*")
    return page


def open_word(page: Any, word: str) -> Any:
    page.locator("#words a.w", has_text=word).first.click()
    page.locator("#panel h2", has_text=word).wait_for()
    return page.locator("#panel")


def test_word_opens_a_panel_with_all_about_it(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench)
    panel = open_word(page, "strangles")
    panel.get_by_text("Relations", exact=True).click()
    told = panel.inner_text()
    for words in (
        "metaphor 0.9",
        "strangle",
        "VERB",
        "root",
        "tax",
        "nsubj",
        "kept",
        "strangles – shops",
    ):
        assert words in told
    panel.get_by_role("link", name="shops").click()
    page.locator("#panel h2", has_text="shops").wait_for()
    assert "obj of strangles" in panel.inner_text()
    panel.get_by_text("Tree", exact=True).click()
    panel.locator("svg").wait_for()


def test_rewrites_are_fetched_when_opened(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    panel = open_word(page, "strangles")
    assert not any("/api/rewrite" in url for url in asked)
    for how, to in (("literally", "literal"), ("metaphorically", "metaphorical")):
        lists = panel.locator("details", has_text=how)
        lists.locator("summary").click()
        lists.locator("td").first.wait_for()
        _, answer = bench.call(
            "rewrite", text="The new tax strangles small shops.", to=to, verb="strangles"
        )
        forms = [own["form"] for own in answer["rewritings"][0]["candidates"]]
        assert forms
        assert lists.locator("tbody th[scope=row]").all_inner_texts() == forms


def test_slider_moves_the_marks_without_a_request(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench, f"{TEXT} A wave of strikes.")  # "strikes" is a little noticeable
    asked: list[str] = []
    before = page.evaluate(MARKED)
    page.on("request", lambda request: asked.append(request.url))
    slider = page.get_by_label("threshold")
    slider.focus()
    page.keyboard.press("End")
    assert page.evaluate(MARKED) == 0
    page.keyboard.press("Home")
    assert page.evaluate(MARKED) > before > 0
    assert asked == []


def test_marks_without_moving_the_slider_are_the_models(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench)
    _, answer = bench.call("analyze", text=TEXT)
    called = {at for f in answer["figures"] if f["kind"] == "metaphor" for at in f["tokens"]}
    assert called
    assert page.evaluate(MARKED) == len(called)
    assert f"({len(called)} words)" in page.locator("#shown").text_content()


def test_entry_of_the_figures_opens_its_word(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench)
    page.locator(".found a", has_text="strangles").click()
    page.locator("#panel h2", has_text="strangles").wait_for()
    assert page.locator("#words [aria-current]").inner_text() == "strangles"


def test_keys_alone_suffice(chromium: Any, bench: Bench) -> None:
    page = home(chromium, bench)
    page.keyboard.type("Dogs bark. The new tax strangles small shops.")  # the field has the focus
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    page.locator("#keys").wait_for()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "w0":
            break
    where = "document.activeElement.textContent"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(where) == "bark"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(where) == "The"
    page.keyboard.press("n")
    assert page.evaluate(where) == "strangles"
    page.keyboard.press("Enter")
    page.locator("#panel h2", has_text="strangles").wait_for()
    assert page.evaluate("document.activeElement.id") == "panel"
    page.locator("#panel details[data-to=literal]").wait_for()
    while page.evaluate("document.activeElement.closest('details')?.dataset.to") != "literal":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#panel td").first.wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate(where) == "strangles"
    assert page.locator("#panel h2").count() == 0
    page.keyboard.press("Tab")  # out of the words with one step
    assert page.evaluate("document.activeElement.closest('#words')") is None


def test_analysis_can_be_copied(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench, permissions=["clipboard-read", "clipboard-write"])
    for form, begins in (("JSON", "{"), ("CSV", "sentence,word,text"), ("HTML", "<!doctype html>")):
        page.get_by_role("button", name=f"Copy {form}").click()
        page.get_by_text(f"{form} copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").startswith(begins)


def test_link_shows_the_same_text_again(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench)
    link = page.get_by_role("link", name="/t/").get_attribute("href")
    other = home(chromium, bench)
    other.goto(bench.url + link)
    assert other.locator("#words").inner_text() == TEXT
    other.goto(f"{bench.url}{link}?word=3")
    assert other.locator("#words [aria-current]").inner_text() == "strangles"


def test_file_can_be_dropped(chromium: Any, bench: Bench) -> None:
    page = home(chromium, bench)
    drop = """([name, content]) => {
      const bytes = Uint8Array.from(content, letter => letter.charCodeAt(0));
      const files = new DataTransfer();
      files.items.add(new File([bytes], name, {type: "text/plain"}));
      document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
    }"""
    page.evaluate(drop, ["a.txt", "Dogs bark."])
    page.wait_for_function("document.getElementById('text').value === 'Dogs bark.'")
    for name, content, words in (
        ("b.txt", "\xff\xfe", "is not a UTF-8 text"),
        ("c.txt", "a\0b", "binary data"),
        ("d.txt", "", "is empty"),
        ("e.txt", "x" * 900_000, "900,000 characters"),
    ):
        page.evaluate(drop, [name, content])
        page.locator("#fault", has_text=words).wait_for()
    assert page.locator("#text").input_value() == "Dogs bark.", "what was there stays"


def test_text_that_is_too_long_is_told_before_it_is_sent(chromium: Any, bench: Bench) -> None:
    page = home(chromium, bench)
    page.evaluate("document.getElementById('text').value = 'x '.repeat(150000)")
    page.get_by_role("button", name="Analyse").click()
    page.locator("#fault", has_text="300,000 characters").wait_for()
    assert page.url == f"{bench.url}/"


def test_pasted_markup_executes_nothing(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench, EVIL)
    assert "<script>window.hacked=1</script>" in page.locator("#words").inner_text()
    panel = open_word(page, "strangles")
    panel.get_by_text("Tree", exact=True).click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_serious(chromium: Any, bench: Bench, options: dict[str, Any]) -> None:
    axe = axe_source()
    page = home(chromium, bench, **options)
    faults = grave(page, axe)
    page = shown(chromium, bench, **options)
    faults += grave(page, axe)
    panel = open_word(page, "strangles")
    panel.locator("details", has_text="literally").locator("summary").click()
    panel.locator("td").first.wait_for()
    panel.get_by_text("Tree", exact=True).click()
    faults += grave(page, axe)
    page.goto(f"{bench.url}/kept")
    faults += grave(page, axe)
    assert faults == []


def test_nothing_is_wider_than_a_phone(chromium: Any, bench: Bench) -> None:
    long = f"{TEXT} {'strangle' * 30}. {'Siemens ' * 40}"
    wide = "document.documentElement.scrollWidth > window.innerWidth"
    unbroken = shown(chromium, bench, f"{'x' * 300} strangles", **PHONE)
    assert not unbroken.evaluate(wide)
    page = shown(chromium, bench, long, **PHONE)
    assert not page.evaluate(wide)
    panel = open_word(page, "strangles")
    panel.get_by_text("Tree", exact=True).click()
    panel.locator("details", has_text="literally").locator("summary").click()
    panel.locator("td").first.wait_for()
    assert not page.evaluate(wide)
    for path in ("/", "/kept"):
        page.goto(bench.url + path)
        assert not page.evaluate(wide), path


def test_chosen_word_is_seen_beside_its_panel_on_a_phone(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench, f"{'Dogs bark. ' * 60}{TEXT}", **PHONE)
    open_word(page, "strangles")
    word = page.locator("#words [aria-current]").bounding_box()
    assert 0 <= word["y"] < page.locator("#panel").bounding_box()["y"] - word["height"]


def test_dark_page_is_dark(chromium: Any, bench: Bench) -> None:
    page = shown(chromium, bench, color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 60


def test_text_view_works_without_scripts(chromium: Any, bench: Bench) -> None:
    page = home(chromium, bench, java_script_enabled=False)
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Analyse").click()
    page.locator("#words a.w", has_text="strangles").click()
    assert "strangle" in page.locator("#panel").inner_text()
    page.get_by_role("link", name="Rewrite it literally").click()
    assert page.locator("#panel details.rewriting").count() == 2
