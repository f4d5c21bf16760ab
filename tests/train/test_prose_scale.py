"""The scale of prose is fitted to people's valence, and the shipped model has it."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import msgspec
import numpy as np
import pytest

from trope.core.errors import BadInput
from trope.encoder.session import SENTIMENT_OUTPUTS, Encoder
from trope.pipeline import Pipeline
from trope.train.encoder.calibration import fit_valence, train_valence
from trope.train.encoder.own_sentences import in_dev

GLAD = "The {} brought us cake, and everybody laughed and was happy."
SAD = "The {} broke, and nobody came to help us in that terrible week."
PLAIN = "The {} is in the second drawer of the kitchen."
VALENCE = {GLAD: 4.5, SAD: 1.5, PLAIN: 3.0}
THINGS = [
    "key",
    "pan",
    "lamp",
    "boat",
    "clock",
    "bottle",
    "ladder",
    "hammer",
    "ticket",
    "basket",
    "mirror",
    "kettle",
]


def emobank() -> Iterator[str]:
    """Rows of invented texts, some of them development data."""
    yield "id,split,V,A,D,genre,subgenre,text"
    texts = [(form.format(thing), v) for thing in THINGS for form, v in VALENCE.items()]
    assert {in_dev(text) for text, _ in texts} == {True, False}
    for number, (text, valence) in enumerate(texts):
        yield f'r{number},train,{valence},3,3,fiction,,"{text}"'


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "emobank"
    folder.mkdir()
    with gzip.open(folder / "emobank-train-dev.csv.gz", "wt") as file:
        file.write("\n".join(emobank()) + "\n")
    (folder / "leaks.tsv").write_text("file\tid\tagainst\n")
    return folder.parent


def test_a_line_is_found_again() -> None:
    scores = np.random.default_rng(1).normal(size=(50, 5))
    given = 0.5 + scores @ np.array([1, -2, 0, 0.25, 3])
    assert fit_valence(scores, given) == pytest.approx([0.5, 1, -2, 0, 0.25, 3])


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """The shipped model without its output for valence."""
    onnx = pytest.importorskip("onnx")
    shipped, out = Encoder(), tmp_path / "without"
    copytree(shipped.folder, out)
    model = onnx.load(out / "encoder.onnx")
    [last] = [node for node in model.graph.node if "sentiment" in node.output]
    last.output[:] = ["all" if name == "sentiment" else name for name in last.output]
    first = onnx.numpy_helper.from_array(np.arange(len(SENTIMENT_OUTPUTS) - 1), "first")
    model.graph.initializer.append(first)
    taken = onnx.helper.make_node("Gather", ["all", "first"], ["sentiment"], axis=1)
    model.graph.node.append(taken)
    [shape] = [o.type.tensor_type.shape for o in model.graph.output if o.name == "sentiment"]
    shape.dim[1].dim_value = len(SENTIMENT_OUTPUTS) - 1
    onnx.save(model, out / "encoder.onnx")
    labels = msgspec.structs.replace(shipped.labels, sentiment=SENTIMENT_OUTPUTS[:-1])
    (out / "labels.json").write_bytes(msgspec.json.encode(labels))
    return out


def test_the_trained_scale_orders_texts_as_people_do(
    data: Path, tmp_path: Path, without: Path
) -> None:
    said: list[str] = []
    train_valence(data=data, out=tmp_path / "model", model=without, say=said.append)
    assert said[0].startswith("development texts: Pearson 0.")
    pipeline = Pipeline(folder=tmp_path / "model", threads=1)
    glad, plain, sad = (
        pipeline.analyze(form.format("window")).sentiment for form in (GLAD, PLAIN, SAD)
    )
    assert sad.score < plain.score < glad.score
    assert {glad.scale, plain.scale, sad.scale} == {"prose"}
    assert abs(plain.score) < 1
    tweet = pipeline.analyze(GLAD.format("window"), kind="tweet").sentiment
    assert tweet.scale == "tweet"


def test_a_model_without_sentiment_is_refused(data: Path, tmp_path: Path, monkeypatch) -> None:
    bare = msgspec.structs.replace(Encoder().labels, sentiment=(), valence=())
    monkeypatch.setattr("trope.encoder.session._read_labels", lambda path: bare)
    with pytest.raises(BadInput, match="no head for sentiment"):
        train_valence(data=data, out=tmp_path / "model", model=None, say=print)
    assert not (tmp_path / "model").exists()


def test_a_network_that_tells_valence_needs_no_line(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="tells valence itself"):
        train_valence(data=data, out=tmp_path / "model", model=None, say=print)
    assert not (tmp_path / "model").exists()


def test_the_shipped_scale_is_near_zero_for_neutral_prose() -> None:
    assert Encoder().labels.sentiment == SENTIMENT_OUTPUTS
    tram = Pipeline(threads=1).analyze("The tram stops at the town hall at nine.").sentiment
    assert (tram.scale, tram.integer) == ("prose", 0)
