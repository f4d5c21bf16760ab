"""Further hashtags to harvest by: those of tweets similar to the tweets with known hashtags.

Latent semantic analysis of the tweets; a hashtag lies where its tweets lie on average. The list is
ranked for a person, who accepts or not: nothing is harvested by a proposal alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, MissingExtra
from trope.tasks.sentiment.categories import IRONY_TAGS, SARCASM_TAGS, hashtags

Vectors = npt.NDArray[np.float64]


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
