"""`trope train encoder` on toys: stages, going on, refusals, sets left out."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tiny
from click.testing import CliRunner

from trope import Pipeline
from trope.cli.main import main
from trope.core.errors import BadInput, MissingData, UnknownName
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FILES, Encoder
from trope.encoder.trees import is_tree

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from trope.train.encoder import (  # noqa: E402
    development,
    headline_head,
    name_sets,
    run,
    student,
    teachers,
)
from trope.train.encoder.corpus import EncodedCorpus  # noqa: E402
from trope.train.encoder.headline_settings import read_headline_settings  # noqa: E402
from trope.train.encoder.run import (  # noqa: E402
    CORPORA,
    EncoderRun,
    check_sets,
    read_settings,
    sets_left_out,
)
from trope.train.encoder.synthetic_headlines import PoolSettings  # noqa: E402

SETTINGS = (
    """
seed = 5
base_rank = 2
meaning = 0

[student]
base = "e5-small"
encoder_rate = 1e-3
head_rate = 1e-2
words_per_batch = 64

[base]
base = "all-mpnet-base-v2"
encoder_rate = 1e-3
head_rate = 1e-2
words_per_batch = 64
"""
    + "".join(
        f"""
[[teachers.{task}.fits]]
number = 2

[teachers.{task}.fits.fit]
base = "all-mpnet-base-v2"
encoder_rate = 1e-3
head_rate = 1e-2
words_per_batch = 64
"""
        for task in ("syntax", "metaphor")
    )
    + "".join(
        f"""
[[sets]]
name = "{name}"
use = "{use}"
licence = "own"
teacher_passes = 2
student_passes = 3
base_passes = 1
"""
        for name, use in (
            ("ewt", "syntax"),
            ("tweebank", "syntax"),
            ("vua", "metaphor"),
            ("lcc-targets", "metaphor"),
            ("newsmet", "metaphor"),
            ("headlines", "text"),
            ("lcc", "text"),
            ("coinco", "text"),
        )
    )
)
SMALLER = ("--without", "coinco")  # the toy data have no such set


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch, run)


def train(
    folder: Path,
    *options: str,
    treebanks: tuple[str, ...] = ("ewt", "tweebank"),
    what: str = "encoder",
) -> str:
    """What the command says; data, settings, stages and model are in the folder."""
    data, settings = folder / "data", folder / "tiny.toml"
    if not data.exists():
        tiny.write_data(data, treebanks)
        settings.write_text(SETTINGS)
    arguments = ["--from", str(data), "--out", str(folder / "model"), "--config", str(settings)]
    command = ["train", what, *arguments, "--device", "cpu", *options]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout == ""
    return result.stderr


def stages(folder: Path) -> dict[str, int]:
    """When each stage's file was written."""
    return {
        path.name: path.stat().st_mtime_ns
        for path in (folder / "model" / "work").iterdir()
        if path.is_file() and path.name != "choice.json"
    }


def test_a_run_leaves_a_model_that_reads_and_a_second_run_does_nothing_again(
    tmp_path: Path,
) -> None:
    said = train(tmp_path, *SMALLER)
    for stage in (
        "treebanks: 78 sentences, 30 of them",
        "vua train: 2 sentences",
        "syntax teacher 0:",
        "metaphor teacher 1:",
        "student of seed 5:",
        "is in",
    ):
        assert stage in said
    assert {path.name for path in (tmp_path / "model").iterdir()} == {*FILES, "work"}
    pipeline = Pipeline(folder=tmp_path / "model", threads=1)
    (parse,) = pipeline.parse([["The", "storm", "will", "reach", "trees", "."]])
    assert is_tree(list(parse.heads))
    assert set(parse.upos) <= {"DET", "NOUN", "AUX", "VERB", "PUNCT"}
    before = stages(tmp_path)
    network = (tmp_path / "model" / "encoder.onnx").read_bytes()
    assert train(tmp_path, *SMALLER) == f"the model is in {tmp_path / 'model'}\n"
    assert stages(tmp_path) == before
    assert (tmp_path / "model" / "encoder.onnx").read_bytes() == network


def test_an_interrupted_run_goes_on_after_its_last_stage_to_the_same_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    train(whole, *SMALLER)
    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(teachers, "predict_syntax", stop)
        train(broken, *SMALLER)
    before = stages(broken)
    assert {"lcc.npz", "teacher-syntax-0.safetensors", "teacher-syntax-1.safetensors"} <= set(
        before
    )
    assert "student-5.safetensors" not in before
    said = train(broken, *SMALLER)
    assert "syntax teacher 0:" not in said
    assert before.items() <= stages(broken).items()
    same = [(folder / "model" / "encoder.onnx").read_bytes() for folder in (whole, broken)]
    assert same[0] == same[1]


def stop(*_: object) -> None:
    raise RuntimeError("the power went")


def test_stages_that_are_done_one_by_one_make_the_model_of_a_whole_run(tmp_path: Path) -> None:
    names = ["prepare", *(f"teacher-{task}-{n}" for task in ("syntax", "metaphor") for n in (1, 0))]
    for name in (*names, "labels-syntax", "labels-metaphor", "student-5"):
        said = train(tmp_path / "parts", *SMALLER, "--stage", name)
        assert "the model is in" not in said
        assert name == "prepare" or "sentences with verdicts" not in said
        if name.startswith(("teacher", "student")):
            assert (tmp_path / "parts" / "model" / "work" / f"{name}.safetensors").exists()
    before = stages(tmp_path / "parts")
    assert "is in" in train(tmp_path / "parts", *SMALLER)
    after = stages(tmp_path / "parts")
    assert {name: after[name] for name in before} == before
    train(tmp_path / "whole", *SMALLER)
    one, other = (tmp_path / run / "model" / "encoder.onnx" for run in ("parts", "whole"))
    assert one.read_bytes() == other.read_bytes()


def test_a_stage_that_the_run_does_not_have_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'teacher-syntax-0'"):
        train(tmp_path, *SMALLER, "--stage", "teacher-sintax-0")
    with pytest.raises(BadInput, match="--stage"):
        train(tmp_path, *SMALLER, "--stage", "prepare", "--folds", "relocar")


def test_half_a_stage_is_no_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(run, "save", stop)
        train(tmp_path, *SMALLER)
    assert not [name for name in stages(tmp_path) if "safetensors" in name]


def test_sets_can_be_left_out_and_are_then_not_read(tmp_path: Path) -> None:
    left_out = [
        option for name in ("tweebank", "headlines", "lcc") for option in ("--without", name)
    ]
    said = train(tmp_path, *SMALLER, *left_out, treebanks=("ewt",))
    assert "headlines" not in said.replace("made headlines", "")
    figures = json.loads((tmp_path / "model" / "work" / "student-5.json").read_bytes())
    assert set(figures) == {"ewt", "metaphor"}


def test_a_work_folder_of_other_settings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(student, "train_student", stop)
        train(tmp_path, *SMALLER)
    before = stages(tmp_path)
    for options in (("--seed", "6"), ("--without", "lcc")):
        with pytest.raises(BadInput, match="a run with other settings; give another --work"):
            train(tmp_path, *SMALLER, *options)
    assert stages(tmp_path) == before


def test_a_set_that_is_not_there_can_be_left_out_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        MissingData, match="coinco: not found; get it, or leave it out with --without coinco"
    ):
        train(tmp_path)
    monkeypatch.setattr(student, "train_student", stop)
    with pytest.raises(RuntimeError):  # prepared, and not refused
        train(tmp_path, *SMALLER)


def test_what_was_learned_of_metaphors_comes_out_calibrated(tmp_path: Path) -> None:
    train(tmp_path, *SMALLER)
    pipeline = Pipeline(folder=tmp_path / "model", threads=1)
    assert "metaphor" in pipeline.tasks
    for threshold in pipeline.thresholds:
        assert 0 < threshold < 1
    (parse,) = pipeline.parse([["The", "storm", "eats", "barns", "."]])
    assert len(parse.metaphor) == 5
    assert parse.figurative is not None


def test_several_seeds_leave_the_best_on_development_data(tmp_path: Path) -> None:
    train(tmp_path, *SMALLER, "--seeds", "2")
    work = tmp_path / "model" / "work"
    best = max((5, 6), key=lambda seed: development.quality_of(work / f"student-{seed}.json"))
    made = {seed: (work / f"student-{seed}" / "encoder.onnx").read_bytes() for seed in (5, 6)}
    assert made[5] != made[6], "each of them can be measured"
    assert (tmp_path / "model" / "encoder.onnx").read_bytes() == made[best]


NOTICES = [("Notice", str(n), "eats", "old", "farms", "today") for n in range(30)]


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of which the teachers of headlines have judged a pool; returns its folder."""
    monkeypatch.setattr(headline_head, "read_weights", tiny.random_weights)
    monkeypatch.setattr(headline_head, "fetch", lambda name, folder: tiny.VOCABULARY.parent)
    monkeypatch.setattr(headline_head, "read_text_set", lambda *_: iter(NOTICES))
    shipped = read_headline_settings(None)
    settings = replace(
        shipped,
        readers=replace(shipped.readers, seeds=(1,), vua_passes=1),
        teachers=replace(
            shipped.teachers,
            rows_per_batch=4,
            kinds=(replace(shipped.teachers.kinds[0], seeds=(1, 2)),),
        ),
        pool=PoolSettings(size=60, shortest=3, longest=12, exchanged=1.0, seed=1),
        head=replace(shipped.head, rate=2e-2, rows_per_batch=16),
    )
    monkeypatch.setattr(student, "read_headline_settings", lambda path: settings)
    tiny.write_data(tmp_path / "data")
    newsmet = tmp_path / "data" / "newsmet"
    (newsmet / "test_goldplus.csv").write_bytes((newsmet / "val_goldplus.csv").read_bytes())
    (tmp_path / "tiny.toml").write_text(SETTINGS.replace("meaning = 0", HEADLINES, 1))
    train(tmp_path, *SMALLER, "--stage", "headlines")
    return tmp_path


HEADLINES = "meaning = 0\nheadlines = true"


def figurative(folder: Path, verb: str) -> float:
    """The mean logit of the exported model for headlines with a verb."""
    model = Encoder(folder=folder / "model", threads=1)
    sentences = [(*words[:2], verb, *words[3:]) for words in NOTICES]
    (future,) = model.submit(sentences, ("figurative",))
    return float(future.result().outputs["figurative"].mean())


@pytest.mark.parametrize(("believed", "doubted"), [("eats", "bites"), ("bites", "eats")])
def test_the_student_judges_headlines_as_their_teachers_do(
    judged: Path, believed: str, doubted: str
) -> None:
    work = judged / "model" / "work"
    pool = EncodedCorpus.load(work / "pool.npz")
    opinion = np.load(work / "opinion.npy")
    each = [np.load(work / f"opinion-{seed}.npy") for seed in (1, 2)]
    assert len(opinion) == len(pool)
    assert opinion == pytest.approx(np.mean(each, axis=0))
    (piece,) = Vocabulary(tiny.VOCABULARY).pieces([believed]).ids
    ends = pairwise(pool.starts[pool.sentence_starts])
    said = [piece in pool.ids[first:last] for first, last in ends]
    assert 0 < sum(said) < len(said)
    np.save(work / "opinion.npy", np.where(said, 0.98, 0.02))
    train(judged, *SMALLER)
    # NewsMet calls both verbs metaphors; only the teachers tell them apart
    assert figurative(judged, believed) > figurative(judged, doubted) + 1


@pytest.mark.parametrize("name", ["newsmet", "vua", "headlines"])
def test_teachers_of_headlines_read_nothing_that_is_left_out(name: str) -> None:
    assert shipped_run().judges_headlines()
    assert not shipped_run(name).judges_headlines()


def shipped_run(*without: str) -> EncoderRun:
    return EncoderRun(read_settings(None), frozenset(without), Path(), "cpu", print)


def test_no_set_reads_a_corpus_that_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    left = shipped_run("lcc", "semeval2007", "relocar", "wimcor", "geowebnews")
    assert [s.name for s in left.sets("metaphor")] == ["vua", "newsmet", "own-metaphors"]
    assert [s.name for s in left.sets("metonymy")] == ["own-names", "named-texts"]
    read: list[str] = []
    monkeypatch.setattr(name_sets, "read_texts", lambda data, name: read.append(name) or ())
    name_sets.read_name_set(Path(), "named-texts", "train", without=left.without)
    assert read == ["coinco", "tweets-brexit", "headlines"]
    texts = CORPORA["named-texts"]
    assert "named-texts" not in {s.name for s in shipped_run(*texts).sets("metonymy")}


def test_sets_that_forbid_commercial_use_are_read_on_request_alone() -> None:
    settings = read_settings(None)
    optional = {s.name for s in settings.sets if s.optional}
    assert optional == {s.name for s in settings.sets if "BY-NC" in s.licence}
    assert sets_left_out(settings) == optional
    assert sets_left_out(settings, ["vua"], ["tweebank"]) == optional - {"tweebank"} | {"vua"}
    with pytest.raises(UnknownName, match="no training set is called 'gum'"):
        sets_left_out(settings, including=["gum"])


@pytest.mark.parametrize("name", ["vua", "newsmet"])
def test_what_calibrates_cannot_be_left_out_alone(tmp_path: Path, name: str) -> None:
    wanted = f"heads are calibrated on {name}, which is left out; keep it, or leave out"
    with pytest.raises(BadInput, match=wanted):
        train(tmp_path, *SMALLER, "--without", name)
    assert not (tmp_path / "model" / "work" / "prepared").exists()
    check_sets(shipped_run("vua", "newsmet", "own-metaphors", "lcc-targets"), ["syntax"])


def test_the_tier_base_needs_metaphor_sets(tmp_path: Path) -> None:
    left_out = [o for name in ("vua", "newsmet", "lcc-targets") for o in ("--without", name)]
    with pytest.raises(BadInput, match="no training set for metaphor is left; keep vua or"):
        train(tmp_path, *SMALLER, *left_out, what="base")


def test_ewt_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="keep ewt"):
        train(tmp_path, *SMALLER, "--without", "ewt")


def test_faults_of_the_request_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no training set is called 'twebank'"):
        train(tmp_path, "--without", "twebank")
    with pytest.raises(MissingData, match=r"en_ewt.*give the folder that holds ewt/ with --from"):
        (tmp_path / "data" / "ewt" / "en_ewt-ud-train.conllu.gz").unlink()
        train(tmp_path, *SMALLER)


def test_old_names_of_settings_are_still_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SETTINGS.replace("words_per_batch", "words_a_batch", 2))
    settings = read_settings(path)
    assert settings.student.words_per_batch == settings.base.words_per_batch == 64
    assert "'student.words_a_batch' is now called 'words_per_batch'" in capsys.readouterr().err
