"""`trope evaluate metaphor --part baselines` on small files and with a parser that goes by rule."""

import json

import numpy as np
import pytest

import hub_folder
from builders import FakePipeline
from trope.cli.main import run
from trope.evaluate import metaphor_baselines

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)

HEADER = "txt_id,sen_ix,sentence,label_seq,pos_seq,labeled_sentence,genre\n"
YES, NO = ("idea", "theory", "notion"), ("hammer", "axe", "rope")


def sentences(split: str) -> str:
    rows = []
    for number, noun in enumerate(YES + NO):
        label = int(noun in YES)
        mark = "M_" * label
        rows.append(
            f"{split},{number},we grasp {noun},\"[0, {label}, 0]\",\"['PRON', 'VERB', 'NOUN']\","
            f"we {mark}grasp {noun},news\n"
        )
    return HEADER + "".join(rows)


@pytest.fixture
def data(tmp_path):
    for folder in ("vua18", "tsv", "vectors"):
        (tmp_path / folder).mkdir()
    for split in ("train", "val", "test"):
        (tmp_path / "vua18" / f"VUA_seq_formatted_{split}.csv").write_text(sentences(split))
    (tmp_path / "tsv" / "svo_mets.txt").write_text("we grasp belief\n*person grasp *none\n")
    (tmp_path / "tsv" / "svo_nonmets.txt").write_text("we grasp spade\n")
    words = ["grasp", "sow", "confusion", *YES, "belief", *NO, "spade"]
    vectors = [[0.2, 0.2], [1, 0], [1, 0], *[[1, 0.1]] * 4, *[[0, 1]] * 4]
    np.savez(
        tmp_path / "vectors" / "glove.6B.100d.top60k.int8.npz",
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        vectors=np.array(vectors),
    )
    return tmp_path


def test_figures_of_both_detectors_with_their_controls(data, capsys, monkeypatch):
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    with pytest.raises(SystemExit) as leave:
        run(
            ["evaluate", "metaphor", "--part", "baselines,labellers", "--from", str(data), "--json"]
        )
    assert leave.value.code == 0
    said = json.loads(capsys.readouterr().out)
    figures = {figure["name"].removeprefix("metaphor."): figure for figure in said["figures"]}
    assert figures["vua18.verb_object.seed_similarity_glove.f1"]["value"] == 1
    assert figures["vua18.verb_object.seed_similarity_glove.share"]["value"] == 0.5
    assert figures["vua18.verb_object.logistic.f1"]["value"] == 1
    assert figures["vua18.verb_object.constant.f1"]["value"] == pytest.approx(2 / 3)
    assert figures["vua18.verb_object.constant_literal.f1"]["value"] == 0
    assert figures["tsv.svo.seed_neighbours.recall"]["value"] == 0.5
    assert figures["tsv.svo.seed_abstractness.recall"]["value"] == 0.5
    assert figures["tsv.svo.encoder.share"]["n"] == 3
    assert figures["tsv.svo.seed_similarity_glove.recall"]["value"] == 0.5
    assert (
        figures["tsv.svo.seed_similarity_glove.f1"]["note"] == "1 without a score count as literal"
    )
    assert figures["vua18.words.logistic.f1"]["value"] == 1
    assert figures["vua18.words.logistic.f1"]["chosen_on"] == "vua18 val"


@pytest.mark.parametrize("part", ["labellers", ""])
def test_seed_contexts_is_measured_with_an_encoder_for_this_part(
    data, tmp_path, capsys, monkeypatch, part
):
    pytest.importorskip("transformers", reason="transformers is not installed")
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    monkeypatch.setattr(
        "trope.evaluate.metaphor.PARTS", {"labellers": metaphor_baselines.evaluate_labellers}
    )
    model = hub_folder.write_encoder(tmp_path / "plain")
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metaphor", "--from", str(data), "--json", "--system", str(model)]
            + ["--part", part] * bool(part))  # fmt: skip
    assert leave.value.code == 0
    figures = {row["name"]: row for row in json.loads(capsys.readouterr().out)["figures"]}
    if not part:  # a system that another part measures has learnt metaphors
        assert not [name for name in figures if "contexts" in name]
        return
    found = figures["metaphor.vua18.verb_object.seed_contexts.f1"]
    assert found["n"] == 6
    assert "by plain, " in found["note"]
    assert "metaphor.tsv.svo.seed_contexts.share" in figures


def test_a_model_without_such_heads_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metaphor", "--part", "words", "--from", str(tmp_path)])
    assert leave.value.code == 2
    assert "has no head for 'metaphor'" in capsys.readouterr().err


def test_missing_data_are_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trope.pipeline.Pipeline", lambda **_: FakePipeline(metaphor=True))
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metaphor", "--from", str(tmp_path)])
    assert leave.value.code == 2
    assert "VUA_seq_formatted_test.csv: not found" in capsys.readouterr().err
