"""Figurative tweets out of any stream of tweets, as the task was harvested, with a full account.

A tweet is wanted for its author, a hashtag or a word; the hashtags stay in the text. What is too
short, repeats another tweet, or is over its category's quota is dropped with a reason. Tweets
come in as (id, text, author); ids stay strings.

Further hashtags are proposed by latent semantic analysis: a hashtag lies where its tweets lie on
average. The list is ranked for a person, who accepts or not: nothing is harvested by a proposal
alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, MissingExtra
from trope.core.texts import Mapped
from trope.tasks.sentiment.categories import (
    CATEGORIES,
    IRONY_TAGS,
    METAPHOR_MARKERS,
    SARCASM_TAGS,
    Category,
    CategoryRules,
    category_of,
    has_marker,
    hashtags,
)
from trope.text import patterns
from trope.text.duplicates import find_duplicates
from trope.text.normalise import drop_links

REASONS = ("empty", "not-wanted", "too-short", "exact", "near", "over-quota")
"""Why a tweet is dropped, in the order of the checks."""

_HASHTAG = re.compile(patterns.HASHTAG)

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StreamTweet:
    """A tweet of a stream; `author` is empty where it is unknown."""

    id: str
    text: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class HarvestRules:
    """What is wanted, and of what length.

    `general` keeps tweets that no rule asks for too, as the category "other"; a tweet stays if it
    has `least_plain` characters without its hashtags or `least_whole` with them. `quotas` None
    keeps all.
    """

    authors: frozenset[str] = frozenset()
    hashtags: tuple[str, ...] = (*SARCASM_TAGS, *IRONY_TAGS)
    markers: tuple[str, ...] = METAPHOR_MARKERS
    general: bool = True
    least_plain: int = 30
    least_whole: int = 40
    near: float = 0.8
    quotas: Mapping[Category, int] | None = None
    categories: CategoryRules = field(default_factory=CategoryRules)


@dataclass(frozen=True, slots=True)
class HarvestVerdict:
    """The decision about one tweet: its cleaned text, category and source, or a reason."""

    id: str
    text: str = ""
    category: Category | None = None
    wanted_for: str = ""
    reason: str = ""
    duplicate_of: str = ""

    @property
    def kept(self) -> bool:
        """Whether the tweet is harvested."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class HarvestFunnel:
    """How many tweets were read, kept by category, and dropped for each reason."""

    seen: int
    kept: dict[str, int]
    dropped: dict[str, int]

    def describe(self) -> str:
        """One line per step."""
        lines = [f"{self.seen} seen"]
        lines += [f"− {count} {reason}" for reason, count in self.dropped.items()]
        lines += [f"= {count} {category}" for category, count in self.kept.items()]
        return "\n".join(lines)


def harvest(
    tweets: Iterable[StreamTweet], rules: HarvestRules | None = None
) -> Iterator[HarvestVerdict]:
    """One verdict per tweet, in the order of the tweets.

    Raises:
        BadInput: for an id that comes twice, which no stream of tweets should have.
    """
    rules = rules or HarvestRules()
    room = dict(rules.quotas) if rules.quotas is not None else None
    waiting: dict[str, HarvestVerdict] = {}
    seen: set[str] = set()

    def candidates() -> Iterator[tuple[str, str]]:
        for tweet in tweets:
            if tweet.id in seen:
                raise BadInput(f"tweet {tweet.id} occurs twice; give each tweet once")
            seen.add(tweet.id)
            verdict = _first_look(tweet, rules)
            waiting[tweet.id] = verdict
            if verdict.kept:
                yield tweet.id, verdict.text

    for answer in find_duplicates(candidates(), "tweet", threshold=rules.near):
        for name in list(waiting):  # those rejected at first sight keep their place
            verdict = waiting.pop(name)
            if name != answer.id:
                yield verdict
                continue
            if not answer.kept:
                yield HarvestVerdict(name, reason=answer.reason, duplicate_of=answer.duplicate_of)
            else:
                yield _within_quota(verdict, room)
            break
    yield from waiting.values()


def count_harvest(verdicts: Iterable[HarvestVerdict]) -> HarvestFunnel:
    """The verdicts counted."""
    found = list(verdicts)
    kept = Counter(verdict.category for verdict in found if verdict.kept)
    reasons = Counter(verdict.reason for verdict in found if not verdict.kept)
    return HarvestFunnel(
        len(found),
        {name: kept[name] for name in CATEGORIES if kept[name]},
        {reason: reasons[reason] for reason in REASONS if reasons[reason]},
    )


def long_enough(text: str, *, least_plain: int = 30, least_whole: int = 40) -> bool:
    """Whether a text has 30 characters without its hashtags, or 40 with them."""
    plain = " ".join(_HASHTAG.sub("", text).split())
    return len(plain) >= least_plain or len(text) >= least_whole


def without_links(text: str) -> str:
    """The text without addresses; everything else, hashtags too, stays."""
    return " ".join(drop_links(Mapped.of(text)).text.split())


def _first_look(tweet: StreamTweet, rules: HarvestRules) -> HarvestVerdict:
    """The decision about a tweet by itself."""
    text = without_links(tweet.text)
    if not text:
        return HarvestVerdict(tweet.id, reason="empty")
    source = _wanted_for(tweet.author, text, rules)
    if not source:
        return HarvestVerdict(tweet.id, reason="not-wanted")
    if not long_enough(text, least_plain=rules.least_plain, least_whole=rules.least_whole):
        return HarvestVerdict(tweet.id, reason="too-short")
    return HarvestVerdict(tweet.id, text, category_of(text, rules.categories), source)


def _wanted_for(author: str, text: str, rules: HarvestRules) -> str:
    if author and author.lstrip("@").lower() in {a.lstrip("@").lower() for a in rules.authors}:
        return f"author {author}"
    wanted = {tag.lstrip("#").lower() for tag in rules.hashtags}
    tag = next((tag for tag in hashtags(text) if tag in wanted), "")
    if tag:
        return f"hashtag #{tag}"
    marker = next((word for word in rules.markers if has_marker(text, (word,))), "")
    if marker:
        return f"word {marker}"
    return "general" if rules.general else ""


def _within_quota(verdict: HarvestVerdict, room: dict[Category, int] | None) -> HarvestVerdict:
    if room is None or verdict.category is None:
        return verdict
    if room.get(verdict.category, 0) <= 0:
        return HarvestVerdict(verdict.id, category=verdict.category, reason="over-quota")
    room[verdict.category] -= 1
    return verdict


@dataclass(frozen=True, slots=True)
class HashtagProposal:
    """A hashtag, how like the known ones it is (cosine), the nearest of them, tweets with both."""

    hashtag: str
    similarity: float
    nearest: str
    tweets: int
    together: int


def propose_hashtags(
    texts: Iterable[str],
    *,
    known: Collection[str] = (*SARCASM_TAGS, *IRONY_TAGS),
    dimensions: int = 100,
    least_tweets: int = 3,
    seed: int = 0,
) -> list[HashtagProposal]:
    """Hashtags that are not yet known, the likeliest first.

    Raises:
        BadInput: where the texts have no known hashtag to start from.
        MissingExtra: without scikit-learn.
    """
    kept = [text for text in texts if hashtags(text)]
    tags = [frozenset(hashtags(text)) for text in kept]
    wanted = {name.lstrip("#").lower() for name in known}
    places: dict[str, list[int]] = {}
    for at, own in enumerate(tags):
        for tag in own:
            places.setdefault(tag, []).append(at)
    seeds = [tag for tag in sorted(places) if tag in wanted]
    if not seeds:
        raise BadInput("no text has a known hashtag; give texts that were harvested by some")
    vectors = _lsa(kept, dimensions, seed)
    means = {tag: _unit(vectors[at].mean(axis=0)) for tag, at in places.items()}
    found = [
        _proposal(tag, at, seeds, means, tags)
        for tag, at in places.items()
        if tag not in wanted and len(at) >= least_tweets
    ]
    return sorted(found, key=lambda proposal: (-proposal.similarity, proposal.hashtag))


def _proposal(
    tag: str,
    at: list[int],
    seeds: list[str],
    means: dict[str, Vectors],
    tags: list[frozenset[str]],
) -> HashtagProposal:
    likeness = {name: float(means[tag] @ means[name]) for name in seeds}
    nearest = max(seeds, key=lambda name: likeness[name])
    together = sum(nearest in tags[tweet] for tweet in at)
    return HashtagProposal(tag, likeness[nearest], nearest, len(at), together)


def _lsa(texts: list[str], dimensions: int, seed: int) -> Vectors:
    """One vector per tweet, of its words and its hashtags."""
    try:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ModuleNotFoundError as error:
        raise MissingExtra("the proposal of hashtags", "systems", "scikit-learn") from error
    table = TfidfVectorizer(token_pattern=r"#?\w\w+", sublinear_tf=True).fit_transform(texts)
    size = max(1, min(dimensions, min(table.shape) - 1))
    vectors: Vectors = TruncatedSVD(size, random_state=seed).fit_transform(table)
    return vectors


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
