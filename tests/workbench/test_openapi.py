"""The description of the API is valid, and says what the API does."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
from typing import Any

import pytest
from benches import TEXT, Bench, bench

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


@pytest.fixture(scope="module")
def description(bench: Bench) -> Any:
    status, headers, content = bench.ask("GET", "/api/openapi.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    return json.loads(content)


def valid(document: Any, schema: Any, description: Any) -> None:
    """Raises if a document is not what the description promises."""
    whole = {**schema, "components": description["components"]}
    jsonschema.Draft202012Validator(whole).validate(document)


def test_description_is_valid(description: Any) -> None:
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )
    validator.validate(description)
    assert description["openapi"].startswith("3.1")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("analyze", {"text": TEXT}),
        ("analyze", {"text": "One word", "tasks": ["syntax"]}),
        ("analyze", {"text": "…", "kind": "headline"}),
        ("rewrite", {"text": "The tax strangles shops.", "to": "metaphorical", "verb": "strangle"}),
    ],
)
def test_answers_are_as_described(
    bench: Bench, description: Any, name: str, asked: dict[str, Any]
) -> None:
    operation = description["paths"][f"/api/{name}"]["post"]
    valid(asked, operation["requestBody"]["content"]["application/json"]["schema"], description)
    status, answer = bench.call(name, **asked)
    assert status == 200
    valid(
        answer, operation["responses"]["200"]["content"]["application/json"]["schema"], description
    )


def test_refusals_are_as_described(bench: Bench, description: Any) -> None:
    status, answer = bench.call("analyze", text=3)
    responses = description["paths"]["/api/analyze"]["post"]["responses"]
    valid(answer, responses[str(status)]["content"]["application/json"]["schema"], description)


def test_what_the_description_forbids_is_refused(bench: Bench, description: Any) -> None:
    schema = description["paths"]["/api/rewrite"]["post"]["requestBody"]
    for wrong in (
        {},
        {"text": "x"},
        {"text": "x", "to": "song"},
        {"text": "x", "to": "literal", "a": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            valid(wrong, schema["content"]["application/json"]["schema"], description)
        status, _ = bench.call("rewrite", **wrong)
        assert status == 400
