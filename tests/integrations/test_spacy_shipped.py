"""spaCy with the model that ships: what users see of a sentence."""

from typing import Any

import pytest
import spacy
from spacy import displacy

import trope

TEXT = "The new tax strangles small shops. Critics tore up the plan."


@pytest.fixture(scope="module")
def nlp() -> Any:
    return trope.load(threads=2)


def test_tags_lemmas_and_tree(nlp: Any) -> None:
    doc = nlp(TEXT)
    first, second = doc.sents
    assert [t.pos_ for t in first] == ["DET", "ADJ", "NOUN", "VERB", "ADJ", "NOUN", "PUNCT"]
    assert [t.tag_ for t in first] == ["DT", "JJ", "NN", "VBZ", "JJ", "NNS", "."]
    assert [t.lemma_ for t in first] == ["the", "new", "tax", "strangle", "small", "shop", "."]
    assert [t.dep_ for t in first] == ["det", "amod", "nsubj", "ROOT", "amod", "obj", "punct"]
    assert [t.head.text for t in first[:4]] == ["tax", "tax", "strangles", "strangles"]
    assert second.root.text == "tore"


def test_relations_of_document_sentence_and_token(nlp: Any) -> None:
    doc = nlp(TEXT)
    found = [
        (r.kind, *(i if i is None else doc[i].text for i in (r.subject, r.verb, r.object)))
        for r in doc._.relations
        if r.kept
    ]
    assert ("svo", "tax", "strangles", "shops") in found
    assert ("vo", None, "tore", "plan") in found
    second = list(doc.sents)[1]
    assert {doc[r.verb].text for r in second._.relations} == {"tore"}
    (particle,) = {r.particle for r in second._.relations}
    assert doc[particle].text == "up"
    shops = next(token for token in doc if token.text == "shops")
    assert {doc[r.verb].text for r in shops._.relations} == {"strangles"}


def test_a_document_is_what_analyze_gives(nlp: Any) -> None:
    assert nlp(TEXT)._.trope == trope.analyze(TEXT)


def test_displacy_draws_the_tree(nlp: Any) -> None:
    drawing = displacy.render(next(nlp(TEXT).sents), style="dep", jupyter=False)
    assert drawing.count("displacy-arrow") >= 6
    for label in ("strangles", "nsubj", "obj", "VERB"):
        assert label in drawing


def test_component_in_a_blank_pipeline() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("trope", config={"threads": 2})
    docs = list(nlp.pipe([TEXT, "", "Rain ate roads."]))
    assert [doc.text for doc in docs] == [TEXT, "", "Rain ate roads."]
    (relation,) = (r for r in docs[2]._.relations if r.kind == "svo")
    assert (relation.subject, relation.verb, relation.object) == (0, 1, 2)
    assert [t.dep_ for t in docs[2]] == ["nsubj", "ROOT", "obj", "punct"]
