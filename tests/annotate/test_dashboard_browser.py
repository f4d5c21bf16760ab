"""The owner's page in a real browser: two people on a template for three, to a loaded release."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium, follow, open_page
from walking import enter, fits_a_phone, invite, judge_all, served, shoot

from chromium import axe_source, grave

pytestmark = pytest.mark.browser

__all__ = ["chromium"]

SMALL = {
    r"^judgments_per_item = \d+": "judgments_per_item = 3",
    r"^items_per_page = \d+": "items_per_page = 20",
}
MORE = '{"id": "clock", "text": "The old clock swallowed the hour.", "highlight": "swallowed"}\n'
PHONE = {"viewport": {"width": 360, "height": 740}, "java_script_enabled": False}


def begin(chromium: Any, link: str) -> Any:
    page = open_page(chromium, link)
    follow(page.get_by_role("button", name="I agree, start"), "Enter")
    follow(page.get_by_role("link", name="Start judging"), "Enter")
    return page


def differs(text: str) -> str:
    """One of the items gets another answer."""
    return "2" if text.startswith("The old clock") else "1"


def on_a_phone(chromium: Any, owner: Any) -> Any:
    """The same owner on a phone, without scripts."""
    page = open_page(chromium, owner.url.split("/project")[0] + "/", **PHONE)
    page.context.add_cookies(owner.context.cookies())
    return page


def next_step(page: Any, address: str) -> Any:
    page.goto(f"{address}/project")
    return page.locator("#next")


@pytest.mark.filterwarnings("default")
def test_two_people_on_three_judgments_reach_a_release(chromium: Any, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    axe = axe_source()
    with served(tmp_path / "clocks", "words", SMALL, MORE) as (owner_link, _):
        owner = enter(chromium, owner_link)
        address = owner.url.split("/project")[0]
        assert next_step(owner, address).inner_text() == "Invite people"
        links = [invite(owner, name, trusted=True) for name in ("Ann", "Ben")]
        follow(owner.get_by_role("link", name="Project", exact=True))
        owner.get_by_text("2 people can judge, and every item wants 3 judgments").wait_for()
        judge_all(begin(chromium, links[0]), lambda _: "1")
        judge_all(begin(chromium, links[1]), differs)

        phone = on_a_phone(chromium, owner)
        step = next_step(phone, address)
        assert step.inner_text() == "Settle 1 dispute"
        phone.get_by_text("everyone who can judge has had them").wait_for()
        assert fits_a_phone(phone)
        shoot(phone, "dashboard-phone")
        follow(step, "Enter")
        follow(phone.get_by_role("link", name="The old clock"), "Enter")
        phone.locator("input[value=no]").check()
        follow(phone.get_by_role("button", name="Decide"), "Enter")
        assert next_step(phone, address).inner_text() == "Invite another person"

        judge_all(begin(chromium, invite(owner, "Cleo", trusted=True)), lambda _: "1")
        step = next_step(owner, address)
        assert step.inner_text() == "Release the data set"
        assert grave(owner, axe) == []
        shoot(owner, "dashboard")
        follow(step, "Enter")
        assert grave(owner, axe) == []
        owner.get_by_label("Licence").fill("CC-BY-4.0")
        with owner.expect_download() as download:
            owner.get_by_role("button", name="Make the release").press("Enter")
        zipfile.ZipFile(download.value.path()).extractall(tmp_path / "release")
    check_release(tmp_path / "release", tmp_path / "cache")


def check_release(release: Path, cache: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    loaded = datasets.load_dataset(str(release), cache_dir=str(cache), split="train")
    settled = {row["text"]: row for row in loaded}
    clock = next(row for text, row in settled.items() if text.startswith("The old clock"))
    assert clock["reason"] == "decided by an adjudicator"
    judged = datasets.load_dataset(str(release), "judgments", split="train", cache_dir=str(cache))
    assert set(judged["annotator"]) == {f"annotator-{n}" for n in (1, 2, 3)}
