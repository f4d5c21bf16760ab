"""`trope evaluate sentiment` on small files and with a parser that goes by rule."""

import gzip
import json
from pathlib import Path
from statistics import fmean, stdev

import pytest

from builders import FakePipeline
from metaphor_model import ALL_LABELS, VALENCES, write_model
from small_tasks import write_semeval2015
from trope.cli.main import run
from trope.evaluate.results import read_results

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_semeval2015(tmp_path)
    write_lexica(tmp_path / "lexica")
    plain = tmp_path / "tweets-emotion" / "tweeteval" / "sentiment"
    plain.mkdir(parents=True)
    for part in ("val", "test"):
        words = ("awful rain", "grey sky", "lovely sun") * 4
        (plain / f"{part}_text.txt").write_text("".join(f"{word}\n" for word in words))
        (plain / f"{part}_labels.txt").write_text("0\n1\n2\n" * 4)
    return tmp_path


def write_lexica(folder: Path) -> None:
    (folder / "opinion_lexicon").mkdir(parents=True)
    (folder / "opinion_lexicon" / "positive-words.txt").write_text("lovely\n")
    (folder / "opinion_lexicon" / "negative-words.txt").write_text("awful\n")
    for name in ("vader_lexicon.txt", "AFINN-en-165.txt"):
        (folder / name).write_text("lovely\t3\nawful\t-3\n")
    (folder / "modifiedSentiWordNet.json.gz").write_bytes(gzip.compress(b'{"adjective": []}'))
    (folder / "Emoji_Sentiment_Data_v1.0.csv").write_text("Emoji,Negative,Neutral,Positive\n")


def figures(
    data: Path, part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, dict[str, object]]:
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "sentiment", "--part", part, "--from", str(data), "--json"])
    assert leave.value.code == 0
    found = json.loads(capsys.readouterr().out)["figures"]
    return {f["name"].removeprefix("sentiment.semeval2015."): f for f in found}


def test_baselines_and_the_constant_in_every_table(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = figures(data, "baselines,categories", capsys, monkeypatch)
    assert found["test.constant.mse"]["value"] == pytest.approx((4 * 25 + 8 * 1) / 24)
    assert found["test.constant.cosine"]["n"] == 24
    assert found["test_without_duplicates.constant.cosine"]["n"] == 22
    parts = ("test", "test_without_duplicates", "sarcasm", "irony", "metaphor", "other")
    for system in ("constant", "naive_bayes", "maximum_entropy", "decision_tree"):
        assert {f"{part}.{system}.cosine" for part in parts} <= set(found)
    assert found["sarcasm.count"]["value"] == 6
    assert found["sarcasm.mean"]["value"] == -2
    assert found["sarcasm.count"]["note"] == "printed in Table 4: 1200"


def test_lexicon_has_seeds_folds_categories_and_an_ablation(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = figures(data, "lexicon", capsys, monkeypatch)
    assert found["test.lexicon.mse"]["value"] < 1  # type: ignore[operator]
    assert found["test.lexicon.cosine"]["chosen_on"] == "semeval2015 train and trial, 5 folds"
    errors = {s: found[f"cv.lexicon.seed{s}.mse"]["value"] for s in (0, 1, 2)}
    best = min(errors, key=lambda s: errors[s])  # type: ignore[arg-type, return-value]
    assert found["test.lexicon.mse"]["value"] == found[f"test.lexicon.seed{best}.mse"]["value"]
    assert found["cv.lexicon.seed0.mse"]["n"] == 61
    assert found["cv.lexicon.seed0.mse"]["data"]["split"] == "train, trial"  # type: ignore[index]
    for part in ("sarcasm", "irony", "metaphor", "other"):
        assert f"{part}.lexicon.cosine" in found
    note = str(found["test.lexicon_without_figurative.cosine"]["note"])
    assert note == f"ablation, seed {best}, 44 features"
    assert str(found["test.lexicon.cosine"]["note"]) == f"seed {best}, 57 features"


def test_missing_data_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "sentiment", "--from", str(tmp_path)])
    assert leave.value.code == 2
    assert "not found" in capsys.readouterr().err


def evaluated(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "sentiment", *options])
    shown = capsys.readouterr()
    return int(leave.value.code or 0), shown.out, shown.err


def test_the_encoder_has_the_plain_names(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write_model(tmp_path / "model", ALL_LABELS)
    options = ("--part", "encoder", "--from", str(data), "--model", str(model), "--json")
    code, out, err = evaluated(capsys, *options)
    assert (code, err) == (0, "")
    found = {
        f["name"].removeprefix("sentiment.semeval2015."): f for f in json.loads(out)["figures"]
    }
    parts = ("test", "test_without_duplicates", "sarcasm", "irony", "metaphor", "other")
    assert set(found) == {f"{part}.{measure}" for part in parts for measure in ("cosine", "mse")}
    # one word of seven or more is felt, which rounds to 0: a third of the tweets is 3, some -2
    assert found["test.mse"]["value"] == pytest.approx((12 * 9 + 12 * 4) / 24)
    assert found["test.cosine"]["value"] is None
    assert found["test_without_duplicates.mse"]["n"] == 22
    assert found["test.mse"]["data"]["split"] == "test"


@pytest.fixture
def two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    first = write_model(tmp_path / "first", ALL_LABELS)
    monkeypatch.setitem(VALENCES, "lovely", 30.0)
    return [first, write_model(tmp_path / "second", ALL_LABELS)]


def test_of_several_models_there_are_mean_and_spread(
    data: Path, two_models: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--part", "encoder", "--from", str(data))
    single = []
    for model in two_models:
        _, out, _ = evaluated(capsys, *asked, "--model", str(model), "--json")
        single.append({f["name"]: f["value"] for f in json.loads(out)["figures"]})
    name = "sentiment.semeval2015.test.mse"
    values = [figures[name] for figures in single]
    assert values[0] != values[1]
    each = [option for model in two_models for option in ("--model", str(model))]
    file = tmp_path / "figures.json"
    code, out, err = evaluated(capsys, *asked, *each, "--json", "--write", str(file))
    assert (code, err) == (0, "")
    found = {f["name"]: f["value"] for f in json.loads(out)["figures"]}
    assert found[f"{name}.mean"] == pytest.approx(fmean(values))
    assert found[f"{name}.sd"] == pytest.approx(stdev(values))
    assert f"{name}.sd" in {figure.name for figure in read_results(file).figures}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--plot", "x.svg"), "--plot works with one model only"),
        (("--bounds", "x.toml"), "--bounds works with one model only"),
    ],
)
def test_what_is_for_one_model_is_refused_for_several(
    options: tuple[str, str],
    told: str,
    data: Path,
    two_models: list[Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    each = [option for model in two_models for option in ("--model", str(model))]
    code, out, err = evaluated(capsys, "--from", str(data), *each, *options)
    assert (code, out) == (2, "")
    assert told in err


def test_a_model_without_the_head_leaves_the_part_out(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    monkeypatch.setattr("trope.evaluate.sentiment.PARTS", _few_parts())
    code, out, err = evaluated(capsys, "--from", str(data), "--json")
    assert code == 0
    assert "sentiment.semeval2015.sarcasm.count" in out
    assert "sentiment.semeval2015.test.cosine" not in out
    assert err == "trope: part encoder is skipped: this model has no head for sentiment\n"
    code, _, err = evaluated(capsys, "--from", str(data), "--part", "encoder")
    assert code == 2
    assert "has no head for" in err


def _few_parts() -> dict[str, object]:
    from trope.evaluate.sentiment import PARTS

    return {name: PARTS[name] for name in ("encoder", "categories")}
