"""The description of the HTTP API, made from the types that its requests are checked against."""

from __future__ import annotations

from typing import Any

import msgspec

from trope import __version__
from trope.workbench.documents import ErrorDocument
from trope.workbench.web.api import ENDPOINTS, JSON, Endpoint

_REFUSALS = {
    "400": "The request is malformed; the message says where.",
    "401": "A token is needed (only where others than this machine can ask).",
    "403": "The request comes from a page of another site.",
    "405": "Another method is needed.",
    "408": "The request took too long to arrive.",
    "413": "The request is too large.",
    "415": "Another type of content is needed.",
    "500": "An error of trope.",
    "503": "Too many requests wait, or this one took too long.",
}
_TEMPLATE = "#/components/schemas/{name}"


def description() -> dict[str, Any]:
    """The API in OpenAPI 3.1."""
    types = [ErrorDocument, *(t for each in ENDPOINTS for t in (each.request, each.answer))]
    references, schemas = msgspec.json.schema_components(types, ref_template=_TEMPLATE)
    named = dict(zip(types, references, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "trope workbench",
            "version": __version__,
            "description": "What `trope serve` answers on your machine; answers are those of the "
            "commands.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": {f"/api/{each.name}": _path(each, named) for each in ENDPOINTS},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _path(endpoint: Endpoint, named: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    return {method.lower(): _operation(endpoint, method, named) for method in endpoint.methods}


def _operation(endpoint: Endpoint, method: str, named: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    asked = named[endpoint.request]
    operation: dict[str, Any] = {
        "operationId": f"{endpoint.name}_{method.lower()}",
        "summary": endpoint.summary,
        "responses": {
            "200": _content("The answer.", named[endpoint.answer]),
            **{status: _content(why, named[ErrorDocument]) for status, why in _REFUSALS.items()},
        },
    }
    if method == "POST":
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": asked}}}
    else:
        operation["parameters"] = _parameters(endpoint.request)
    return operation


def _content(why: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": why, "content": {JSON: {"schema": schema}}}


def _parameters(kind: type[msgspec.Struct]) -> list[dict[str, Any]]:
    """The fields of a request as parts of an address."""
    (reference,), schemas = msgspec.json.schema_components([kind], ref_template=_TEMPLATE)
    schema = schemas[reference["$ref"].rpartition("/")[2]]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": field}
        for name, field in schema["properties"].items()
    ]
