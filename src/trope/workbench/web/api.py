"""The HTTP API: each path with its request, its answer and its function; and OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt

from trope import __version__
from trope.core.export import to_json
from trope.core.options import TASKS
from trope.render import rewritings_to_json
from trope.workbench.corpus.queries import VIEWS, AnyQuery, make_query
from trope.workbench.requests import BadField, RequestRefused, convert_fields
from trope.workbench.web.middleware import wrong_method
from trope.workbench.web.schemas import (
    AnalysisDocument,
    AnalyzeRequest,
    ApiRequest,
    ErrorDocument,
    RewriteRequest,
    RewritingsDocument,
    TableDocument,
)
from trope.workbench.web.state import in_turn, the_corpus

JSON = "application/json"

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


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path under /api/; with GET, the request is the query string.

    If there are several types of requests, the field `view` says which one it is.
    """

    name: str
    summary: str
    request: type[ApiRequest] | Mapping[str, type[AnyQuery]]
    answer: Any
    run: Callable[[Any], str]
    methods: tuple[str, ...] = ("POST",)


def analyze(asked: AnalyzeRequest) -> str:
    """The document that `trope analyze --json` prints."""
    _check_text(asked.text)
    wanted = asked.tasks
    tasks = None if wanted is None else tuple(task for task in TASKS if task in wanted)
    found = in_turn(
        lambda model: model.analyze(
            asked.text,
            kind=asked.kind,
            tasks=tasks,
            threshold=asked.threshold,
            words=asked.words,
        )
    )
    return to_json(found, indent=2) + "\n"


def rewrite(asked: RewriteRequest) -> str:
    """The document that `trope rewrite --json` prints."""
    _check_text(asked.text)
    found = in_turn(
        lambda model: model.rewrite(
            asked.text, to=asked.to, verb=asked.verb, top=asked.top, kind=asked.kind
        )
    )
    return rewritings_to_json([(asked.text, found)]) + "\n"


def query(asked: AnyQuery) -> str:
    """The document that `trope query FOLDER VIEW --json` prints."""
    corpus = the_corpus(asked.words)
    if corpus is None:
        message = "no corpus is open; start the workbench with trope serve FOLDER"
        raise RequestRefused(404, "no-corpus", message)
    from trope.workbench.corpus.table import to_json as table_json
    from trope.workbench.corpus.views import answer

    return table_json(answer(corpus, asked))


ENDPOINTS = (
    Endpoint(
        "analyze",
        "Analyse a text: tags, trees, relations, metaphors, names, sentiment.",
        AnalyzeRequest,
        AnalysisDocument,
        analyze,
    ),
    Endpoint(
        "rewrite",
        "Rewrite the verbs of a text literally or metaphorically.",
        RewriteRequest,
        RewritingsDocument,
        rewrite,
    ),
    Endpoint(
        "query",
        "Query the corpus that the workbench was started with.",
        VIEWS,
        TableDocument,
        query,
        ("GET", "POST"),
    ),
)


def addresses() -> list[URLPattern]:
    """The paths of the API."""
    return [path(f"api/{each.name}", _view(each), name=f"api_{each.name}") for each in ENDPOINTS]


def _view(endpoint: Endpoint) -> Callable[[HttpRequest], HttpResponse]:
    # forms have their token; requests of programs are known by content type and origin
    @csrf_exempt
    def view(request: HttpRequest) -> HttpResponse:
        if request.method not in endpoint.methods:
            return wrong_method(request, endpoint.methods)
        _check_origin(request)
        asked = _asked(request, endpoint.request)
        return HttpResponse(endpoint.run(asked), content_type=JSON)

    return view


def _check_origin(request: HttpRequest) -> None:
    """Refuse pages of other sites, whatever a browser lets them send."""
    origin = request.headers.get("Origin")
    foreign = request.headers.get("Sec-Fetch-Site", "same-origin") in ("cross-site", "same-site")
    if foreign or (origin is not None and origin != f"{request.scheme}://{request.get_host()}"):
        message = "pages of other sites may not use this API; call it from a program"
        raise RequestRefused(403, "wrong-origin", message)


def _asked(request: HttpRequest, kind: type[ApiRequest] | Mapping[str, type[AnyQuery]]) -> Any:
    if request.method == "GET":
        # only conditions can be repeated
        several = {name: request.GET.getlist(name) for name in request.GET}
        fields = {name: v if name == "where" else v[-1] for name, v in several.items()}
        return _checked(fields, kind)
    if request.content_type != JSON:
        given = request.content_type or "nothing"
        message = f"the header Content-Type must be {JSON}, you sent {given}"
        raise RequestRefused(415, "wrong-type", message)
    return _checked(_document(request.body), kind)


def _document(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the body is not UTF-8; send UTF-8"
        raise RequestRefused(400, "not-utf8", message) from None
    except msgspec.DecodeError as error:
        raise RequestRefused(400, "not-json", f"the body is not a JSON document: {error}") from None


def _checked(document: Any, kind: type[ApiRequest] | Mapping[str, type[AnyQuery]]) -> Any:
    if not isinstance(document, dict):
        message = "the body must be a JSON object; see /api/openapi.json"
        raise RequestRefused(400, "bad-request", message)
    code = "bad-request" if isinstance(kind, type) else "bad-input"
    try:
        if isinstance(kind, type):
            return convert_fields(document, kind)
        fields = dict(document)
        return make_query(str(fields.pop("view", "")), fields)
    except BadField as fault:
        raise RequestRefused(400, code, f"{fault}; see /api/openapi.json") from None


def _check_text(text: str) -> None:
    if not text.strip():
        raise RequestRefused(400, "no-text", "the text is empty; send a text with words")


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
