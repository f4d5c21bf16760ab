"""Models behind an endpoint, on a real server that does everything wrong."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import (
    GIGABYTE,
    INJECTION,
    KEY,
    MODEL,
    YES,
    ChatServer,
    Question,
    Reply,
    answer,
    cut,
    fail,
    flood,
    hang,
    in_turn,
    say,
    trickle,
)
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate import chat
from trope.annotate.chat import ChatAnswer, ChatModel, ChatSettings, EndpointRefused
from trope.annotate.plan import Plan, ShownField
from trope.annotate.project import new_project, open_project
from trope.annotate.prompts import default_prompt, item_message, prompt_version, read_reply
from trope.annotate.questions import Option
from trope.annotate.questions import Question as Asked
from trope.core.errors import BadInput

PLAN = Plan(
    "Test",
    "Read, then choose.",
    (Asked("metaphor", "choice", "Is it?", options=(Option("yes"), Option("no"))),),
)


def ask(
    server: ChatServer, *, text: str = "A sentence.", key: str = "", **settings: Any
) -> tuple[ChatAnswer, list[float]]:
    """What comes of one item, and how long was waited in between."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    asked = ChatSettings(server.address, MODEL, **{"timeout": 30.0, **settings})
    with ChatModel(asked, PLAN, "Guidelines.", key=key, sleep=sleep) as model:
        return model.ask(text, {}).result(timeout=60), waited


def test_request_has_prompt_item_and_settings() -> None:
    with ChatServer(in_turn(YES)) as server:
        found, waited = ask(server, key=KEY, temperature=0.5, seed=7, more={"top_p": 0.9})
    assert (found.answers, found.confidence, found.error) == ({"metaphor": "yes"}, 0.9, "")
    assert (found.tokens_in, found.tokens_out, waited) == (100, 10, [])
    [asked] = server.asked
    assert asked.messages[0] == {"role": "system", "content": "Guidelines."}
    assert asked.item == {"text": "A sentence."}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    wanted = {"model": MODEL, "temperature": 0.5, "seed": 7, "top_p": 0.9, "max_tokens": 1000}
    assert {name: asked.body[name] for name in wanted} == wanted


def test_field_that_is_null_is_left_out_of_the_request() -> None:
    with ChatServer(in_turn(YES)) as server:
        ask(server, more={"max_tokens": None, "max_completion_tokens": 50})
    assert "max_tokens" not in server.asked[0].body
    assert "seed" not in server.asked[0].body
    assert server.asked[0].body["max_completion_tokens"] == 50


def test_busy_and_broken_endpoint_is_tried_again_with_pauses() -> None:
    busy, later = fail(429, "slow down", Retry_After="7"), fail(429, "", Retry_After="9999")
    with ChatServer(in_turn(busy, fail(500), later, cut, YES)) as server:
        found, waited = ask(server)
    assert found.answers == {"metaphor": "yes"}
    assert waited == [7.0, 2.0, 60.0, 8.0]  # as long as asked for, within limits


@pytest.mark.parametrize(
    ("reply", "why"),
    [(fail(500, "broken"), "500 broken"), (cut, "RemoteProtocolError"), (fail(503), "503")],
)
def test_tries_end_and_nothing_is_made_up(reply: Reply, why: str) -> None:
    with ChatServer(in_turn(reply)) as server:
        found, waited = ask(server)
    assert (found.answers, found.error) == ({}, "unavailable")
    assert found.detail.startswith(f"after 5 tries: {why}")
    assert len(server.asked) == 5
    assert waited == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize("reply", [hang, trickle])
def test_endpoint_that_hangs_or_trickles_ends_in_time(reply: Reply) -> None:
    with ChatServer(in_turn(reply)) as server:
        found, _ = ask(server, timeout=0.2)
    assert found.error == "unavailable"
    assert found.detail == "after 5 tries: no answer within 0.2 s"


def test_response_of_a_gigabyte_is_cut_off_and_refused() -> None:
    with ChatServer(in_turn(flood)) as server:
        found, _ = ask(server)
        assert server.server.flooded.wait(30)  # type: ignore[attr-defined]
        assert server.server.sent < GIGABYTE / 20  # type: ignore[attr-defined]
    assert (found.answers, found.error, found.raw) == ({}, "too_large", "")
    assert found.detail == "more than 1,000,000 bytes were sent"


def test_answer_that_does_not_fit_is_asked_for_once_more() -> None:
    with ChatServer(in_turn(say("I think so!"), YES)) as server:
        found, _ = ask(server)
    assert found.answers == {"metaphor": "yes"}
    assert (found.tokens_in, found.tokens_out) == (200, 20)
    assert found.raw.startswith("I think so!\n---\n")
    assert server.asked[1].messages[-1]["content"].startswith("This cannot be used: it is not one")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("I think so!", "it is not one JSON object"),
        ('{"answers": {"metaphor": "ye', "it is not one JSON object"),
        ("[" * 100_000, "it is not one JSON object"),
        ('["yes"]', "it is not one JSON object"),
        ('{"metaphor": "yes"}', 'the object has no "answers"'),
        (answer(metaphor="A"), "the answer to 'metaphor' is not one of the answers offered"),
        (answer(metaphor=["yes", "no"]), "the answer to 'metaphor' has the wrong form"),
        (answer(metaphor=True), "the answer to 'metaphor' has the wrong form"),
        (answer(metaphor=None), "the answer to 'metaphor' needs an answer"),
        (answer(metaphor="yes", admin="yes"), "'admin' is not a question"),
        (answer(), "the answer to 'metaphor' needs an answer"),
    ],
)
def test_wrong_answer_twice_is_an_error_and_never_a_guess(said: str, why: str) -> None:
    with ChatServer(in_turn(say(said))) as server:
        found, _ = ask(server)
    assert (found.answers, found.confidence, found.error) == ({}, None, "invalid")
    assert found.detail == why
    assert len(server.asked) == 2
    assert len(found.raw) <= chat.RAW_LIMIT


@pytest.mark.parametrize("body", ["", "null", "{}", '{"choices": []}', "<html>", "[" * 10**5])
def test_response_that_is_no_chat_is_an_error(body: str) -> None:
    with ChatServer(in_turn(fail(200, body))) as server:
        found, _ = ask(server)
    assert (found.answers, found.error) == ({}, "invalid")


def test_answer_of_another_model_is_kept_and_refused() -> None:
    with ChatServer(in_turn(say(answer(metaphor="yes"), model="cheap-2"))) as server:
        found, _ = ask(server)
    assert (found.answers, found.error) == ({}, "other_model")
    assert found.detail == "the answer is of 'cheap-2'"
    assert "yes" in found.raw
    assert found.tokens_in == 100


def test_names_that_mean_the_same_model() -> None:
    settings = ChatSettings("http://localhost/v1", "big")
    for name, same in {"big": True, "big-2026-03-02": True, "big-mini": False, "bigger": False,
                       "": False, None: False, 3: False}.items():  # fmt: skip
        assert settings.is_named(name) == same, name
    assert ChatSettings("http://localhost/v1", "big", answers_as="x").is_named("x")


@pytest.mark.parametrize("status", [301, 401, 403, 404])
def test_endpoint_that_refuses_for_good_is_not_asked_again(status: int) -> None:
    why = f"refused the request: {status} no: .key."
    with (
        ChatServer(in_turn(fail(status, f"no: {KEY}"))) as server,
        pytest.raises(EndpointRefused, match=why) as no,
    ):
        ask(server, key=KEY)
    assert KEY not in str(no.value)
    assert len(server.asked) == 1


def test_item_that_the_endpoint_does_not_take_is_an_error_of_that_item() -> None:
    with ChatServer(in_turn(fail(400, "context length"))) as server:
        found, _ = ask(server)
    assert (found.error, found.detail) == ("refused", "400 context length")


def test_bytes_count_where_no_tokens_are_reported() -> None:
    with ChatServer(in_turn(say(answer(metaphor="no"), tokens=None))) as server:
        found, _ = ask(server)
    assert found.tokens_in > len("Guidelines.A sentence.")
    assert found.tokens_out > 20


def test_instruction_in_an_item_stays_data_and_changes_no_format() -> None:
    """A model that obeys the text is refused; one that gives an offered answer has answered."""

    def obeys(question: Question) -> Reply:
        assert "ignore the guidelines" not in question.messages[0]["content"]
        assert question.item == {"text": INJECTION}  # whole, in one string, in one message
        return say("A" if question.again else answer(metaphor="A"))

    with ChatServer(obeys) as server:
        found, _ = ask(server, text=INJECTION)
    assert (found.answers, found.error) == ({}, "invalid")
    with ChatServer(in_turn(YES)) as server:
        found, _ = ask(server, text=INJECTION)
    assert found.answers == {"metaphor": "yes"}


@given(st.text(max_size=200))
def test_any_text_is_one_string_of_the_message(text: str) -> None:
    message = item_message(PLAN, text, {})
    assert json.loads(message) == {"item": {"text": text}}


SPANS = (Asked("words", "spans", "Which?"),)


@pytest.mark.parametrize(
    ("quotes", "found"),
    [
        ([], []),
        (["fire"], "is in the text 2 times"),
        ([{"quote": "fire", "number": 2}], [[16, 20]]),
        ([{"quote": "fire", "number": 3}], "is not in the text"),
        (["fir"], "is not in the text as whole words"),
        (["caught fire"], [[3, 14]]),
        (["water"], "is not in the text"),
        ([""], "must be a list of quotes"),
        ([3], "must be a list of quotes"),
        ("fire", "must be a list"),
    ],
)
def test_quotes_become_places_in_the_text(quotes: Any, found: Any) -> None:
    text = "We caught fire, fire."
    said = answer(words=quotes)
    if isinstance(found, str):
        with pytest.raises(ValueError, match=found):
            read_reply(SPANS, said, text, {})
    else:
        assert read_reply(SPANS, said, text, {})[0] == {"words": found}


def test_thoughts_and_fences_around_an_answer_are_passed_over() -> None:
    said = f"<think>Hm {{}}</think>\n```json\n{answer(metaphor='no')}\n```"
    assert read_reply(PLAN.questions, said, "", {}) == ({"metaphor": "no"}, 0.9)


@pytest.mark.parametrize("template", ["words", "newsmet", "semeval2015", "semeval2007", "spans"])
def test_prompt_has_guidelines_questions_and_all_values(tmp_path: Path, template: str) -> None:
    plan = new_plan(tmp_path / "p", template)
    prompt = default_prompt(plan)
    assert plan.guidelines.strip() in prompt
    for question in plan.questions:
        assert f"## {question.id}\n{question.text}" in prompt
        for option in question.options:
            assert f"- {option.value}: {option.shown}" in prompt
    assert prompt_version(prompt) != prompt_version(prompt + " ")


def new_plan(folder: Path, template: str) -> Plan:
    new_project(folder, template)
    return open_project(folder).plan


def test_model_sees_what_people_see_and_no_known_answer() -> None:
    plan = Plan("T", "G", (Asked("q", "multi", "?", options_from="verbs"),),
                shown=(ShownField("second", "B"),))  # fmt: skip
    payload = {"highlight": [[2, 4]], "second": "other", "verbs": ["a", "b"], "secret": "x"}
    item = json.loads(item_message(plan, "It is.", payload))["item"]
    assert item == {
        "text": "It is.",
        "B": "other",
        "highlighted": [{"words": " i", "start": 2, "end": 4}],
        "options": {"q": ["a", "b"]},
    }


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "no endpoint is named"),
        ({"TROPE_CHAT_URL": "ftp://x", "TROPE_CHAT_MODEL": "m"}, "is no address"),
        ({"TROPE_CHAT_URL": f"https://u:{KEY}@x/v1", "TROPE_CHAT_MODEL": "m"}, "belongs into"),
        ({"TROPE_CHAT_URL": f"https://x/v1?key={KEY}", "TROPE_CHAT_MODEL": "m"}, "belongs into"),
    ],
)
def test_address_that_cannot_be_used_is_refused_without_its_key(
    environment: dict[str, str], why: str
) -> None:
    with pytest.raises(BadInput, match=why) as error:
        chat.settings_from(environment)
    assert KEY not in str(error.value)


def test_key_travels_encrypted_or_not_at_all() -> None:
    with pytest.raises(BadInput, match="has no https"):
        chat.key_from({"TROPE_CHAT_KEY": KEY}, "http://models.example/v1")
    with pytest.raises(BadInput, match="characters"):
        chat.key_from({"TROPE_CHAT_KEY": "two words"}, "https://models.example/v1")
    assert chat.key_from({"TROPE_CHAT_KEY": KEY}, "http://localhost:1/v1") == KEY
    assert chat.key_from({}, "http://models.example/v1") == ""


def test_event_loop_ends_with_the_model() -> None:
    with ChatServer(in_turn(hang)) as server:
        model = ChatModel(ChatSettings(server.address, MODEL), PLAN, "")
        with model:
            waiting = model.ask("x", {})
        assert waiting.cancelled() or isinstance(waiting.exception(), asyncio.CancelledError)
    assert model._loop.is_closed()
