"""Metaphor scores from a model with heads for them: words, sentences, windows, single tasks."""

from pathlib import Path

import msgspec
import pytest

from metaphor_model import LABELS, LOGITS, OTHERS, probability, write_model
from trope import Pipeline
from trope.core.errors import BadInput, BadModel
from trope.encoder.pruning import keep_outputs, map_outputs, output_names
from trope.encoder.session import METAPHOR, SYNTAX, TAGS, Labels
from trope.encoder.windows import MAX_PIECES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def pipeline(folder: Path) -> Pipeline:
    return Pipeline(folder=folder, threads=1)


def test_words_and_sentences_have_calibrated_probabilities(pipeline: Pipeline) -> None:
    found = pipeline.analyze("The tax crushed shops. It rains.")
    scores = {token.text: token.metaphor for token in found.tokens}
    assert scores["crushed"] == probability(LOGITS["crushed"])
    assert scores["shops"] == scores["tax"] == probability(OTHERS)
    assert found.figurative == (probability(LOGITS["crushed"]), probability(OTHERS))
    assert (found.threshold, found.sentence_threshold) == (0.6, 0.7)
    assert found.tasks == ("syntax", "relations", "metaphor")
    assert [found.is_metaphor(place) for place in range(4)] == [False, False, True, False]


def test_scores_are_the_same_alone_and_in_company(pipeline: Pipeline) -> None:
    texts = ["Rain swallowed roofs.", "So.", "The tax crushed all the small old shops in town."]
    alone = [pipeline.analyze(text) for text in texts]
    assert list(pipeline.analyze_many(texts)) == alone


@pytest.mark.parametrize("count", [MAX_PIECES + 1, 1_300])
@pytest.mark.parametrize("place", [0, 299, 300, 480])
def test_a_long_sentence_is_scored_word_by_word_and_by_its_highest_window(
    pipeline: Pipeline, count: int, place: int
) -> None:
    words = ["rain"] * count
    words[place] = "crushed"
    (parse,) = pipeline.parse([words])
    wanted = [probability(OTHERS)] * count
    wanted[place] = probability(LOGITS["crushed"])
    assert list(parse.metaphor) == wanted
    assert parse.figurative == probability(LOGITS["crushed"])
    assert len(parse.heads) == count


def test_metaphors_alone_need_no_tree(pipeline: Pipeline) -> None:
    whole = pipeline.analyze("The tax crushed shops.")
    found = pipeline.analyze("The tax crushed shops.", tasks=["metaphor"], words="all")
    assert [t.metaphor for t in found.tokens] == [t.metaphor for t in whole.tokens]
    assert [(t.upos, t.lemma) for t in found.tokens] == [(t.upos, t.lemma) for t in whole.tokens]
    assert {(t.head, t.deprel) for t in found.tokens} == {(-1, "")}
    assert found.figurative == whole.figurative
    assert found.relations == ()


def test_syntax_alone_has_no_scores(pipeline: Pipeline) -> None:
    found = pipeline.analyze("The tax crushed shops.", tasks=["syntax"])
    assert {token.metaphor for token in found.tokens} == {None}
    assert found.figurative == ()
    assert found.relations == ()
    assert sum(token.head == -1 for token in found.tokens) == 1


def test_heads_that_are_not_asked_for_are_not_in_the_network(pipeline: Pipeline) -> None:
    for tasks, outputs in (
        (["metaphor"], {*TAGS, *METAPHOR}),
        (["syntax"], {*SYNTAX}),
        (None, {*SYNTAX, *METAPHOR}),
    ):
        pipeline.analyze("Rain.", tasks=tasks)
        session = pipeline.encoder._session(tuple(outputs))
        assert {output.name for output in session.get_outputs()} == outputs


def test_pruning_takes_out_what_leads_nowhere_else(folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = (folder / "encoder.onnx").read_bytes()
    assert output_names(model) == [*SYNTAX, *METAPHOR]
    assert keep_outputs(model, [*SYNTAX, *METAPHOR]) == model
    part = onnx.load_from_string(keep_outputs(model, ["metaphor"]))
    assert [output.name for output in part.graph.output] == ["metaphor"]
    operators = {node.op_type for node in part.graph.node}
    assert operators == {"Gather", "MatMul", "Slice", "Squeeze"}
    assert len(part.graph.initializer) == len(onnx.load_from_string(model).graph.initializer)


def test_weights_stay_in_the_file_and_are_found_there(folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = folder / "encoder.onnx"
    part = map_outputs(path, METAPHOR)
    assert len(part) < 10_000 < path.stat().st_size
    mapped = onnx.load_from_string(part)
    onnx.external_data_helper.load_external_data_for_model(mapped, str(folder))
    copied = onnx.load_from_string(keep_outputs(path.read_bytes(), METAPHOR))
    assert mapped.graph.node == copied.graph.node
    for ours, whole in zip(mapped.graph.initializer, copied.graph.initializer, strict=True):
        assert (ours.name, ours.dims, ours.raw_data) == (whole.name, whole.dims, whole.raw_data)


def test_a_model_may_lie_elsewhere_behind_a_link(pipeline: Pipeline, folder: Path, tmp_path: Path):
    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    text = "The tax crushed shops."
    assert Pipeline(folder=tmp_path, threads=1).analyze(text) == pipeline.analyze(text)


@pytest.mark.parametrize("cut", [1, 7, 100, 5_000])
def test_a_file_that_ends_early_is_no_model(folder: Path, cut: int, tmp_path: Path) -> None:
    broken = write_model(tmp_path)
    path = broken / "encoder.onnx"
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(BadModel, match=r"encoder\.onnx"):
        Pipeline(folder=broken).analyze("Rain.", tasks=["metaphor"])


def test_a_model_without_the_head_works_and_says_so_when_asked(tmp_path: Path) -> None:
    labels = msgspec.structs.replace(LABELS, metaphor=None)
    pipeline = Pipeline(folder=write_model(tmp_path, labels, heads=False))
    assert pipeline.tasks == ("syntax", "relations")
    found = pipeline.analyze("The tax crushed shops.")
    assert found.tasks == ("syntax", "relations")
    assert {token.metaphor for token in found.tokens} == {None}
    with pytest.raises(BadInput, match="no head for 'metaphor'; choose from syntax, relations"):
        pipeline.analyze("Rain.", tasks=["metaphor"])


def test_labels_that_promise_a_head_that_is_not_there_are_told(tmp_path: Path) -> None:
    pipeline = Pipeline(folder=write_model(tmp_path, LABELS, heads=False))
    with pytest.raises(BadModel, match="no output figurative, metaphor"):
        pipeline.analyze("Rain.")
    with pytest.raises(BadModel, match="no output figurative, metaphor"):
        pipeline.analyze("Rain.", tasks=["metaphor"])


def test_thresholds_are_probabilities(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    text = (folder / "labels.json").read_text().replace("0.6", "1.6")
    (folder / "labels.json").write_text(text)
    with pytest.raises(BadModel, match=r"labels\.json.*a threshold is a probability.*metaphor"):
        Pipeline(folder=folder)


def test_labels_without_the_head_are_written_without_it() -> None:
    written = msgspec.json.encode(msgspec.structs.replace(LABELS, metaphor=None))
    assert b"metaphor" not in written
    assert msgspec.json.decode(written, type=Labels).metaphor is None
