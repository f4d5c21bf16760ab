"""The corpus view in a real browser: figures, keys alone, a phone, and the way to annotation."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from corpus_bench import CorpusBench, corpus_bench
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus

from chromium import axe_source, chromium, grave, new_page
from ports import free_port

sys.path.append(str(Path(__file__).parents[1] / "annotate"))  # how a project is entered
from browsers import begin, invited

pytestmark = pytest.mark.browser

PAGES = (
    "/corpus/",
    "/corpus/rates?by=source",
    "/corpus/rates?by=date",
    "/corpus/figures",
    "/corpus/verbs",
    "/corpus/collocates?lemma=ate&min_count=1",
    "/corpus/keyness?by=source&part=Herald",
    "/corpus/concordance",
    "/corpus/concordance?lemma=ate&sort=right&where=source%3DHerald",
    "/corpus/concordance?regex=((",
    "/corpus/features",
    "/corpus/trend?by=date&period=month&min_count=5",
    "/corpus/keyness?by=source&part=Herald&of=figures&min_count=1",
    "/corpus/sketch?lemma=ate",
    "/corpus/ngrams?size=2&min_count=2",
    "/corpus/dispersion?lemma=time",
    "/corpus/figures?kind=metaphor&sort=surprise&words=all",
    "/corpus/domains",
    "/corpus/text/3?at=0",
)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def opened_page(chromium: Any, corpus_bench: CorpusBench, path: str, **options: Any) -> Any:
    page = new_page(chromium, **options)
    page.on("pageerror", lambda error: pytest.fail(f"script error: {error}"))
    page.goto(f"{corpus_bench.url}{path}")
    return page


def cells(page: Any, table: str = "table") -> list[list[str]]:
    """The text of every cell of a table's body."""
    return [
        [cell.inner_text().strip() for cell in row.locator("th, td").all()]
        for row in page.locator(f"{table} tbody tr").all()
    ]


def same_shares(corpus_bench: CorpusBench, page: Any) -> list[str]:
    """The shares with their intervals as that command prints them on a terminal."""
    shown = corpus_bench.run(page.locator("#command").inner_text())
    return re.findall(r"\d+\.\d % \(.+?\)", shown)


def same_table(corpus_bench: CorpusBench, page: Any) -> list[dict[str, Any]]:
    """The rows that the command gives which the page names."""
    return corpus_bench.table(page.locator("#command").inner_text())


@pytest.mark.parametrize("by", ["source", "date"])
def test_rates_are_those_of_the_command(chromium: Any, corpus_bench: CorpusBench, by: str) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/rates")
    page.locator("select[name=by]").select_option(by)
    page.get_by_role("button", name="Show").click()
    rows = same_table(corpus_bench, page)
    _, *shares = same_shares(corpus_bench, page)  # the first is that of all texts
    assert cells(page) == [
        [
            row["group"] or "–",
            *(f"{row[name]:,}" for name in ("texts", "sentences", "words", "metaphors")),
            share,
        ]
        for row, share in zip(rows, shares, strict=True)
    ]
    drawn = page.locator(".plot circle")
    assert drawn.count() == len(rows)
    assert page.locator(".plot .line").count() == (by == "date")
    assert page.locator(".plot .reach").count() == (len(rows) if by == "source" else 0)


def test_dots_stand_where_their_rates_are(chromium: Any, corpus_bench: CorpusBench) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/rates?by=source")
    rates = [row["rate"] for row in same_table(corpus_bench, page)]
    places = [float(dot.get_attribute("cx")) for dot in page.locator(".plot circle").all()]
    scale = (places[0] - places[-1]) / (rates[0] - rates[-1])
    for rate, place in zip(rates, places, strict=True):
        assert place == pytest.approx(places[0] + (rate - rates[0]) * scale, abs=0.2)


def test_verbs_are_those_of_the_command(chromium: Any, corpus_bench: CorpusBench) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/verbs")
    page.get_by_label("Minimum uses").fill("3")
    page.get_by_label("Only texts with").fill("source=Herald")
    page.keyboard.press("Enter")
    page.wait_for_url("**min_uses=3**")
    rows = same_table(corpus_bench, page)
    assert rows
    assert cells(page) == [
        [
            row["verb"],
            f"{row['metaphors']:,} of {row['uses']:,}",
            share,
            ", ".join(
                f"{one['lemma']} {one['metaphors']} of {one['count']}" for one in row["objects"]
            ),
        ]
        for row, share in zip(rows, same_shares(corpus_bench, page), strict=True)
    ]


def test_keyness_is_that_of_the_command(chromium: Any, corpus_bench: CorpusBench) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/keyness")
    page.get_by_label("Column").select_option("source")
    page.get_by_label("Group", exact=True).fill("Herald")
    page.get_by_label("Compared with").fill("Gazette")
    page.get_by_label("Correction of p").select_option("bh")
    page.get_by_role("button", name="Show").click()
    rows = same_table(corpus_bench, page)
    assert rows
    assert cells(page) == [
        [
            *(row["lemma"], row["direction"], f"{row['count']:,}", f"{row['per_million']:,.1f}"),
            *(f"{row['other_count']:,}", f"{row['other_per_million']:,.1f}"),
            *(f"{row['log_likelihood']:,.1f}", f"{row['log_ratio']:+.2f}"),
            *(
                "< .0001" if row[chance] < 0.0001 else f"{row[chance]:.4f}"
                for chance in ("p_corrected", "p_texts")
            ),
        ]
        for row in rows
    ]


@pytest.mark.parametrize("order", ["left", "right", "score"])
def test_concordance_is_that_of_the_command(
    chromium: Any, corpus_bench: CorpusBench, order: str
) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/concordance")
    page.get_by_label("Lemma").fill("ate")
    page.get_by_label("Order").select_option(order)
    page.get_by_text("More").click()
    page.get_by_label("Lines per page").fill("9")
    page.get_by_role("button", name="Search").click()
    for _ in range(2):
        rows = same_table(corpus_bench, page)
        assert len(rows) == 9
        assert [line[1:] for line in cells(page)] == [
            [
                *(row["left"], row["word"], row["right"], f"{row['score']:.2f}"),
                ", ".join(filter(None, (row["source"], row["date"]))),
            ]
            for row in rows
        ]
        page.get_by_role("link", name="Next").first.click()
        page.wait_for_url("**page=**")


def test_text_is_that_of_the_command_one_click_away(
    chromium: Any, corpus_bench: CorpusBench
) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/concordance?lemma=ate&rows=3")
    wanted = same_table(corpus_bench, page)[1]
    page.locator(".kwic .node a").nth(1).click()
    page.wait_for_url("**/corpus/text/**")
    assert page.locator("#at").inner_text() == wanted["word"]
    rows = same_table(corpus_bench, page)
    words = page.locator(".corpus-words span")
    assert words.all_inner_texts() == [row["word"] for row in rows]
    marked = page.locator(".corpus-words mark").all_inner_texts()
    assert marked == [row["word"] for row in rows if row["metaphor"]]
    shades = [int(one.get_attribute("class").split()[0][1:]) for one in words.all()]
    assert shades == [round(10 * row["score"]) for row in rows]


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(chromium: Any, corpus_bench: CorpusBench, path: str) -> None:
    page = opened_page(chromium, corpus_bench, path)
    assert grave(page, axe_source()) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_does_not_scroll_sideways(
    chromium: Any, corpus_bench: CorpusBench, path: str
) -> None:
    page = opened_page(chromium, corpus_bench, path, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def press_until(page: Any, wanted: str, key: str = "Tab") -> None:
    """Go on with a key until something is focused."""
    for _ in range(200):
        page.keyboard.press(key)
        if page.evaluate(f"document.activeElement.matches({wanted!r})"):
            return
    raise AssertionError(f"{wanted} cannot be reached")


def test_keys_alone_lead_from_a_word_to_a_project_that_people_judge(
    chromium: Any, corpus_bench: CorpusBench
) -> None:
    page = opened_page(chromium, corpus_bench, "/corpus/")
    press_until(page, ".views a[href$=concordance]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/corpus/concordance")
    press_until(page, "[name=lemma]")
    page.keyboard.type("ate")
    page.keyboard.press("Enter")
    page.wait_for_url("**lemma=ate**")
    press_until(page, "[name=line]")
    page.keyboard.press("Space")
    press_until(page, "[name=line]")
    page.keyboard.press("Space")
    chosen = [box.get_attribute("value") for box in page.locator("[name=line]:checked").all()]
    words = [row["word"] for row in same_table(corpus_bench, page)[:2]]
    assert len(chosen) == 2
    press_until(page, "[name=name]")
    page.keyboard.type("by keys")
    press_until(page, "[value=chosen]")
    page.keyboard.press("Enter")
    page.locator("#folder").wait_for()
    folder = Path(page.locator("#folder").inner_text())
    assert folder == corpus_bench.projects / "by-keys"
    command = shlex.split(page.locator("#command").inner_text())
    judged = served_items(chromium, command)
    assert sorted(judged) == sorted(words)


def served_items(chromium: Any, command: list[str]) -> list[str]:
    """The marked words that someone is shown who judges all items of a served project."""
    assert command[:3] == ["trope", "annotate", "serve"]
    started = [sys.executable, "-m", *command, "--port", str(free_port()), "--workers", "1"]
    service = subprocess.Popen(started, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        link = re.search(r"http://\S+", service.stdout.readline())
        assert link
        _, invitation = invited(chromium, link[0], "Ann")
        page = begin(chromium, invitation)
        marked = []
        while page.locator("#item").count():
            marked.append(page.locator("#text mark").inner_text())
            token = page.locator("#item input[name=token]").input_value()
            page.keyboard.press("1")
            page.keyboard.press("Enter")
            other = f"#item input[name=token]:not([value='{token}'])"
            page.locator(f"{other}, main h1:text('all for now')").first.wait_for(state="attached")
        return marked
    finally:
        service.terminate()
        service.communicate()


def test_all_lines_are_sent_and_a_name_is_used_once(
    chromium: Any, corpus_bench: CorpusBench
) -> None:
    for again in (False, True):
        page = opened_page(chromium, corpus_bench, "/corpus/concordance?lemma=bent&metaphors=true")
        total = int(page.locator(".pager span").first.inner_text().split()[0])
        page.get_by_label("select all lines").check()
        assert page.locator("[name=line]:checked").count() == min(total, 50)
        page.get_by_label("Project name").fill("bent")
        page.get_by_role("button", name="Send all").click()
        if again:
            page.get_by_text("already exists; choose another name").wait_for()
        else:
            page.get_by_text(f"{total} items in the new project").wait_for()


def test_it_works_without_scripts(chromium: Any, corpus_bench: CorpusBench) -> None:
    page = opened_page(
        chromium, corpus_bench, "/corpus/concordance?lemma=ate", java_script_enabled=False
    )
    page.locator("[name=line]").first.check()
    page.get_by_label("Project name").fill("no scripts")
    page.get_by_role("button", name="Send the chosen lines").click()
    assert "1 item in the new project" in page.locator("main").inner_text()
