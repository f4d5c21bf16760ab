"""The service as it is started, in a real browser, with nothing but the keyboard."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

from typing import Any

import pytest
from browsers import Serve, begin, chromium, exported, follow, invited, open_page, serve

pytestmark = pytest.mark.browser


def test_tweets_by_keyboard_with_a_reload_in_between(chromium: Any, serve: Serve) -> None:
    _, owner_link = serve("tweets2019")
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    assert not page.get_by_text("Is the highlighted expression metaphorical?").is_visible()
    with page.expect_response("**/judge/draft"):
        page.keyboard.press("1")
    page.get_by_text("Is the highlighted expression metaphorical?").wait_for()
    with page.expect_response("**/judge/draft"):
        page.keyboard.press("2")
    page.reload()
    page.locator("fieldset.active").wait_for()
    assert page.locator("input[name=metaphorical][value=no]").is_checked(), "the draft was kept"
    page.keyboard.press("4")
    assert page.locator("input[name=certainty][value=no_clue]").is_checked()
    page.keyboard.press("Enter")
    page.get_by_text("1 judged").wait_for()

    page.keyboard.press("2")  # not understood: nothing else is asked
    page.keyboard.press("Enter")
    page.get_by_text("2 judged").wait_for()
    before = page.locator("#item input[name=token]").input_value()
    page.keyboard.press("s")
    page.locator(f"#item input[name=token]:not([value='{before}'])").wait_for(state="attached")
    page.keyboard.press("?")
    assert page.locator("#help").get_attribute("open") is not None

    rows = exported(owner)
    assert [row["state"] in ("counted", "gold") for row in rows] == [True, True, False]
    assert rows[0]["answers"] == {
        "understood": "yes",
        "metaphorical": "no",
        "certainty": "no_clue",
    }
    assert rows[1]["answers"] == {"understood": "no"}
    assert {row["annotator"] for row in rows} == {"Ann"}


def test_scores_by_keyboard_to_the_end(chromium: Any, serve: Serve) -> None:
    _, owner_link = serve("semeval2015")
    owner, link = invited(chromium, owner_link, "Bob")
    page = begin(chromium, link)
    page.keyboard.press("Enter")
    page.get_by_text("This needs an answer.").wait_for()
    scores = []
    while page.locator("#item").count():
        number = len(scores)
        keys, score = [(["-", "5"], -5), (["0"], 0), (["3"], 3)][number % 3]
        for key in keys:
            page.keyboard.press(key)
        assert page.locator(f"input[value='{score}']").is_checked()
        page.keyboard.press("Enter")
        page.locator(
            f"main:has-text('{number + 1} judged'), main h1:text('all for now')"
        ).wait_for()
        scores.append(score)
    assert 5 <= len(scores) <= 7
    page.get_by_text(f"You have judged {len(scores)} items").wait_for()
    assert [row["answers"]["score"] for row in exported(owner)] == scores


def test_page_works_without_scripts_and_fits_a_phone(chromium: Any, serve: Serve) -> None:
    _, owner_link = serve("newsmet")
    _, link = invited(chromium, owner_link, "Cy")
    phone = {"width": 360, "height": 740}
    page = open_page(chromium, link, java_script_enabled=False, viewport=phone)
    follow(page.get_by_role("button", name="I agree, start"))
    follow(page.get_by_role("link", name="Start judging"))
    page.locator("input[name=sentence][value=invalid]").check()
    page.locator("input[name=verb][value=literal]").check()
    follow(page.get_by_role("button", name="Save and continue"))
    page.get_by_text("1 judged").wait_for()

    scripted = begin(chromium, link, viewport=phone)
    wide = scripted.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide


def test_slow_and_broken_connections_double_no_judgment(chromium: Any, serve: Serve) -> None:
    """Enter again and again while the answer is under way, and after it got lost."""
    _, owner_link = serve("pairs")
    owner, link = invited(chromium, owner_link, "Ann")
    page = begin(chromium, link)
    held: list[Any] = []
    sent: list[str] = []
    page.on("request", lambda one: one.method == "POST" and sent.append(one.url))
    page.route("**/judge", lambda route: held.append(route))
    page.keyboard.press("1")
    with page.expect_request("**/judge"):
        page.keyboard.press("Enter")
    page.get_by_text("saving …").wait_for()
    for key in ("Enter", "Enter", "2", "Enter"):
        page.keyboard.press(key)
    page.locator("#submit").click()
    (first,) = held
    first.fetch()  # the service has it, but its answer gets lost
    first.abort()
    page.get_by_text("not saved: no connection; press Enter to try again").wait_for()
    page.keyboard.press("Enter")
    while len(held) < 2:
        page.evaluate("0")  # the browser's messages are read while it answers
    page.keyboard.press("Enter")
    held[1].continue_()
    page.get_by_text("1 judged").wait_for()
    page.unroute("**/judge")
    assert [url for url in sent if url.endswith("/judge")] == [page.url, page.url]
    (row,) = exported(owner)
    assert row["answers"] == {"more": "a"}, "what was sent first counts"
