"""`/api/query`: tables of a corpus, the same as those of the command."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from benches import Bench, start, stop
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import trope

VIEWS: list[dict[str, Any]] = [
    {"view": "rates", "by": "source"},
    {"view": "rates", "by": "date", "period": "year", "where": ["source=Herald"]},
    {"view": "figures", "sort": "texts", "rows": 5},
    {"view": "verbs", "min_uses": 2},
    {"view": "collocates", "lemma": "ate", "min_count": 1},
    {"view": "keyness", "by": "source", "part": "Herald", "min_count": 1},
    {"view": "concordance", "lemma": "time", "sort": "right", "rows": 5},
    {"view": "features", "rows": 3},
    {"view": "sketch", "lemma": "ate"},
    {"view": "ngrams", "size": 2, "min_count": 2},
    {"view": "dispersion", "lemma": "time", "rows": 4},
    {"view": "keyness", "by": "source", "part": "Herald", "of": "classes", "metaphors": True},
    {"view": "trend", "by": "date", "period": "month", "min_count": 5},
    {"view": "text", "text": 3},
]


@pytest.fixture(scope="module")
def with_corpus(corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench with the small corpus."""
    folder = tmp_path_factory.mktemp("corpus-bench")
    started = start(folder, str(corpus_folder), "--index", str(folder / "index"))
    yield started
    stop(started)


def named_command(answer: Any, cache: Path) -> Any:
    """What the command prints that an answer names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        done = trope(*shlex.split(answer["command"])[1:], "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("asked", VIEWS, ids=lambda asked: "-".join(map(str, asked.values())))
def test_table_is_that_of_the_command(
    with_corpus: Bench, asked: dict[str, Any], tmp_path: Path
) -> None:
    status, answer = with_corpus.call("query", **asked)
    assert status == 200, answer
    assert answer == named_command(answer, tmp_path)
    assert answer["rows"]
    status, _, content = with_corpus.ask("GET", f"/api/query?{urlencode(asked, doseq=True)}")
    assert status == 200
    assert json.loads(content) == answer


def test_answers_are_as_described(with_corpus: Bench) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    description = json.loads(with_corpus.ask("GET", "/api/openapi.json")[2])
    operation = description["paths"]["/api/query"]["post"]
    asked_of = operation["requestBody"]["content"]["application/json"]["schema"]
    told = operation["responses"]["200"]["content"]["application/json"]["schema"]
    for asked in VIEWS:
        for document, schema in ((asked, asked_of), (with_corpus.call("query", **asked)[1], told)):
            whole = {**schema, "components": description["components"]}
            jsonschema.Draft202012Validator(whole).validate(document)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "no view of a corpus is called ''"),
        ({"view": "compare", "other": "/etc"}, "no view of a corpus is called 'compare'"),
        ({"view": "poems"}, "no view of a corpus is called 'poems'"),
        ({"view": "rates", "by": "colour"}, "no column is called 'colour'"),
        ({"view": "rates", "yb": "source"}, "yb"),
        ({"view": "keyness"}, "by"),
        ({"view": "concordance", "regex": "("}, "("),
        ({"view": "concordance", "rows": 10**9}, "rows"),
        ({"view": "text", "text": 10**6}, "there is no text"),
    ],
)
def test_query_that_cannot_be_answered_says_why(
    with_corpus: Bench, asked: dict[str, Any], words: str
) -> None:
    status, answer = with_corpus.call("query", **asked)
    assert status == 400
    assert words in answer["error"]["message"]


def test_sql_in_a_query_is_text(with_corpus: Bench) -> None:
    evil = "x'; DROP TABLE words; --"
    status, answer = with_corpus.call("query", view="concordance", form=evil)
    assert (status, answer["rows"]) == (200, [])
    assert with_corpus.call("query", view="concordance", lemma="time")[1]["rows"]


@pytest.mark.parametrize(
    ("body", "code"), [(b"[1]", "bad-request"), (b"{", "not-json"), (b'"\xff"', "not-utf8")]
)
def test_malformed_query_is_refused(with_corpus: Bench, body: bytes, code: str) -> None:
    status, _, content = with_corpus.ask(
        "POST", "/api/query", body, Content_Type="application/json"
    )
    assert (status, json.loads(content)["error"]["code"]) == (400, code)


def test_oversized_query_is_refused(with_corpus: Bench) -> None:
    status, _, content = with_corpus.ask(
        "POST", "/api/query", b"x" * 3_000_000, Content_Type="application/json"
    )
    assert (status, json.loads(content)["error"]["code"]) == (413, "too-large")


def test_query_without_a_corpus_says_how_to_open_one(tmp_path: Path) -> None:
    started = start(tmp_path)
    try:
        status, answer = started.call("query", view="rates")
        assert (status, answer["error"]["code"]) == (404, "no-corpus")
        assert "trope serve FOLDER" in answer["error"]["message"]
    finally:
        stop(started)


def test_folder_that_is_no_corpus_is_named_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    done = trope_serve(tmp_path / "notes")
    assert done.returncode == 2
    assert done.stderr.startswith(f"trope: {tmp_path / 'notes'}")
    assert done.stdout == ""


def trope_serve(folder: Path) -> Any:
    import subprocess
    import sys

    from ports import free_port

    command = [sys.executable, "-m", "trope", "serve", str(folder), "--no-browser"]
    return subprocess.run(
        [*command, "--port", str(free_port())], capture_output=True, text=True, timeout=600
    )
