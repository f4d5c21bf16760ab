"""Runs of models over the items of a project: trope's own heads, systems of a user, endpoints.

A run stores a few answers at a time. One that was stopped, however that happened, goes on with the
items that have no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from trope.annotate.chat import ChatAnswer, ChatModel
from trope.annotate.plan import Plan
from trope.annotate.project import HEAD_TASKS, Project, usual_heads
from trope.annotate.questions import Question, read_answers
from trope.annotate.store import model_answers as store
from trope.annotate.store.model_answers import AskedItem, GivenAnswer, ModelRun, ModelRunState
from trope.core.errors import BadInput, UnknownName
from trope.core.records import Analysis, Metonymy, TextKind, Token
from trope.lexicon.readings import METONYMIC, readings

if TYPE_CHECKING:
    from trope.pipeline.pipeline import Pipeline

_BATCH = 20
"""Answers of heads that are stored at a time: people must not wait for a long transaction."""

_LOOK_S = 2.0
"""Seconds after which a run that waits for answers looks whether someone has stopped it."""

_ERRORS_IN_A_ROW = 10
_FAILURES_IN_A_ROW = 3

_KINDS: dict[str, TextKind] = {
    "tweets2019": "tweet",
    "tweets2019-highlight": "tweet",
    "semeval2015": "tweet",
    "newsmet": "headline",
}


@dataclass(frozen=True, slots=True)
class AnsweringHead:
    """A question and the head that answers it; `yes` and `no` are the values of a choice."""

    question: Question
    head: str
    yes: str = ""
    no: str = ""


def named_heads(plan: Plan, named: Sequence[str] = ()) -> list[AnsweringHead]:
    """The heads as named (QUESTION=HEAD or QUESTION=HEAD:YES/NO), else those of the template.

    Raises:
        BadInput: if there are none, or one cannot answer its question.
        UnknownName: for a question or a head that does not exist.
    """
    questions = {question.id: question for question in plan.questions}
    usual = usual_heads(plan)
    if not named and not usual:
        raise BadInput(
            "no head is known to answer these questions; name one with --head QUESTION=HEAD "
            f"({', '.join(HEAD_TASKS)}), and for a choice its values: QUESTION=HEAD:YES/NO"
        )
    return [_named_head(questions, name) for name in named or usual]


def _named_head(questions: Mapping[str, Question], named: str) -> AnsweringHead:
    name, _, rest = named.partition("=")
    head, _, values = rest.partition(":")
    yes, _, no = values.partition("/")
    if name not in questions:
        raise UnknownName("question", name, list(questions))
    if head not in HEAD_TASKS:
        raise UnknownName("head", head, list(HEAD_TASKS))
    question = questions[name]
    offered = {option.value for option in question.offered({}, {})}
    needs = head in ("word", "text", "any")
    if needs and (question.kind != "choice" or not {yes, no} <= offered):
        raise BadInput(
            f"--head {named}: needs a choice, and its values for a metaphor and for none: "
            f"{name}={head}:YES/NO"
        )
    if head == "words" and question.kind != "spans":
        raise BadInput(f"--head {named}: marks words, and {name!r} does not ask for any")
    if head == "sentiment" and not {"-5", "5"} <= offered:
        raise BadInput(f"--head {named}: scores from -5 to 5, which {name!r} does not offer")
    return AnsweringHead(question, head, yes, no)


@contextmanager
def _under_way(project: Project, run: ModelRun) -> Iterator[None]:
    """Hold the run, and note how it ended."""
    try:
        lock = store.lock_run(project, run)
    except BlockingIOError:
        raise BadInput(f"the run {run.name!r} is under way in another process") from None
    try:
        yield
    except BaseException as error:
        why = str(error) if isinstance(error, Exception) else "it was interrupted"
        store.end_run(run, ModelRunState.STOPPED, why[:500])
        raise
    finally:
        lock.release()


def _now() -> datetime:
    return datetime.now(UTC)


# Heads: of trope, or systems that stand in for them.
def run_heads(
    project: Project,
    name: str,
    *,
    heads: Sequence[str] = (),
    systems: Sequence[str] = (),
    kind: TextKind | None = None,
    most: int = 0,
    by: str = "command line",
) -> tuple[ModelRun, Iterator[GivenAnswer]]:
    """A run of trope's heads, or of these systems in their place, and its answers as they come."""
    from trope.pipeline.pipeline import Pipeline

    plan = project.plan
    wanted = named_heads(plan, heads)
    if kind is not None and kind not in get_args(TextKind):
        raise UnknownName("kind of text", kind, get_args(TextKind))
    pipeline = Pipeline(systems=systems)
    if systems:
        wanted = _of_systems(wanted, pipeline)
    tasks = tuple(dict.fromkeys(HEAD_TASKS[one.head] for one in wanted))
    pipeline.check_tasks(tasks)
    settings = {
        "model": ", ".join(map(str, systems)) or f"trope {pipeline.tier}",
        "model_sha256": pipeline.model_sha256,
        "heads": {one.question.id: one.head for one in wanted},
        "values": {one.question.id: f"{one.yes}/{one.no}" for one in wanted if one.yes},
        "text_kind": kind or _KINDS.get(plan.template, "plain"),
    }
    of = "system" if systems else "heads"
    run = store.begin_run(name, of, settings, now=_now(), by=by)
    return run, _head_answers(project, run, pipeline, wanted, tasks, most)


def _of_systems(wanted: Sequence[AnsweringHead], pipeline: Pipeline) -> list[AnsweringHead]:
    """What the systems answer; one of whole texts answers for the word that is highlighted."""
    own = pipeline.own
    tasks = {t for t in ("metaphor", "sentiment", "metonymy") if own and getattr(own, t)}
    found = [one for one in wanted if HEAD_TASKS[one.head] in tasks]
    if own is not None and own.metaphor is not None and not own.judges_words:
        found = [replace(one, head="text") if one.head == "word" else one for one in found]
        found = [one for one in found if one.head not in ("words", "any")]
    if not found:
        raise BadInput(
            f"a system for {' and '.join(sorted(tasks)) or 'nothing'} answers none of the "
            "questions; name one with --head QUESTION=HEAD"
        )
    return found


def _head_answers(
    project: Project,
    run: ModelRun,
    pipeline: Pipeline,
    heads: Sequence[AnsweringHead],
    tasks: Sequence[str],
    most: int,
) -> Iterator[GivenAnswer]:
    whole = pipeline.own is not None and not pipeline.own.judges_words
    with _under_way(project, run):
        items = iter(store.unanswered_items(run, most))
        while part := list(islice(items, _BATCH)):
            texts = [item.text for item in part]
            found = pipeline.analyze_many(texts, kind=run.settings["text_kind"], tasks=tasks)
            given = [
                answer_of_heads(heads, item, analysis, whole=whole)
                for item, analysis in zip(part, found, strict=True)
            ]
            store.store_answers(run, given, now=_now())
            yield from given
            if not store.is_running(run):
                return
        store.end_run(run, ModelRunState.DONE)


def answer_of_heads(
    heads: Sequence[AnsweringHead], item: AskedItem, analysis: Analysis, *, whole: bool = False
) -> GivenAnswer:
    """What the heads say of an item; with `whole`, the text is judged without its words."""
    given: dict[str, list[str]] = {}
    sure: list[float] = []
    for one in heads:
        values, probability = _HEADS[HEAD_TASKS[one.head]](one, item, analysis, whole)
        if values is not None:
            given[one.question.id] = values
            sure += [] if probability is None else [probability]
    if not given:
        return GivenAnswer(item, {}, error="no_answer", detail="there is nothing here to judge")
    # a question that no head answers stands in nobody's way
    questions = [
        replace(one.question, when=tuple(c for c in one.question.when if c.question in given))
        for one in heads
        if one.question.id in given
    ]
    answers, faults = read_answers(questions, given, text=item.text, payload=item.payload)
    if faults:
        detail = "; ".join(f"the answer to {name!r} {why}" for name, why in faults.items())
        return GivenAnswer(item, {}, error="invalid", detail=detail)
    return GivenAnswer(item, answers, confidence=min(sure, default=None))


_Values = tuple[list[str] | None, float | None]
"""What a form would send, None for no answer; and its probability."""


def _highlighted(item: AskedItem, analysis: Analysis) -> list[Token]:
    spans = item.payload.get("highlight") or ()
    return [
        token
        for token in analysis.tokens
        if token.is_word and any(a < token.end and token.start < b for a, b in spans)
    ]


def _metaphor(one: AnsweringHead, item: AskedItem, analysis: Analysis, whole: bool) -> _Values:
    if one.head in ("words", "any"):
        found = [f"{token.start}-{token.end}" for token in analysis.metaphors]
        return ([one.yes if found else one.no] if one.head == "any" else found), None
    word = max((token.metaphor or 0.0 for token in _highlighted(item, analysis)), default=None)
    if one.head == "word":
        return (None, None) if word is None else _decided(one, word, analysis.threshold)
    if not analysis.figurative:
        return None, None
    text = max(analysis.figurative)
    is_literal = text < analysis.sentence_threshold
    if is_literal and not whole and word is not None and word >= analysis.threshold:
        return [one.yes], word  # a text with a metaphorical word is metaphorical
    return _decided(one, text, analysis.sentence_threshold)


def _decided(one: AnsweringHead, probability: float, threshold: float) -> _Values:
    is_metaphor = probability >= threshold
    return [one.yes if is_metaphor else one.no], probability if is_metaphor else 1 - probability


def _sentiment(one: AnsweringHead, item: AskedItem, analysis: Analysis, whole: bool) -> _Values:
    return ([str(analysis.sentiment.integer)] if analysis.sentiment else None), None


def _metonymy(one: AnsweringHead, item: AskedItem, analysis: Analysis, whole: bool) -> _Values:
    name = _name_at(item, analysis.metonymies)
    if name is None:
        return None, None
    medium = readings(name.name_class)[name.reading].medium
    offered = {option.value for option in one.question.offered(item.payload, {})}
    said = {"class": name.name_class, "reading": medium, "pattern": name.reading}[one.head]
    if one.head == "pattern" and (medium != METONYMIC or said not in offered):
        return None, None
    return [said], name.score


def _name_at(item: AskedItem, names: Iterable[Metonymy]) -> Metonymy | None:
    spans = item.payload.get("highlight") or ()
    return next((n for n in names if any(a < n.end and n.start < b for a, b in spans)), None)


_HEADS = {"metaphor": _metaphor, "sentiment": _sentiment, "metonymy": _metonymy}


# Endpoints.
def run_chat(
    project: Project,
    name: str,
    model: ChatModel,
    settings: Mapping[str, Any],
    *,
    prices: tuple[float, float] = (0.0, 0.0),
    budget: float | None = None,
    parallel: int = 4,
    most: int = 0,
    by: str = "command line",
) -> tuple[ModelRun, Iterator[GivenAnswer]]:
    """A run of a model behind an endpoint, and its answers as they come."""
    run = store.begin_run(
        *(name, "chat", settings), now=_now(), by=by, prices=prices, budget=budget
    )
    return run, _chat_answers(project, run, model, parallel, most)


def _chat_answers(
    project: Project, run: ModelRun, model: ChatModel, parallel: int, most: int
) -> Iterator[GivenAnswer]:
    with _under_way(project, run), model:
        items = iter(store.unanswered_items(run, most))
        asked: dict[Future[ChatAnswer], tuple[AskedItem, float]] = {}
        item, in_a_row = next(items, None), 0
        while item is not None or asked:
            while item is not None and len(asked) < parallel:
                price = _highest_price(run, model, item)
                reserved = price + sum(reserve for _, reserve in asked.values())
                if run.budget is not None and run.cost + reserved > run.budget:
                    break
                asked[model.ask(item.text, item.payload)] = item, price
                item = next(items, None)
            if not asked:
                why = f"the budget of {run.budget:g} is used up ({run.cost:.4f} spent)"
                store.end_run(run, ModelRunState.STOPPED, why)
                return
            done, _ = wait(asked, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            came = [(asked.pop(future)[0], future) for future in done]
            given = [_given(it, f.result()) for it, f in came if f.exception() is None]
            if given:
                store.store_answers(run, given, now=_now())
            yield from given
            for one in given:
                in_a_row = in_a_row + 1 if one.error else 0
                _check_errors(one, in_a_row)
            for _, future in came:
                future.result()  # raises what the endpoint refuses for good
            if not store.is_running(run):
                return
        store.end_run(run, ModelRunState.DONE)


def _highest_price(run: ModelRun, model: ChatModel, item: AskedItem) -> float:
    tokens_in, tokens_out = model.most_tokens(item.text, item.payload)
    return run.price_of(tokens_in, tokens_out)


def _given(item: AskedItem, answer: ChatAnswer) -> GivenAnswer:
    return GivenAnswer(item, *(getattr(answer, one.name) for one in fields(ChatAnswer)))


def _check_errors(last: GivenAnswer, in_a_row: int) -> None:
    """Stop a run whose answers cannot be used, before it costs more."""
    most = _FAILURES_IN_A_ROW if last.error == store.UNAVAILABLE else _ERRORS_IN_A_ROW
    if in_a_row >= most:
        raise BadInput(
            f"{in_a_row} answers in a row could not be used (the last: {last.error}, "
            f"{last.detail}); fix the endpoint or the prompt, then let the run go on"
        )
