"""Every view of odd corpora: it answers, or says what is missing."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import ALL, Row, detect, opened, trope, write_csv

from trope.core.errors import BadInput, BadRecord, TropeError
from trope.core.files import sha256
from trope.workbench.corpus import views
from trope.workbench.corpus.corpus import IndexedCorpus, open_corpus
from trope.workbench.corpus.features import write_features
from trope.workbench.corpus.queries import VIEWS, FeaturesQuery, TextQuery, make_query
from trope.workbench.corpus.views import answer, passage
from trope.workbench.text_view import pieces

EVERY: list[tuple[str, dict[str, Any]]] = [
    ("rates", {"by": "source"}),
    ("figures", {}),
    ("verbs", {}),
    ("keyness", {"by": "source", "part": "Herald", "min_count": 1}),
    ("keyness", {"by": "source", "part": "Herald", "of": "figures", "min_count": 1}),
    ("trend", {"by": "date", "min_count": 1}),
    ("collocates", {"lemma": "ate", "min_count": 1}),
    ("sketch", {"lemma": "ate"}),
    ("ngrams", {"size": 2, "min_count": 2}),
    ("dispersion", {"lemma": "ate"}),
    ("concordance", {"lemma": "ate", "sort": "column", "by": "date"}),
    ("domains", {"by": "source"}),
    ("features", {}),
    ("text", {"text": 1}),
]


def test_every_view_is_tried() -> None:
    assert {view for view, _ in EVERY} == set(VIEWS)


def test_a_corpus_without_texts_says_so(tmp_path: Path) -> None:
    table = write_csv([Row("a", "Time ate roads.", "Herald", "2019-01-01")], tmp_path / "one.csv")
    folder = detect(table, tmp_path / "one", *ALL)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"shards": []}))
    for use in (
        lambda: open_corpus(folder, index=tmp_path / "index"),
        lambda: write_features(folder, FeaturesQuery(), tmp_path / "f.csv"),
    ):
        with pytest.raises(BadRecord, match="without texts; run trope detect with some"):
            use()


@pytest.fixture(scope="module")
def one_text(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedCorpus]:
    folder = tmp_path_factory.mktemp("one")
    table = write_csv([Row("a", "Time ate roads.", "Herald", "2019-01-01")], folder / "one.csv")
    with opened(detect(table, folder / "one", *ALL), folder / "index") as corpus:
        yield corpus


UNANSWERED = {
    "domains": "has no source domains; add them with: trope detect",
    "keyness": "there are no others to compare with",
    "trend": "a trend needs three",
}


@pytest.mark.parametrize(("view", "fields"), EVERY)
def test_one_text_is_a_corpus(one_text: IndexedCorpus, view: str, fields: dict[str, Any]) -> None:
    query = make_query(view, fields)
    if view in UNANSWERED:
        with pytest.raises(BadInput, match=UNANSWERED[view]):
            answer(one_text, query)
        return
    table = answer(one_text, query)
    assert len(table.rows) == {"text": 4, "sketch": 2, "collocates": 2, "ngrams": 0}.get(view, 1)
    if view == "dispersion":
        assert table.about["dp"] is None


@pytest.mark.parametrize(("view", "fields"), EVERY)
def test_texts_without_words_divide_nothing(
    tmp_path: Path, view: str, fields: dict[str, Any]
) -> None:
    rows = [Row(f"t{at}", "!!! ...", "Herald", f"201{at}-01-01") for at in range(4)]
    folder = detect(write_csv(rows, tmp_path / "t.csv"), tmp_path / "t", *ALL)
    with opened(folder, tmp_path / "index") as corpus:
        try:
            table = answer(corpus, make_query(view, fields))
        except BadInput as refused:
            assert view in {*UNANSWERED, "collocates", "sketch", "dispersion"}, str(refused)
            return
    if view == "features":
        assert {row["metaphor_rate"] for row in table.dicts()} == {None}


def repeated(folder: Path, times: int) -> None:
    """Make the one text of a corpus so many times as long."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (shard,) = manifest["shards"]
    part = folder / shard["name"]
    row = json.loads(part.read_text())
    length, tokens = len(row["text"]) + 1, row["tokens"]
    row["text"] = " ".join([row["text"]] * times)
    row["tokens"] = [
        token | {"start": token["start"] + at * length, "end": token["end"] + at * length}
        for at in range(times)
        for token in tokens
    ]
    row["relations"] = []
    for name in ("words", "metaphors"):
        row[name] *= times
        manifest["totals"][name] = shard[name] = row[name]
    part.write_text(json.dumps(row) + "\n")
    shard["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_text_of_a_million_words(tmp_path: Path) -> None:
    table = write_csv([Row("a", "Time ate old roads.", "Herald", "2019-01-01")], tmp_path / "l.csv")
    folder = detect(table, tmp_path / "long", *ALL, "--format", "jsonl")
    repeated(folder, 250_000)
    write_features(folder, FeaturesQuery(), tmp_path / "features.csv")
    with (tmp_path / "features.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["words"], row["letters_per_word"]) == ("1000000", "3.75")
    with opened(folder, tmp_path / "index") as corpus:
        for view, fields in EVERY:
            if view not in UNANSWERED and view != "sketch":
                assert answer(corpus, make_query(view, fields)).rows
        spread = answer(corpus, make_query("dispersion", {"lemma": "ate"}))
        assert spread.about["uses"] == 250_000
        assert len(spread.dicts()[0]["places"]) <= 1_001
        some = passage(corpus, TextQuery(text=1), 3, -1)
        assert (len(some.rows), some.about["part"], some.about["parts"]) == (5_000, 3, 250)
        (first,) = answer(corpus, make_query("ngrams", {"size": 3, "rows": 1})).dicts()
    assert (first["ngram"], first["count"], first["texts"]) == ("ate old roads", 250_000, 1)


def test_long_texts_are_shown_in_parts(
    small_corpus: IndexedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answer(small_corpus, TextQuery(text=3))
    tokens = len(whole.rows)
    monkeypatch.setattr(views, "PASSAGE", 4)
    parts = -(-tokens // 4)
    assert parts > 1
    found = [passage(small_corpus, TextQuery(text=3), number, -1) for number in range(1, parts + 1)]
    assert [row for part in found for row in part.rows] == whole.rows
    shown = "".join(piece.text for part in found for piece in pieces(part, "", ()))
    assert "".join(shown.split()) == "".join(whole.about["text"].split())
    assert {part.about["parts"] for part in found} == {parts}
    for row in whole.dicts():  # the part of a word that was found
        (chosen,) = (
            piece.text
            for piece in pieces(
                passage(small_corpus, TextQuery(text=3), 1, row["start"]), str(row["start"]), ()
            )
            if piece.chosen
        )
        assert chosen == row["word"]
    assert passage(small_corpus, TextQuery(text=3), 10**8, -1).about["part"] == parts
    assert passage(small_corpus, TextQuery(text=3), 0, -1).about["part"] == 1


def many_values(folder: Path, texts: int) -> None:
    """Make the one text of a corpus so many texts, each with a source of its own."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (shard,) = manifest["shards"]
    part = folder / shard["name"]
    row = json.loads(part.read_text())
    with part.open("w") as file:
        for at in range(texts):
            file.write(json.dumps(row | {"id": f"t{at}", "source": f"source {at:06}"}) + "\n")
    for name in ("texts", "sentences", "words", "metaphors"):
        manifest["totals"][name] = shard[name] = shard[name] * texts
    shard["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_column_of_a_hundred_thousand_values(tmp_path: Path) -> None:
    table = write_csv([Row("a", "Time ate roads.", "Herald", "2019-01-01")], tmp_path / "m.csv")
    folder = detect(table, tmp_path / "many", *ALL, "--format", "jsonl")
    many_values(folder, 100_000)
    with opened(folder, tmp_path / "index") as corpus:
        (column,) = (one for one in corpus.facts.columns if one.name == "source")
        assert (column.values, column.offered) == (100_000, ())
        rates = answer(corpus, make_query("rates", {"by": "source", "rows": 10}))
        assert (rates.about["total"], len(rates.rows)) == (100_000, 10)
        lines = {"lemma": "ate", "sort": "column", "by": "source", "rows": 2, "page": 50_000}
        last = answer(corpus, make_query("concordance", lines)).dicts()[-1]
        assert last["source"] == "source 099999"
        near = {"by": "source", "part": "source 54321"}
        with pytest.raises(BadInput, match="choose another value, such as 'source 054321'"):
            answer(corpus, make_query("keyness", near))
        one = {"by": "source", "part": "source 054321", "of": "figures", "min_count": 1}
        (row,) = answer(corpus, make_query("keyness", one)).dicts()
        assert (row["count"], row["other_count"]) == (1, 99_999)


def test_expressions_that_would_run_for_ever_end(small_corpus: IndexedCorpus) -> None:
    for pattern in ("(a+)+$", "(.*)*x", "(a|a)*b", "((a|é)?){60}z"):
        query = make_query("concordance", {"regex": pattern})
        assert answer(small_corpus, query).about["total"] >= 0


def test_no_thread_is_left_that_holds_a_query(small_corpus: IndexedCorpus) -> None:
    """One that outlives the query makes the database complain when the process ends."""
    before = set(threading.enumerate())
    for _ in range(50):
        small_corpus.database.one("SELECT count(*) FROM documents")
        assert set(threading.enumerate()) <= before


def test_a_corpus_of_another_version_is_named(corpus_folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(corpus_folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["settings"]["trope"] = "99.0.0"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(TropeError, match=r"was written by trope 99\.0\.0.*run trope detect again"):
        write_features(copy, FeaturesQuery(), tmp_path / "f.csv")
    done = trope_error("query", str(corpus_folder), "compare", str(copy), "--quiet")
    assert "was written by trope 99.0.0" in done


def trope_error(*arguments: str) -> str:
    """The error line of a command."""
    from click.testing import CliRunner

    from trope.cli.main import main

    done = CliRunner().invoke(main, list(arguments))
    assert isinstance(done.exception, TropeError)
    return str(done.exception)
