"""Workers from elsewhere: signed links, one account each, codes at the end."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from logs import no_link_in_logs  # noqa: F401
from projects import START, Clock, add_items, make_project
from visitors import ticking_clock

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Person, Standing
from trope.annotate.store.people import invite, make_link_token
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput

ID, OTHER = "5f0c" * 6, "a1b2" * 6


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


Serve = Callable[..., Project]


@pytest.fixture
def serve(tmp_path: Path, clock: Clock) -> Serve:
    def start(more: str = "", *, items: int = 2, gold: int = 0, **options: Any) -> Project:
        project = make_project(tmp_path / "p", more=more, **options)
        connect(project, **web_settings())
        add_items(project, items, gold=gold)
        return project

    return start


def browser(**options: Any) -> Any:
    from django.test import Client

    return Client(HTTP_HOST="localhost", **options)


def address(token: str, worker: str = ID, session: str = "s1", study: str = "st1") -> str:
    return f"/outside/{token}?PROLIFIC_PID={worker}&STUDY_ID={study}&SESSION_ID={session}"


def study_link(**options: Any) -> str:
    return make_link_token(now=START, days=14, **options)


def judge(client: Any, answer: str = "yes") -> Any:
    page = client.get("/judge").content.decode()
    found = re.search(r'name="token" value="(\w+)"', page)
    assert found, page
    return client.post("/judge", {"token": found[1], "metaphor": answer})


def test_worker_has_one_account_and_comes_back_to_it(serve: Serve) -> None:
    serve()
    token = study_link()
    first = browser()
    assert "I agree, start" in first.get(address(token)).content.decode()
    assert not Person.objects.exists(), "opening a link does nothing yet"
    assert first.post(address(token)).headers["Location"] == "/way"
    judge(first)
    again = browser()
    again.post(address(token))
    judge(again)
    (person,) = Person.objects.all()
    assert (person.name, person.judged) == (ID, 2)
    assert person.consented is not None
    assert person.standing.study == "st1"
    browser().post(address(token, OTHER, "s2"))
    assert Person.objects.count() == 2


def test_nobody_enters_in_the_name_of_someone_else(serve: Serve) -> None:
    serve()
    token = study_link()
    browser().post(address(token))
    thief = browser()
    answer = thief.post(address(token, session="guessed"))
    assert answer.status_code == 404
    assert "already in use" in answer.content.decode()
    assert thief.get("/judge").status_code == 401
    invite("Ann", now=START)
    assert browser().post(address(token, "Ann", "s9")).status_code == 404, (
        "an invited person's name"
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda t: t[:-1] + ("A" if t[-1] != "A" else "B"), "mistyped or changed"),
        (lambda t: "x" + t, "mistyped or changed"),
        (lambda t: "nonsense", "mistyped or changed"),
    ],
)
def test_link_that_was_changed_is_refused(
    change: Callable[[str], str], problem: str, serve: Serve
) -> None:
    serve()
    answer = browser().post(address(change(study_link())))
    assert answer.status_code == 404
    assert problem in answer.content.decode()
    assert not Person.objects.exists()


def test_link_signed_for_something_else_is_no_link(serve: Serve) -> None:
    from django.core import signing

    serve()
    other = signing.dumps({"until": "2099-01-01T00:00:00+00:00", "study": "", "worker": "x"})
    assert browser().post(f"/outside/{other}").status_code == 404


def test_link_of_another_project_is_refused(serve: Serve, tmp_path: Path) -> None:
    serve()
    token = study_link()
    connect(make_project(tmp_path / "other"), **web_settings())
    assert browser().post(address(token)).status_code == 404


def test_link_has_a_last_day(serve: Serve, clock: Clock) -> None:
    serve()
    token = study_link()
    clock.forward(days=13)
    assert browser().post(address(token)).status_code == 302
    clock.forward(days=1)
    answer = browser().post(address(token, OTHER, "s2"))
    assert "has expired" in answer.content.decode()
    assert Person.objects.count() == 1


@pytest.mark.parametrize(
    ("worker", "session", "study", "problem"),
    [
        ("", "s1", "st1", "does not say who you are"),
        (ID, "", "st1", "does not say who you are"),
        ("<script>", "s1", "st1", "does not say who you are"),
        ("{{%PROLIFIC_PID%}}", "s1", "st1", "does not say who you are"),
        (ID, "s1", "st2", "another study"),
    ],
)
def test_parameters_that_cannot_be_are_refused(
    worker: str, session: str, study: str, problem: str, serve: Serve
) -> None:
    serve()
    answer = browser().post(address(study_link(study="st1"), worker, session, study))
    assert answer.status_code == 404
    assert problem in answer.content.decode()
    assert not Person.objects.exists()


def test_link_for_one_worker_needs_no_parameters_and_takes_none(serve: Serve) -> None:
    serve()
    token = study_link(worker="W-17")
    client = browser()
    assert client.post(f"/outside/{token}?PROLIFIC_PID={OTHER}").status_code == 302
    assert browser().post(f"/outside/{token}").status_code == 302
    assert [person.name for person in Person.objects.all()] == ["W-17"]


def test_places_are_limited(serve: Serve) -> None:
    serve("[outside]\nplaces = 1")
    token = study_link()
    assert browser().post(address(token)).status_code == 302
    assert "All places" in browser().post(address(token, OTHER, "s2")).content.decode()
    assert browser().post(address(token)).status_code == 302, "who is in can come back"


@pytest.mark.parametrize("days", [0, -1, 367])
def test_days_of_a_link_are_checked(days: int) -> None:
    with pytest.raises(BadInput, match="days"):
        make_link_token(now=START, days=days)


def code_on(page: str) -> str:
    found = re.search(r'<code id="code">([^<]+)<', page)
    return found[1] if found else ""


def test_completion_code_comes_at_the_end_and_not_before(serve: Serve) -> None:
    serve("[outside]\nreturn_url = 'https://app.example/complete?cc={code}'", items=3)
    clients = [browser(), browser()]
    token = study_link()
    codes, pages = [], []
    for client, worker in zip(clients, (ID, OTHER), strict=True):
        client.post(address(token, worker, f"s-{worker}"))
        for _ in range(3):
            pages += [client.get(a).content.decode() for a in ("/judge", "/guidelines", "/way")]
            pages.append(judge(client).content.decode())
        assert not Standing.objects.get(person__name=worker).completed
        end = client.get("/judge").content.decode()
        codes.append(code_on(end))
        assert f"https://app.example/complete?cc={codes[-1]}" in end
        assert code_on(client.get("/judge").content.decode()) == codes[-1], "it stays the same"
    assert codes[0] != codes[1]
    assert min(map(len, codes)) == 10
    assert not any(code in page for code in codes for page in pages)
    assert Event.objects.filter(what="complete").count() == 2
    boss = browser()
    boss.post(f"/join/{invite('Olga', role='owner', now=START)}")
    assert codes[0] in boss.get("/project").content.decode()


def test_configured_code_is_shown_at_the_limit_of_one_person(serve: Serve) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'\n[caps]\ntotal = 2", items=5)
    client = browser()
    client.post(address(study_link()))
    for _ in range(2):
        assert "DONE77" not in client.get("/judge").content.decode()
        judge(client)
    assert code_on(client.get("/judge").content.decode()) == "DONE77"


def test_limit_of_a_day_is_not_the_end(serve: Serve, clock: Clock) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'\n[caps]\nday = 1")
    client = browser()
    client.post(address(study_link()))
    judge(client)
    assert "DONE77" not in client.get("/judge").content.decode()
    clock.forward(days=1)
    judge(client)
    assert "DONE77" not in client.get("/judge").content.decode()
    clock.forward(days=1)
    assert "DONE77" in client.get("/judge").content.decode()


def test_who_finds_nothing_to_do_gets_no_code(serve: Serve) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'", k=1, items=1)
    first, second = browser(), browser()
    first.post(address(study_link()))
    judge(first)
    second.post(address(study_link(), OTHER, "s2"))
    assert "DONE77" not in second.get("/judge").content.decode()


def test_invited_people_get_no_code(serve: Serve) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'", items=1)
    ann = browser()
    ann.post(f"/join/{invite('Ann', now=START)}")
    judge(ann)
    assert "DONE77" not in ann.get("/judge").content.decode()


def test_who_is_not_taken_gets_the_code_for_that(serve: Serve) -> None:
    serve(
        "[outside]\ncompletion_code = 'DONE77'\ndeclined_code = 'SORRY1'\n[profile]\n"
        "eligible = [{ question = 'native', values = ['yes'] }]\n[[profile.questions]]\n"
        "id = 'native'\nkind = 'choice'\ntext = '?'\n"
        "options = [{ value = 'yes' }, { value = 'no' }]\n"
    )
    client = browser()
    client.post(address(study_link()))
    client.post("/profile", {"native": "no"})
    page = client.get("/judge", follow=True).content.decode()
    assert code_on(page) == "SORRY1"
    assert "DONE77" not in page


def test_owner_makes_links_on_the_page_and_on_the_command_line(serve: Serve) -> None:
    project = serve()
    boss = browser()
    boss.post(f"/join/{invite('Olga', role='owner', now=START)}")
    page = boss.post("/project/link", {"days": "3", "study": "st1"}).content.decode()
    link = re.search(
        r"http://localhost/outside/([\w:-]+)\?PROLIFIC_PID=\{\{%PROLIFIC_PID%\}\}", page
    )
    assert link
    assert browser().post(address(link[1])).status_code == 302
    assert boss.post("/project/link", {"days": "x"}).status_code == 422
    assert boss.post("/project/link", {"days": "9999"}).status_code == 422
    command = ["annotate", "link", str(project.folder), "--worker", "W1", "--origin"]
    result = CliRunner().invoke(main, [*command, "https://judge.example/"])
    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"https://judge\.example/outside/[\w:-]+\n", result.output)
    connect(project, **web_settings())
    client = browser()
    before = Person.objects.count()
    assert (
        client.post(result.output.strip().removeprefix("https://judge.example")).status_code == 302
    )
    assert Person.objects.count() == before + 1


def test_form_of_another_site_brings_nobody_in(serve: Serve) -> None:
    serve()
    assert browser(enforce_csrf_checks=True).post(address(study_link())).status_code == 403
    assert not Person.objects.exists()


def test_open_link_has_places_of_its_own(serve: Serve) -> None:
    serve()
    token = study_link(places=2)
    for number in range(3):
        answer = browser(REMOTE_ADDR=f"192.0.2.{number}").post(
            address(token, f"worker{number}", f"session{number}")
        )
        assert answer.status_code == (302 if number < 2 else 404)
    assert Person.objects.count() == 2


def test_one_address_cannot_make_up_workers_without_end(serve: Serve, clock: Clock) -> None:
    serve()
    token = study_link()
    statuses = [
        browser(REMOTE_ADDR="192.0.2.1")
        .post(address(token, f"worker{number}", f"session{number}"))
        .status_code
        for number in range(22)
    ]
    assert statuses == [302] * 20 + [429] * 2
    again = browser(REMOTE_ADDR="192.0.2.1").post(address(token, "worker1", "session1"))
    assert again.status_code == 302, "who has an account comes in"
    other = browser(REMOTE_ADDR="192.0.2.2").post(address(token, "worker30", "session30"))
    assert other.status_code == 302
