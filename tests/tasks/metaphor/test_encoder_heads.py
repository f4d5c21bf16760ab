"""The shipped heads as a detector: the scores of the pipeline, with and without its trees."""

import pytest

from trope import Pipeline
from trope.catalog import DETECTORS
from trope.core.records import Parse
from trope.tasks.metaphor.encoder_heads import EncoderDetector
from trope.tasks.metaphor.task import VerbExpression, find_expressions

SENTENCES = [
    ("The", "new", "tax", "strangles", "small", "shops", "."),
    ("The", "cook", "strangles", "a", "chicken", "."),
    ("Yes",),
]


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(threads=1)


@pytest.fixture(scope="module")
def detector() -> EncoderDetector:
    built: EncoderDetector = DETECTORS.load("encoder")(threads=1)
    return built


def bare(words: tuple[str, ...]) -> Parse:
    """A sentence of which nothing is known but its words."""
    return Parse(words, (), (), (), (), ())


def test_words_have_the_scores_of_the_analysis(
    pipeline: Pipeline, detector: EncoderDetector
) -> None:
    parses = pipeline.parse(SENTENCES)
    wanted = [parse.metaphor for parse in parses]
    assert detector.score_words(parses) == wanted
    computed = detector.score_words([bare(words) for words in SENTENCES])
    for row, other in zip(computed, wanted, strict=True):
        assert row == pytest.approx(other, abs=1e-3)
    assert (detector.threshold, detector.sentence_threshold) == pipeline.thresholds


def test_a_taxed_shop_is_strangled_otherwise_than_a_chicken(detector: EncoderDetector) -> None:
    tax, cook, _ = detector.score_words([bare(words) for words in SENTENCES])
    assert tax[3] is not None
    assert cook[2] is not None
    assert tax[3] >= detector.threshold > cook[2]


def test_an_expression_has_the_score_of_its_verb(
    pipeline: Pipeline, detector: EncoderDetector
) -> None:
    parse = pipeline.parse(SENTENCES[:1])[0]
    (expression,) = find_expressions(parse)
    assert detector.score_expressions([expression]) == pytest.approx([parse.metaphor[3]], abs=1e-3)
    (alone,) = detector.score_expressions([VerbExpression("strangle", "shop")])
    assert alone is not None
    assert 0 <= alone <= 1


def test_sentences_without_words_have_no_score(detector: EncoderDetector) -> None:
    some, none = detector.score_sentences([bare(SENTENCES[0]), bare(())])
    assert some is not None
    assert none is None
    assert detector.score_words([bare(())]) == [()]
