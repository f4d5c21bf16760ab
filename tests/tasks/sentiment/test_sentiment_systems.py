"""Systems without a network: what they see, what they learn, and how choices are made."""

from pathlib import Path

import pytest

from trope.catalog import SENTIMENT_SYSTEMS
from trope.core.errors import BadInput, BadRecord
from trope.core.records import Analysis, SentenceSpan, Token
from trope.lexicon.polarity import PolarityLexica
from trope.tasks.sentiment.features import features_of, is_figurative, tweet_words
from trope.tasks.sentiment.lexicon_system import (
    Boosting,
    LexiconSystem,
    PolarityModel,
    read_tweeteval,
    without_seeds,
)
from trope.tasks.sentiment.task import (
    TEST_SHARES,
    category_weights,
    folds_of,
    held_out_scores,
    to_integers,
)

LEXICA = PolarityLexica(
    valence={"lovely": 2.8, "awful": -2.0},
    strength={"lovely": 3, "awful": -3},
    opinion={"lovely": 1, "awful": -1},
    senses={("ADJ", "lovely"): (0.6, 0.0)},
    emoji={"☀": 0.7},
)
LEARNERS = ("naive-bayes", "maximum-entropy", "decision-tree")


def tweet(text: str) -> Analysis:
    """A tweet whose words hang on the first."""
    tokens = []
    at = 0
    for number, word in enumerate(text.split()):
        start = text.index(word, at)
        at = start + len(word)
        upos = "ADJ" if word.lower() in LEXICA.valence else "NOUN"
        deprel = "amod" if number else "root"
        head = 0 if number else -1
        tokens.append(Token(word, start, at, upos, "X", word.lower(), head, deprel))
    return Analysis(text, tuple(tokens), (SentenceSpan(0, len(text), 0, len(tokens)),), ())


def features(text: str) -> dict[str, float]:
    return features_of(tweet_words(tweet(text), LEXICA), LEXICA)


def test_features_have_names_and_the_same_for_every_tweet() -> None:
    full, empty = features("such a LOVELY day ☀ !!! #irony"), features("")
    assert list(full) == list(empty)
    assert len(full) == 52
    assert full["valence.compound"] > 0
    assert full["emoji.score"] == 0.7
    assert full["surface.exclamations"] == 3
    assert full["figure.irony"] == full["figure.at_end"] == 1
    assert full["figure.marked_valence"] == full["valence.compound"]
    assert full["figure.unmarked_valence"] == 0
    assert full["senses.positive"] == pytest.approx(0.6 / 6)
    assert any(empty.values()) is False


def test_hashtags_feel_but_seeds_do_not() -> None:
    row = features("what a day #lovely #not")
    assert row["valence.compound"] == 0 < row["valence.compound_with_tags"]
    assert row["figure.not"] == 1
    assert row["negation.words"] == 0
    assert features("not lovely")["valence.compound_with_tags"] < 0


def test_tree_and_negation_features() -> None:
    row = features("not lovely")
    assert row["negation.words"] == row["negation.turned"] == 1
    assert row["tree.modifier_valence"] < 0 == row["tree.root_valence"]


def test_integers_are_rounded_half_up_inside_of_the_scale() -> None:
    assert to_integers([-2.5, -2.51, 0.5, 7, -9.2]) == [-2, -3, 1, 5, -5]


def test_the_constant_is_constant() -> None:
    assert SENTIMENT_SYSTEMS.load("constant")().score([tweet("a"), tweet("b")]) == [-2.0, -2.0]
    assert SENTIMENT_SYSTEMS.load("constant")(value=-9).score([tweet("a")]) == [-5.0]


@pytest.mark.parametrize("name", LEARNERS)
def test_baselines_learn_words(name: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    system = SENTIMENT_SYSTEMS.load(name)(seed=1)
    with pytest.raises(BadInput, match="is not trained"):
        system.score([tweet("a")])
    with pytest.raises(BadInput, match="one for each"):
        system.fit([tweet("a")], [])
    good, bad = tweet("lovely sun here"), tweet("awful rain here")
    system.fit([good, bad] * 4, [3.2, -2.6] * 4)
    assert system.score([good, bad]) == [3.0, -3.0]
    assert system.score([]) == []


def small(**options: object) -> LexiconSystem:
    settings = Boosting(trees=20, members=2, least_in_leaf=1, share_of_rows=1, share_of_features=1)
    return LexiconSystem(LEXICA, settings=settings, **options)  # type: ignore[arg-type]


def sample() -> tuple[list[Analysis], list[float]]:
    texts = [
        f"a {w} day {n} {t}" for w in ("lovely", "awful") for n in range(5) for t in ("", "#not")
    ]
    return [tweet(t.strip()) for t in texts], [
        (3.0 if "lovely" in t else -3.0) if "#not" not in t else -2.0 for t in texts
    ]


def test_lexicon_system_learns_that_a_mark_turns_the_feeling() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    system = small()
    with pytest.raises(BadInput, match="is not trained"):
        system.score([tweet("a")])
    tweets, scores = sample()
    system.fit(tweets, scores)
    plainly, marked = system.score([tweet("a lovely day 9"), tweet("a lovely day 9 #not")])
    assert plainly > 0 > marked
    assert system.score([]) == []
    again = small()
    again.fit(tweets, scores)
    assert again.score(tweets) == system.score(tweets)
    other = small(seed=1)
    other.fit(tweets, scores)
    assert other.feature_names == system.feature_names


def test_ablation_leaves_the_figurative_group_out() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    tweets, scores = sample()
    system = small(figurative=False)
    system.fit(tweets, scores)
    assert system.feature_names
    assert not any(is_figurative(name) for name in system.feature_names)


def test_plain_sentiment_gives_probabilities_and_crosses_marks_with_them() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    texts = [f"{w} {n}" for w in ("awful rain", "grey sky", "lovely sun") for n in range(6)]
    model = PolarityModel()
    with pytest.raises(BadInput, match="is not trained"):
        model.probabilities(["x"])
    model.fit(texts, [0] * 6 + [1] * 6 + [2] * 6)
    (row,) = model.probabilities(["lovely sun @you #not"])
    assert sum(row) == pytest.approx(1)
    assert max(row) == row[2]
    assert model.probabilities([]) == []
    (seen,) = small(sentiment=model).rows([tweet("lovely sun #not")])
    assert (
        seen["figure.marked_positive"] == seen["plain.positive"] == pytest.approx(row[2], abs=0.1)
    )


def test_plain_tweets_hide_names_and_marks() -> None:
    assert without_seeds("Hey @Ann #Sarcasm #fun") == "hey @user  #fun"


def test_tweeteval_needs_a_label_for_every_text(tmp_path: Path) -> None:
    (tmp_path / "val_text.txt").write_text("a\nb\n")
    (tmp_path / "val_labels.txt").write_text("0\n2\n")
    assert read_tweeteval(tmp_path, ("val",)) == (["a", "b"], [0, 2])
    (tmp_path / "val_labels.txt").write_text("0\n")
    with pytest.raises(BadRecord, match="one label per text"):
        read_tweeteval(tmp_path, ("val",))
    (tmp_path / "val_labels.txt").write_text("0\nx\n")
    with pytest.raises(BadRecord, match="is not a label"):
        read_tweeteval(tmp_path, ("val",))


def test_texts_that_say_the_same_share_a_fold() -> None:
    texts = [f"tweet number {n % 20} here" for n in range(40)]
    folds = folds_of(texts, folds=4)
    assert folds[:20] == folds[20:]
    assert {folds[:20].count(fold) for fold in range(4)} == {5}
    with pytest.raises(BadInput, match="cannot be split"):
        folds_of(["same", "same"], folds=2)


def test_weights_give_categories_their_shares() -> None:
    texts = ["a #sarcasm"] * 6 + ["a #irony"] * 2 + ["literally a"] + ["a"]
    weights = category_weights(texts)
    assert sum(weights) == pytest.approx(10)
    assert sum(weights[:6]) == pytest.approx(10 * TEST_SHARES["sarcasm"])
    assert category_weights(["a"] * 3) == [1, 1, 1]


def test_nothing_is_predicted_by_what_has_seen_it() -> None:
    folds = [0, 1, 0, 1, 2]

    def predict(inside: list[int], outside: list[int]) -> list[float]:
        assert not set(inside) & set(outside)
        assert len(inside) + len(outside) == 5
        return [float(at) for at in outside]

    assert held_out_scores(predict, folds) == [0, 1, 2, 3, 4]
