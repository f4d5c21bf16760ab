"""The package `trope-domains`: built as people install it, found by its entry point, and used."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import REPOSITORY
from trope import Pipeline
from trope.core.errors import BadModel, MissingData
from trope.core.files import sha256
from trope.core.records import Analysis, Token
from trope.tasks.figures.views import DomainSystem, domain_span, open_domains

PACKAGE = REPOSITORY / "packages" / "trope-domains"
_SENTENCE = "The senator torpedoed the bill before the ink of the treaty was dry."
_TABLE = "id,text,source\na,{},x\nb,The economy blossomed and new firms sprouted.,y\n"
Opener = Callable[..., DomainSystem]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the package."""
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    folder = tmp_path_factory.mktemp("domains-wheel")
    (built,) = builder.WheelBuilder(str(PACKAGE)).build(directory=str(folder))
    return Path(built)


@pytest.fixture(scope="session")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as pip unpacks it."""
    folder = tmp_path_factory.mktemp("domains-site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def opener(site: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    """What the entry point names, where the package is installed."""
    monkeypatch.syspath_prepend(str(site))
    (found,) = entry_points(group="trope.domains")
    opened: Opener = found.load()
    return opened


def _run(site: Path, *words: object) -> str:
    """What a command prints where the package is installed."""
    done = subprocess.run(
        [sys.executable, "-m", "trope", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def weights(site: Path, tmp_path: Path) -> Path:
    """A copy of the weights, to be spoilt."""
    return Path(shutil.copytree(site / "trope_domains" / "weights", tmp_path / "weights"))


def _change_record(weights: Path, **fields: str) -> None:
    record = weights / "training.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | fields))


def test_the_wheel_is_whole_and_small(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
        metadata = next(name for name in names if name.endswith("METADATA"))
        said = archive.read(metadata).decode()
    assert {f"trope_domains/weights/{name}.npz" for name in ("model", "taught", "words")} <= names
    assert "trope_domains/weights/training.json" in names
    assert {name.split("/")[0] for name in names} == {"trope_domains", metadata.split("/")[0]}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "License-Expression: CC-BY-NC-SA-4.0" in said and "# trope-domains" in said
    assert wheel.stat().st_size < 15_000_000


def test_its_own_record_describes_the_weights() -> None:
    folder = PACKAGE / "src" / "trope_domains" / "weights"
    record = json.loads((folder / "training.json").read_text())
    assert record["sha256"] == sha256(folder / "model.npz")
    assert record["words"] == sha256(folder / "words.npz")
    assert record["cross-validation on train"]["folds"] >= 2


def test_the_installed_system_is_found_and_names_concepts(
    opener: Opener, shipped: Pipeline
) -> None:
    system = open_domains(shipped.encoder)
    assert system.name == "lcc" and len(system.sha256) == 64
    analysis = shipped.analyze("They waged a war on poverty and planted the seeds of growth.")
    places = [at for at, t in enumerate(analysis.tokens) if t.text in ("war", "seeds")]
    found = system.label([domain_span(analysis, (at,)) for at in places])
    assert [own.group for own in found] == ["WAR & CONFLICT", "PLANT"]
    assert all(own.concept for own in found)
    assert system.label([]) == []


def test_what_is_remembered_of_stems_counts_the_more_the_oftener_it_occurred(
    opener: Opener,
) -> None:
    from trope_domains.features import MEMORY_SHARE, StemMemory

    memory = StemMemory.of(["war", "war", "war", "seed", "crush", "crush"], [0, 0, 0, 1, 0, 1])
    even = np.full((4, 2), 0.5)
    war, seed, crush, unknown = memory.mixed(even, ["war", "seed", "crush", "flour"])
    assert 0.5 < seed[1] < war[0] < 0.5 + MEMORY_SHARE / 2
    assert crush.tolist() == unknown.tolist() == [0.5, 0.5]
    assert np.allclose([war.sum(), seed.sum()], 1)
    assert (even == 0.5).all(), "what the networks said is left as it was"
    sure = memory.mixed(np.array([[0.02, 0.98]]), ["war"])
    assert sure.argmax() == 1, "networks that are sure are not overruled"


def test_words_that_nobody_knows_get_some_group(opener: Opener, shipped: Pipeline) -> None:
    token = Token("zzyqx", 0, 5, "NOUN", "NN", "zzyqx", -1, "root", 0.9)
    [found] = opener(shipped.encoder).label(
        [domain_span(Analysis("zzyqx", (token,), (), ()), (0,))]
    )
    assert found.group and found.concept


def test_analyze_uses_the_installed_system(site: Path, tmp_path: Path) -> None:
    command = ("analyze", _SENTENCE, "--with", "domains", "--json")
    installed, bare = (json.loads(_run(place, *command)) for place in (site, tmp_path))

    def domains(said: dict[str, Any]) -> dict[str, str]:
        tokens = said["tokens"]
        return {
            tokens[figure["tokens"][0]]["text"]: figure.get("domain", "")
            for figure in said["figures"]
            if figure["kind"] == "metaphor"
        }

    assert domains(installed)["torpedoed"] == "WAR & CONFLICT"
    assert domains(installed).keys() == domains(bare).keys()
    assert domains(installed) != domains(bare)


def test_detect_and_query_use_the_installed_system(site: Path, tmp_path: Path) -> None:
    table, out = tmp_path / "texts.csv", tmp_path / "texts.jsonl"
    table.write_text(_TABLE.format(_SENTENCE))
    _run(site, "detect", table, "--out", out, "--columns", "source", "--with", "domains", "--quiet",
         "--format", "jsonl")  # fmt: skip
    settings = json.loads((out / "manifest.json").read_text())["settings"]
    assert settings["domains"] == "lcc, trope-domains 0.1.0"
    rows = json.loads(_run(site, "query", out, "domains", "--by", "source", "--json"))["rows"]
    found = {(row["group"], row["domain"]) for row in rows}
    assert {("x", "WAR & CONFLICT"), ("y", "PLANT")} <= found


def test_missing_weights_are_named_with_the_remedy(
    opener: Opener, shipped: Pipeline, tmp_path: Path, weights: Path
) -> None:
    with pytest.raises(MissingData, match=r"model.npz: not found.*trope_domains.train --from"):
        opener(shipped.encoder, tmp_path)
    (weights / "training.json").unlink()
    with pytest.raises(MissingData, match=r"training.json"):
        opener(shipped.encoder, weights)


def test_weights_of_another_encoder_are_refused(
    opener: Opener, shipped: Pipeline, weights: Path
) -> None:
    with np.load(weights / "model.npz") as arrays:
        stored = dict(arrays)
    stored["probe"] = stored["probe"][::-1]
    np.savez_compressed(weights / "model.npz", **stored)
    _change_record(weights, sha256=sha256(weights / "model.npz"))
    with pytest.raises(BadModel, match=r"another encoder.*train it again.*pip uninstall"):
        opener(shipped.encoder, weights)


def test_an_encoder_is_known_by_its_vectors_not_by_its_file(
    opener: Opener, shipped: Pipeline, weights: Path
) -> None:
    _change_record(weights, encoder="0" * 64)
    assert opener(shipped.encoder, weights).name == "lcc"


def test_weights_made_with_other_word_vectors_are_refused(
    opener: Opener, shipped: Pipeline, weights: Path
) -> None:
    _change_record(weights, words="0" * 64)
    with pytest.raises(BadModel, match=r"words.npz"):
        opener(shipped.encoder, weights)


def test_altered_files_are_refused(opener: Opener, shipped: Pipeline, weights: Path) -> None:
    content = bytearray((weights / "model.npz").read_bytes())
    content[len(content) // 2] ^= 1
    (weights / "model.npz").write_bytes(content)
    with pytest.raises(BadModel, match=r"model.npz: is altered or damaged"):
        opener(shipped.encoder, weights)
    (weights / "training.json").write_text("[]")
    with pytest.raises(BadModel, match=r"training.json: is altered or damaged"):
        opener(shipped.encoder, weights)


_TEXTS = (
    ("The party fights for lower taxes .", (2, 3), "WAR", "WAR & CONFLICT"),
    ("Reform blooms in spring .", (1, 2), "PLANT", "PLANT"),
    ("They fight a battle over schools .", (3, 4), "WAR", "WAR & CONFLICT"),
    ("Hope grew new branches .", (3, 4), "PLANT", "PLANT"),
)
_TRAIN = _TEXTS * 3
_TARGETS = (
    ("war", "We wage war on want .", "[2, 3]", "war", "Metaphor"),
    ("again", "We wage war on want .", "", "", ""),
    ("literal", "The poor are many .", "[1, 2]", "poor", "Non-metaphor"),
    ("seeds", "They planted the seeds of poverty in the city .", "", "", ""),
    ("known", "The party fights for lower taxes .", "", "", ""),
    ("held", "Poverty crushes them .", "", "", ""),
    ("dev", "Poverty is a sea .", "", "", ""),
)
"""Texts whose source nobody has marked: the last three also are of source_train, a test, dev."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Texts in the form of the corpus; the last one of train has neither a span nor a guess."""
    folder = tmp_path / "data" / "lcc-domains"
    folder.mkdir(parents=True)
    for split, rows in (("train", _TRAIN), ("dev", _TEXTS)):
        with gzip.open(folder / f"source_{split}.csv.gz", "wt", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("id", "text", "span1", "words", "guess", "label", "name", "group"))
            for number, (text, (start, end), name, group) in enumerate(rows):
                marked = split == "dev" or number < len(_TRAIN) - 1
                span = (f"[{start}, {end}]", " ".join(text.split()[start:end]))
                label = ["WAR", "PLANT"].index(name)
                own = span if marked else ("", "")
                writer.writerow((f"{split}{number}", text, *own, "", label, name, group))
    for split, targets in (("train", _TARGETS), ("dev", _TARGETS[-1:])):
        with gzip.open(folder / f"target_{split}.csv.gz", "wt", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("id", "text", "span1", "words", "metaphor", "label", "name"))
            writer.writerows((f"{split}-{row[0]}", *row[1:], 0, "POVERTY") for row in targets)
    (folder / "leaks.tsv").write_text("file\tid\tagainst\ntarget_train\ttrain-held\theld\n")
    return folder.parent


@pytest.mark.usefixtures("opener")
def test_cross_validation_leaves_out_guesses_that_held_spans_led_to() -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    from trope_domains.features import SpanRows
    from trope_domains.networks import LabelledSpans
    from trope_domains.train import TrainingSpans

    spans = (
        ("torpedo", 0, True),  # held out; the next row was guessed from it
        ("torpedo", 0, False),
        ("torpedo", 1, False),  # another concept
        ("seed", 2, True),  # held out; another known span says the same
        ("seed", 2, True),
        ("seed", 2, False),
        ("root", 2, False),
    )
    stems, labels, known = zip(*spans, strict=True)
    nothing: list[dict[str, float]] = [{}] * len(spans)
    rows = SpanRows(np.zeros((len(spans), 1), np.float32), nothing, nothing)
    given = LabelledSpans(rows, np.array(labels), np.ones(len(spans), np.float32))
    texts = np.arange(len(spans))
    every = TrainingSpans(given, np.array(known), np.array(stems), texts, [], [])
    held = np.array([True, False, False, True, False, False, False])
    assert np.flatnonzero(every.guessed_from(held)).tolist() == [1]
    assert not every.guessed_from(np.zeros(len(spans), np.bool_)).any()


@pytest.mark.usefixtures("opener")
def test_the_kernel_machine_answers_as_spans_that_are_like_it(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="scipy is not installed (pip install 'trope[train]')")
    from trope_domains.features import STRENGTHS, SpanRows
    from trope_domains.kernel import KernelMachine, together

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(2, sum(size for size, _ in STRENGTHS)))
    labels = np.arange(40) % 2
    dense = (centres[labels] + 0.3 * rng.normal(size=(40, centres.shape[1]))).astype(np.float32)
    words = [{f"l={'war' if label else 'seed'}": 1.0} for label in labels]
    rows = SpanRows(dense, words, [{f"c={label}": 1.0} for label in labels])
    known = np.arange(30) < 20
    machine = KernelMachine.fit(rows.part(range(30)), labels[:30], known, 2)
    np.savez(tmp_path / "machine.npz", **machine.arrays())  # type: ignore[arg-type]
    with np.load(tmp_path / "machine.npz") as arrays:
        again = KernelMachine.of(dict(arrays))
    new = rows.part(range(30, 40))
    scores = again.scores(new)
    assert scores.argmax(axis=1).tolist() == labels[30:].tolist()
    assert np.allclose(scores, machine.scores(new), atol=0.02), "bytes keep enough"
    unknown = again.scores(SpanRows(new.dense, [{"l=flour": 1.0}] * 10, [{"c=9": 1.0}] * 10))
    assert unknown.argmax(axis=1).tolist() == labels[30:].tolist()
    mixed = together(np.full((10, 2), 0.5), scores)
    assert np.allclose(mixed.sum(axis=1), 1) and (mixed.argmax(axis=1) == labels[30:]).all()


def _teach(path: Path) -> Path:
    """A file of what teachers say of two spans."""
    from trope_domains.taught import TaughtShares, best

    said = [best(np.array([[0.1, 0.9], [0.8, 0.1]], np.float32))] * 3
    names, values = (np.array(one) for one in zip(*said, strict=True))
    places = np.array([(8, 11), (17, 22)], np.uint16)
    taught = TaughtShares(("PLANT", "WAR"), ("train-war", "train-seeds"), places, names, values)
    taught.write(path)
    return path


@pytest.mark.usefixtures("opener")
def test_what_teachers_say_is_kept_in_few_bytes(tmp_path: Path) -> None:
    from trope_domains.taught import TaughtShares

    path = _teach(tmp_path / "taught.npz")
    taught = TaughtShares.read(path, ("PLANT", "WAR"))
    assert taught.folds == 2
    assert np.allclose(taught.by(-1), [[0.1, 0.9], [0.85, 0.15]], atol=0.01)
    with pytest.raises(BadModel, match=r"has other concepts than the data"):
        TaughtShares.read(path, ("PLANT", "SEA"))


@pytest.mark.usefixtures("opener")
def test_teachers_read_metaphors_of_texts_that_nothing_else_holds(
    data: Path, shipped: Pipeline
) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    from trope_domains.teacher import PieceReader, spans_to_read, texts_to_read

    texts = texts_to_read(data)
    assert [text.id for text in texts] == ["train-war", "train-seeds"]
    rows, spans = spans_to_read(texts, shipped)
    words = [" ".join(span.tokens[at].text for at in span.places) for span in spans]
    assert {("train-war", "war"), ("train-seeds", "seeds")} <= {*zip(rows, words, strict=True)}
    pieces = PieceReader().read(spans[0])
    assert len(pieces.inside) == 1 and pieces.inside[0] < pieces.described < len(pieces.ids)


def test_training_again_gives_weights_that_evaluate_measures(
    site: Path, data: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    out = tmp_path / "own"
    taught = _teach(tmp_path / "taught.npz")
    command = [sys.executable, "-m", "trope_domains.train", "--from", data, "--out", out]
    environment = {**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"}
    run = partial(subprocess.run, env=environment, capture_output=True, text=True)
    wrong = run([*command, "--folds", "3", "--taught", taught], check=False)
    assert wrong.returncode == 2 and "is for 2 folds" in wrong.stderr
    run([*command, "--folds", "2", "--taught", taught], check=True)
    record = json.loads((out / "training.json").read_text())
    assert record["data"]["spans taught"] == 2
    assert record["data"]["taught"] == sha256(taught)
    assert record["sha256"] == sha256(out / "model.npz")
    assert record["data"]["known spans"] == len(_TRAIN) - 1
    assert record["cross-validation on train"]["spans"] == len(_TRAIN) - 1
    said = json.loads(
        _run(site, "evaluate", "domains", "--from", data, "--system", out, "--json",
             "--part", "learnt")
    )  # fmt: skip
    values = {figure["name"]: figure["value"] for figure in said["figures"]}
    assert values["domains.lcc.dev.group.accuracy"] >= 0.75
    assert values["domains.lcc.dev.name.accuracy"] >= 0.75
