"""Multiple-choice models on toys: prepared, fitted, gone on with, read back."""

import json
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import hub_folder  # noqa: E402
from analogies import an_item, write_data  # noqa: E402
from conftest import REPOSITORY  # noqa: E402
from trope.cli.main import run  # noqa: E402
from trope.core.errors import BadInput, BadModel, MissingData  # noqa: E402
from trope.core.files import sha256  # noqa: E402
from trope.corpora.mean import read_mean, spoken  # noqa: E402
from trope.evaluate.analogy_predictions import read_analogy_predictions  # noqa: E402
from trope.tasks.analogy.similarity import meaning_of_folder  # noqa: E402
from trope.tasks.analogy.templates import read_templates  # noqa: E402
from trope.tasks.analogy.zero_shot import by_likelihood  # noqa: E402
from trope.train.analogy import fit as analogy_fit  # noqa: E402
from trope.train.analogy import prepared as prepared_analogies  # noqa: E402
from trope.train.analogy.fit import fit_all  # noqa: E402
from trope.train.analogy.preparation import LeakGuard, prepare  # noqa: E402
from trope.train.analogy.prepared import (  # noqa: E402
    AnalogySettings,
    choose,
    read_prepared,
    share_of_gold,
)

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def toys(tmp_path, monkeypatch):
    """A folder with data, a model and a preparation so small that all is fitted in seconds."""
    hub_folder.write_encoder(tmp_path / "model")
    write_data(tmp_path / "data")
    prepare(tmp_path / "data", tmp_path / "prepared", seeds=(0,))
    path = tmp_path / "prepared" / "prepared.json"
    content = json.loads(path.read_text())
    for key in ("texts", "repaired", "auxiliary"):
        content[key]["templates"] = {"t1": content[key]["templates"]["t1"]}
    content["folds"] = {kind: {"0": seeds["0"][:2]} for kind, seeds in content["folds"].items()}
    content["draws"] = content["draws"][:1]
    content["draws"][0] = {"train": [0], "validation": [0]}
    path.write_text(json.dumps(content))
    quick = AnalogySettings("mean", 1e-3, 1e-2, epochs=1, batch=8)
    for module in (analogy_fit, prepared_analogies):
        monkeypatch.setattr(module, "CANDIDATES", {"quick": quick})
        monkeypatch.setattr(module, "FIRST_STAGE", quick)
        monkeypatch.setattr(module, "PAPER", quick)
    return tmp_path


def fit(toys, **options):
    said = []
    done = fit_all(
        toys / "prepared", toys / "model", toys / "out", device="cpu", say=said.append, **options
    )
    return done, said


def rows(toys):
    lines = (toys / "out" / "predictions.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def test_prepared_items_share_nothing_with_the_tested_ones(toys):
    content = read_prepared(toys / "prepared").content
    tested = read_mean(toys / "data/mean/MEAN_datasetV1.csv")
    choices = {choice for item in tested for choice in item.choices}
    texts = [end for item in content["auxiliary"]["templates"]["t1"] for _, end in item]
    assert texts
    assert not [end for end in texts if any(f"' {spoken(choice)} '" in end for choice in choices)]


def test_the_guard_knows_narrower_metaphors_and_other_spellings():
    guard = LeakGuard([an_item("possessor", "soil", "baker", "moon")])
    assert guard.knows_metaphor("SEED", "IDEA")
    assert guard.knows_metaphor("NEW_IDEAS", "A_SEED")
    assert not guard.knows_metaphor("IDEA", "FIRE")
    assert guard.knows_choice("posessors")
    assert guard.knows_choice("Moon"), "a wrong choice is known as well"
    assert not guard.knows_choice("sparrow")


def test_everything_is_fitted_once_and_read_back(toys):
    done, _ = fit(toys)
    assert done
    found = {row["job"]: row for row in rows(toys)}
    assert {"choose/t1/quick/0", "first/t1/all", "two_stages/t1/grouped/0/1"} <= set(found)
    assert len(found) == 1 + 1 + 3 * 4
    assert all(len(row["scores"]) == len(row["items"]) for row in found.values())
    assert found["choose/t1/quick/0"]["repaired"] == []
    assert len(found["first/t1/all"]["repaired"]) == 24
    again, _ = fit(toys)
    assert again
    assert len(rows(toys)) == len(found)
    mean = toys / "data/mean/MEAN_datasetV1.csv"
    read = read_analogy_predictions(toys / "out", list(read_mean(mean)), sha256(mean))
    assert read.first["t1"].shape == (24, 4)


def test_a_run_whose_time_is_up_goes_on_to_the_same_end(toys):
    fit(toys)
    whole = {row["job"]: row["scores"] for row in rows(toys)}
    path = toys / "out" / "predictions.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:5]) + "\n" + lines[5][:20])  # killed while it wrote
    done, _ = fit(toys, seconds=0)
    assert not done
    done, _ = fit(toys)
    assert done
    assert {row["job"]: row["scores"] for row in rows(toys)} == whole


def test_predictions_of_other_items_are_not_mixed(toys):
    fit(toys, seconds=0)
    path = toys / "prepared" / "prepared.json"
    path.write_text(path.read_text() + " ")
    with pytest.raises(BadInput, match="is of other items or another model"):
        fit(toys)


def test_choices_stand_in_the_order_of_the_columns(toys):
    """A model that knows the right texts gives the first column the best score."""
    from trope.train.analogy.loop import ChoiceTrainer

    prepared = read_prepared(toys / "prepared")
    trainer = ChoiceTrainer(prepared, toys / "model", toys, "cpu")
    texts = trainer._mean["t1"]
    order = torch.tensor(prepared.content["texts"]["order"])
    assert bool((order.gather(1, texts.gold[:, None]) == 0).all())
    assert bool((order.gather(1, texts.places) == torch.arange(4)).all())
    assert int(texts.types.max()) == 1  # the end has a token type of its own


def test_ties_are_no_victory():
    assert share_of_gold([1, 1, 0, 0]) == 0.5
    rows = [{"job": "choose/t1/paper/0", "scores": [[0, 0, 0, 0]]}]
    rows += [{"job": "choose/t1/mean-2e-5/0", "scores": [[2, 1, 1, 1]]}]
    assert choose(rows) == ("mean-2e-5", {"paper": 0.25, "mean-2e-5": 1.0})


def test_a_missing_preparation_names_the_command(tmp_path):
    with pytest.raises(MissingData, match="trope train analogy --prepare"):
        read_prepared(tmp_path)


def test_the_command_prepares(tmp_path, capsys):
    write_data(tmp_path / "data")
    command = ["train", "analogy", "--from", str(tmp_path / "data"), "--out", str(tmp_path / "o")]
    with pytest.raises(SystemExit) as leave:
        run([*command, "--prepare"])
    assert leave.value.code == 0
    assert (tmp_path / "o/prepared/prepared.json").is_file()
    with pytest.raises(SystemExit) as leave:
        run(command)
    assert leave.value.code == 2
    assert "no encoder is named" in capsys.readouterr().err


def test_an_encoder_without_a_pooler_is_named(toys):
    from trope.tasks.analogy.choice_model import ChoiceModel

    model = ChoiceModel(toys / "model")
    with pytest.raises(BadModel, match="has no pooler"):
        model._pooled(object(), torch.ones(1), "pooler")


def test_a_model_without_a_head_for_words_is_named(toys):
    with pytest.raises(BadModel, match="names no head for words"):
        by_likelihood([an_item()], read_templates()["t1"], toys / "model")


def test_a_language_model_finds_sentences_likely(tmp_path):
    import transformers

    folder = hub_folder.write_encoder(tmp_path / "lm")
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    scores = by_likelihood([an_item()], read_templates()["t1"], folder)
    assert scores.shape == (1, 4)
    assert (scores < 0).all()


def test_vectors_of_an_encoder_tell_texts_apart(toys):
    meaning = meaning_of_folder(toys / "model")
    table = meaning(["the town", "a river", "old ice"])
    assert table.shape[0] == 3


def test_fitting_needs_nothing_but_torch_and_transformers():
    code = (
        "import sys\n"
        "for name in ('msgspec', 'spacy', 'rich', 'click', 'onnxruntime'):\n"
        "    sys.modules[name] = None\n"
        "import trope.train.analogy.fit, trope.train.analogy.loop\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def command(*arguments):
    """The exit status of a command."""
    with pytest.raises(SystemExit) as leave:
        run([str(argument) for argument in arguments])
    return leave.value.code


def test_a_model_of_ones_own_items_is_kept_and_answers_others(toys, capsys, monkeypatch):
    quick = AnalogySettings("mean", 5e-3, 1e-2, epochs=2, batch=8)
    monkeypatch.setattr("trope.train.analogy.preparation.OWN", quick)
    items, system = toys / "data/mean/MEAN_datasetV1.csv", toys / "system"
    options = ("--model", toys / "model", "--device", "cpu", "--out", system)
    assert command("train", "analogy", "--on", items, *options) == 0
    assert "a fine-tuned system for analogy trained on" in capsys.readouterr().err
    assert json.loads((system / "trope.json").read_text())["task"] == "analogy"
    table = toys / "mine.csv"
    table.write_text("MetSource,MetTarget,SourceRole,A,B\nTIME,RIVER,hour,wave,fork\n")
    assert command("analogy", "answer", table, "--system", system, "--json") == 0
    (answer,) = json.loads(capsys.readouterr().out)["items"]
    assert answer["answer"] in ("wave", "fork")
    assert "right" not in answer  # the table does not tell
    assert command("evaluate", "analogy", "--on", items, "--system", system, "--json") == 0
    printed = capsys.readouterr()
    figures = {figure["name"]: figure for figure in json.loads(printed.out)["figures"]}
    seen = len(json.loads((system / "seen.json").read_text()))
    assert figures["analogy.own.system.accuracy"]["n"] == 24 - seen
    assert figures["analogy.own.chance.accuracy"]["value"] == 0.25
    assert command("analyze", "--system", system, "A day.") == 2
    assert "is a system for analogy; give it to trope analogy" in capsys.readouterr().err
    (system / "head.safetensors").write_bytes(b"nothing")
    assert command("analogy", "answer", table, "--system", system) == 2
    assert "system: cannot be read" in capsys.readouterr().err
