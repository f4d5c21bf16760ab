"""The OpenAPI description of the HTTP API, made from the schemas of requests and answers."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from trope import __version__
from trope.workbench.web.api import ENDPOINTS, JSON, Endpoint
from trope.workbench.web.errors import wrong_method
from trope.workbench.web.schemas import ErrorDocument

_REFUSALS = {
    "400": "The request is malformed; the message says where.",
    "401": "A token is needed (only if other machines can send requests).",
    "403": "The request is from a page of another site.",
    "404": "No corpus is open (only for queries).",
    "405": "The path does not accept this method.",
    "408": "The request took too long to arrive.",
    "413": "The request is too large.",
    "415": "The content type is wrong.",
    "500": "An error in trope.",
    "503": "Too many requests are waiting, or this one took too long.",
}
_TEMPLATE = "#/components/schemas/{name}"


@csrf_exempt
def describe(request: HttpRequest) -> HttpResponse:
    """The view of the description."""
    if request.method != "GET":
        return wrong_method(request, ("GET",))
    return JsonResponse(description(), json_dumps_params={"indent": 2})


def description() -> dict[str, Any]:
    """The API in OpenAPI 3.1."""
    answers = [ErrorDocument, *(each.answer for each in ENDPOINTS)]
    references, schemas = msgspec.json.schema_components(answers, ref_template=_TEMPLATE)
    named = dict(zip(answers, references, strict=True))
    asked = {name: schema for each in ENDPOINTS for name, schema in _requests(each).items()}
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "trope workbench",
            "version": __version__,
            "description": "The API of `trope serve` on your machine; answers are those of the "
            "commands.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": {f"/api/{each.name}": _path(each, named) for each in ENDPOINTS},
        "components": {
            "schemas": {**schemas, **asked},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    return plain


def _requests(endpoint: Endpoint) -> dict[str, dict[str, Any]]:
    """The schemas of a path's requests by name; those of views have the view as a field."""
    if isinstance(endpoint.request, type):
        return {endpoint.request.__name__: _schema(endpoint.request)}
    found = {}
    for view, kind in endpoint.request.items():
        schema = _schema(kind)
        fields = {"view": {"const": view}, **schema["properties"]}
        required = ["view", *schema.get("required", [])]
        found[kind.__name__] = {**schema, "properties": fields, "required": required}
    return found


def _schema(kind: type) -> dict[str, Any]:
    """The schema of a type whose fields have simple types."""
    (reference,), schemas = msgspec.json.schema_components([kind], ref_template=_TEMPLATE)
    found: dict[str, Any] = schemas[reference["$ref"].rpartition("/")[2]]
    return found


def _path(endpoint: Endpoint, named: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    return {method.lower(): _operation(endpoint, method, named) for method in endpoint.methods}


def _operation(endpoint: Endpoint, method: str, named: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    asked = [{"$ref": _TEMPLATE.format(name=name)} for name in _requests(endpoint)]
    operation: dict[str, Any] = {
        "operationId": f"{endpoint.name}_{method.lower()}",
        "summary": endpoint.summary,
        "responses": {
            "200": _content("The answer.", named[endpoint.answer]),
            **{status: _content(why, named[ErrorDocument]) for status, why in _REFUSALS.items()},
        },
    }
    if method == "POST":
        schema = asked[0] if len(asked) == 1 else {"oneOf": asked}
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    else:
        operation["parameters"] = _parameters(endpoint)
    return operation


def _content(why: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": why, "content": {JSON: {"schema": schema}}}


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The fields of the requests as parameters; required if all requests need them."""
    kinds = list(_requests(endpoint).values())
    fields = dict.fromkeys(name for kind in kinds for name in kind["properties"])
    return [
        {
            "name": name,
            "in": "query",
            "required": all(name in kind.get("required", []) for kind in kinds),
            "schema": _either([k["properties"][name] for k in kinds if name in k["properties"]]),
        }
        for name in fields
    ]


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    different = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
    return different[0] if len(different) == 1 else {"anyOf": different}
