"""Folders, columns and questions that cannot be used: named, refused, nothing harmed."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import gc
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import detect, opened

from trope.core.errors import (
    BadInput,
    BadRecord,
    MissingData,
    MissingExtra,
    TropeError,
    UnknownName,
)
from trope.core.files import sha256
from trope.workbench.corpus import database, index
from trope.workbench.corpus.corpus import IndexedCorpus, open_corpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.views import answer


@pytest.fixture
def copy(corpus_folder: Path, tmp_path: Path) -> Path:
    """A copy of the corpus that may be damaged."""
    return Path(shutil.copytree(corpus_folder, tmp_path / "copy.parquet"))


def change_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for key, value in changes.items():
        if key in manifest:
            manifest[key] = value
        else:
            manifest["settings"][key] = value
    path.write_text(json.dumps(manifest))


def test_folders_that_are_not_of_detect(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match=r"nowhere: not found; give a folder"):
        open_corpus(tmp_path / "nowhere", index=tmp_path / "index")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "part-00000.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"foreign: was not written by trope detect \(manifest"):
        open_corpus(tmp_path / "foreign", index=tmp_path / "index")
    (tmp_path / "foreign" / "manifest.json").write_text('{"some": "thing"}')
    with pytest.raises(BadRecord, match=r"manifest\.json: is not a manifest of trope detect"):
        open_corpus(tmp_path / "foreign", index=tmp_path / "index")
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"trope": "0.0.9"}, "was written by trope 0.0.9, this is"),
        ({"state": "running"}, "unfinished run; finish it with trope detect … --resume"),
        ({"shards": []}, "without texts"),
        ({"strange": 1}, "not a manifest of trope detect"),
    ],
)
def test_runs_of_another_version_or_not_finished(
    copy: Path, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    change_manifest(copy, **changes)
    with pytest.raises(BadRecord, match=words):
        open_corpus(copy, index=tmp_path / "index")


def test_a_part_outside_the_folder_is_not_read(copy: Path, tmp_path: Path) -> None:
    shards = json.loads((copy / "manifest.json").read_text())["shards"]
    shards[0]["name"] = "../secret.parquet"
    change_manifest(copy, shards=shards)
    with pytest.raises(BadRecord, match="outside its folder"):
        open_corpus(copy, index=tmp_path / "index")


def test_a_damaged_part_is_named_and_leaves_no_index(copy: Path, tmp_path: Path) -> None:
    part = copy / "part-00002.parquet"
    content = part.read_bytes()
    part.write_bytes(content[:-20])
    with pytest.raises(BadRecord, match=r"part-00002\.parquet: is damaged or altered; write it"):
        open_corpus(copy, index=tmp_path / "index")
    part.unlink()
    with pytest.raises(MissingData, match=r"part-00002\.parquet: not found; write it again"):
        open_corpus(copy, index=tmp_path / "index")
    part.write_bytes(content)
    with opened(copy, tmp_path / "index") as corpus:
        assert corpus.facts.texts == 60
    assert len(list((tmp_path / "index").iterdir())) == 1


def test_columns_that_the_manifest_promises_in_vain(copy: Path, tmp_path: Path) -> None:
    change_manifest(copy, columns=["text", "source", "date", "author"])
    with pytest.raises(BadRecord, match=r"copy\.parquet: cannot be indexed \(.*author"):
        open_corpus(copy, index=tmp_path / "index")
    assert list((tmp_path / "index").iterdir()) == []


def test_scores_that_do_not_give_the_counts(copy: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = copy / "part-00000.parquet"
    table = pq.read_table(part)
    place = table.schema.get_field_index("metaphors")
    more = pa.array([value.as_py() + 1 for value in table["metaphors"]], pa.int32())
    pq.write_table(table.set_column(place, "metaphors", more), part)
    shards = json.loads((copy / "manifest.json").read_text())["shards"]
    shards[0]["sha256"] = sha256(part)
    change_manifest(copy, shards=shards)
    with pytest.raises(BadRecord, match="counts of metaphors that do not match its scores"):
        open_corpus(copy, index=tmp_path / "index")


def test_a_killed_build_leaves_nothing_that_counts(
    corpus_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(index._Builder, "_facts", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            open_corpus(corpus_folder, index=tmp_path / "index")
    assert list((tmp_path / "index").iterdir()) == []
    with opened(corpus_folder, tmp_path / "index") as corpus:
        assert corpus.facts.texts == 60


def test_the_index_is_built_once_and_again_for_another_run(copy: Path, tmp_path: Path) -> None:
    steps: list[str] = []
    for _ in range(2):
        with opened(copy, tmp_path / "index", progress=steps.append):
            pass
    assert steps.count("sorting words") == 1
    change_manifest(copy, id_column="id")
    with opened(copy, tmp_path / "index", progress=steps.append):
        pass
    assert steps.count("sorting words") == 2
    assert not [path for path in copy.iterdir() if "duckdb" in path.name]


def test_a_damaged_index_is_built_again(corpus_folder: Path, tmp_path: Path) -> None:
    with opened(corpus_folder, tmp_path):
        (path,) = tmp_path.iterdir()
    path.write_bytes(b"no index at all" * 4096)
    with opened(corpus_folder, tmp_path) as corpus:
        assert answer(corpus, make_query("concordance", {"lemma": "ate"})).rows
    assert list(tmp_path.iterdir()) == [path]


def test_the_index_does_not_lie_in_the_corpus(copy: Path) -> None:
    with pytest.raises(BadInput, match="is inside the folder of the corpus"):
        open_corpus(copy, index=copy / "index")


def test_without_tokens_rates_work_and_the_rest_names_the_command(
    corpus_table: Path, tmp_path: Path
) -> None:
    folder = detect(corpus_table, tmp_path / "plain", "--counts-only", "--columns", "source,text")
    with opened(folder, tmp_path / "index") as corpus:
        assert len(answer(corpus, make_query("rates", {"by": "source"})).rows) == 4
        again = (
            f"trope detect {corpus_table} --out plain-words --format jsonl --tokens "
            "--columns source,text --words noticed"
        )
        for view, fields in (
            ("figures", {}),
            ("verbs", {}),
            ("collocates", {"lemma": "ate"}),
            ("trend", {"by": "file"}),
            ("ngrams", {}),
            ("dispersion", {"lemma": "ate"}),
            ("keyness", {"by": "source", "part": "Herald"}),
            ("concordance", {"lemma": "ate"}),
        ):
            with pytest.raises(BadInput) as refused:
                answer(corpus, make_query(view, fields))
            assert "has no words (the column 'tokens', needed for" in str(refused.value)
            assert str(refused.value).endswith(again)
        shown = answer(corpus, make_query("text", {"text": 1}))
        assert shown.about["text"]
        assert shown.notes[0].endswith(again)


def test_without_relations_verbs_work_and_objects_name_the_command(
    corpus_table: Path, tmp_path: Path
) -> None:
    folder = detect(
        corpus_table, tmp_path / "plain", "--counts-only", "--columns", "text", "--tokens"
    )
    with opened(folder, tmp_path / "index") as corpus:
        verbs = answer(corpus, make_query("verbs", {}))
        assert verbs.rows[0][-1] == []
        assert verbs.notes[0].endswith("--with relations --words noticed")
        for view, fields in (("concordance", {"object": "time"}), ("sketch", {"lemma": "ate"})):
            with pytest.raises(BadInput, match=r"verbs with objects .* --with relations"):
                answer(corpus, make_query(view, fields))


SQL = "x' OR 1=1; DROP TABLE words; --"


@pytest.mark.parametrize("field", ["lemma", "form", "upos", "object", "subject"])
def test_sql_in_a_search_is_text(small_corpus: IndexedCorpus, field: str) -> None:
    assert answer(small_corpus, make_query("concordance", {field: SQL})).rows == []
    assert answer(small_corpus, make_query("concordance", {"lemma": "ate"})).rows


def test_sql_in_a_condition_is_text(small_corpus: IndexedCorpus) -> None:
    assert answer(small_corpus, make_query("rates", {"where": [f"source={SQL}"]})).rows == []
    with pytest.raises(UnknownName, match="no column is called"):
        answer(small_corpus, make_query("rates", {"by": SQL}))
    with pytest.raises(BadInput, match="no texts with words have the source"):
        answer(small_corpus, make_query("keyness", {"by": "source", "part": SQL}))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("((", r"'\(\(' is not a regular expression \(missing"),
        ("(?=x)", "is not a regular expression"),
        ("((a{1000}){1000}){1000}", "is not a regular expression"),
        ("x" * 201, "at most 200 characters"),
    ],
)
def test_regular_expressions_that_are_none(
    small_corpus: IndexedCorpus, pattern: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        answer(small_corpus, make_query("concordance", {"regex": pattern}))


def test_an_exploding_expression_does_not_explode(small_corpus: IndexedCorpus) -> None:
    found = answer(
        small_corpus, make_query("concordance", {"regex": r"^(([a-z])+.)+[A-Z]([a-z])+$"})
    )
    assert found.about["total"] == 0


@pytest.mark.parametrize(
    ("view", "fields", "words"),
    [
        ("concordance", {}, "the search is empty; give at least one of lemma"),
        ("concordance", {"rows": 0, "lemma": "x"}, "rows must be at least 1, you gave 0"),
        ("concordance", {"page": -1, "lemma": "x"}, "page must be at least 1"),
        ("concordance", {"context": 99, "lemma": "x"}, "context must be at most 40"),
        ("concordance", {"min_score": 7, "lemma": "x"}, "min_score must be at most 1"),
        (
            "concordance",
            {"sort": "up", "lemma": "x"},
            "sort must be one of place, left, right, score",
        ),
        ("concordance", {"colour": "red"}, "colour is not a field"),
        ("keyness", {"by": "source"}, "part is missing"),
        ("rates", {"by": "source", "period": "year"}, "'source' has no dates"),
        ("rates", {"where": ["Herald"]}, "'Herald' is not a condition; write COLUMN=VALUE"),
        ("text", {"text": 61}, "no text 61; texts are numbered from 1 to 60"),
        ("text", {"text": "one"}, "text must be a whole number"),
        ("concordance", {"lemma": "\udcff"}, "lemma is not UTF-8 text"),
        ("rates", {"where": ["source=\udcff"]}, "where is not UTF-8 text"),
        ("sql", {}, "no view of a corpus is called 'sql'"),
    ],
)
def test_questions_that_cannot_be_answered(
    small_corpus: IndexedCorpus, view: str, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(TropeError, match=words):
        answer(small_corpus, make_query(view, fields))


def test_a_question_that_takes_too_long_is_given_up(
    small_corpus: IndexedCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TIME_LIMIT", 0.2)
    slow = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"
    with pytest.raises(BadInput, match="was cancelled; ask for less"):
        small_corpus.database.ask(slow)
    monkeypatch.undo()
    assert answer(small_corpus, make_query("concordance", {"lemma": "ate"})).rows


def test_nobody_can_change_the_index(small_corpus: IndexedCorpus) -> None:
    with pytest.raises(BadInput, match="read-only"):
        small_corpus.database.ask("CREATE TABLE more AS SELECT 1")


def test_without_duckdb_the_extra_is_named(
    corpus_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[web\]'"):
        open_corpus(corpus_folder, index=tmp_path / "index")


def test_a_corpus_from_before_there_were_views_is_read(corpus_table: Path, tmp_path: Path) -> None:
    folder = detect(corpus_table, tmp_path / "old", "--tokens", "--words", "all")
    with opened(folder, tmp_path / "new-index") as corpus:
        wanted = answer(corpus, make_query("rates", {})).rows, corpus.facts.metaphors
    make_old(folder)
    with opened(folder, tmp_path / "old-index") as corpus:
        assert corpus.facts.word_view == "all"
        assert (answer(corpus, make_query("rates", {})).rows, corpus.facts.metaphors) == wanted
    with pytest.raises(
        BadInput, match=r"--words all and cannot by noticed; write it again.*noticed"
    ):
        open_corpus(folder, words="noticed", index=tmp_path / "old-index")


def test_an_index_that_nobody_uses_is_closed(
    corpus_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    connect = database.connect
    monkeypatch.setattr(database, "connect", lambda path: made.append(connect(path)) or made[-1])
    open_corpus(corpus_folder, index=tmp_path)  # and forgotten, as when another one is shown
    gc.collect()
    with pytest.raises(database.duckdb().ConnectionException, match="closed"):
        made[-1].execute("SELECT 1")


def make_old(folder: Path) -> None:
    """Take from a corpus what it did not have before there were views."""
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["settings"]["words"]
    for shard in manifest["shards"]:
        part = folder / shard["name"]
        rows = [json.loads(line) for line in part.read_text().splitlines()]
        for row in rows:
            del row["view"], row["figures"]
            row["tokens"] = [
                {name: token[name] for name in token if name not in ("novelty", "shown")}
                for token in row["tokens"]
            ]
        part.write_text("".join(json.dumps(row) + "\n" for row in rows))
        shard["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))
