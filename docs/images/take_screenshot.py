"""Takes analysis.png from the page of `make demo`: one text of each kind, the first with its tree.

python docs/images/take_screenshot.py build/demo.html docs/images/analysis.png
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SHOWN = ("sentences.txt:1", "tweets.txt:1", "headlines.txt:2")

KEEP = """names => {
  for (const article of document.querySelectorAll("article"))
    if (!names.some(name => article.innerText.includes(name))) article.remove();
}"""


def main(source: Path, target: Path) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": 760, "height": 1200}, device_scale_factor=2, color_scheme="light"
        )
        page.goto(source.resolve().as_uri())
        page.evaluate(KEEP, SHOWN)
        page.locator(".tree > summary").first.click()
        page.add_style_tag(content=".tree table { display: none } article { margin: 0 0 1rem }")
        page.evaluate("scrollTo(0, 0)")  # boxes are counted from where the window stands
        first, last = page.locator("article").first, page.locator("article").last
        top, bottom = first.bounding_box(), last.bounding_box()
        edge = 12
        clip = {
            "x": top["x"] - edge,
            "y": top["y"] - edge,
            "width": top["width"] + 2 * edge,
            "height": bottom["y"] + bottom["height"] - top["y"] + 2 * edge,
        }
        page.screenshot(path=target, clip=clip, full_page=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
