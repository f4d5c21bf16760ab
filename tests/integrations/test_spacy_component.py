import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy import displacy
from spacy.tokens import Doc, DocBin

import trope
from builders import FakePipeline, relations_of
from trope.core.errors import UnknownName
from trope.core.export import to_json

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plain() -> Any:
    """A pipeline of someone else's, with a component that needs no model."""
    nlp = spacy.blank("en")
    nlp.add_pipe("trope")._pipeline = FakePipeline()
    return nlp


@pytest.fixture(scope="module", autouse=True)
def relations() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trope.relations.extract", relations_of)
        patch.setattr(trope, "Pipeline", FakePipeline, raising=False)
        yield


def test_tags_lemmas_and_heads_are_set(plain: Any) -> None:
    doc = plain("Rain ate roads")
    assert [token.pos_ for token in doc] == ["NOUN", "VERB", "NOUN"]
    assert [token.tag_ for token in doc] == ["NN", "VB", "NN"]
    assert [token.lemma_ for token in doc] == ["rain", "ate", "roads"]
    assert [token.head.i for token in doc] == [1, 1, 1]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "obj"]
    assert doc.has_annotation("DEP")


def test_relations_have_positions_of_the_document(plain: Any) -> None:
    doc = plain("Rain ate roads. Wind bent trees.")
    assert [(r.subject, r.verb, r.object) for r in doc._.relations] == [(0, 1, 2), (4, 5, 6)]
    assert [r.verb for r in doc[5]._.relations] == [5]
    assert [r.verb for r in doc[6]._.relations] == [5]
    assert doc[3]._.relations == []
    assert [r.verb for r in doc[:4]._.relations] == [1]
    assert doc[4:6]._.relations == []


def test_blanks_are_not_parsed_and_hang_on_the_word_before(plain: Any) -> None:
    plain.get_pipe("trope")._pipeline.batches.clear()
    doc = plain("  Rain  ate \n roads")
    assert plain.get_pipe("trope")._pipeline.batches == [[["Rain", "ate", "roads"]]]
    blanks = [token for token in doc if token.is_space]
    assert [(token.pos_, token.dep_) for token in blanks] == [("SPACE", "dep")] * 3
    assert [token.head.text for token in blanks] == ["Rain", "Rain", "ate"]
    assert len(list(doc.sents)) == 1
    (relation,) = doc._.relations
    assert [doc[i].text for i in (relation.subject, relation.verb, relation.object)] == [
        "Rain",
        "ate",
        "roads",
    ]
    assert doc[relation.start : relation.end].text == "Rain  ate \n roads"


def test_analysis_has_no_blanks_and_exact_offsets(plain: Any) -> None:
    doc = plain(" Rain  ate \n roads. Wind bent trees.")
    analysis = doc._.trope
    assert analysis.text == doc.text
    for token in analysis.tokens:
        assert analysis.text[token.start : token.end] == token.text
        assert token.text.strip()
    assert [(r.subject, r.verb, r.object) for r in analysis.relations] == [(0, 1, 2), (4, 5, 6)]
    assert [analysis.text[s.start : s.end] for s in analysis.sentences] == [
        "Rain  ate \n roads.",
        "Wind bent trees.",
    ]
    assert [token.deprel for token in analysis.tokens if token.head == -1] == ["root", "root"]
    assert to_json(analysis)


def test_sentences_that_are_there_are_kept(plain: Any) -> None:
    words = ["Rain", "ate", "Roads", "sank", "\n", "fast", "."]
    doc = Doc(plain.vocab, words=words, sent_starts=[True, False, True, False, True, False, False])
    doc = plain.get_pipe("trope")(doc)
    assert [sent.start for sent in doc.sents] == [0, 2, 4]
    assert doc[4].head.text == "fast"


def test_a_sentence_of_blanks_stays_one(plain: Any) -> None:
    words = ["Rain", "ate", "\n", "\t", "Roads", "sank"]
    doc = Doc(plain.vocab, words=words, sent_starts=[True, False, True, False, True, False])
    doc = plain.get_pipe("trope")(doc)
    assert [sent.text for sent in doc.sents] == ["Rain ate", "\n \t", "Roads sank"]
    assert len(doc._.trope.sentences) == 2


@pytest.mark.parametrize("text", ["", " ", "\n\n", "word", "😂"])
def test_small_texts(plain: Any, text: str) -> None:
    doc = plain(text)
    assert doc.text == text
    assert doc._.relations == []
    assert len(doc._.trope.tokens) == len(text.split())


@given(st.text("ab .!\n\t😂é", max_size=40))
def test_any_document_keeps_its_text_and_has_one_root_a_sentence(plain: Any, text: str) -> None:
    doc = plain(text)
    assert doc.text == text
    for sent in doc.sents if len(doc) else ():
        assert sum(token.head == token for token in sent) == 1
    for token in doc._.trope.tokens:
        assert text[token.start : token.end] == token.text


def test_pipe_reads_a_batch_at_a_time_in_order(plain: Any) -> None:
    batches = plain.get_pipe("trope")._pipeline.batches
    batches.clear()
    texts = [f"Rain ate road{n}. Wind blew." for n in range(5)]
    docs = list(plain.pipe(texts, batch_size=2))
    assert [doc.text for doc in docs] == texts
    assert [len(batch) for batch in batches] == [4, 4, 2]


def test_documents_can_be_stored_with_their_relations(plain: Any) -> None:
    doc = plain("Rain ate roads.")
    (back,) = DocBin(store_user_data=True, docs=[doc]).get_docs(plain.vocab)
    assert back._.relations == doc._.relations
    again = Doc(plain.vocab).from_bytes(doc.to_bytes())
    assert again._.trope == doc._.trope
    assert pickle.loads(pickle.dumps(doc))._.relations == doc._.relations


def test_displacy_draws_the_tree(plain: Any) -> None:
    drawing = displacy.render(plain("Rain ate roads."), style="dep", jupyter=False)
    assert "<svg" in drawing
    for word in ("Rain", "nsubj", "obj", "VERB"):
        assert word in drawing


def test_load_gives_a_pipeline_that_keeps_every_text() -> None:
    nlp = trope.load()
    assert nlp.pipe_names == ["trope"]
    for text in ("Rain ate roads.", "  Two  blanks \n\n and\ttabs ", "a \ud83d b", "😂👩‍👩‍👧"):
        assert nlp(text).text == text.replace("\ud83d", "\ufffd")
    assert nlp("Rain ate roads")._.relations[0].verb == 1


def test_tokenizer_cuts_blanks_as_spacy_does() -> None:
    text = " Rain  ate \n\n roads.\n"
    wanted = [(token.text, token.whitespace_) for token in spacy.blank("en")(text)]
    assert [(token.text, token.whitespace_) for token in trope.load().make_doc(text)] == wanted


def test_a_pipeline_is_stored_as_its_configuration(tmp_path: Path) -> None:
    nlp = trope.load(threads=2, kind="tweet")
    nlp("Rain ate roads.")
    nlp.to_disk(tmp_path / "stored")
    assert not list((tmp_path / "stored").rglob("*.onnx"))
    back = spacy.load(tmp_path / "stored")
    component = back.get_pipe("trope")
    assert (component.tier, component.threads, component.kind) == ("small", 2, "tweet")
    assert back("Rain ate roads.")._.relations == nlp("Rain ate roads.")._.relations
    copied = spacy.blank("en")
    copied.add_pipe("trope")
    assert copied.from_bytes(copied.to_bytes()).pipe_names == ["trope"]


def test_pickling_leaves_the_model_behind() -> None:
    nlp = trope.load()
    nlp("Rain ate roads.")
    assert nlp.get_pipe("trope")._pipeline is not None
    back = pickle.loads(pickle.dumps(nlp.get_pipe("trope")))
    assert back._pipeline is None
    assert back(nlp.make_doc("Rain ate roads"))[1].pos_ == "VERB"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"'poem'.*Known: plain, tweet, headline"):
        spacy.blank("en").add_pipe("trope", config={"kind": "poem"})


def fresh_process(folder: Path, code: str) -> str:
    """What the code prints where trope is installed and not yet imported."""
    metadata = folder / "site" / "trope-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: trope\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[spacy_factories]\ntrope = trope.integrations.spacy:create_component\n"
        "[spacy_tokenizers]\n"
        "trope.Tokenizer.v1 = trope.integrations.spacy:create_tokenizer\n"
    )
    path = os.pathsep.join([str(folder / "site"), str(REPOSITORY / "src")])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},
        check=False,
    )
    return result.stdout + result.stderr


def test_entry_point_brings_the_component_to_any_pipeline(tmp_path: Path) -> None:
    code = "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('trope'); print(nlp.pipe_names)"
    assert fresh_process(tmp_path, code) == "['trope']\n"


def test_entry_points_are_enough_to_load_a_stored_pipeline(tmp_path: Path) -> None:
    trope.load().to_disk(tmp_path / "stored")
    code = f"import spacy; nlp = spacy.load({str(tmp_path / 'stored')!r});"
    code += "print(type(nlp.tokenizer).__name__, nlp.pipe_names)"
    assert fresh_process(tmp_path, code) == "TropeTokenizer ['trope']\n"


def test_project_declares_the_entry_point() -> None:
    project = (REPOSITORY / "pyproject.toml").read_text()
    assert '[project.entry-points.spacy_factories]\ntrope = "trope.integrations.spacy:' in project
