"""The whole path of each template in a real browser: in, at work, out, settled, exported."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium, follow, open_page
from walking import (
    Keys,
    answer,
    download,
    enter,
    fits_a_phone,
    invite,
    judge_all,
    reload_in_mid_item,
    served,
    shoot,
    stage,
    walk_in,
)

pytestmark = pytest.mark.browser

__all__ = ["chromium"]

SMALL = {
    r"^judgments_per_item = \d+": "judgments_per_item = 2",
    r"^items_per_page = \d+": "items_per_page = 4",
    r"^share = 0\.1": "share = 0.5\nat_least = 4",
    r"^\[quality\]": '[quality]\ngold_rule = "plain"\nwarn_after = 2',
    r"^items = 120": "items = 4",
    r"^gold = 20": "gold = 2",
    r"^best = 5": "best = 1",
}
CONTROLS = "".join(
    json.dumps(
        {
            "id": f"c{n}",
            "text": f"Control {n}: doubt gnawed at her heart",
            "highlight": "gnawed at her heart",
            "gold": {"metaphorical": "yes"},
        }
    )
    + "\n"
    for n in range(12)
)


def as_prolific(link: str) -> str:
    """The link as the panel fills it in for one worker."""
    for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"):
        link = link.replace("{{%" + name + "%}}", f"worker{name[:2].lower()}")
    return link


def says_no(text: str) -> str:
    """Understood, no metaphor, certain; in the demo task control items are answered right."""
    return "1 1 1" if "planted doubts" in text else "1 2 1"


def says_yes(text: str) -> str:
    return "1 2 1" if "painted the fence" in text else "1 1 1"


def test_tweets_from_the_link_of_a_panel_to_the_labels(chromium: Any, tmp_path: Path) -> None:
    with served(tmp_path / "p", "tweets2019", SMALL, CONTROLS) as (owner_link, outside):
        link = as_prolific(outside)
        page = open_page(chromium, link)
        passed = walk_in(page, says_no, profile="1 1", until="waiting")
        assert passed == ["outside", "profile", "guidelines", "demo"]
        shoot(page, "waiting")

        owner = enter(chromium, owner_link)
        follow(owner.get_by_role("link", name="Applicants"))
        row = owner.get_by_role("row", name="workerpr")
        row.get_by_text("2 of 2").wait_for()  # both control items of the demo are right
        shoot(owner, "applicants")
        follow(owner.get_by_role("button", name="Accept the best 1"))
        row.get_by_text("accepted").wait_for()

        page.goto(link)
        assert walk_in(page, says_no) == ["outside"]
        reload_in_mid_item(page)
        shoot(page, "item")
        fails_and_is_dismissed(page)
        is_reinstated(page, owner)

        bob = open_page(chromium, invite(owner, "Bob", trusted=True))
        walk_in(bob, says_yes)
        judge_all(bob, says_yes)
        bob.get_by_text("no items left for you").wait_for()
        shoot(bob, "done")
        text = adjudicate(
            chromium,
            invite(owner, "Judy", "adjudicator"),
            {"understood": "yes", "metaphorical": "no", "certainty": "certain"},
        )

        follow(owner.get_by_role("link", name="Project", exact=True))
        shoot(owner, "project")
        for name in ("Quality", "Labels", "Pay sheet", "Tables of the paper", "Disputed items"):
            follow(owner.get_by_role("link", name="Project", exact=True))
            follow(owner.get_by_role("link", name=name, exact=True))
            owner.locator("main h1").first.wait_for()
            assert fits_a_phone(owner), name
            shoot(owner, name.split()[0].lower())
        labels = [
            row
            for row in download(owner, "Labels as JSON lines")
            if row["question"] == "metaphorical"
        ]
        (decided,) = [row for row in labels if row["note"] == "decided by an adjudicator"]
        assert (decided["label"], decided["confidence"], decided["complete"]) == ("no", 1.0, True)
        items = (tmp_path / "p" / "items.jsonl").read_text(encoding="utf-8").splitlines()
        assert {row["id"]: row["text"] for row in map(json.loads, items)}[decided["item"]] == text
        ties = [row for row in labels if row is not decided]
        assert ties
        assert all(row["label"] is None and "tie" in row["note"] for row in ties)


def fails_and_is_dismissed(page: Any) -> None:
    """Two pages of wrong answers to control items: a warning after one, the end after the other."""
    for _ in range(4):
        answer(page, lambda _: "1 2 1")
    page.get_by_role("heading", name="About your work").wait_for()
    shoot(page, "warned")
    follow(page.get_by_role("button", name="I have read this"), "Enter")
    page.locator("fieldset.active").first.wait_for()
    for _ in range(4):
        answer(page, lambda _: "1 2 1")
    page.get_by_text("Your work on this project has ended.").wait_for()
    assert not page.locator("#code").count(), "no completion code for who was dismissed"
    shoot(page, "dismissed")


def is_reinstated(page: Any, owner: Any) -> None:
    follow(page.get_by_role("link", name="Your work and your right to appeal"), "Enter")
    page.get_by_label("If you think this is wrong").fill("Hearts cannot be gnawed at?")
    shoot(page, "me")
    follow(page.get_by_role("button", name="Send the appeal"), "Enter")
    page.get_by_text("Your appeal was sent").wait_for()
    follow(owner.get_by_role("link", name="Project", exact=True))
    follow(owner.get_by_role("link", name="Review of people"))
    owner.get_by_text("Hearts cannot be gnawed at?").wait_for()
    shoot(owner, "review")
    follow(owner.locator("main").get_by_role("link", name="workerpr").first)
    owner.get_by_label("Your answer").fill("They can, in a way; go on with care.")
    shoot(owner, "person")
    follow(owner.get_by_role("button", name="Reinstate workerpr"))
    owner.get_by_text("Reinstated", exact=True).wait_for()
    follow(page.get_by_role("link", name="Judge"), "Enter")
    answer(page, lambda text: "1 1 1" if "Control" in text else "1 2 1")
    page.get_by_text("9 judged").wait_for()


def adjudicate(chromium: Any, link: str, decision: Mapping[str, str]) -> str:
    """The text of the first disputed item, once it is decided; nobody is named there."""
    judy = enter(chromium, link)
    assert stage(judy) == "adjudicate"
    shoot(judy, "disputes")
    follow(judy.locator("main ul a, main table a, main li a").first)
    text = str(judy.locator("#text").inner_text()).strip()
    given = judy.locator("main").inner_text()
    assert not [name for name in ("Ann", "Bob", "Cy ", "workerpr") if name in given]
    for question, value in decision.items():
        judy.locator(f"#item input[name={question}][value='{value}']").check(force=True)
    shoot(judy, "dispute")
    follow(judy.get_by_role("button", name="Decide"), "Enter")
    judy.wait_for_url("**/adjudicate")
    follow(judy.get_by_role("link", name="Decisions", exact=True))
    assert text[:20] in judy.locator("main").inner_text()
    shoot(judy, "decided")
    return text


@dataclass(frozen=True)
class Way:
    """What differs from template to template: stages, keys that make two opinions, a decision."""

    stages: tuple[str, ...]
    one: Keys
    other: Keys
    decision: Mapping[str, str]
    label: tuple[str, str]
    changes: Mapping[str, str] = field(default_factory=dict)


def of_headlines(text: str) -> str:
    return "2 2" if "Farmer" in text else "1 1"


def of_tweets(text: str) -> str:
    known = {"#not": "- 3", "ever": "4", "opens": "0", "birthday": "4"}
    return next((keys for sign, keys in known.items() if sign in text), "3")


PATHS = {
    "newsmet": Way(
        ("join", "guidelines", "training", "demo", "waiting"),
        of_headlines,
        lambda text: "1 1" if "Scandal" in text else "2 2",
        {"sentence": "literal", "verb": "literal"},
        ("verb", "literal"),
        {r"^items = 20": "items = 4", r"^gold = 10": "gold = 2"},
    ),
    "semeval2015": Way(
        ("join", "profile", "guidelines", "demo"),
        of_tweets,
        lambda text: of_tweets(text) if "#not" in text or "birthday" in text else "- 5",
        {"score": "-1"},
        ("score", "-1"),
        {r"^items = 10": "items = 3", r"^gold = 10": "gold = 3"},
    ),
    "semeval2007": Way(
        ("join", "guidelines"),
        lambda _: "1 1 1",
        lambda _: "1 2 1 1",
        {"class": "location", "reading": "literal"},
        ("reading", "literal"),
    ),
    "spans": Way(
        ("join", "guidelines"),
        lambda _: "ArrowDown Space",
        lambda _: "ArrowDown ArrowRight Space",
        {"metaphors": "0-3"},
        ("metaphors", "[[0, 3]]"),
    ),
    "pairs": Way(
        ("join", "guidelines"), lambda _: "1", lambda _: "2", {"more": "b"}, ("more", "b")
    ),
}


@pytest.mark.parametrize("template", PATHS)
def test_template_from_invitation_to_labels(template: str, chromium: Any, tmp_path: Path) -> None:
    path = PATHS[template]
    changes = {r"^judgments_per_item = \d+": "judgments_per_item = 2", **path.changes}
    with served(tmp_path / "p", template, changes) as (owner_link, _):
        owner = enter(chromium, owner_link)
        ann = open_page(chromium, invite(owner, "Ann"))
        qualifies(ann, owner, path)
        reload_in_mid_item(ann)
        shoot(ann, f"item-{template}")
        answer(ann, path.one)
        is_dismissed(ann, owner)

        for name, keys in (("Bob", path.one), ("Cy", path.other)):
            page = open_page(chromium, invite(owner, name, trusted=True))
            walk_in(page, keys)
            assert judge_all(page, keys) >= 2
        adjudicate(chromium, invite(owner, "Judy", "adjudicator"), path.decision)

        judgments = download(owner, "Judgments as JSON lines")
        states = {row["state"] for row in judgments if row["annotator"] == "Ann"}
        assert states <= {"discarded", "gold"}
        labels = download(owner, "Labels as JSON lines")
        decided = [row for row in labels if row["note"] == "decided by an adjudicator"]
        assert len({row["item"] for row in decided}) == 1
        assert path.label in [(row["question"], row["label"]) for row in decided]


def qualifies(page: Any, owner: Any, path: Way) -> None:
    """Pass the stages that the template asks for, with the owner's word where it is needed."""
    until = "waiting" if "waiting" in path.stages else "judge"
    passed = walk_in(page, path.one, until=until)
    assert (*passed, *["waiting"] * (until == "waiting")) == path.stages
    if until == "waiting":
        follow(owner.get_by_role("link", name="Applicants"))
        follow(owner.get_by_role("button", name="Accept the best 1"))
        page.goto(page.url)
        page.wait_for_url("**/judge")


def is_dismissed(page: Any, owner: Any) -> None:
    follow(owner.get_by_role("link", name="Project", exact=True))
    row = owner.get_by_role("row", name="Ann")
    row.locator("summary").press("Enter")
    row.get_by_label("Reason").fill("A trial run.")
    follow(row.get_by_role("button", name="Dismiss Ann"), "Enter")
    row.get_by_text("dismissed").wait_for()
    page.goto(page.url)
    page.get_by_text("Reason: A trial run.").wait_for()
    page.get_by_role("link", name="Your work and your right to appeal").wait_for()
