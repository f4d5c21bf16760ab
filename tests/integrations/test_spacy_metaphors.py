"""Metaphor scores under spaCy's underscore, kept with documents that are stored."""

import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from builders import LITERAL, SCORES, FakePipeline, relations_of
from trope.core.errors import BadInput
from trope.core.export import to_dict


@pytest.fixture(scope="module", autouse=True)
def relations() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trope.relations.extract", relations_of)
        yield


def pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("trope", config=config)._pipeline = FakePipeline(metaphor=True)
    return nlp


@pytest.fixture(scope="module")
def doc() -> Doc:
    read: Doc = pipeline()("Rain  ate roads. Wind bent trees. Sun shone.")
    return read


def test_tokens_have_scores_and_blanks_have_none(doc: Doc) -> None:
    scores = {token.text: token._.metaphor for token in doc}
    assert scores["ate"] == SCORES["ate"]
    assert scores["roads"] == LITERAL
    assert scores[" "] is None


def test_metaphors_are_the_tokens_from_the_threshold_on(doc: Doc) -> None:
    assert [token.text for token in doc._.metaphors] == ["ate", "bent"]
    assert [token.text for token in doc[0:5]._.metaphors] == ["ate"]
    strict = pipeline(threshold=0.8)("Rain ate roads. Wind bent trees.")
    assert [token.text for token in strict._.metaphors] == ["ate"]
    assert strict._.trope.threshold == 0.8


def test_sentences_have_scores_and_other_spans_have_none(doc: Doc) -> None:
    scores = [sentence._.metaphor for sentence in doc.sents]
    assert scores == [SCORES["ate"], SCORES["bent"], LITERAL]
    assert doc[0:2]._.metaphor is None
    assert doc[2:2]._.metaphor is None


def test_the_analysis_has_them_too(doc: Doc) -> None:
    found = doc._.trope
    assert found.tasks == ("syntax", "relations", "metaphor")
    assert found.figurative == (SCORES["ate"], SCORES["bent"], LITERAL)
    assert to_dict(found)["relations"][0]["metaphor"] == SCORES["ate"]


def test_scores_are_stored_with_documents(doc: Doc) -> None:
    (back,) = DocBin(store_user_data=True, docs=[doc]).get_docs(doc.vocab)
    for copy in (back, Doc(doc.vocab).from_bytes(doc.to_bytes()), pickle.loads(pickle.dumps(doc))):
        assert [t.text for t in copy._.metaphors] == ["ate", "bent"]
        assert copy._.trope == doc._.trope


def test_a_model_without_the_head_says_nothing() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("trope")._pipeline = FakePipeline()
    doc = nlp("Rain ate roads.")
    assert doc._.metaphors == []
    assert doc[1]._.metaphor is None
    assert next(iter(doc.sents))._.metaphor is None
    assert doc._.trope.tasks == ("syntax", "relations")


def test_documents_that_were_not_read_have_no_metaphors() -> None:
    doc = spacy.blank("en")("Rain ate roads.")
    assert doc._.metaphors == []
    assert doc[1]._.metaphor is None
    assert doc[:]._.metaphor is None


def test_a_threshold_is_a_probability() -> None:
    with pytest.raises(BadInput, match=r"not 1\.5"):
        spacy.blank("en").add_pipe("trope", config={"threshold": 1.5})
