"""`trope evaluate metonymy` on small files with a parser that goes by rule, and on the task's."""

import json

import pytest

from builders import FakePipeline
from metaphor_model import ALL_LABELS, write_model
from small_tasks import write_semeval2007
from trope.cli.main import run


@pytest.fixture
def data(tmp_path):
    write_semeval2007(tmp_path)
    return tmp_path


def evaluate(capsys, data, *options):
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metonymy", "--from", str(data), "--json", *options])
    shown = capsys.readouterr()
    assert leave.value.code == 0, shown.err
    said = json.loads(shown.out)
    assert said["task"] == "metonymy"
    return {f["name"].removeprefix("metonymy.semeval2007."): f for f in said["figures"]}


def test_figures_of_baselines_and_roles(data, capsys, monkeypatch):
    pytest.importorskip("sklearn", reason="pip install 'trope[systems]'")
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    found = evaluate(capsys, data, "--part", "baselines,roles")
    assert found["location.coarse.majority.accuracy"]["value"] == 0.5
    assert found["organisation.coarse.majority.accuracy"]["value"] == 0.5
    assert found["location.fine.roles.accuracy"]["value"] == 1
    assert found["location.fine.roles.f.place-for-people"]["n"] == 6
    assert found["organisation.coarse.roles.accuracy"]["value"] == 1
    assert "organisation.fine.roles.accuracy" not in found  # its test labels are not known
    cross = found["organisation.fine.roles.cv_accuracy"]
    assert cross["value"] == 1
    assert "3 seeds" in cross["note"]
    assert found["location.fine.roles.f.place-for-event"]["value"] is None
    assert found["location.coarse.manual_roles.accuracy"]["value"] is not None
    assert "cross-validation" in found["location.coarse.roles.accuracy"]["chosen_on"]


def test_tables_need_no_model(data, capsys, monkeypatch):
    monkeypatch.delattr("trope.pipeline.Pipeline")
    found = evaluate(capsys, data, "--part", "tables")
    assert found["location.count.train.place-for-people"]["value"] == 6
    assert found["location.count.train.total"]["value"] == 12
    assert found["organisation.count.test.organisation-for-members"]["value"] == 161
    assert found["table_3.equal_cells"]["value"] == 1
    assert found["table_1.equal_cells"]["value"] < 1


def test_missing_files_are_named(tmp_path, capsys):
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metonymy", "--from", str(tmp_path), "--part", "tables"])
    assert leave.value.code == 2
    assert "SemEval.train.xml: not found" in capsys.readouterr().err


@pytest.mark.shared
def test_the_tables_of_the_paper_come_out(shared, capsys):
    found = evaluate(capsys, shared / "data", "--part", "tables")
    for table in "1234":
        assert found[f"table_{table}.equal_cells"]["value"] == 1
    assert found["table_5.equal_cells"]["note"].count("printed") == 2


def test_the_encoder_has_the_plain_names(data, tmp_path, capsys):
    model = write_model(tmp_path / "model", ALL_LABELS)
    found = evaluate(capsys, data, "--part", "encoder", "--model", str(model))
    # by hand: Peru itself is mixed, hidden it is an event, and nothing looks at the sentence
    assert found["location.fine.accuracy"]["value"] == 0
    assert found["location.coarse.accuracy"]["value"] == 0.5
    assert found["location.coarse.f.non-literal"]["value"] == pytest.approx(2 / 3)
    assert found["location.fine.f.place-for-people"]["n"] == 6
    assert found["organisation.coarse.accuracy"]["value"] == 0.5
    assert "organisation.fine.accuracy" not in found  # its test labels are not known
    assert "both" not in found["location.fine.encoder_masked.accuracy"]["note"]
    assert {"location.medium.encoder_plain.accuracy", "location.medium.accuracy"} <= set(found)


def test_a_model_without_the_head_leaves_the_part_out(data, capsys, monkeypatch):
    from trope.evaluate.metonymy import PARTS

    few = {name: PARTS[name] for name in ("encoder", "tables")}
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    monkeypatch.setattr("trope.evaluate.metonymy.PARTS", few)
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "metonymy", "--from", str(data), "--json"])
    shown = capsys.readouterr()
    assert leave.value.code == 0
    assert "location.count.train.literal" in shown.out
    assert shown.err == "trope: part encoder is skipped: this model has no head for metonymy\n"
