"""The encoder's sentiment: whole texts, inside of the scale, nothing computed twice."""

from pathlib import Path

import pytest

from metaphor_model import ALL_LABELS, LABELS, write_model
from trope.core.errors import BadInput
from trope.core.records import Analysis, Sentiment
from trope.pipeline import Pipeline
from trope.tasks.sentiment.encoder_head import EncoderSentiment, build, to_sentiments


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> EncoderSentiment:
    folder = write_model(tmp_path_factory.mktemp("model"), ALL_LABELS)
    return build(folder=folder, threads=1)


def text(original: str, felt: Sentiment | None = None) -> Analysis:
    return Analysis(original, (), (), (), sentiment=felt)


def test_a_text_of_several_sentences_is_one_sequence(system: EncoderSentiment) -> None:
    found = system.score([text("A lovely day. Awful rain fell!"), text("lovely lovely")])
    assert found == [pytest.approx((3 - 3.5) / 8, abs=1e-4), 3.0]


def test_scores_stay_on_the_scale(system: EncoderSentiment) -> None:
    assert system.score([text("dire dire")]) == [-5.0]
    assert to_sentiments([-40, 2.5, -2.5, 0.00004]) == [
        Sentiment(-5.0, -5),
        Sentiment(2.5, 3),
        Sentiment(-2.5, -2),
        Sentiment(0.0, 0),
    ]


def test_what_is_known_is_not_asked_again(
    system: EncoderSentiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(texts: object) -> list[float]:
        assert texts == []
        return []

    monkeypatch.setattr(system, "score_words", refuse)
    assert system.score([text("lovely", Sentiment(-1.25, -1)), text(""), text(" \n")]) == [
        -1.25,
        0.0,
        0.0,
    ]


def test_a_model_without_the_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no head for sentiment"):
        build(folder=write_model(tmp_path, LABELS), threads=1)


def test_the_shipped_scale_of_prose_orders_plain_sentences_as_readers_do() -> None:
    pipeline = Pipeline(threads=1)
    glad, plain, sad = (
        pipeline.analyze(sentence).sentiment
        for sentence in (
            "The window let the sun in, and everybody laughed and was happy.",
            "The tram stops at the town hall at nine.",
            "The window broke, and nobody came to help us in that terrible week.",
        )
    )
    assert glad.scale == plain.scale == sad.scale == "prose"
    assert sad.score < plain.score < glad.score
    assert plain.integer == 0
