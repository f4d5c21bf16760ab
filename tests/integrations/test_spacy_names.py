"""Names and sentiment under spaCy's underscore, kept with documents that are stored."""

from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

import trope.integrations.spacy  # noqa: F401
from builders import FakePipeline
from metaphor_model import ALL_LABELS, write_model
from trope import Pipeline
from trope.core.records import Sentiment


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = write_model(tmp_path_factory.mktemp("model"), ALL_LABELS)
    made = spacy.blank("en")
    made.add_pipe("trope")._pipeline = Pipeline(folder=folder, threads=1)
    return made


def test_names_are_spans_that_say_what_they_stand_for(nlp: Any) -> None:
    doc = nlp("Rain fell.  Lovely France beat Nokia.")
    assert [span.text for span in doc._.metonymies] == ["France", "Nokia"]
    first = doc._.metonymies[0]._.metonymy
    assert first.reading == "place-for-people"
    assert doc.text[first.start : first.end] == "France"
    place = doc._.metonymies[0]
    assert doc[place.start : place.end + 1]._.metonymy is None
    assert doc[0:1]._.metonymy is None


def test_sentences_with_names_are_read_once(nlp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder, sent = nlp.get_pipe("trope").pipeline.encoder, []
    submit = encoder.submit

    def watched(sentences: Any, outputs: Any, *read: Any) -> Any:
        sent.extend(sentences)
        return submit(sentences, outputs, *read)

    monkeypatch.setattr(encoder, "submit", watched)
    assert len(nlp("Lovely France slept.")._.metonymies) == 1
    assert sent == [("Lovely", "France", "slept", ".")]


def test_documents_feel_as_a_whole(nlp: Any) -> None:
    one, two, empty = nlp.pipe(["lovely rain", "awful rain. Rain fell.", " "])
    assert one._.sentiment == Sentiment(1.5, 2)
    assert two._.sentiment == Sentiment(-0.5833, -1)  # six words with the full stops
    assert empty._.sentiment is None
    assert empty._.metonymies == []


def test_they_are_in_the_analysis_and_in_what_is_stored(nlp: Any) -> None:
    doc = nlp("Lovely France slept.")
    again = next(iter(DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)))
    for found in (doc, again):
        analysis = found._.trope
        assert analysis.tasks[-2:] == ("metonymy", "sentiment")
        assert analysis.sentiment == Sentiment(0.75, 1)
        assert [name.reading for name in analysis.metonymies] == ["place-for-people"]


def test_a_name_inside_of_a_token_is_that_token(nlp: Any) -> None:
    doc = Doc(nlp.vocab, words=["France's", "slept"])
    nlp.get_pipe("trope")(doc)
    assert [span.text for span in doc._.metonymies] == ["France's"]


def test_a_model_without_the_heads_leaves_nothing_behind(nlp: Any) -> None:
    doc = nlp("Lovely France slept.")
    other = spacy.blank("en")
    component = other.add_pipe("trope")
    component._pipeline = FakePipeline()
    component(doc)
    assert doc._.sentiment is None
    assert doc._.metonymies == []
    assert doc._.trope.tasks == ("syntax", "relations")
