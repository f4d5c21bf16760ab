"""Which of four kinds a tweet was harvested as: sarcasm, irony, metaphor, or other.

The task's own categories are harvesting bins: the hashtag or word that a tweet was found by. Its
files do not have them, so these rules replace them; `check_categories` compares them with the
printed table. They were fixed before any system was scored on the test set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from trope.text import patterns

Category = Literal["sarcasm", "irony", "metaphor", "other"]
CATEGORIES: tuple[Category, ...] = ("sarcasm", "irony", "metaphor", "other")

SARCASM_TAGS = (
    "sarcasm", "sarcastic", "sarcastictweet", "sarcastictweets", "not", "yeahright",
)  # fmt: skip
IRONY_TAGS = ("irony", "ironic", "ironically", "ironyalert")
METAPHOR_MARKERS = ("literally", "virtually", "figuratively")
_LEAST_TRUNCATED = 3
"""Letters of a hashtag that was cut off at the end of a tweet: "#iro" is #irony, "#no" nothing."""

_HASHTAG = re.compile(patterns.HASHTAG)
_END = " \t\n….\"'”’"


@dataclass(frozen=True, slots=True)
class CategoryRules:
    """What decides; the first category that fits is taken, in the order of `CATEGORIES`.

    `cut_off` lets the beginning of a hashtag count at the end of a tweet.
    """

    sarcasm: tuple[str, ...] = SARCASM_TAGS
    irony: tuple[str, ...] = IRONY_TAGS
    markers: tuple[str, ...] = METAPHOR_MARKERS
    cut_off: bool = True


def category_of(text: str, rules: CategoryRules | None = None) -> Category:
    """The category of a tweet; case does not matter."""
    rules = rules or CategoryRules()
    tags = hashtags(text)
    cut = _cut_off(text) if rules.cut_off else ""
    for name, wanted in (("sarcasm", rules.sarcasm), ("irony", rules.irony)):
        if any(tag in wanted for tag in tags) or (cut and any(w.startswith(cut) for w in wanted)):
            return name  # type: ignore[return-value]
    return "metaphor" if has_marker(text, rules.markers) else "other"


def hashtags(text: str) -> tuple[str, ...]:
    """The hashtags of a text without their sign, in lower case, in order."""
    return tuple(found[1:].lower() for found in _HASHTAG.findall(text))


def has_marker(text: str, markers: Iterable[str]) -> bool:
    """Whether one of the words is in the text, as a word or a hashtag."""
    words = set(re.findall(r"\w+", text.lower()))
    return any(marker.lower() in words for marker in markers)


def _cut_off(text: str) -> str:
    """The hashtag at the very end of a text, where it may have lost its own end."""
    found = list(_HASHTAG.finditer(text))
    if not found or text[found[-1].end() :].strip(_END):
        return ""
    tag = found[-1][0][1:].lower()
    return tag if len(tag) >= _LEAST_TRUNCATED else ""


@dataclass(frozen=True, slots=True)
class CategoryCheck:
    """A category with its printed row: count and mean score, and whether they are near."""

    category: Category
    count: int
    mean: float
    printed_count: int
    printed_mean: float

    @property
    def near(self) -> bool:
        """Count within 15 %, mean within 0.15 of what is printed."""
        return (
            abs(self.count - self.printed_count) <= 0.15 * self.printed_count
            and abs(self.mean - self.printed_mean) <= 0.15
        )


def check_categories(
    texts: Iterable[str],
    scores: Iterable[float],
    printed: Mapping[Category, tuple[int, float]],
) -> list[CategoryCheck]:
    """Count and mean score of every category, with the printed ones."""
    found: dict[Category, list[float]] = {name: [] for name in CATEGORIES}
    for text, score in zip(texts, scores, strict=True):
        found[category_of(text)].append(score)
    return [
        CategoryCheck(
            name, len(own), sum(own) / len(own) if own else 0.0, *printed.get(name, (0, 0.0))
        )
        for name, own in found.items()
    ]
