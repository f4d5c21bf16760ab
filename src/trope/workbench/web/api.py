"""The HTTP API: each path with its request, its answer and its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt

from trope.core.export import to_json
from trope.core.options import TASKS
from trope.render.json import rewritings_to_json
from trope.workbench.corpus.queries import VIEWS, AnyQuery, make_query
from trope.workbench.requests import BadField, RequestRefused, convert_fields
from trope.workbench.web.errors import wrong_method
from trope.workbench.web.schemas import (
    AnalysisDocument,
    AnalyzeRequest,
    ApiRequest,
    RewriteRequest,
    RewritingsDocument,
    TableDocument,
)
from trope.workbench.web.state import in_turn, the_corpus

JSON = "application/json"


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
    corpus = the_corpus()
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
