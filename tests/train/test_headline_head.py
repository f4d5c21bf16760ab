"""The head for whole headlines: what is learnt from, and that nothing else of a model changes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from trope.core.config import read_config
from trope.core.errors import MissingData
from trope.core.files import sha256
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.headline_settings import HeadlineSettings, TeacherKind

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors import safe_open  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

from trope.encoder.network import Network  # noqa: E402
from trope.train.encoder import adapters, headline_head  # noqa: E402
from trope.train.encoder.corpus import MetaphorSentence  # noqa: E402
from trope.train.encoder.headline_settings import read_rows  # noqa: E402
from trope.train.encoder.synthetic_headlines import PoolSettings, letters, make_pool, texts_kept_out  # noqa: E402

BASE = "all-mpnet-base-v2"
SHIPPED = Path(headline_head.__file__).with_name("headlines.toml")
POOL = PoolSettings(size=40, shortest=3, longest=12, exchanged=1.0, seed=1)


def write_newsmet(folder: Path) -> Path:
    """Two headlines with six candidates each, and two without, in each of three files."""
    (folder / "newsmet").mkdir(parents=True)
    verbs = ("blocks", "stops", "halts", "ends", "kills", "buries")
    for number, split in enumerate(("train", "val", "test")):
        town = ("Leeds", "Turin", "Lyon")[number]
        lines = [f"Mayor of {town} shelves new tram plan today,1,gold"]
        lines.append(f"Court in {town} rejects old tram plan again,0,gold")
        for verb in verbs:
            lines.append(f"Mayor of {town} {verb} new tram plan today,{verb[0] != 's':d},gold_plus")
        for verb in verbs:
            lines.append(f"Court in {town} {verb} old tram plan again,{verb[0] == 'k':d},gold_plus")
        lines.append(f"Storm over {town} swallows three fishing boats overnight,1,gold")
        lines.append(f"Baker from {town} sells four hundred loaves daily,0,gold")
        text = "\n".join(["Text,label,sample_type", *lines])
        (folder / "newsmet" / f"{split}_goldplus.csv").write_text(text + "\n")
    return folder


def headlines(count: int = 30) -> list[tuple[str, ...]]:
    return [("Club", str(n), "stops", "its", "oldest", "team", "early") for n in range(count)]


def test_rows_know_what_they_are(tmp_path: Path) -> None:
    path = write_newsmet(tmp_path) / "newsmet" / "train_goldplus.csv"
    rows = read_rows(path, Vocabulary(tiny.VOCABULARY))
    assert len(rows.words) == len(rows.corpus) == 16
    assert rows.gold.tolist() == [1, 1, *[0] * 12, 1, 1]
    assert rows.accepted.sum() == 2  # one plain verb for the metaphor, one picture for the other
    assert rows.verbs[:2] == ("shelves", "rejects")
    kind = TeacherKind("", (), gold_weight=3, accepted_weight=2, doubt=0.1, doubt_rejected=0.4)
    tenths = (10 * rows.targets(kind)).round().astype(int).tolist()
    assert {*zip(rows.labels.tolist(), tenths, strict=True)} == {(0, 1), (0, 4), (1, 9), (1, 6)}
    assert sorted(set(rows.weights(kind).tolist())) == [1, 2, 3]
    assert not set(rows.targets(TeacherKind("", ())).tolist()) - {0.0, 1.0}


def test_the_pool_has_other_verbs_and_nothing_that_is_kept_out() -> None:
    shelf = headlines()
    pool = make_pool(shelf, ["blocks", "stops", "ended"], {letters(shelf[0])}, POOL)
    assert shelf[0] not in pool
    assert {words[2] for words in pool} == {"stops", "blocks"}  # "ended" is another form
    assert len(set(pool)) > len({words[1] for words in pool})
    assert pool == make_pool(shelf, ["blocks", "stops", "ended"], {letters(shelf[0])}, POOL)
    assert not make_pool(shelf, ["stops"], set(), replace(POOL, shortest=8))


FORMS = st.sampled_from(["runs", "Runs", "ran", "7", "a-b", "rates"])


@given(st.lists(st.lists(FORMS, min_size=3)))
def test_pool_headlines_differ_from_their_source_in_one_word_at_most(
    shelf: list[list[str]],
) -> None:
    sources = [tuple(words) for words in shelf]
    for words in make_pool(sources, ["runs", "rates"], set(), POOL):
        near = [s for s in sources if len(s) == len(words)]
        assert any(sum(a != b for a, b in zip(s, words, strict=True)) <= 1 for s in near)


@pytest.fixture
def choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None) -> dict[str, object]:
    tiny.shrink(monkeypatch)
    monkeypatch.setattr(headline_head, "fetch", lambda base, work: work)
    weights = tmp_path / "model.safetensors"
    save_file(tiny.random_weights(BASE, tmp_path), weights)
    monkeypatch.setattr(headline_head, "read_weights", lambda base, home: dict(load_file(weights)))
    words = ("Rain", "hammers", "the", "roof")
    verdicts = MetaphorSentence(words, (0, 1, 0, 0), (-1, 1, -1, -1))
    monkeypatch.setattr(headline_head, "read_metaphor_set", lambda *_: [verdicts] * 12)
    monkeypatch.setattr(headline_head, "read_text_set", lambda *_: iter(headlines()))
    shipped = read_config(SHIPPED, HeadlineSettings)
    settings = replace(
        shipped,
        readers=replace(shipped.readers, seeds=(1, 2), vua_passes=1, lcc_passes=1),
        teachers=replace(
            shipped.teachers,
            rows_per_batch=8,
            kinds=tuple(replace(kind, seeds=kind.seeds[:1]) for kind in shipped.teachers.kinds),
        ),
        pool=POOL,
        head=replace(shipped.head, passes=3, rows_per_batch=16),
    )
    torch.manual_seed(2)
    public = dict(load_file(weights))
    model = adapters.adapt(Network(BASE, None, public, ("metaphor",)), rank=3)
    told = {"base": BASE, "base_sha256": sha256(weights)}
    told["metaphor"] = '{"threshold": 0.4, "sentence_threshold": 0.3}'
    (tmp_path / "before").mkdir()
    before = tmp_path / "before" / "adapters.safetensors"
    save_file(adapters.trained_weights(model), before, metadata=told)
    (tmp_path / "work").mkdir()
    return {
        "settings": settings, "data": write_newsmet(tmp_path / "data"), "work": tmp_path / "work",
        "out": tmp_path / "after", "adapters": tmp_path / "before", "base_weights": weights,
        "device": "cpu", "calibrate_only": False,
    }  # fmt: skip


def test_a_whole_run_changes_the_head_and_nothing_else(
    choices: dict[str, object], tmp_path: Path
) -> None:
    said: list[str] = []
    headline_head.train_headlines(**choices, say=said.append)
    assert sum("has scored the pool" in line for line in said) == 3
    before = load_file(tmp_path / "before" / "adapters.safetensors")
    after = load_file(tmp_path / "after" / "adapters.safetensors")
    changed = {name for name in after if not torch.equal(after[name], before[name])}
    assert changed == {name for name in before if name.split(".")[1] in headline_head.HEAD}
    assert after.keys() == before.keys()
    with safe_open(tmp_path / "after" / "adapters.safetensors", "pt") as file:
        told = file.metadata()
    assert '"threshold":0.4' in told["metaphor"]
    assert told["agreement"].startswith('{"slope":')
    opinions = [np.load(path) for path in sorted((tmp_path / "work").glob("opinion-*.npy"))]
    assert len(opinions) == 3
    assert np.load(tmp_path / "work" / "opinion.npy") == pytest.approx(np.mean(opinions, axis=0))


def test_a_run_goes_on_where_it_was(choices: dict[str, object], tmp_path: Path) -> None:
    headline_head.train_headlines(**choices, say=lambda _: None)
    path = tmp_path / "after" / "adapters.safetensors"
    first = load_file(path)
    again: list[str] = []
    headline_head.train_headlines(**choices, say=again.append)
    assert again == [f"the adapters are in {tmp_path / 'after'}"]
    for name, value in load_file(path).items():
        assert torch.equal(value, first[name]), name


def test_calibration_alone_keeps_what_the_head_has_learnt(
    choices: dict[str, object], tmp_path: Path
) -> None:
    said: list[str] = []
    headline_head.train_headlines(**(choices | {"calibrate_only": True}), say=said.append)
    assert len(said) == 1  # no teacher was needed
    before = load_file(tmp_path / "before" / "adapters.safetensors")
    after = load_file(tmp_path / "after" / "adapters.safetensors")
    changed = {name for name in after if not torch.equal(after[name], before[name])}
    assert changed <= {"metaphor.figurative.weight", "metaphor.figurative.bias"}
    with safe_open(tmp_path / "after" / "adapters.safetensors", "pt") as file:
        assert file.metadata()["agreement"].startswith('{"slope":')


def test_missing_files_are_named(choices: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "data" / "newsmet" / "train_goldplus.csv").unlink()
    with pytest.raises(MissingData, match=r"train_goldplus\.csv"):
        headline_head.train_headlines(**choices, say=lambda _: None)
    with pytest.raises(MissingData, match="trope train base"):
        headline_head.train_headlines(
            **(choices | {"adapters": tmp_path / "work"}), say=lambda _: None
        )


def test_kept_out_texts_are_those_of_all_files(tmp_path: Path) -> None:
    folder = write_newsmet(tmp_path) / "newsmet"
    texts = set(texts_kept_out(sorted(folder.glob("*.csv"))))
    assert len(texts) == 3 * 16
    assert letters(["Baker from Lyon", "sells four hundred loaves daily"]) in texts
