"""Metaphors of the page in a real browser: the slider, by keyboard and without scripts."""

from pathlib import Path
from typing import Any

import pytest
from test_render_browser import browser, contrasts, open_page

from builders import HEADLINE, TWO_SENTENCES, with_metaphors
from trope.render.html import write_html

pytestmark = pytest.mark.browser
__all__ = ["browser"]

GROUND = """element => {
  // what is seen: the tint over the card
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const style = getComputedStyle(element).backgroundColor;
  const [r, g, b, a = 1] = numbers(style).map(v => style.startsWith("color(") ? v * 255 : v);
  const share = style.startsWith("color(") ? a / 255 : a;
  const card = numbers(getComputedStyle(element.closest("article")).backgroundColor);
  return [r, g, b].map((v, i) => v * share + card[i] * (1 - share));
}"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("metaphors") / "page.html"
    with path.open("w", encoding="utf-8") as file:
        write_html([("a", with_metaphors(a)) for a in (HEADLINE, TWO_SENTENCES)], file)
    return path


def marked(page: Any) -> list[str]:
    """The words that have a tint."""
    words: list[str] = page.eval_on_selector_all(
        ".s .m",
        "all => all.filter(e => !/, 0\\)$|\\/ 0\\)$/.test(getComputedStyle(e).backgroundColor))"
        ".map(e => e.textContent)",
    )
    return words


def test_words_from_the_threshold_on_are_marked(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    assert page.faults == [page_file.as_uri()]
    assert marked(page) == ["face", "break", "ate"]
    assert page.locator("#shown").text_content() == "0.50 (3 words)"


def test_slider_moves_the_threshold_by_keyboard(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    slider = page.get_by_role("slider", name="threshold")
    slider.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert marked(page) == ["ate"]
    assert page.locator("#shown").text_content() == "0.62 (1 word)"
    page.keyboard.press("Home")
    assert marked(page) == ["face", "take", "break", "ate"]
    page.keyboard.press("End")
    assert marked(page) == []
    assert page.faults == [page_file.as_uri()]


def test_tint_grows_with_the_score(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    grounds = [page.locator(f".s .p{p}").first.evaluate(GROUND) for p in (5500, 6100, 9300)]
    blue = [ground[2] for ground in grounds]  # orange over white: the more tint, the less blue
    assert blue == sorted(blue, reverse=True)
    assert len(set(blue)) == 3


def test_without_scripts_the_marks_are_there_and_the_slider_is_not(
    browser: Any, page_file: Path
) -> None:
    page = open_page(browser, page_file, java_script_enabled=False)
    assert page.locator("#threshold").count() == 1
    assert not page.locator("#threshold").is_visible()
    shown = page.locator(".s .p9300").first
    assert shown.get_attribute("title") == "eat · metaphor 0.93"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marked_words_can_be_read_in_light_and_dark(
    browser: Any, page_file: Path, scheme: str
) -> None:
    page = open_page(browser, page_file, color_scheme=scheme)
    for selector in (".s .p9300", ".score.p9300"):
        word = page.locator(selector).first
        ink = word.evaluate("e => getComputedStyle(e).color")
        numbers = [float(n) for n in ink.removeprefix("rgb(").removesuffix(")").split(",")]
        assert contrast(numbers, word.evaluate(GROUND)) >= 4.5
    assert min(contrasts(page, ".slider, .slider output, .verdict, .verdict b")) >= 4.5


def contrast(first: list[float], second: list[float]) -> float:
    def light(colour: list[float]) -> float:
        parts = [c / 255 for c in colour]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)
