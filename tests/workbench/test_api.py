"""The HTTP API: answers of the commands, and a clear no for everything else."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from typing import Any

import pytest
from benches import TEXT, Bench, bench, printed

VALID: dict[str, dict[str, Any]] = {
    "analyze": {"text": TEXT},
    "rewrite": {"text": "The new tax strangles small shops.", "to": "literal"},
}
PATHS = sorted(VALID)


def refused(bench: Bench, path: str, body: bytes, content_type: str = "application/json") -> Any:
    """Status and code of a refusal, which has the one shape that refusals have."""
    status, _, content = bench.ask("POST", f"/api/{path}", body, Content_Type=content_type)
    document = json.loads(content)
    assert document.keys() == {"error"}
    assert document["error"].keys() == {"code", "message"}
    return status, document["error"]["code"], document["error"]["message"]


def test_analysis_is_that_of_the_command(bench: Bench) -> None:
    status, headers, content = bench.ask(
        "POST", "/api/analyze", json.dumps({"text": TEXT}).encode(), Content_Type="application/json"
    )
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert content.decode() == printed("analyze", "--json", TEXT)


def test_tasks_and_kind_are_those_of_the_command(bench: Bench) -> None:
    text = "Taxes stranglllle shops!!!! http://t.co/x"
    _, answer = bench.call("analyze", text=text, kind="tweet", tasks=["metaphor", "syntax"])
    told = printed("analyze", "--json", "--kind", "tweet", "--only", "syntax,metaphor", text)
    assert answer == json.loads(told)
    assert "relations" not in answer


def test_words_and_threshold_are_those_of_the_command(bench: Bench) -> None:
    _, answer = bench.call("analyze", text=TEXT, words="all", threshold=0.2)
    told = printed("analyze", "--json", "--words", "all", "--threshold", "0.2", TEXT)
    assert answer == json.loads(told)
    assert answer["words"] == "all"


def test_rewriting_is_that_of_the_command(bench: Bench) -> None:
    text = "The new tax strangles small shops."
    status, _, content = bench.ask(
        "POST",
        "/api/rewrite",
        json.dumps({"text": text, "to": "literal", "verb": "strangles", "top": 3}).encode(),
        Content_Type="application/json",
    )
    assert status == 200
    told = printed(
        "rewrite", "--json", "--to", "literal", "--verb", "strangles", "--top", "3", text
    )
    assert content.decode() == told


@pytest.mark.parametrize("path", PATHS)
def test_valid_request_is_answered(bench: Bench, path: str) -> None:
    status, answer = bench.call(path, **VALID[path])
    assert status == 200
    assert answer["text"] == VALID[path]["text"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        (b'{"text": "x"', "not-json", "truncated"),
        (b'{"text": "x" "to"', "not-json", "byte 13"),
        (b'{"text": "\xff\xfe"}', "not-utf8", "byte 10"),
        (b"", "not-json", "truncated"),
        (b"[]", "bad-request", "must be a JSON object"),
        (b"{}", "bad-request", "text is missing"),
    ],
)
def test_malformed_request_is_refused_with_its_place(
    bench: Bench, path: str, body: bytes, code: str, place: str
) -> None:
    status, given, message = refused(bench, path, body)
    assert (status, given) == (400, code)
    assert place in message


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("wrong", "code", "place"),
    [
        ({"text": 3}, "bad-request", "text must be a string, you gave 3"),
        ({"text": ""}, "bad-request", "text must have at least 1 character"),
        ({"text": "  "}, "no-text", "empty"),
        ({"txet": 1}, "bad-request", "txet"),
        ({"kind": "poem"}, "bad-request", "kind must be one of plain, tweet, headline"),
    ],
)
def test_wrong_value_is_refused_with_its_place(
    bench: Bench, path: str, wrong: dict[str, Any], code: str, place: str
) -> None:
    body = json.dumps(VALID[path] | wrong).encode()
    status, given, message = refused(bench, path, body)
    assert (status, given) == (400, code)
    assert place in message


def test_lone_surrogate_is_refused(bench: Bench) -> None:
    status, code, _ = refused(bench, "analyze", b'{"text": "a \\ud800 b"}')
    assert (status, code) == (400, "not-json")


@pytest.mark.parametrize(("path", "field"), [("analyze", "tasks"), ("rewrite", "top")])
def test_values_out_of_range_are_refused(bench: Bench, path: str, field: str) -> None:
    wrong = {"tasks": ["syntax", "poetry"], "top": 400}[field]
    status, answer = bench.call(path, **VALID[path] | {field: wrong})
    assert status == 400
    assert f"{field} must be" in answer["error"]["message"]


@pytest.mark.parametrize("path", PATHS)
def test_text_that_would_take_too_long_is_refused_by_its_length(bench: Bench, path: str) -> None:
    status, answer = bench.call(path, **VALID[path] | {"text": "word " * 50_000})
    assert status == 400
    assert "must have at most" in answer["error"]["message"]


@pytest.mark.parametrize("path", PATHS)
def test_oversized_request_is_refused(bench: Bench, path: str) -> None:
    status, code, message = refused(bench, path, b'{"text": "' + b"x" * 3_000_000 + b'"}')
    assert (status, code) == (413, "too-large")
    assert "3,000,012 bytes" in message


@pytest.mark.parametrize("path", [*PATHS, "query", "openapi.json"])
def test_wrong_method_is_refused(bench: Bench, path: str) -> None:
    status, headers, content = bench.ask("DELETE", f"/api/{path}")
    assert status == 405
    assert headers["allow"] == {"openapi.json": "GET", "query": "GET, POST"}.get(path, "POST")
    assert json.loads(content)["error"]["code"] == "wrong-method"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_wrong_type_of_content_is_refused(bench: Bench, path: str, kind: str) -> None:
    status, code, message = refused(bench, path, json.dumps(VALID[path]).encode(), kind)
    assert (status, code) == (415, "wrong-type")
    assert "application/json" in message


def test_rewriting_that_makes_no_sense_says_why(bench: Bench) -> None:
    status, answer = bench.call("rewrite", text="Dogs bark loudly.", to="literal", verb="sing")
    assert status == 400
    assert answer["error"]["code"] == "bad-input"
    assert "no verb 'sing'" in answer["error"]["message"]


def test_address_that_there_is_not_is_told_in_json(bench: Bench) -> None:
    status, _, content = bench.ask("GET", "/api/poetry")
    assert status == 404
    assert json.loads(content)["error"]["code"] == "not-found"
