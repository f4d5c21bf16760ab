"""Figures, views and settings of the spaCy component."""

from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

import trope.integrations.spacy
from metaphor_model import FIGURE_LABELS, FIGURES, probability, write_model
from trope import Pipeline
from trope.core.errors import BadInput, UnknownName
from trope.core.records import Sentiment

TEXT = "The  tax crushed shops. Alice eats Vienna. Rain swallowed roads."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    folder = write_model(tmp_path_factory.mktemp("model"), FIGURE_LABELS)
    return Pipeline(folder=folder, threads=1)


def made(model: Pipeline, **config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("trope", config=config)._pipeline = model
    return nlp


@pytest.fixture(scope="module")
def doc(model: Pipeline) -> Doc:
    read: Doc = made(model)(TEXT)
    return read


def test_figures_are_those_of_an_analysis(doc: Doc, model: Pipeline) -> None:
    assert doc._.trope.figures == model.analyze(TEXT).figures
    assert doc._.trope.words == "noticed"
    (crushed,) = (f for f in doc._.figures if f.kind == "metaphor")
    assert [doc[place].text for place in crushed.tokens] == ["crushed"]  # blanks have positions too
    assert [token.text for token in doc._.metaphors] == ["crushed"]
    first, second, _ = doc.sents
    assert first._.figures == [crushed]
    assert crushed not in second._.figures


def test_tokens_say_how_noticed_and_how_new_they_are(doc: Doc) -> None:
    by_text = {token.text: token for token in doc}
    noticed, *_, novelty = FIGURES["crushed"]
    assert by_text["crushed"]._.noticed == probability(noticed)
    assert by_text["crushed"]._.novelty == pytest.approx(novelty)
    assert by_text[" "]._.novelty is None
    assert by_text["eats"]._.novelty == 1  # never beyond the scale


def test_views_and_thresholds_are_settings(model: Pipeline) -> None:
    words = [token.text for token in made(model, words="all")(TEXT)._.metaphors]
    assert words == ["crushed", "swallowed"]
    loose = made(model, words="all", threshold=0.2)(TEXT)
    assert [token.text for token in loose._.metaphors] == ["crushed", "eats", "swallowed"]
    assert loose._.trope.shown_threshold == 0.2
    with pytest.raises(UnknownName, match="noticed, content, all"):
        made(model, words="some")
    with pytest.raises(BadInput, match="from 0 to 1"):
        made(model, threshold=3.0)


def test_only_what_is_asked_for_is_computed(model: Pipeline) -> None:
    doc = made(model, only=["sentiment"])("Lovely rain.")
    assert doc._.trope.tasks == ("syntax", "relations", "sentiment")
    assert doc._.relations == []
    assert doc._.figures == []
    assert doc[0]._.metaphor is None
    assert doc[0].pos_ == "NOUN"
    with pytest.raises(UnknownName, match="syntax, relations, metaphor"):
        made(model, only=["tone"])


def test_prose_and_tweets_have_scales_of_their_own(model: Pipeline) -> None:
    assert made(model)("Lovely rain")._.sentiment == Sentiment(1.0, 1, "prose")
    assert made(model, kind="tweet")("Lovely rain")._.sentiment == Sentiment(1.5, 2, "tweet")


def test_figures_are_stored_with_documents(doc: Doc) -> None:
    (back,) = DocBin(store_user_data=True, docs=[doc]).get_docs(doc.vocab)
    for copy in (back, Doc(doc.vocab).from_bytes(doc.to_bytes())):
        assert copy._.figures == doc._.figures
        assert copy._.trope == doc._.trope


def test_documents_stored_before_there_were_figures_are_read(doc: Doc) -> None:
    old = Doc(doc.vocab).from_bytes(doc.to_bytes())
    for key in ("trope.figures", "trope.words", "trope.names"):
        del old.user_data[key]
    del old.user_data["trope.metaphor"][3:]
    assert old[3]._.novelty is None
    assert old._.figures == []
    assert old._.trope.figurative == doc._.trope.figurative


def test_a_pipeline_for_another_language_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="reads English, but this pipeline is for 'de'"):
        spacy.blank("de").add_pipe("trope")


def test_tasks_may_be_named_in_one_string() -> None:
    component = trope.load(only="metaphor, sentiment").get_pipe("trope")
    assert component.only == ("syntax", "metaphor", "sentiment")
