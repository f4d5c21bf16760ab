"""The page in a real browser: light, dark, on a phone, without scripts."""

from pathlib import Path
from typing import Any

import pytest

from builders import HEADLINE, TWO_SENTENCES, FakePipeline
from chromium import chromium, new_page
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
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parse(colour)[3] !== 0) return colour;
    }
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
    long = pipeline.analyze(f"Prices climb https://e.org/{'long' * 60} {'word ' * 60}")
    path = tmp_path_factory.mktemp("page") / "page.html"
    with path.open("w", encoding="utf-8") as file:
        write_html([("a.txt:1", a) for a in (HEADLINE, TWO_SENTENCES, evil, rtl, long)], file)
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


@pytest.mark.parametrize("width", [390, 1100])
@pytest.mark.parametrize("scripts", [False, True])
def test_page_fits_and_loads_nothing_but_itself(
    browser: Any, page_file: Path, width: int, scripts: bool
) -> None:
    page = open_page(browser, page_file, width, java_script_enabled=scripts)
    assert page.faults == [page_file.as_uri()]
    for details in page.locator("details > summary").all():
        details.click()
    body = page.locator("body").bounding_box()
    assert body["width"] == width
    for article in page.locator("article").all():
        box = article.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_tree_opens_on_a_click(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file, java_script_enabled=False)
    tree = page.locator("article").first.locator("svg")
    assert not tree.is_visible()
    page.locator("article").first.locator(".tree > summary").click()
    tree.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_in_light_and_dark(browser: Any, page_file: Path, scheme: str) -> None:
    page = open_page(browser, page_file, color_scheme=scheme)
    for selector, pseudo in [
        (
            "h1, h3, p, dt, dd, caption, th, td, summary, footer, .mark, em, .kind, .legend span",
            None,
        ),
        (".w[data-tag]", "::after"),
        (".w[data-role]", "::before"),
        ("svg text", None),
    ]:
        values = contrasts(page, selector, pseudo)
        assert values
        assert min(values) >= 4.5


def test_dark_is_dark(browser: Any, page_file: Path) -> None:
    grounds = [
        open_page(browser, page_file, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert grounds == ["rgb(252, 252, 250)", "rgb(20, 23, 28)"]


def test_page_has_landmarks_and_named_controls(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("region", name="Summary").count() == 1
    assert page.get_by_role("checkbox", name="word classes").is_checked()


def test_switches_hide_tags_and_rejected_relations(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    rejected = page.locator("li.rejected").first
    rejected.wait_for()
    page.get_by_role("checkbox", name="rejected relations").uncheck()
    assert not rejected.is_visible()
    height = page.locator(".s").first.bounding_box()["height"]
    page.get_by_role("checkbox", name="word classes").uncheck()
    assert page.locator(".s").first.bounding_box()["height"] < height


def test_right_to_left_text_stands_right(browser: Any, page_file: Path) -> None:
    page = open_page(browser, page_file)
    direction = "element => getComputedStyle(element).direction"
    assert page.locator("article:nth-of-type(4) .s").evaluate(direction) == "rtl"
    assert page.locator("article:nth-of-type(1) .s").evaluate(direction) == "ltr"
