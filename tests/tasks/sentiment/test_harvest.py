"""Figurative tweets out of a stream, with a reason for each that goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.tasks.sentiment.harvest import (
    REASONS,
    HarvestRules,
    StreamTweet,
    count_harvest,
    harvest,
    long_enough,
    without_links,
)

LONG = "the printer ate my only copy of the form again"


def tweets(*texts: str) -> list[StreamTweet]:
    return [StreamTweet(str(10**17 + at), text) for at, text in enumerate(texts)]


def test_every_tweet_has_a_verdict_in_order() -> None:
    stream = tweets(
        f"{LONG} #sarcasm",
        "https://t.co/abc",
        "short one #irony",
        f"{LONG} #sarcasm https://t.co/xyz",
        f"{LONG}, so I literally cried",
        "the whole village came to see the new bridge open today",
    )
    found = list(harvest(stream))
    assert [v.id for v in found] == [t.id for t in stream]
    assert [v.reason for v in found] == ["", "empty", "too-short", "exact", "", ""]
    assert [v.category for v in found if v.kept] == ["sarcasm", "metaphor", "other"]
    assert [v.wanted_for for v in found if v.kept] == [
        "hashtag #sarcasm",
        "word literally",
        "general",
    ]
    assert found[0].text.endswith("#sarcasm")
    assert found[3].duplicate_of == stream[0].id
    funnel = count_harvest(found)
    assert funnel.seen == 6
    assert funnel.kept == {"sarcasm": 1, "metaphor": 1, "other": 1}
    assert funnel.dropped == {"empty": 1, "too-short": 1, "exact": 1}
    assert funnel.describe().splitlines()[:2] == ["6 seen", "− 1 empty"]


def test_authors_are_wanted_whatever_they_say() -> None:
    rules = HarvestRules(authors=frozenset({"@Grumpy"}), general=False)
    stream = [StreamTweet("1", LONG, "grumpy"), StreamTweet("2", f"{LONG} too, no?", "other")]
    found = list(harvest(stream, rules))
    assert found[0].wanted_for == "author grumpy"
    assert found[1].reason == "not-wanted"


def test_near_duplicates_go() -> None:
    text = "nothing says good morning like a fire alarm at five on a cold sunday"
    found = list(harvest(tweets(f"{text} #irony", f"{text} again #irony")))
    assert found[1].reason == "near"


def test_quotas_close_a_category() -> None:
    words = ("bus", "train", "ferry")
    stream = tweets(
        *(f"waiting {at} hours for my {w} {w} {w} #sarcasm" for at, w in enumerate(words))
    )
    found = list(harvest(stream, HarvestRules(quotas={"sarcasm": 2})))
    assert [v.reason for v in found] == ["", "", "over-quota"]


def test_an_id_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="occurs twice"):
        list(harvest([StreamTweet("1", LONG), StreamTweet("1", "other")]))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x" * 30, True),
        ("x" * 29, False),
        ("x" * 29 + " #irony now", True),  # 40 with the hashtag
        ("x" * 25 + " #irony", False),
    ],
)
def test_length_rule(text: str, kept: bool) -> None:
    assert long_enough(text) is kept


def test_links_go_and_hashtags_stay() -> None:
    assert without_links("look http://a.b/c  at this #not") == "look at this #not"


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_stream_is_accounted_for(texts: list[str]) -> None:
    stream = tweets(*texts)
    found = list(harvest(stream))
    assert [v.id for v in found] == [t.id for t in stream]
    assert all(v.reason in ("", *REASONS) for v in found)
    funnel = count_harvest(found)
    assert funnel.seen == sum(funnel.kept.values()) + sum(funnel.dropped.values())


def test_lsa_proposes_hashtags_of_like_tweets() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    from trope.tasks.sentiment.harvest import propose_hashtags

    moans = [f"great another {w} delayed again thanks" for w in ("bus", "train", "plane", "boat")]
    cakes = [f"baked a {w} cake for the party" for w in ("lemon", "carrot", "plum", "nut")]
    texts = [f"{t} #sarcasm" for t in moans] + [f"{t} #justgreat" for t in moans]
    texts += [f"{t} #baking" for t in cakes] + ["no tags here"]
    found = propose_hashtags(texts, dimensions=5)
    assert [p.hashtag for p in found] == ["justgreat", "baking"]
    assert found[0].similarity > 0.5 > found[1].similarity
    assert (found[0].nearest, found[0].tweets, found[0].together) == ("sarcasm", 4, 0)
    assert found == propose_hashtags(texts, dimensions=5)
    with pytest.raises(BadInput, match="no text has a known hashtag"):
        propose_hashtags(["a #b"])
