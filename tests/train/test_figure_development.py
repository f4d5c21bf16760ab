"""What development data choose of names: how much the network doubts that a word is in one."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
import tiny

from trope.encoder.pieces import Vocabulary
from trope.encoder.session import NAMES, Encoder
from trope.train.encoder.name_sets import TAGS, NameTags, encode_tags

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from trope.encoder.network import Network  # noqa: E402
from trope.train.encoder import figure_development, student  # noqa: E402
from trope.train.encoder.figure_development import doubt_of_names, name_figures  # noqa: E402
from trope.train.encoder.run import save_model  # noqa: E402
from trope.train.encoder.student import quantise  # noqa: E402

NONE, PLACE, PERSON = (TAGS.index(tag) for tag in ("O", "B-LOC", "B-PER"))
CORPUS = encode_tags(
    [
        NameTags(("Anna", "lives", "in", "Oslo", "."), (PERSON, NONE, NONE, PLACE, NONE)),
        NameTags(("May", "is", "warm", "in", "Oslo"), (NONE, NONE, NONE, NONE, PLACE)),
    ],
    Vocabulary(tiny.VOCABULARY),
)
LABELS = msgspec.structs.replace(tiny.labels(), names=TAGS)


def logits(*, of_names: float, of_others: float) -> Any:
    """How much names look like what they are, and other words like names of people."""
    answers = CORPUS.labels["tag"]
    found = np.full((len(answers), len(TAGS)), -9.0)
    found[:, NONE] = 0
    for row, answer in zip(found, answers, strict=True):
        row[answer or PERSON] = of_names if answer else of_others
    return found


@pytest.fixture
def run(tmp_path: Path) -> Any:
    return SimpleNamespace(
        device="cpu", work=tmp_path, corpus=lambda _: CORPUS, labels=lambda: LABELS
    )


@pytest.mark.parametrize(
    ("of_names", "of_others", "wanted"),
    [(2.1, 1.1, 1.25), (0.4, -0.4, -0.25), (-0.3, -0.6, -0.5)],
)
def test_the_doubt_of_names_has_the_best_mean_f(
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    of_names: float,
    of_others: float,
    wanted: float,
) -> None:
    said = logits(of_names=of_names, of_others=of_others)
    monkeypatch.setattr(figure_development, "word_outputs", lambda *_: said)
    doubt = doubt_of_names(run, None)
    shifted = said + doubt * (np.arange(len(TAGS)) == NONE)
    monkeypatch.setattr(figure_development, "word_outputs", lambda *_: shifted)
    assert name_figures(run, None) == {"loc_f": 1.0, "org_f": 0.0, "per_f": 1.0}
    assert doubt == wanted


def test_the_doubt_lands_in_the_exported_bias_of_no_name(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None
) -> None:
    tiny.shrink(monkeypatch)
    torch.manual_seed(0)
    tasks = ("syntax", "names")
    save_model(quantise(Network("e5-small", LABELS, None, tasks)), tmp_path / "trained")
    monkeypatch.setattr(student, "train_student", lambda *_: tmp_path / "trained")
    run.settings = SimpleNamespace(student=SimpleNamespace(base="e5-small"))
    run.tasks, run.vocabulary = lambda: tasks, lambda: tiny.VOCABULARY
    said = {}
    for doubt in (0.0, 1.75):
        monkeypatch.setattr(student, "doubt_of_names", lambda *_, doubt=doubt: doubt)
        student._export_student(run, 1, tmp_path / str(doubt))
        (future,) = Encoder(folder=tmp_path / str(doubt), threads=1).submit(tiny.WORDS, NAMES)
        said[doubt] = future.result().outputs["names"]
    added = said[1.75] - said[0.0]
    assert added[..., NONE] == pytest.approx(np.full(added.shape[:-1], 1.75), abs=1e-5)
    assert not added[..., NONE + 1 :].any()
