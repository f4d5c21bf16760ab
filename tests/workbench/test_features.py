"""Features of texts against a look at every text; files of them, stopped and resumed."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import ALL, Row, detect, opened, trope, write_csv

from trope.core.errors import BadInput, BadRecord
from trope.core.files import sha256
from trope.core.records import is_word
from trope.workbench.corpus import features as module
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.features import write_features
from trope.workbench.corpus.queries import FeaturesQuery, make_query
from trope.workbench.corpus.views import answer


def written(folder: Path, out: Path, **options: Any) -> list[dict[str, str]]:
    """The rows of a file of features."""
    write_features(folder, make_query("features", options.pop("fields", {})), out, **options)
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_features_are_those_of_the_texts(
    small_corpus: IndexedCorpus, corpus_rows: list[Row]
) -> None:
    table = answer(small_corpus, make_query("features", {"rows": 100}))
    assert len(table.rows) == len(corpus_rows)
    for row, given in zip(table.dicts(), corpus_rows, strict=True):
        found = given.analysis
        words = [(at, token) for at, token in enumerate(found.tokens) if is_word(token.text)]
        verbs = [at for at, token in words if token.upos == "VERB"]
        n = len(words)
        assert (row["id"], row["source"], row["words"]) == (given.id, given.source, n)
        assert row["sentences"] == len(found.sentences)
        assert row["words_per_sentence"] == pytest.approx(n / len(found.sentences), abs=1e-6)
        letters = sum(len(token.text) for _, token in words)
        assert row["letters_per_word"] == pytest.approx(letters / n, abs=1e-6)
        long = sum(len(token.text) > 6 for _, token in words)
        assert row["long_words"] == pytest.approx(long / n, abs=1e-6)
        types = len({token.text.lower() for _, token in words})
        assert row["types_per_word"] == pytest.approx(types / n, abs=1e-6)
        metaphors = sum(found.is_metaphor(at) for at, _ in words)
        assert row["metaphor_rate_all"] == pytest.approx(metaphors / n, abs=1e-6)
        if verbs:
            rate = sum(found.is_metaphor(at) for at in verbs) / len(verbs)
            assert row["metaphor_rate_verb"] == pytest.approx(rate, abs=1e-6)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_file_has_what_the_view_has(corpus_table: Path, tmp_path: Path, form: str) -> None:
    folder = detect(corpus_table, tmp_path / f"news.{form}", *ALL, "--format", form)
    rows = written(folder, tmp_path / "features.csv")
    with opened(folder, tmp_path / "index") as corpus:
        table = answer(corpus, make_query("features", {"rows": 100}))
    assert list(rows[0]) == list(table.columns)
    for row, wanted in zip(rows, table.rows, strict=True):
        assert list(row.values()) == ["" if one is None else str(one) for one in wanted]


def test_parquet_has_numbers_and_strings(corpus_folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    out = tmp_path / "features.parquet"
    query = make_query("features", {"where": ["source=Herald"]})
    texts = write_features(corpus_folder, query, out, index=tmp_path / "index")
    table = parquet.read_table(out)
    assert table.num_rows == texts > 0
    assert set(table["source"].to_pylist()) == {"Herald"}
    kinds = {name: str(table.schema.field(name).type) for name in ("text", "id", "metaphor_rate")}
    assert kinds == {"text": "int64", "id": "string", "metaphor_rate": "double"}


def test_texts_and_words_can_be_chosen(
    corpus_folder: Path, corpus_rows: list[Row], tmp_path: Path
) -> None:
    some = {"fields": {"where": ["date=2019", "source=Herald"]}, "index": tmp_path / "index"}
    rows = written(corpus_folder, tmp_path / "some.csv", **some)
    wanted = [row.id for row in corpus_rows if row.source == "Herald" and row.date[:4] == "2019"]
    assert [row["id"] for row in rows] == wanted
    every = written(corpus_folder, tmp_path / "all.csv", words="all", index=tmp_path / "index")
    assert [row["metaphor_rate"] for row in every] == [row["metaphor_rate_all"] for row in every]
    none = {"fields": {"where": ["source=Nobody"]}, "index": tmp_path / "index"}
    assert written(corpus_folder, tmp_path / "none.csv", **none) == []


def test_a_run_that_was_stopped_goes_on(
    corpus_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out, done = tmp_path / "whole.csv", tmp_path / "features.csv", []
    query = FeaturesQuery()
    write_features(corpus_folder, query, whole)
    own = module._rows_of_part

    def stop_at_the_fourth(source: Any, view: Any, number: int, *rest: Any) -> Any:
        if number == 3:
            raise KeyboardInterrupt
        done.append(number)
        return own(source, view, number, *rest)

    monkeypatch.setattr(module, "_rows_of_part", stop_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        write_features(corpus_folder, query, out)
    assert not out.exists()
    with pytest.raises(BadInput, match=r"not finished; go on with --resume, or delete it"):
        write_features(corpus_folder, query, out)
    other = make_query("features", {"where": ["source=Herald"]})
    with pytest.raises(BadInput, match="another corpus or with other settings"):
        write_features(corpus_folder, other, out, resume=True, index=tmp_path / "index")

    def from_the_fourth(source: Any, view: Any, number: int, *rest: Any) -> Any:
        done.append(number)
        return own(source, view, number, *rest)

    monkeypatch.setattr(module, "_rows_of_part", from_the_fourth)
    write_features(corpus_folder, query, out, resume=True)
    assert done == list(range(9))  # no part twice
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.unfinished"))


def test_a_damaged_part_is_found_when_it_comes(corpus_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "news"
    shutil.copytree(corpus_folder, copy)
    last = sorted(copy.glob("part-*"))[-1]
    last.write_bytes(b"no part")
    with pytest.raises(BadRecord, match="damaged or altered"):
        write_features(copy, FeaturesQuery(), tmp_path / "features.csv")
    assert len(list((tmp_path / "features.csv.unfinished").glob("part-*"))) == 8


def test_without_words_there_are_fewer_features(corpus_table: Path, tmp_path: Path) -> None:
    folder = detect(corpus_table, tmp_path / "plain", "--counts-only", "--columns", "source")
    rows = written(folder, tmp_path / "features.csv")
    assert {"words", "metaphor_rate", "idiom_rate"} <= set(rows[0])
    assert "letters_per_word" not in rows[0]
    with opened(folder, tmp_path / "index") as corpus:
        table = answer(corpus, make_query("features", {}))
    assert list(rows[0]) == list(table.columns)
    assert "more features need the column 'tokens'" in table.notes[0]


def test_columns_keep_their_names_apart_and_cells_are_no_formulas(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    table.write_text("id,text,novelty\na,Time ate roads.,=cmd()\n")
    folder = detect(table, tmp_path / "out", "--columns", "novelty", "--tokens")
    (row,) = written(folder, tmp_path / "features.csv")
    assert (row["novelty (column)"], row["novelty"]) == ("'=cmd()", "")


def test_source_domains_have_rates(corpus_table: Path, tmp_path: Path) -> None:
    folder = detect(corpus_table, tmp_path / "news", *ALL, "--format", "jsonl")
    add_domains(folder)
    rows = written(folder, tmp_path / "features.csv")
    first = rows[0]
    assert float(first["domain_rate_war"]) == pytest.approx(2 / int(first["words"]), abs=1e-6)
    assert {row["domain_rate_family_life"] for row in rows[1:]} == {"0.0"}
    with opened(folder, tmp_path / "index") as corpus:
        table = answer(corpus, make_query("features", {"rows": 100}))
    assert [str(row["domain_rate_war"]) for row in table.dicts()] == [
        row["domain_rate_war"] for row in rows
    ]


def add_domains(folder: Path) -> None:
    """Give the first text of a corpus metaphors with source domains."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["tasks"].append("domains")
    part = folder / manifest["shards"][0]["name"]
    first, *others = part.read_text().splitlines()
    row = json.loads(first)
    row["figures"] = [
        {"kind": "metaphor", "tokens": [1], "score": 0.9, "domain": domain}
        for domain in ("WAR", "FAMILY & LIFE", "WAR")
    ]
    part.write_text("".join(f"{line}\n" for line in (json.dumps(row), *others)))
    manifest["shards"][0]["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "features.txt"], "features are written as .csv or .parquet"),
        (["--out", "f.csv", "--json"], "the name says the format of features"),
        (["--out", "f.parquet", "--format", "csv"], "leave out --format and --json"),
        (["--where", "colour=red", "--out", "f.csv"], "no column is called 'colour'"),
    ],
)
def test_what_cannot_be_written_is_refused(
    corpus_folder: Path, tmp_path: Path, options: list[str], words: str, capsys: Any
) -> None:
    from trope.cli.main import run

    with pytest.raises(SystemExit) as leave, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        run(["query", str(corpus_folder), "features", "--index", "index", *options, "--quiet"])
    assert leave.value.code == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.glob("f*"))


def test_the_command_says_what_it_wrote(corpus_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "features.csv"
    done = trope("query", corpus_folder, "features", "--out", out)
    assert done.stdout == f"{out}: features of 60 texts\n"
    assert "60 of 60 texts" in done.stderr
    quiet = trope("query", corpus_folder, "features", "--out", out, "--quiet")
    assert quiet.output == ""
