"""The HTTP API: each path with what it takes, what it gives, and what it calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt

from trope.core.export import TASKS, to_json
from trope.render import rewritings
from trope.workbench.corpus.queries import VIEWS, AnyQuery, make_query
from trope.workbench.documents import (
    AnalysisDocument,
    AnalyzeRequest,
    Request,
    RewriteRequest,
    RewritingsDocument,
    TableDocument,
)
from trope.workbench.refused import Refused
from trope.workbench.web.answers import wrong_method
from trope.workbench.web.state import in_turn, the_corpus

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path under /api/; where GET is allowed, the request is the query of the address.

    Where there are several types of requests, the field `view` says which one it is.
    """

    name: str
    summary: str
    request: type[Request] | Mapping[str, type[AnyQuery]]
    answer: Any
    run: Callable[[Any], str]
    methods: tuple[str, ...] = ("POST",)


def analyze(asked: AnalyzeRequest) -> str:
    """The document that `trope analyze --json` prints."""
    _check_text(asked.text)
    wanted = asked.tasks
    tasks = None if wanted is None else tuple(task for task in TASKS if task in wanted)
    found = in_turn(lambda model: model.analyze(asked.text, kind=asked.kind, tasks=tasks))
    return to_json(found, indent=2) + "\n"


def rewrite(asked: RewriteRequest) -> str:
    """The document that `trope rewrite --json` prints."""
    _check_text(asked.text)
    found = in_turn(
        lambda model: model.rewrite(
            asked.text, to=asked.to, verb=asked.verb, top=asked.top, kind=asked.kind
        )
    )
    return rewritings.to_json([(asked.text, found)]) + "\n"


def query(asked: AnyQuery) -> str:
    """The document that `trope query FOLDER VIEW --json` prints."""
    corpus = the_corpus()
    if corpus is None:
        message = "the workbench was started without a corpus; start it with trope serve FOLDER"
        raise Refused(404, "no-corpus", message)
    from trope.workbench.corpus.answering import answer
    from trope.workbench.corpus.table import to_json as table_json

    return table_json(answer(corpus, asked))


ENDPOINTS = (
    Endpoint(
        "analyze",
        "Everything about a text: tags, trees, relations, metaphors, names, sentiment.",
        AnalyzeRequest,
        AnalysisDocument,
        analyze,
    ),
    Endpoint(
        "rewrite",
        "Verbs that say a text plainly, or with a picture.",
        RewriteRequest,
        RewritingsDocument,
        rewrite,
    ),
    Endpoint(
        "query",
        "A view of the corpus that the workbench was started with.",
        VIEWS,
        TableDocument,
        query,
        ("GET", "POST"),
    ),
)


def addresses() -> list[URLPattern]:
    """The paths of the API, with its description."""
    own = [path(f"api/{each.name}", _view(each), name=f"api_{each.name}") for each in ENDPOINTS]
    return [*own, path("api/openapi.json", describe, name="openapi")]


@csrf_exempt
def describe(request: HttpRequest) -> HttpResponse:
    """The description of the API."""
    from trope.workbench.web.openapi import description

    if request.method != "GET":
        return wrong_method(request, ("GET",))
    return JsonResponse(description(), json_dumps_params={"indent": 2})


def _view(endpoint: Endpoint) -> Callable[[HttpRequest], HttpResponse]:
    # forms have their token; programs are told apart by the kind of content and their origin
    @csrf_exempt
    def view(request: HttpRequest) -> HttpResponse:
        if request.method not in endpoint.methods:
            return wrong_method(request, endpoint.methods)
        _check_origin(request)
        asked = _asked(request, endpoint.request)
        return HttpResponse(endpoint.run(asked), content_type=JSON)

    return view


def _check_origin(request: HttpRequest) -> None:
    """Pages of other sites may not ask, whatever a browser lets them send."""
    origin = request.headers.get("Origin")
    foreign = request.headers.get("Sec-Fetch-Site", "same-origin") in ("cross-site", "same-site")
    if foreign or (origin is not None and origin != f"{request.scheme}://{request.get_host()}"):
        message = "pages of other sites may not use this API; ask from a program, or from here"
        raise Refused(403, "wrong-origin", message)


def _asked(request: HttpRequest, kind: type[Request] | Mapping[str, type[AnyQuery]]) -> Any:
    if request.method == "GET":
        # only conditions may be given more than once
        several = {name: request.GET.getlist(name) for name in request.GET}
        fields = {name: v if name == "where" else v[-1] for name, v in several.items()}
        return _checked(fields, kind)
    if request.content_type != JSON:
        given = request.content_type or "nothing"
        raise Refused(415, "wrong-type", f"send {JSON}, not {given} (the header Content-Type)")
    return _checked(_document(request.body), kind)


def _document(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the body is not UTF-8; send UTF-8"
        raise Refused(400, "not-utf8", message) from None
    except msgspec.DecodeError as error:
        raise Refused(400, "not-json", f"the body is no JSON document: {error}") from None


def _checked(document: Any, kind: type[Request] | Mapping[str, type[AnyQuery]]) -> Any:
    try:
        if isinstance(kind, type):
            return msgspec.convert(document, kind)
        fields = msgspec.convert(document, dict[str, Any])
        return make_query(str(fields.pop("view", "")), fields)
    except msgspec.ValidationError as error:
        raise Refused(400, "bad-request", f"{error}; see /api/openapi.json") from None


def _check_text(text: str) -> None:
    if not text.strip():
        raise Refused(400, "no-text", "the text is empty; send some words")
