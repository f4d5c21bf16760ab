"""Runs of a model behind an endpoint over a project, by the command, on a real server."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import (
    INJECTION,
    KEY,
    MODEL,
    YES,
    ChatServer,
    Question,
    Reply,
    answer,
    fail,
    hang,
    in_turn,
    say,
)
from click.testing import CliRunner, Result
from projects import START, add_items, make_project
from test_web import browser

from trope.annotate.chat import EndpointRefused
from trope.annotate.project import Project
from trope.annotate.prompts import prompt_version
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.model_answers import ModelAnswer, ModelRun
from trope.annotate.store.models import Item, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web.service import web_settings
from trope.cli.main import main


def command(project: Project, server: ChatServer, *options: str, key: str = "") -> Result:
    arguments = ["annotate", "model", str(project.folder), "m", "--chat", *options]
    environment = server.environment | {"TROPE_CHAT_KEY": key}
    return CliRunner().invoke(main, arguments, env=environment)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    found = make_project(tmp_path / "p")
    add_items(found, 8, gold=1)
    yield found
    connect(found)


def test_run_answers_every_item_and_keeps_what_it_took(project: Project) -> None:
    with ChatServer(in_turn(YES)) as server:
        done = command(project, server, "--price-in", "2", "--price-out", "10", "--json")
        assert done.exit_code == 0, done.output
        again = command(project, server, "--price-in", "2", "--price-out", "10")
    found = json.loads(done.stdout)
    assert (found["answered"], found["errors"], found["state"]) == (9, {}, "done")
    assert (found["tokens_in"], found["tokens_out"]) == (900, 90)
    assert found["cost"] == pytest.approx((900 * 2 + 90 * 10) / 1e6)
    prompt = (project.folder / "prompts" / "m.md").read_text("utf-8")
    assert found["settings"]["prompt_version"] == prompt_version(prompt)
    assert (found["settings"]["model"], found["settings"]["address"]) == (MODEL, server.address)
    assert "m: 9 of 9 items answered, 0 errors, cost 0.0027; done" in again.stdout
    assert len(server.asked) == 9  # nothing was asked twice
    assert ModelRun.objects.get().settings["prompt"] == prompt
    assert StoredJudgment.objects.count() == 0


def test_prompt_is_written_to_be_edited_and_a_changed_one_needs_another_name(
    project: Project,
) -> None:
    with ChatServer(in_turn(YES)) as server:
        written = command(project, server, "--prompt-only")
        path = project.folder / "prompts" / "m.md"
        assert written.stdout.strip() == str(path)
        path.write_text("My own prompt.", encoding="utf-8")
        assert not server.asked
        assert command(project, server, "--items", "1").exit_code == 0
        assert server.asked[0].messages[0]["content"] == "My own prompt."
        path.write_text("Another prompt.", encoding="utf-8")
        refused = command(project, server)
    assert "was begun with another prompt_version" in str(refused.exception)


def test_run_stops_before_its_budget_is_exceeded_and_goes_on_with_more(project: Project) -> None:
    # 100 and 10 tokens cost 0.0011 here; the prompt has some 900 bytes, and no more tokens
    price = ("--price-in", "10", "--price-out", "10", "--max-tokens", "20", "--parallel", "3")
    with ChatServer(in_turn(YES)) as server:
        stopped = command(project, server, *price, "--budget", "0.03", "--json")
        assert stopped.exit_code == 1
        found = json.loads(stopped.stdout)
        assert found["state"] == "stopped"
        assert found["error"].startswith("the budget of 0.03 is used up")
        assert 0 < found["cost"] <= 0.03
        assert 0 < found["answered"] == len(server.asked) < 9
        rest = json.loads(command(project, server, *price, "--budget", "5", "--json").stdout)
    assert (rest["state"], rest["answered"], len(server.asked)) == ("done", 9, 9)


def test_errors_in_a_row_stop_a_run(project: Project) -> None:
    wrong = say(answer(metaphor="yes"), model="other")
    with ChatServer(in_turn(wrong)) as server:
        done = command(project, server, "--json")
        assert done.exit_code == 1
        assert json.loads(done.stdout)["errors"] == {"other_model": 9}
        add_items_again(project, 12)
        stopped = command(project, server, "--parallel", "1")
    assert "10 answers in a row could not be used" in str(stopped.exception)
    assert len(server.asked) == 19
    connect(project)
    assert ModelRun.objects.get().state == "stopped"


def add_items_again(project: Project, number: int) -> None:
    rows = [{"id": f"n{n}", "text": f"New sentence {n}."} for n in range(number)]
    path = project.folder / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    connect(project)
    import_items(project, path, now=START)


def test_instruction_in_an_item_leaves_only_answers_or_errors_in_the_store(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path / "p")
    rows = [{"id": "evil", "text": INJECTION}, {"id": "bidi", "text": "\u202eegassem\u202c 😈"}]
    path = project.folder / "evil.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)

    def obeys(question: Question) -> Reply:
        return say(answer(metaphor="A")) if "ignore" in question.item["text"] else YES

    with ChatServer(obeys) as server:
        done = command(project, server)
    assert done.exit_code == 1
    connect(project)
    kept = {a.item.external_id: (a.answers, a.error) for a in ModelAnswer.objects.all()}
    assert kept == {"evil": ({}, "invalid"), "bidi": ({"metaphor": "yes"}, "")}


ECHOES: list[Reply] = [
    say(f"Your key is {KEY}"),
    say(answer(metaphor="yes", notes=KEY)),
    say(answer(metaphor=KEY).replace("sk-test", "\\u0073k-test")),
    say(answer(metaphor="yes"), model=KEY),
    fail(400, f"bad key {KEY}"),
    fail(400, f"Authorization: Bearer {KEY}", X_Key=KEY),
    YES,
]


def test_key_reaches_no_log_page_export_error_or_database(
    project: Project, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(in_turn(*ECHOES)) as server:
        first = command(project, server, "--parallel", "1", key=KEY)
        assert {q.headers["Authorization"] for q in server.asked} == {f"Bearer {KEY}"}
        add_items_again(project, 1)
        server.reply = in_turn(fail(401, f"wrong key {KEY}"))
        second = command(project, server, key=KEY)
        assert isinstance(second.exception, EndpointRefused)
    told = [first.output, str(first.exception), second.output, repr(second.exception)]
    for what in ("models", "judgments", "items"):
        raw = ["--raw"] if what == "models" else []
        arguments = ["annotate", "export", str(project.folder), "--what", what, *raw]
        told.append(CliRunner().invoke(main, arguments).output)
    assert "[key]" in told[4]  # the echo itself was kept
    backup = project.folder / "b.zip"
    CliRunner().invoke(main, ["annotate", "backup", str(project.folder), str(backup)])
    connect(project, **web_settings())
    owner = browser(invite("Olga", now=START, role="owner"))
    told += [owner.get(f"/{page}").content.decode() for page in ("project/models", "project")]
    told += [caplog.text, *capfd.readouterr()]
    assert "Models" in told[7]
    for text in told:
        assert KEY not in text
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert {"project.db", "m.md"} <= {path.name for path in files}
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


def test_killed_run_loses_and_doubles_nothing(project: Project) -> None:
    running: list[subprocess.Popen[bytes]] = []

    def kills(question: Question) -> Reply:
        if question.number == 6 and running:
            running[0].send_signal(signal.SIGKILL)
            running[0].wait()
            return hang
        return say(answer(metaphor="no" if question.number > 6 else "yes"))

    with ChatServer(kills) as server:
        line = ["annotate", "model", str(project.folder), "m", "--chat", "--parallel", "1"]
        environment = os.environ | server.environment
        running.append(subprocess.Popen([sys.executable, "-m", "trope", *line], env=environment))
        assert running[0].wait(120) == -signal.SIGKILL
        connect(project)
        before = {a.item_id: (a.pk, a.answers) for a in ModelAnswer.objects.all()}
        assert len(before) == 5
        running.clear()
        done = command(project, server, "--parallel", "1", "--json")
        assert done.exit_code == 0, done.output
    connect(project)
    after = {a.item_id: (a.pk, a.answers) for a in ModelAnswer.objects.all()}
    assert len(after) == ModelAnswer.objects.count() == Item.objects.count() == 9
    assert {item: after[item] for item in before} == before
    texts = [question.item["text"] for question in server.asked]
    assert len(texts) == 10  # only the one that was under way was asked again
    assert len(set(texts)) == 9
    assert json.loads(done.stdout)["tokens_in"] == 900


def test_second_process_of_a_run_is_refused(project: Project) -> None:
    from trope.core.run_folder import lock_file

    lock = lock_file(project.folder / "model-m.lock")
    try:
        with ChatServer(in_turn(YES)) as server:
            refused = command(project, server)
    finally:
        lock.release()
    assert "is under way in another process" in str(refused.exception)
    assert not server.asked


def test_options_of_another_kind_of_model_are_refused(project: Project) -> None:
    with ChatServer(in_turn(YES)) as server:
        assert "leave it out with --chat" in command(project, server, "--head", "a=word").output
        assert "write NAME=JSON" in str(command(project, server, "--parameter", "x").exception)
    plain = CliRunner().invoke(
        main, ["annotate", "model", str(project.folder), "m", "--budget", "1"]
    )
    assert "add --chat" in plain.output
