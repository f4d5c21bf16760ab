"""Each template from invitation to export in a real browser, with nothing but the keyboard."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

from pathlib import Path
from typing import Any

import pytest
from browsers import Serve, begin, chromium, exported, invited, serve

from trope.annotate.project import TEMPLATES

pytestmark = pytest.mark.browser

ACTIVE = "fieldset.active"


def choose(page: Any) -> str:
    """Answer the question that is active, by a key; gives what now holds the answer."""
    kind = page.locator(ACTIVE).get_attribute("data-kind")
    name = page.locator(ACTIVE).get_attribute("data-question")
    if kind == "spans":
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        value = page.locator(f"{ACTIVE} input:focus").get_attribute("value")
    else:
        first = page.locator(f"{ACTIVE} label input").first
        value = first.get_attribute("value")
        for key in first.get_attribute("data-key"):
            page.keyboard.press(key)
    return f"input[name='{name}'][value='{value}']"


def finish(page: Any) -> None:
    """Answer what is left of the item, and save it."""
    for _ in range(10):
        kind = page.locator(ACTIVE).get_attribute("data-kind")
        answered = page.locator(f"{ACTIVE} input:checked").count()
        if kind in ("multi", "text", "spans") or answered:
            break
        choose(page)
    token = page.locator("#item input[name=token]").input_value()
    page.keyboard.press("Enter")
    other = f"#item input[name=token]:not([value='{token}'])"
    page.locator(f"{other}, main h1:text('all for now')").first.wait_for(state="attached")


@pytest.mark.parametrize("template", TEMPLATES)
def test_template_from_invitation_to_export(
    template: str,
    chromium: Any,
    serve: Serve,
) -> None:
    _, owner_link = serve(template)
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    with page.expect_response("**/judge/draft"):
        chosen = choose(page)
    page.reload()
    page.locator(ACTIVE).wait_for()
    assert page.locator(chosen).is_checked(), "the draft was kept"
    judged = 0
    while page.locator("#item").count() and judged < 8:
        finish(page)
        judged += 1
    rows = exported(owner)
    assert len(rows) == judged >= 2
    assert {row["annotator"] for row in rows} == {"Ann"}
    assert all(row["answers"] for row in rows)
    assert all(row["state"] in ("counted", "gold") for row in rows)
    page.locator("#earlier").wait_for()


def test_last_judgment_is_taken_back_and_earlier_ones_are_a_key_away(
    chromium: Any,
    serve: Serve,
) -> None:
    _, owner_link = serve("semeval2015")
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    text = page.locator("#text").inner_text()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.get_by_text("1 judged").wait_for()
    page.keyboard.press("u")
    page.get_by_text("0 judged").wait_for()
    page.locator(ACTIVE).wait_for()
    assert page.locator("#text").inner_text() == text
    assert page.locator("input[value='3']").is_checked()
    page.keyboard.press("-")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.get_by_text("1 judged").wait_for()
    page.keyboard.press("b")
    page.get_by_role("heading", name="Earlier judgments").wait_for()
    assert [row["answers"] for row in exported(owner)] == [{"score": -2}]


WILD = "👩‍👩‍👧 שלום עולם 😀 prices climb, 🏳️‍🌈 e\u0301tude"


def test_spans_are_exact_with_emoji_and_right_to_left_text_in_a_browser(
    chromium: Any,
    serve: Serve,
) -> None:
    import json

    def one_item(folder: Path) -> None:
        row = json.dumps({"id": "wild", "text": WILD}, ensure_ascii=True)
        (folder / "items.jsonl").write_text(row + "\n", encoding="utf-8")

    _, owner_link = serve("spans", one_item)
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    assert page.locator("#text").inner_text() == WILD
    for word in ("עולם", "climb"):
        with page.expect_response("**/judge/draft"):
            page.locator(".words label", has_text=word).click()
    page.reload()
    page.locator(ACTIVE).wait_for()
    assert page.locator(".words input:checked").count() == 2
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="all for now").wait_for()
    (row,) = exported(owner)
    (spans,) = row["answers"].values()
    assert [WILD[start:end] for start, end in spans] == ["עולם", "climb"]
