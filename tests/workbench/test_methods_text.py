"""`trope methods`: the paragraph says what the corpus and the model are, and nothing else."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import shutil
from pathlib import Path
from typing import get_args

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import detect, trope

from trope.core.records import WordView
from trope.encoder.models import known_models
from trope.pipeline import Pipeline
from trope.workbench.corpus import methods
from trope.workbench.corpus.corpus import IndexedCorpus, own_threshold

FIGURES = Path(__file__).parents[2] / "docs" / "figures.json"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_counts_and_rate_are_those_of_the_corpus(corpus_folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="PyArrow is not installed")
    said = json.loads(trope("methods", corpus_folder, "--json").stdout)
    table = json.loads(trope("query", corpus_folder, "rates", "--json").stdout)["all"]
    assert said["counts"] == {name: table[name] for name in said["counts"]}
    assert said["rate"]["value"] == pytest.approx(table["rate"], abs=1e-4)
    shown = trope("methods", corpus_folder).stdout
    assert f"{table['metaphors']:,} are metaphors ({100 * table['rate']:.1f} %" in shown
    assert shown.startswith("We identified metaphors with trope ")
    scores = [
        token["metaphor"]
        for part in corpus_folder.glob("part-*.parquet")
        for tokens in parquet.read_table(part, columns=["tokens"])["tokens"].to_pylist()
        for token in tokens
        if said["word_view"] in token["shown"]
    ]
    assert said["lowest_score"] == min(scores)
    assert f"; their lowest score is {min(scores):.3f}." in shown


def test_unknown_model_has_no_quality_and_no_citation_of_a_test_set(corpus_folder: Path) -> None:
    said = json.loads(trope("methods", corpus_folder, "--json").stdout)
    assert said["quality"] == {}  # the corpus of the tests was read by rule
    assert "VU Amsterdam" not in said["paragraph"]
    assert len(said["references"]) == 1


def test_shipped_model_is_described_by_its_figures(small_corpus: IndexedCorpus) -> None:
    settings = small_corpus.source.manifest.settings
    model = known_models()["small"]
    assert not methods._quality("small", settings.model_sha256)
    found = methods._quality("small", model.files[0].sha256)
    assert set(found) == {"f1", "precision", "recall"}
    sentence = methods._measured_sentence(found, 0.38)
    assert "where words of every class count with a score of at least 0.38, the model" in sentence
    for name, said in (("f1", "F1"), ("precision", "precision"), ("recall", "recall")):
        one, interval = found[name], "95 % interval " if name == "f1" else ""
        shown = f"{said} of {one.value:.2f} ({interval}{one.low:.2f} to {one.high:.2f})"
        assert shown in sentence


def test_the_threshold_of_a_shipped_model_is_the_one_it_marks_words_by() -> None:
    checksum = known_models()["small"].files[0].sha256
    for words in get_args(WordView):
        analysis = Pipeline().analyze("The tax strangles shops.", words=words)
        assert own_threshold("small", checksum, words) == analysis.shown_threshold
    assert own_threshold("small", "0" * 64, "content") is None


def test_text_and_tables_state_the_threshold_of_the_view_that_counts(
    corpus_folder: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(corpus_folder, tmp_path / "copy"))
    manifest = json.loads((folder / "manifest.json").read_text())
    checksum = known_models()["small"].files[0].sha256
    manifest["settings"] |= {"tier": "small", "model_sha256": checksum, "words": "noticed"}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    found = {words: own_threshold("small", checksum, words) for words in get_args(WordView)}
    for words, threshold in found.items():
        asked = (folder, "--words", words)
        assert json.loads(trope("methods", *asked, "--json").stdout)["threshold"] == threshold
        said = trope("methods", *asked).stdout
        assert f" a score of at least {threshold:g}." in said
        assert ("The particle of a verb counts with the verb" in said) == (words != "all")
        shown = " ".join(trope("query", folder, "rates", "--words", words).stdout.split())
        assert f"with a score of at least {threshold:g} (--words {words})." in shown


def test_source_domains_are_named_with_their_sources(corpus_table: Path, tmp_path: Path) -> None:
    folder = detect(corpus_table, tmp_path / "news", "--with", "domains")
    said = trope("--quiet", "methods", folder).stdout
    manifest = json.loads((folder / "manifest.json").read_text())
    by_lists = manifest["settings"]["domains"] == "free"
    assert ("WordNet and MetaNet" in said) == by_lists
    assert ("named by networks" in said) != by_lists


@pytest.mark.parametrize("tier", ["small", "base"])
def test_quality_of_models_is_what_was_recorded(tier: str) -> None:
    recorded = {
        (one["tier"], one["name"]): one for one in json.loads(FIGURES.read_text())["figures"]
    }
    model = known_models()[tier]
    assert model.quality
    for one in model.quality:
        figure = recorded[tier, one.figure]
        assert one.n == figure["n"]
        assert (one.value, one.low, one.high) == tuple(
            round(figure[name], 4) for name in ("value", "low", "high")
        )


def test_out_and_advice(corpus_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "methods.txt"
    done = trope("methods", corpus_folder, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "References\n- The trope authors." in out.read_text()
    assert "judge a sample" in done.stderr
    assert trope("--quiet", "methods", corpus_folder).stderr == ""


def test_folder_that_is_no_corpus(tmp_path: Path) -> None:
    from trope.core.errors import BadInput

    with pytest.raises(BadInput, match="was not written by trope detect"):
        trope("methods", tmp_path)
