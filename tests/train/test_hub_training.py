"""Fine-tuning on toys: what is learnt, going on, what is saved, what a bare machine needs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import hub_folder  # noqa: E402
from conftest import REPOSITORY  # noqa: E402
from newsmet_run import write_run  # noqa: E402
from trope.catalog import DETECTORS  # noqa: E402
from trope.cli.main import main  # noqa: E402
from trope.core.errors import BadConfig, BadInput, BadModel, MissingData, UnknownName  # noqa: E402
from trope.release.newsmet_gold import read_newsmet_gold  # noqa: E402
from trope.tasks.hub_folder import EncodedText, model_path, text_pieces  # noqa: E402
from trope.tasks.metaphor.hub_model import answer_logits, new_detector  # noqa: E402
from trope.train.hub import fit as hub_fit  # noqa: E402
from trope.train.hub import loop as hub_loop  # noqa: E402
from trope.train.hub.fit import fit_all, read_prepared  # noqa: E402
from trope.train.hub.fit import main as fit_main  # noqa: E402
from trope.train.hub.loop import FitContext, HubSettings, fit, read_preset  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = """
level = "{level}"
model = "toy"
epochs = {epochs}
rate = 5e-3
dropout = 0.3
batch = 4
max_length = 24
clip = 1.0
seed = 42
best_by = "{best_by}"
"""


@pytest.fixture
def toys(tmp_path):
    hub_folder.write_encoder(tmp_path / "model")
    hub_folder.write_corpora(tmp_path / "data")
    (tmp_path / "sentences.toml").write_text(
        SETTINGS.format(level="sentences", epochs=3, best_by="accuracy")
    )
    (tmp_path / "words.toml").write_text(SETTINGS.format(level="words", epochs=3, best_by="f1"))
    return tmp_path


def train(folder: Path, *options: str, config: str = "sentences", out: str = "out") -> str:
    command = ["train", "metaphor", "--from", str(folder / "data"), "--out", str(folder / out)]
    command += ["--config", str(folder / f"{config}.toml"), "--device", "cpu", *options]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout == ""
    return result.stderr


def model(folder: Path) -> tuple[str, str]:
    return "--model", str(folder / "model")


def test_presets_are_those_of_the_paper():
    newsmet = read_preset("newsmet")
    assert (newsmet.epochs, newsmet.rate, newsmet.dropout, newsmet.batch) == (7, 2e-5, 0.3, 16)
    assert (newsmet.max_length, newsmet.clip, newsmet.seed) == (80, 1.0, 42)
    assert (newsmet.best_by, newsmet.warm_up, newsmet.level) == ("accuracy", 0.0, "sentences")
    assert read_preset("words").level == "words"
    with pytest.raises(UnknownName, match="no preset is called 'newsmt'"):
        read_preset("newsmt")


def test_head_has_its_dropout_and_the_encoder_keeps_its_own(toys):
    network = new_detector(model_path(toys / "model"), "sentences", dropout=0.3)
    assert network.dropout.p == 0.3
    assert network.bert.embeddings.dropout.p == 0.1


def test_rate_falls_in_a_straight_line_after_the_rise():
    assert [hub_loop._slope(step, 4, 0.0) for step in range(4)] == [1, 0.75, 0.5, 0.25]
    assert [hub_loop._slope(step, 8, 0.25) for step in (0, 1, 2)] == [0.5, 1.0, 1.0]


def test_an_encoder_learns_what_is_in_front_of_it(toys):
    from trope.tasks.hub_folder import load_tokenizer
    from trope.tasks.metaphor.hub_model import probabilities

    folder = model_path(toys / "model")
    tokenizer = load_tokenizer(folder, "sentences")
    texts, labels = ["the frost bites the town", "we grasp the rope"] * 8, [1, 0] * 8
    items = text_pieces(tokenizer, texts, labels, 24)
    settings = HubSettings("sentences", "toy", 8, 1e-2, 0.0, 4, 24, 1.0, 0, "accuracy")
    best = []
    torch.manual_seed(0)
    network = new_detector(folder, "sentences")
    fitted = fit(
        network, items, items, settings, pad=0, seed=0,
        place=FitContext("cpu", None, lambda line: None),
        on_best=lambda m, e: best.append(e.number),
    )  # fmt: skip
    assert fitted.score == 1
    assert best[-1] == fitted.best
    yes, no = probabilities(network, items[:2], 0)
    assert yes[0] > 0.5 > no[0]


def test_loss_of_words_is_over_the_mean_of_their_pieces(toys):
    network = new_detector(model_path(toys / "model"), "words").eval()
    batch = [
        EncodedText((2, 5, 6, 3), (-1, 0, 0, -1), (1,)),
        EncodedText((2, 7, 3), (-1, 0, -1), (0,)),
    ]
    logits, right = answer_logits(network, batch, 0)
    pieces = network(input_ids=torch.tensor([[2, 5, 6, 3]])).logits[0]
    assert torch.allclose(logits[0], pieces[1:3].mean(0), atol=1e-5)
    assert right.tolist() == [1, 0]


def test_a_folder_that_detects_comes_out(toys):
    said = train(toys, *model(toys), "--on", "newsmet,lcc")
    assert "epoch 3 of 3" in said
    out = toys / "out"
    names = {path.name for path in out.iterdir()}
    assert {"model.safetensors", "config.json", "tokenizer.json", "trope.json"} <= names
    card = (out / "README.md").read_text()
    assert "newsmet/train_goldplus.csv" in card
    assert "lcc/dev.csv" in card
    log = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [epoch["number"] for epoch in log] == [1, 2, 3]
    notes = json.loads((out / "trope.json").read_text())
    assert notes["chosen_on"] == "newsmet+lcc validation"
    detector = DETECTORS.load("transformers")(model=out)
    assert detector.threshold == notes["threshold"]
    assert len(detector.score_texts(["Frost bites the town"])) == 1
    weights = (out / "model.safetensors").read_bytes()
    assert "epoch" not in train(toys, *model(toys), "--on", "newsmet,lcc").replace(
        "going on after epoch 3", ""
    )
    assert (out / "model.safetensors").read_bytes() == weights


def test_words_are_trained_on_vua(toys):
    train(toys, *model(toys), config="words")
    detector = DETECTORS.load("transformers")(model=toys / "out")
    assert detector.notes.level == "words"
    assert detector.notes.chosen_on == "vua18 validation"
    with pytest.raises(UnknownName, match="no set of labelled words is called 'lcc'"):
        train(toys, *model(toys), "--on", "lcc", config="words", out="other")


def test_an_interrupted_run_ends_with_the_same_weights(toys, monkeypatch):
    train(toys, *model(toys), out="whole")
    calls = []

    def stop(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("the power went")
        return real(*arguments)

    real = hub_loop._epoch
    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(hub_loop, "_epoch", stop)
        train(toys, *model(toys), out="broken")
    assert not (toys / "broken" / "README.md").exists()
    assert "going on after epoch 2" in train(toys, *model(toys), out="broken")
    whole, broken = (toys / name / "model.safetensors" for name in ("whole", "broken"))
    assert whole.read_bytes() == broken.read_bytes()
    with pytest.raises(BadInput, match="holds a run with other settings or data"):
        train(toys, *model(toys), "--seed", "9", out="broken")


def test_what_cannot_be_held_out_is_said(toys):
    (toys / "data" / "newsmet" / "test_set_1.csv").unlink()
    said = train(toys, *model(toys), "--on", "lcc")
    assert "NewsMet test_1 is not held out of training" in said
    assert "NewsMet test_2 is not" not in said


def test_faults_of_the_request_are_named(toys):
    with pytest.raises(BadInput, match="no encoder is named"):
        train(toys)
    with pytest.raises(BadInput, match="--prepare-only belongs to --silver"):
        train(toys, "--prepare-only")
    with pytest.raises(BadInput, match="trofi is not among the research data"):
        train(toys, *model(toys), "--on", "trofi")
    with pytest.raises(UnknownName, match="'news'"):
        train(toys, *model(toys), "--on", "news")
    with pytest.raises(BadInput, match="are not numbers"):
        train(toys, *model(toys), "--silver", "--seeds", "4,x")
    with pytest.raises(BadInput, match="a seed twice"):
        train(toys, *model(toys), "--silver", "--seeds", "4,4")
    with pytest.raises(BadInput, match="judges sentences"):
        train(toys, *model(toys), "--silver", config="words")
    (toys / "model" / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(BadModel, match=r"pytorch_model\.bin: may be a pickle"):
        train(toys, *model(toys))
    with pytest.raises(BadModel, match=r"pytorch_model\.bin: may be a pickle"):
        train(toys, *model(toys), "--silver", out="silver")
    assert not (toys / "silver").exists()
    (toys / "sentences.toml").write_text('level = "verse"\nmodel = "toy"\nepoch = 3\n')
    with pytest.raises(BadConfig, match=r"unknown key 'epoch'.*missing key 'epochs'"):
        train(toys, *model(toys))


def test_a_base_whose_body_does_not_fit_is_refused(toys):
    from safetensors.torch import load_file, save_file

    path = toys / "model" / "model.safetensors"
    weights = load_file(path)
    weights["embeddings.word_embeddings.weight"] = torch.zeros(4, 16)
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(BadModel, match=r"model\.safetensors: bert\.embeddings\.word_embeddings"):
        train(toys, *model(toys))


# the series of NewsMet ------------------------------------------------------------------------


def test_series_is_prepared_fitted_and_passed_over_when_done(toys):
    said = train(toys, *model(toys), "--silver", "--seeds", "1,2")
    assert "(paper: 52k / 10k)" in said
    assert "missing: grothe" in said
    assert "literal stand-in for WikiQA" in said
    out = toys / "out" / "predictions"
    files = sorted(path.name for path in out.glob("*-*.json"))
    assert len(files) == 8
    told = json.loads((out / "d_imbal-1.json").read_text())
    assert {name: len(values) for name, values in told["predictions"].items()} == {
        "test_1": 2, "test_2": 2, "newsmet_val": 8, "newsmet_test": 8}  # fmt: skip
    assert not list(out.rglob("*.safetensors"))
    assert train(toys, *model(toys), "--silver", "--seeds", "1,2").count("predicted already") == 8


def test_trainings_side_by_side_say_which_failed():
    commands = {
        name: [sys.executable, "-c", f"raise SystemExit({status})"]
        for name, status in (("good", 0), ("bad", 3), ("fine", 0))
    }
    assert hub_fit._run_side_by_side(commands, 2) == ["bad"]


def test_a_run_side_by_side_predicts_what_one_after_the_other_does(toys):
    train(toys, "--silver", "--prepare-only", "--seeds", "1")
    folder = toys / "out" / "prepared"
    one, two = toys / "one", toys / "two"
    fit_all(folder, toys / "model", one, device="cpu", jobs=1, say=print)
    predicted = sorted(path.name for path in one.glob("*-1.json"))
    assert len(predicted) == 4
    two.mkdir()
    for name in predicted[2:]:  # what is there is not trained again
        shutil.copy(one / name, two / name)
    fit_all(folder, toys / "model", two, device="cpu", jobs=2, say=print)
    for name in predicted:
        first, second = (json.loads((place / name).read_text()) for place in (one, two))
        assert first["predictions"] == second["predictions"]


def test_no_run_trains_on_what_it_is_tested_on(toys):
    train(toys, "--silver", "--prepare-only")
    folder = toys / "out" / "prepared"
    prepared = read_prepared(folder)
    tests = {text for texts in prepared.tests.values() for text in texts}
    for name, run in prepared.runs.items():
        trained = {prepared.texts[at] for at in run["train"]}
        assert not trained & tests
        assert not trained & {prepared.texts[at] for at in run["validation"]}, name
    assert "label" not in (folder / "tests.jsonl").read_text()
    assert len(prepared.jobs()) == 12


def test_series_is_trained_on_further_tables_too(toys):
    table = toys / "my texts.csv"
    rows = ["Satz;Urteil", "The rumour grew legs overnight.;fig", "The shop sells lamps.;plain"]
    table.write_text("\n".join([*rows, ""]))
    columns = ("--column", "Satz", "--label", "Urteil", "--positive", "fig")
    train(toys, "--silver", "--prepare-only", "--seeds", "1", "--on", str(table), *columns)
    prepared = read_prepared(toys / "out" / "prepared")
    imbalanced = prepared.runs["d_imbal"]
    used = {prepared.texts[at] for at in (*imbalanced["train"], *imbalanced["validation"])}
    assert {"The rumour grew legs overnight.", "The shop sells lamps."} <= used
    summary = json.loads((toys / "out/prepared/summary.json").read_text())
    assert table.name in json.dumps(summary)


def test_a_further_table_that_is_not_there_is_named(toys):
    with pytest.raises(MissingData, match=r"none\.csv"):
        train(toys, "--silver", "--prepare-only", "--on", str(toys / "none.csv"))
    assert not (toys / "out").exists()


def test_series_is_retrained_on_the_gold_of_a_run(toys):
    run = write_run(toys / "run")
    said = train(toys, *model(toys), "--silver", "--seeds", "1", "--gold", str(run))
    assert "gold and gold+ are a simulated crowd's" in said
    prepared = read_prepared(toys / "out" / "prepared")
    both = ["d_imbal_gold_plus_all_six_simulated", "d_imbal_gold_plus_accepted_only_simulated"]
    assert list(prepared.runs) == ["d_imbal", *both]
    own = read_newsmet_gold(run)
    tested = {h.text for h in own.read("test")}
    assert set(prepared.tests["simulated_test"]) == tested
    for name, reading in zip(both, ("all_six", "accepted_only"), strict=True):
        learnt = {prepared.texts[at] for at in prepared.runs[name]["train"]}
        assert {h.text for h in own.read("train", reading)} <= learnt
        validated = {prepared.texts[at] for at in prepared.runs[name]["validation"]}
        assert validated == {h.text for h in own.read("validation", reading)}
        assert not tested & (learnt | validated)
    told = json.loads((toys / "out" / "predictions" / f"{both[0]}-1.json").read_text())
    assert len(told["predictions"]["simulated_test"]) == len(own.read("test"))


def test_gold_of_a_run_needs_the_series_and_a_run(toys):
    with pytest.raises(BadInput, match="--gold belongs to --silver"):
        train(toys, *model(toys), "--gold", str(toys))
    with pytest.raises(MissingData, match="give the folder of a run"):
        train(toys, *model(toys), "--silver", "--gold", str(toys))
    assert not (toys / "out").exists()


def test_a_prepared_folder_that_was_changed_is_refused(toys, capsys):
    train(toys, "--silver", "--prepare-only")
    folder = toys / "out" / "prepared"
    arguments = [str(folder), str(toys / "model"), str(toys / "p"), "--device", "cpu"]
    assert fit_main([*arguments, "--only", "d_imbal:7"]) == 2
    assert "no training is called 'd_imbal:7'; known: d_imbal:42" in capsys.readouterr().err
    (folder / "items.jsonl").write_text("")
    assert fit_main(arguments) == 2
    assert "items.jsonl: is not the file that was prepared" in capsys.readouterr().err
    with pytest.raises(MissingData, match=r"prepared\.json: not found"):
        fit_all(toys, toys / "model", toys / "p", device="cpu", jobs=1, say=print)
    (toys / "prepared.json").write_text('{"format": 0}')
    with pytest.raises(BadInput, match="has the format 0"):
        read_prepared(toys)


def test_fitting_needs_torch_and_transformers_alone(toys):
    train(toys, "--silver", "--prepare-only", "--seeds", "1")
    absent = ("msgspec", "spacy", "click", "rich", "onnxruntime", "sklearn", "scipy")
    code = (
        f"import sys\nfor name in {absent}: sys.modules[name] = None\n"
        "from trope.train.hub.fit import main\nsys.exit(main(sys.argv[1:]))"
    )
    places = [str(toys / name) for name in ("out/prepared", "model", "bare")]
    command = [sys.executable, "-c", code, *places, "--device", "cpu", "--only", "d_bal:1"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert (toys / "bare" / "d_bal-1.json").is_file()
