"""Fine-tuning for sentiment and names: a tiny encoder learns toys and becomes a system."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[hub]')")
pytest.importorskip("transformers")

import hub_folder  # noqa: E402
from small_tasks import write_semeval2007, write_semeval2015  # noqa: E402
from trope.catalog import METONYMY_SYSTEMS, SENTIMENT_SYSTEMS  # noqa: E402
from trope.cli.main import main  # noqa: E402
from trope.core.errors import BadInput  # noqa: E402
from trope.core.records import Analysis, Parse  # noqa: E402
from trope.tasks.metonymy.task import NameInContext, decide  # noqa: E402
from trope.train.hub.loop import read_preset  # noqa: E402
from trope.train.hub.whole_texts import read_names, read_tweets  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = """
level = "{level}"
model = "toy"
epochs = {epochs}
rate = {rate}
dropout = 0.0
batch = 4
max_length = 30
clip = 1.0
seed = 42
best_by = "{best_by}"
"""


@pytest.fixture
def toys(tmp_path, monkeypatch):
    words = ("lovely", "awful", "what", "ride", "number", "peru", "<", ">", "in", "it", "things")
    monkeypatch.setattr(hub_folder, "WORDS", [*hub_folder.WORDS, *words])
    hub_folder.write_encoder(tmp_path / "model")
    write_semeval2015(tmp_path / "data")
    write_semeval2007(tmp_path / "data")
    for task, best_by, epochs, rate in (
        ("sentiment", "cosine", 15, 1e-2),
        ("metonymy", "accuracy", 25, 2e-2),
    ):
        text = SETTINGS.format(level="sentences", best_by=best_by, epochs=epochs, rate=rate)
        (tmp_path / f"{task}.toml").write_text(text)
    return tmp_path


def train(folder: Path, task: str) -> str:
    command = ["train", task, "--from", str(folder / "data"), "--out", str(folder / "out")]
    command += ["--model", str(folder / "model"), "--config", str(folder / f"{task}.toml")]
    result = CliRunner().invoke(main, [*command, "--device", "cpu"], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout == ""
    return result.stderr


def test_sentiment_is_learnt_and_read_back(toys):
    said = train(toys, "sentiment")
    assert "cosine" in said
    system = SENTIMENT_SYSTEMS.load("transformers")(model=toys / "out")
    texts = ("what a lovely ride and", "what a awful ride and")
    good, bad = system.score([Analysis(text, (), (), ()) for text in texts])
    assert good > bad + 1
    assert json.loads((toys / "out/trope.json").read_text())["task"] == "sentiment"
    assert "An encoder for sentiment" in (toys / "out/README.md").read_text()
    assert len((toys / "out/metrics.jsonl").read_text().splitlines()) == 15
    assert "going on after epoch 15" in train(toys, "sentiment")


def test_names_are_learnt_and_read_back(toys):
    train(toys, "metonymy")
    system = METONYMY_SYSTEMS.load("transformers")(model=toys / "out")

    def name(text: str, at: int) -> NameInContext:
        parse = Parse(tuple(text.split()), (), (), (), (), ())
        return NameInContext("Peru", "location", parse, at, at + 1)

    first, last = system.predict([name("Peru denied it", 0), name("they denied things in Peru", 4)])
    assert decide(first, "location", "fine") == "place-for-people"
    assert decide(last, "location", "fine") == "literal"


def test_what_is_set_aside_is_not_trained_on(toys):
    for lesson in (read_tweets(toys / "data"), read_names(toys / "data")):
        assert lesson.train
        assert lesson.validation
        assert lesson.files
    tweets = read_tweets(toys / "data")
    assert not {text for text, _ in tweets.train} & {text for text, _ in tweets.validation}
    assert len(tweets.train) + len(tweets.validation) == 61


def test_presets_are_for_whole_texts(toys):
    assert read_preset("sentiment").best_by == "cosine"
    assert read_preset("metonymy").level == "sentences"
    (toys / "sentiment.toml").write_text(
        SETTINGS.format(level="words", best_by="cosine", epochs=1, rate=1)
    )
    with pytest.raises(BadInput, match="learnt of whole texts"):
        train(toys, "sentiment")


def test_a_folder_is_measured_beside_the_others(toys, capsys):
    from trope.cli.main import run

    hub_folder.write_encoder(toys / "tuned", head="sentences", labels=["score"])
    command = ["evaluate", "sentiment", "--from", str(toys / "data"), "--part", "transformers"]
    with pytest.raises(SystemExit) as leave:
        run([*command, "--model-folder", str(toys / "tuned"), "--json"])
    assert leave.value.code == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert "sentiment.semeval2015.test.transformers.mse" in {f["name"] for f in figures}
    with pytest.raises(SystemExit) as leave:
        run(command)
    assert leave.value.code == 2
    assert "give one with --model-folder" in capsys.readouterr().err
