"""A whole project in a real browser: a file, its columns, questions, three people, a release."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium, follow, open_page
from hands import Finger, Keyboard, started
from walking import shoot

from chromium import axe_source, grave

pytestmark = pytest.mark.browser

ROWS = (
    ("number", "sentence", "genre"),
    ("s1", "The news hit the town like a wave.", "news"),
    ("s2", "The ferry leaves the harbour at nine.", "news"),
    ("s3", "Her patience – she had little – had worn thin by Friday.", "novel"),
)


def table_in(folder: Path) -> Path:
    """A table as spreadsheets of some countries write it: semicolons, and not UTF-8."""
    path = folder / "sentences.csv"
    path.write_text("\r\n".join(map(";".join, ROWS)), encoding="cp1252")
    return path


def workbook_in(folder: Path) -> Path:
    """A workbook whose first sheet says what the second is."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book, path = openpyxl.Workbook(), folder / "sentences.xlsx"
    book.active.append(["about these sentences"])
    book.active.append(["collected by hand"])
    sheet = book.create_sheet("Sentences")
    for row in ROWS:
        sheet.append(row)
    book.save(path)
    return path


def test_first_judgment_takes_one_command_and_few_clicks(
    chromium: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with started(tmp_path / "new", "--workers", "1") as link:
        page = open_page(chromium, link, **Finger.options)
        hand = Finger(page)
        hand.number = 1  # the link itself
        hand.go(page.get_by_role("button", name="Sign in"))
        hand.bring(page.get_by_label("Your items"), table_in(tmp_path))
        hand.go(page.get_by_role("button", name="Create the project"))
        hand.go(page.get_by_role("button", name="Add the items"))
        hand.go(page.get_by_role("button", name="Make the links", exact=True))
        hand.go(page.get_by_role("link", name="Open the link of Annotator 1"))
        hand.go(page.get_by_role("button", name="I agree, start"))
        hand.go(page.get_by_role("link", name="Start judging"))
        page.locator("fieldset.active").wait_for()
        before = hand.number
        hand.check(page.locator("#item input[value=yes]"))
        hand.use(page.locator("#submit"))
        page.get_by_text("1 judged").wait_for()
    with capsys.disabled():
        sys.stdout.write(f"\n1 command and {before} clicks before the first judgment\n")
    assert before <= 12


ANSWERS = {"news hit": "1 1 1", "ferry": "2 2 2", "patience": "1 1 2"}
"""What three people answer: they differ on the last sentence."""


@pytest.mark.parametrize("kind", [Keyboard, Finger])
def test_whole_project_from_a_file_to_a_release(
    kind: type[Keyboard], chromium: Any, tmp_path: Path
) -> None:
    with started(tmp_path / "new", "--workers", "2") as link:
        page = open_page(chromium, link, **kind.options)
        hand = kind(page)
        hand.go(page.get_by_role("button", name="Sign in"))
        shoot(page, "new")
        table = table_in(tmp_path) if kind is Keyboard else workbook_in(tmp_path)
        hand.bring(page.get_by_label("Your items"), table)
        hand.write(page.get_by_label("Title"), "Waves and ferries")
        hand.go(page.get_by_role("button", name="Create the project"))
        page.get_by_role("heading", name=f"Columns of {table.name}").wait_for()
        if table.suffix == ".xlsx":
            hand.go(page.get_by_role("link", name="Sentences"))
        uses(hand)
        edits_questions(hand)
        links = invites(hand)
        for place, own in enumerate(links):
            judges(chromium, kind, own, place)
        settles(hand)
        file = releases(hand, tmp_path)
        looks_around(hand)
    loads(file, tmp_path)


def uses(hand: Keyboard) -> None:
    """Choose what the columns are for: the ids have a name of their own."""
    page = hand.page
    assert page.get_by_label("Use of sentence").input_value() == "text"
    hand.pick(page.get_by_label("Use of number"), "id")
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    shoot(page, "mapping")
    hand.go(page.get_by_role("button", name="Add the items"))
    page.get_by_role("heading", name="Invite people").wait_for()


def edits_questions(hand: Keyboard) -> None:
    """Change question and answers; the preview follows, and the next page has them."""
    page = hand.page
    hand.go(page.get_by_role("link", name="questions and guidelines"))
    hand.write(page.get_by_label("Text", exact=True), "Is it figurative?")
    hand.write(page.get_by_label("Answers"), "yes | Figurative | 1\nno | Literal | 2")
    page.locator("#preview").get_by_text("Is it figurative?").wait_for()  # while typing
    shoot(page, "questions")
    hand.go(page.locator("#save"))
    page.get_by_text("Saved.").wait_for()
    hand.go(page.get_by_role("link", name="Settings", exact=True))
    hand.write(page.get_by_label("Pay", exact=True), "0.10")
    hand.go(page.get_by_role("button", name="Save"))
    page.get_by_text("Saved.").wait_for()
    shoot(page, "settings")


def invites(hand: Keyboard) -> list[str]:
    page = hand.page
    hand.go(page.get_by_role("link", name="Invite", exact=True))
    hand.write(page.get_by_label("Names, one per line"), "Ann\nBob\nCy")
    hand.go(page.get_by_role("button", name="Make the links", exact=True))
    lines = page.get_by_label("Names and links").input_value().splitlines()
    shoot(page, "links")
    assert [line.split("\t")[0] for line in lines] == ["Ann", "Bob", "Cy"]
    return [line.split("\t")[1] for line in lines]


def judges(chromium: Any, kind: type[Keyboard], link: str, place: int) -> None:
    """Everything that one person has to judge."""
    page = open_page(chromium, link, **kind.options)
    hand = kind(page)
    hand.go(page.get_by_role("button", name="I agree, start"))
    hand.go(page.get_by_role("link", name="Start judging"))
    for _ in range(3):
        page.locator("fieldset.active").first.wait_for()
        page.get_by_text("Is it figurative?").wait_for()
        text = page.locator("#text").inner_text()
        keys = next(keys for words, keys in ANSWERS.items() if words in text)
        token = page.locator("#item input[name=token]").input_value()
        if kind is Keyboard:
            page.keyboard.press(keys.split()[place])
            page.keyboard.press("Enter")
        else:
            value = {"1": "yes", "2": "no"}[keys.split()[place]]
            hand.check(page.locator(f"#item input[value={value}]"))
            hand.use(page.locator("#submit"))
        page.locator(f"#item input[name=token][value='{token}']").wait_for(state="detached")
    page.get_by_text("no items left for you").wait_for()
    page.context.close()


def settles(hand: Keyboard) -> None:
    """Decide the item on which people differ."""
    page = hand.page
    hand.go(page.get_by_role("link", name="Project", exact=True))
    shoot(page, "project")
    hand.go(page.get_by_role("link", name="Disputed items", exact=True))
    hand.go(page.locator("main li a, main table a"))
    page.locator("fieldset.active").first.wait_for()
    assert "patience" in page.locator("#text").inner_text()
    if isinstance(hand, Finger):
        hand.check(page.locator("#item input[value=yes]"))
        hand.go(page.get_by_role("button", name="Decide"))
    else:
        page.keyboard.press("1")
        with page.expect_navigation():
            page.keyboard.press("Enter")


def releases(hand: Keyboard, folder: Path) -> Path:
    page = hand.page
    hand.go(page.get_by_role("link", name="Project", exact=True))
    hand.go(page.locator("main a[href='/project/release']"))
    hand.write(page.get_by_label("Licence of texts and labels"), "CC-BY-4.0")
    with page.expect_download() as found:
        hand.use(page.get_by_role("button", name="Make the release"))
    file = folder / "release.zip"
    found.value.save_as(file)
    return file


def looks_around(hand: Keyboard) -> None:
    """Every page of the set-up fits the screen, and axe finds nothing grave on it."""
    page, axe = hand.page, axe_source()
    hand.go(page.get_by_role("link", name="Set up", exact=True))
    for name in ("Items", "Questions", "Training", "Settings", "Invite", "History", "File"):
        follow(page.get_by_label("Set up").get_by_role("link", name=name, exact=True))
        page.locator("main h1").first.wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
        assert not wide, name
        if isinstance(hand, Finger):
            assert grave(page, axe) == []
        shoot(page, name.lower())
    follow(page.get_by_label("Set up").get_by_role("link", name="History", exact=True))
    for word in ("owner", "questions", "pay.amount", "sentences."):
        assert word in page.locator("main").inner_text(), word
    follow(page.get_by_role("link", name="Version 4"))
    assert "0.10" in page.locator("main").inner_text()
    shoot(page, "version")


def loads(file: Path, folder: Path) -> None:
    """The release is a data set that others can load, with the decision in it."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder / "release")
    loaded = datasets.load_dataset(str(folder / "release"), cache_dir=str(folder / "cache"))
    rows = {row["id"]: row for part in loaded.values() for row in part}
    labels = {name: row["label"] for name, row in rows.items()}
    names = loaded["train"].features["label"]
    if hasattr(names, "int2str"):
        labels = {name: names.int2str(label) for name, label in labels.items()}
    assert labels == {"s1": "yes", "s2": "no", "s3": "yes"}
    assert rows["s3"]["text"] == ROWS[3][1]
    assert rows["s3"]["genre"] == "novel"
