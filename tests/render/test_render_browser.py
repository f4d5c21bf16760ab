"""The page in a real browser: light, dark, on a phone, by keyboard, without scripts."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import HEADLINE, TWO_SENTENCES, FakePipeline, with_metaphors
from chromium import axe_source, chromium, grave, new_page
from trope.render.html import write_html

pytestmark = pytest.mark.browser
browser = chromium  # the fixture, by the name that the tests give it

CONTRAST = """
(selector, pseudo) => {
  const parse = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parse(colour).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // what is seen: the tints over each other and over the page
  const layer = colour => {
    const numbers = parse(colour).map((v, i) => colour.startsWith("color(") && i < 3 ? v * 255 : v);
    return [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const ground = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement)
      layers.unshift(layer(getComputedStyle(e).backgroundColor));
    const over = (under, [r, g, b, a]) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
    const seen = layers.reduce(over, [255, 255, 255]);
    return `rgb(${seen.join(", ")})`;
  };
  return SELECTED.map(element => {
    const style = getComputedStyle(element, PSEUDO);
    const colour = element.closest('svg') ? style.fill : style.color;
    const [a, b] = [light(colour), light(ground(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
}
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pipeline = FakePipeline()
    evil = pipeline.analyze("Rain takes </script><img src=x onerror=alert(1)>.")
    rtl = pipeline.analyze("הממשלה תוקפת את השופטים.")
    long = pipeline.analyze(f"Prices climb https://e.org/{'long' * 60} {'word ' * 130}")
    texts = [with_metaphors(each) for each in (HEADLINE, TWO_SENTENCES, evil, rtl, long)]
    texts[2] = replace(texts[2], sentence_sentiments=(-1.2,))
    path = tmp_path_factory.mktemp("page") / "page.html"
    with path.open("w", encoding="utf-8") as file:
        write_html([("a.txt:1", each) for each in texts], file)
    return path


def open_page(browser: Any, path: Path, width: int = 1100, **options: Any) -> Any:
    page = new_page(browser, viewport={"width": width, "height": 900}, **options)
    page.faults = []
    page.on("console", lambda message: page.faults.append(message.text))
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: page.faults.append("dialog"))
    page.on("request", lambda request: page.faults.append(request.url))
    page.goto(path.as_uri())
    return page


def contrasts(page: Any, selector: str, pseudo: str | None = None) -> list[float]:
    chosen = f"[...document.querySelectorAll({selector!r})]"
    script = CONTRAST.replace("SELECTED", chosen).replace("PSEUDO", repr(pseudo or ""))
    values: list[float] = page.evaluate(script)
    return values


def switch_on(page: Any, *names: str) -> None:
    for name in names:
        page.get_by_role("checkbox", name=name).check()


def figures(page: Any) -> list[str]:
    """The figures that are marked now."""
    return list(page.locator(".prose .f:not(.off)").all_text_contents())


@pytest.mark.parametrize("width", [390, 1100])
@pytest.mark.parametrize("scripts", [False, True])
def test_page_fits_and_loads_nothing_but_itself(
    browser: Any, page_file: Path, width: int, scripts: bool
) -> None:
    page = open_page(browser, page_file, width, java_script_enabled=scripts)
    if scripts:
        switch_on(page, "word classes", "trees", "relations")
        page.locator("article").last.scroll_into_view_if_needed()
        page.locator("article").last.locator(".shows-trees").wait_for()
    page.locator("#statistics > summary").click()
    assert page.faults == [page_file.as_uri()]
    assert page.locator("body").bounding_box()["width"] == width
    for article in page.locator("article").all():
        box = article.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_and_marks_need_no_scripts(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file, java_script_enabled=False)
    assert figures(page) == ["face", "break", "ate"]
    mark = page.locator(".f", has_text="ate")
    assert mark.get_attribute("title") == "metaphor 0.93"
    assert not page.get_by_role("checkbox", name="trees").is_visible()
    page.get_by_role("link", name="ate").last.click()
    assert page.url.endswith("#f2-0")


def test_no_blank_stands_before_punctuation(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    for _ in range(2):
        assert page.locator(".prose").nth(1).inner_text().strip() == TWO_SENTENCES.text
        switch_on(page, "word classes")
        page.locator(".w").first.wait_for()


def test_entries_of_the_list_go_to_their_place_and_back(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    page.locator(".found a", has_text="break").click()
    assert page.evaluate("document.querySelector(':target').textContent") == "break"
    page.locator(".prose .f", has_text="break").click()
    assert page.evaluate("document.querySelector(':target').dataset.score") == "55"


def test_figures_are_filtered_by_score_and_kind_by_keyboard(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    slider = page.get_by_role("slider", name="score at least")
    slider.focus()
    slider.evaluate("e => { e.value = 60; e.dispatchEvent(new Event('input')); }")
    page.keyboard.press("ArrowRight")
    assert figures(page) == ["face", "ate"]
    assert page.locator("#count").text_content() == "2 of 3 figures shown"
    page.keyboard.press("ArrowRight")
    assert figures(page) == ["ate"]
    assert page.locator(".found li:visible").count() == 1
    page.get_by_role("checkbox", name="metaphor").focus()
    page.keyboard.press("Space")
    assert figures(page) == []
    assert page.faults == [page_file.as_uri()]


def test_list_can_follow_the_text(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    page.get_by_label("order").select_option("in the text")
    assert page.locator(".found").nth(1).locator("a").all_text_contents() == ["break", "ate"]
    page.get_by_label("order").select_option("most striking")
    assert page.locator(".found").nth(1).locator("a").all_text_contents() == ["ate", "break"]


def test_n_and_p_go_from_figure_to_figure(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    at = "document.activeElement.textContent"
    for key, word in (("n", "face"), ("n", "break"), ("n", "ate"), ("p", "break")):
        page.keyboard.press(key)
        assert page.evaluate(at) == word


def test_word_classes_are_drawn_when_switched_on(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    assert page.locator(".w").count() == 0
    switch_on(page, "word classes")
    word = page.locator(".w", has_text="ate").first
    word.wait_for()
    assert word.get_attribute("data-tag") == "VERB"
    assert word.get_attribute("title") == "eat · VERB · VBD · metaphor 0.93"
    assert word.evaluate("e => e.parentElement.className") == "f metaphor p9"


def test_trees_are_drawn_when_switched_on_and_have_tables(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    assert page.locator("svg").count() == 0
    switch_on(page, "trees")
    second = page.locator("article").nth(1)
    second.locator("svg").first.wait_for()
    assert second.locator("svg").count() == 2
    assert "root" in second.locator("svg").last.text_content()
    second.get_by_text("Table of sentence 2").click()
    assert (
        second.locator("tr", has_text="roadNOUN").text_content()
        == "6roadNOUNNNroadobj of 2 ate0.02"
    )
    page.get_by_role("checkbox", name="trees").uncheck()
    assert not second.locator("svg").first.is_visible()
    switch_on(page, "trees")
    page.locator("article").last.scroll_into_view_if_needed()
    page.locator("article").last.get_by_text("more than 120 words are not drawn").wait_for()


def test_relations_are_listed_when_switched_on_and_say_what_is_left_out(
    browser: Any, page_file: Path
) -> None:
    page = open_page(browser, page_file)
    switch_on(page, "relations")
    rows = page.locator("article").nth(1).locator(".relations li")
    rows.first.wait_for()
    assert rows.all_text_contents() == [
        "vo take – break left out: light-verb ROOT, negated, light verb, metaphor 0.40",
        "vo ate away – road kept ROOT, metaphor 0.93",
    ]


def test_histograms_are_drawn_when_the_statistics_open(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    page.locator("#statistics > summary").click()
    drawings = page.locator("#histograms svg")
    drawings.last.wait_for()
    said = [each.get_attribute("aria-label") for each in drawings.all()]
    assert "0.5: 1, 0.6: 1, 0.7: 0, 0.8: 0, 0.9: 1" in said[0]
    assert "−1: 1" in said[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_in_light_and_dark(browser: Any, page_file: Path, scheme: str) -> None:
    page = open_page(browser, page_file, color_scheme=scheme)
    switch_on(page, "word classes", "trees", "relations")
    page.locator(".shows-trees svg").first.wait_for()
    page.locator("#statistics > summary").click()
    for selector, pseudo in [
        (
            "h1, h2, h3, p, dt, dd, caption, th, td, summary, footer, label, .f, .found a, .facts",
            None,
        ),
        (".relations li, .relations li *, .more small", None),
        (".w", "::after"),
        ("svg text", None),
    ]:
        values = contrasts(page, selector, pseudo)
        assert values
        assert min(values) >= 4.5


@pytest.mark.parametrize("width", [390, 1100])
def test_axe_finds_nothing_serious(browser: Any, page_file: Path, width: int) -> None:
    page = open_page(browser, page_file, width)
    axe = axe_source()
    assert grave(page, axe) == []
    switch_on(page, "trees", "relations")
    page.locator(".shows-trees svg").first.wait_for()
    page.locator("#statistics > summary").click()
    assert grave(page, axe) == []


def test_dark_is_dark(browser: Any, page_file: Path) -> None:
    grounds = [
        open_page(browser, page_file, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert grounds == ["rgb(251, 250, 247)", "rgb(22, 24, 29)"]


def test_page_has_landmarks(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1


def test_right_to_left_text_stands_right(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    direction = "element => getComputedStyle(element).direction"
    assert page.locator("article:nth-of-type(4) .prose p").evaluate(direction) == "rtl"
    assert page.locator("article:nth-of-type(1) .prose p").evaluate(direction) == "ltr"


def test_printed_page_has_the_text_and_no_switches(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    page.emulate_media(media="print")
    assert not page.locator(".tools").is_visible()
    assert page.locator(".prose").first.is_visible()


def test_arcs_over_the_same_gap_never_share_a_level(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)

    @given(st.lists(st.integers(0, 10**6), max_size=25))
    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
    def check(choices: list[int]) -> None:
        size = len(choices) + 1
        heads = [-1, *(choice % size for choice in choices)]
        heads = [-1 if head == word else head for word, head in enumerate(heads)]
        arcs = page.evaluate("heads => stackArcs(heads)", heads)
        assert len(arcs) == sum(head >= 0 for head in heads)
        for gap in range(size - 1):
            levels = [
                arc["level"]
                for arc in arcs
                if min(arc["head"], arc["word"]) <= gap < max(arc["head"], arc["word"])
            ]
            assert len(levels) == len(set(levels))

    check()
