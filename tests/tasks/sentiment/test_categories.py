"""The four categories by rule."""

from pathlib import Path

import pytest

from trope.corpora.semeval2015 import read_split
from trope.published import read_published
from trope.tasks.sentiment.categories import (
    CATEGORIES,
    CategoryRules,
    category_of,
    check_categories,
    hashtags,
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Monday again, my favourite #Sarcasm", "sarcasm"),
        ("sure, best phone ever #NOT", "sarcasm"),
        ("he will call #yeahright", "sarcasm"),
        ("a fire station burnt down #irony", "irony"),
        ("a fire station burnt down #iro", "irony"),
        ("a fire station burnt down #iro…", "irony"),
        ("the bus stop moved away #sarca", "sarcasm"),
        ("we said #iro and went on", "other"),
        ("what is this #no", "other"),
        ("#notcool of you to leave", "other"),
        ("I literally died on those stairs", "metaphor"),
        ("literally the best queue #irony", "irony"),
        ("#irony and #sarcasm together", "sarcasm"),
        ("it rains on us", "other"),
        ("", "other"),
    ],
)
def test_category(text: str, category: str) -> None:
    assert category_of(text) == category


def test_rules_can_be_others() -> None:
    rules = CategoryRules(sarcasm=("jk",), irony=(), markers=("metaphorically",))
    assert category_of("good one #jk", rules) == "sarcasm"
    assert category_of("metaphorically speaking", rules) == "metaphor"
    assert category_of("a fine day #irony", rules) == "other"


def test_cut_off_hashtags_can_be_left_alone() -> None:
    assert category_of("a fire station burnt down #iro", CategoryRules(cut_off=False)) == "other"


def test_hashtags_are_small_and_in_order() -> None:
    assert hashtags("#One two #THREE &#39; #4 C#") == ("one", "three")


@pytest.mark.shared
def test_rules_come_near_to_table_4(shared: Path) -> None:
    tweets = read_split(shared / "data" / "semeval2015", "test").tweets
    paper = read_published("semeval2015")
    printed = {}
    for name in CATEGORIES:
        count, mean = paper.find(f"test.{name}", "count"), paper.find(f"test.{name}", "mean")
        assert count is not None
        assert mean is not None
        printed[name] = (int(count.printed), mean.value)
    checks = check_categories([t.text for t in tweets], [t.integer for t in tweets], printed)
    assert [check.category for check in checks if not check.near] == []
    assert sum(check.count for check in checks) == 4000
