"""Runs of models that an owner starts on a page: begun, followed, stopped, continued, refused."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from browsers import (
    Serve,
    begin,
    chromium,  # noqa: F401
    exported,
    follow,
    invited,
    open_page,
    serve,  # noqa: F401
)
from chat_server import KEY, YES, ChatServer, Question, Reply, fail, in_turn
from projects import START, add_items, make_project
from test_web import browser

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.model_answers import ModelAnswer, ModelRun, begin_run
from trope.annotate.store.models import Event
from trope.annotate.store.people import invite
from trope.annotate.web.service import web_settings
from trope.core.run_folder import lock_file


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    found = make_project(tmp_path / "p")
    connect(found, **web_settings())
    add_items(found, 8, gold=1)
    yield found
    for thread in _work():
        thread.join(60)
    connect(found)


@pytest.fixture
def owner(project: Project) -> Any:
    return browser(invite("Olga", role="owner", now=START))


def _work() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("model ")]


def _finish() -> None:
    """Wait until the processes that pages have started are done."""
    for thread in _work():
        thread.join(60)
        assert not thread.is_alive()


def _use(monkeypatch: pytest.MonkeyPatch, server: ChatServer, key: str = "") -> None:
    for name, value in (server.environment | {"TROPE_CHAT_KEY": key}).items():
        monkeypatch.setenv(name, value)


CHAT = {"name": "m", "kind": "chat", "temperature": "0", "max_tokens": "50", "prompt": "Judge it."}


def test_endpoint_is_asked_in_the_background_and_the_page_tells_how_far_it_is(
    owner: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(in_turn(YES)) as server:
        _use(monkeypatch, server, KEY)
        assert (
            "<bdi>tiny-1</bdi> at <bdi>127.0.0.1</bdi>"
            in owner.get("/project/models").content.decode()
        )
        sent = owner.post(
            "/project/models", CHAT | {"price_in": "2", "price_out": "10", "budget": "1"}
        )
        assert sent.status_code == 302
        _finish()
    run = ModelRun.objects.get()
    assert (run.state, run.error, run.budget) == ("done", "", 1.0)
    assert ModelAnswer.objects.filter(error="").count() == 9
    assert (project.folder / "prompts" / "m.md").read_text("utf-8") == "Judge it.\n"
    assert {q.messages[0]["content"].strip() for q in server.asked} == {"Judge it."}
    page = owner.get("/project/models").content.decode()
    assert "9 of 9" in page
    assert KEY not in page
    assert Event.objects.get(what="model run").who == "Olga"


def test_run_that_is_stopped_ends_and_goes_on_without_asking_twice(
    owner: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, hold = threading.Event(), threading.Event()

    def reply(question: Question) -> Reply:
        def answer(handler: BaseHTTPRequestHandler, asked: Question) -> None:
            if asked.number > 4:
                reached.set()
                hold.wait(60)
            YES(handler, asked)

        return answer

    with ChatServer(reply) as server:
        _use(monkeypatch, server)
        owner.post("/project/models", CHAT)
        assert reached.wait(60)
        part = owner.get("/project/models", HTTP_X_TROPE="runs").content.decode()
        assert "data-running" in part
        assert "Start a model" not in part
        assert owner.post("/project/models/m", {"action": "stop"}).status_code == 302
        _finish()  # though the endpoint still says nothing
        run = ModelRun.objects.get()
        assert (run.state, run.error) == ("stopped", "stopped by Olga")
        before = set(ModelAnswer.objects.values_list("item_id", flat=True))
        assert len(before) <= 4
        hold.set()
        assert owner.post("/project/models/m", {"action": "go"}).status_code == 302
        _finish()
    run.refresh_from_db()
    assert (run.state, ModelAnswer.objects.count()) == ("done", 9)
    assert [e.what for e in Event.objects.filter(who="Olga", what__startswith="model")] == [
        "model run",
        "model run stopped",
        "model run goes on",
    ]


def test_errors_of_a_run_are_on_the_page(
    owner: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(in_turn(fail(401, "a key is missing"))) as server:
        _use(monkeypatch, server)  # without a key
        owner.post("/project/models", CHAT)
        _finish()
    run = ModelRun.objects.get()
    assert run.state == "stopped"
    assert "401" in run.error
    page = owner.get("/project/models").content.decode()
    assert "401" in page
    assert "Let m go on" in page


def test_without_an_endpoint_the_page_says_what_to_set(
    owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TROPE_CHAT_URL", "TROPE_CHAT_MODEL", "TROPE_CHAT_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert "TROPE_CHAT_URL" in owner.get("/project/models").content.decode()
    refused = owner.post("/project/models", CHAT)
    assert refused.status_code == 422
    assert "no endpoint is named" in refused.content.decode()
    assert not ModelRun.objects.exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "../m"}, "is no name of a run"),
        ({"kind": "heads", "head-metaphor": ""}, "choose which questions the model answers"),
        ({"kind": "heads", "head-metaphor": "word", "no-metaphor": "maybe"}, "needs a choice"),
        ({"kind": "heads", "head-metaphor": "sentiment"}, "scores from -5 to 5"),
        ({"kind": "system:elsewhere"}, "there is no system"),
        ({"kind": "system:../../etc"}, "there is no system"),
        ({"max_tokens": "many"}, "write a number"),
        ({"budget": "-1"}, "write a number"),
        ({"budget": "nan"}, "write a number"),
    ],
)
def test_order_that_cannot_be_is_refused_with_the_reason(
    change: dict[str, str], why: str, owner: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(in_turn(YES)) as server:
        _use(monkeypatch, server)
        refused = owner.post("/project/models", CHAT | change)
    assert refused.status_code == 422
    assert why in refused.content.decode()
    assert not ModelRun.objects.exists()
    assert not server.asked
    assert not (project.folder.parent / "m.md").exists()


def test_name_that_is_taken_begins_nothing_and_keeps_the_prompt(
    owner: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(in_turn(YES)) as server:
        _use(monkeypatch, server)
        owner.post("/project/models", CHAT)
        _finish()
        again = owner.post("/project/models", CHAT | {"prompt": "Another one."})
    assert again.status_code == 422
    assert (project.folder / "prompts" / "m.md").read_text("utf-8") == "Judge it.\n"
    assert len(server.asked) == 9


def test_owner_chooses_what_the_heads_answer(owner: Any, project: Project) -> None:
    page = owner.get("/project/models").content.decode()
    assert '<option value="text">whether the text is metaphorical</option>' in page
    turned = {"head-metaphor": "text", "yes-metaphor": "no", "no-metaphor": "yes"}
    sent = owner.post("/project/models", {"name": "m", "kind": "heads"} | turned)
    assert sent.status_code == 302, sent.content.decode()
    _finish()
    run = ModelRun.objects.get()
    assert run.state == "done", run.error
    assert run.settings["heads"] == {"metaphor": "text"}
    assert run.settings["values"] == {"metaphor": "no/yes"}
    assert ModelAnswer.objects.count() == 9


def test_only_owners_start_and_stop_models(owner: Any, project: Project) -> None:
    ann = browser(invite("Ann", now=START))
    assert ann.post("/project/models", CHAT).status_code == 403
    begin_run("m", "heads", {"model": "x", "heads": {}}, now=START)
    assert ann.post("/project/models/m", {"action": "stop"}).status_code == 403
    assert ModelRun.objects.get().state == "running"
    assert owner.post("/project/models/other", {"action": "stop"}).status_code == 404


def test_run_whose_process_has_died_is_shown_as_interrupted(owner: Any, project: Project) -> None:
    begin_run("m", "heads", {"model": "x", "heads": {}}, now=START)
    held = lock_file(project.folder / "model-m.lock")
    assert "interrupted" not in owner.get("/project/models").content.decode()
    held.release()
    assert "was interrupted; let it go on" in owner.get("/project/models").content.decode()
    assert ModelRun.objects.get().state == "stopped"


def test_owner_starts_the_heads_in_a_real_browser(
    chromium: Any,  # noqa: F811
    serve: Serve,  # noqa: F811
) -> None:
    _, link = serve("words")
    page = open_page(chromium, link)
    follow(page.get_by_role("button", name="Sign in"), "Enter")
    follow(page.get_by_role("link", name="Models"), "Enter")
    page.get_by_label("Name of the run").fill("heads")
    follow(page.get_by_role("button", name="Start the model"), "Enter")
    page.get_by_role("cell", name="done").wait_for(timeout=120_000)  # the page follows by itself
    assert page.get_by_role("cell", name="4 of 4").count() == 1
    assert page.get_by_label("Name of the run").input_value() == "model-2"


def test_person_corrects_what_a_model_suggests_in_a_real_browser(
    chromium: Any,  # noqa: F811
    serve: Serve,  # noqa: F811
) -> None:
    _, link = serve("words")
    owner, place = invited(chromium, link, "Ann")
    follow(owner.get_by_role("link", name="Models"), "Enter")
    follow(owner.get_by_role("button", name="Start the model"), "Enter")
    owner.get_by_role("cell", name="done").wait_for(timeout=120_000)
    follow(owner.get_by_role("link", name="Set up"), "Enter")
    follow(owner.get_by_role("link", name="Settings"), "Enter")
    owner.get_by_label("People see of a model").select_option("suggest")
    owner.get_by_label("Share of items without a suggestion").fill("0")
    follow(owner.get_by_role("button", name="Save"), "Enter")
    page = begin(chromium, place, viewport={"width": 390, "height": 800})
    given: list[str] = []
    for number in range(1, 5):
        page.get_by_text("A model’s suggestion is filled in").wait_for()
        filled = page.locator("#item input[name=metaphorical]:checked")
        suggested = filled.get_attribute("value")
        if number == 1:  # the only one that is corrected
            page.keyboard.press("2" if suggested == "yes" else "1")
        given.append(filled.get_attribute("value"))
        assert (given[-1] != suggested) == (number == 1)
        page.keyboard.press("Enter")
        if number < 4:
            page.get_by_text(f"{number} judged").wait_for()
    page.get_by_role("heading", name="That is all for now").wait_for()
    follow(owner.get_by_role("link", name="Project", exact=True), "Enter")
    rows = [(row["answers"]["metaphorical"], row["changed"]) for row in exported(owner)]
    assert rows == [(answer, number == 0) for number, answer in enumerate(given)]
