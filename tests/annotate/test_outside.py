"""Workers from elsewhere, and leaving: signed links, codes, withdrawal."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from projects import START, Clock, add_items, make_project

from trope.annotate.project import Project
from trope.annotate.store import judging, queue
from trope.annotate.store.connect import connect
from trope.annotate.store.models import Event, Item, Judgment, Lease, Person, Standing, Trial
from trope.annotate.store.outside import make_link_token
from trope.annotate.store.people import invite
from trope.annotate.web import views
from trope.annotate.web.settings import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput

ID, OTHER = "5f0c" * 6, "a1b2" * 6


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    time = Clock()

    class Set:
        @staticmethod
        def now(_: Any) -> Any:
            return time.forward(seconds=1)

    monkeypatch.setattr(views, "datetime", Set)
    return time


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
    assert "I agree, begin" in first.get(address(token)).content.decode()
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
    assert "in use already" in answer.content.decode()
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
    assert "time is over" in answer.content.decode()
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


# withdrawal


PROFILE = """
[[profile.questions]]
id = "country"
kind = "text"
text = "Country?"
"""


def working(project: Project, clock: Clock) -> tuple[Any, Person]:
    """Someone who has judged two items and a control item, and holds more."""
    ann = browser()
    ann.post(f"/join/{invite('Ann', now=START)}")
    ann.post("/profile", {"country": "Elbonia"})
    person = Person.objects.get(name="Ann")
    for answer in ("yes", "no"):
        judge(ann, answer)
    given = Judgment.objects.filter(person=person).first()
    assert given
    judging.change(person.pk, given.pk, "t" * 32, {"metaphor": "no"}, now=clock.now)
    return ann, person


@pytest.mark.parametrize("answers", ["keep", "erase"])
def test_withdrawal_does_what_the_consent_says(answers: str, serve: Serve, clock: Clock) -> None:
    project = serve(f"[withdrawal]\nanswers = '{answers}'\n{PROFILE}", items=6)
    token = invite("Early", now=START)
    said = browser().get(f"/join/{token}").content.decode()
    assert ("are erased" if answers == "erase" else "are kept without your name") in said
    ann, person = working(project, clock)
    form = queue.leases_of(person.pk)[0].token

    page = ann.get("/withdraw").content.decode()
    assert "cannot be undone" in page
    ann.post("/withdraw")
    assert Person.objects.get(pk=person.pk).state == "active", "only with the button"
    done = ann.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "You have withdrawn" in done

    person.refresh_from_db()
    assert person.state == "withdrawn"
    assert person.name == f"withdrawn-{person.pk}"
    assert Standing.objects.get(pk=person.pk).profile is None
    assert not Lease.objects.exists()
    check_books(project)
    rows = [*Judgment.objects.filter(person=person)]
    assert len(rows) == 3
    if answers == "erase":
        assert [row.answers for row in rows] == [{}] * 3
        assert {row.state for row in rows} == {"erased"}
        assert set(Item.objects.values_list("open_slots", flat=True)) == {2}
    else:
        assert [row.state for row in rows if row.current] == ["counted"] * 2
        assert {"metaphor": "no"} in [row.answers for row in rows]
    noted = json.dumps([[event.who, event.detail] for event in Event.objects.all()])
    assert "Ann" not in noted
    assert Event.objects.get(what="withdraw").detail["answers"] == answers
    assert "Elbonia" not in json.dumps([*Standing.objects.values_list("profile", flat=True)])

    assert ann.get("/judge").status_code == 401, "the session has ended"
    with pytest.raises(judging.Refused):
        judging.submit(person.pk, form, {"metaphor": "yes"}, project.plan, now=clock.now)


def test_freed_items_go_to_others(serve: Serve, clock: Clock) -> None:
    project = serve(f"[withdrawal]\nanswers = 'erase'\n{PROFILE}", items=3, k=1)
    ann, _ = working(project, clock)
    bob = browser()
    bob.post(f"/join/{invite('Bob', now=START)}")
    bob.post("/profile", {"country": "x"})
    assert "nothing left for you" in bob.get("/judge").content.decode()
    ann.post("/withdraw", {"sure": "yes"})
    for _ in range(3):
        judge(bob)
    assert Judgment.objects.filter(state="counted").count() == 3
    check_books(project)


def test_link_of_who_has_withdrawn_is_dead(serve: Serve, clock: Clock) -> None:
    serve()
    token = invite("Ann", now=START)
    ann = browser()
    ann.post(f"/join/{token}")
    ann.post("/withdraw", {"sure": "yes"})
    assert browser().post(f"/join/{token}").status_code == 404
    invite("Ann", now=START)  # the name is free again


def test_worker_who_returns_their_place_does_not_come_back(serve: Serve, clock: Clock) -> None:
    serve("[outside]\ncompletion_code = 'DONE77'")
    token = study_link()
    client = browser()
    client.post(address(token))
    judge(client)
    page = client.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "return your place" in page
    assert "DONE77" not in page
    answer = browser().post(address(token))
    assert "You have withdrawn" in answer.content.decode()
    kept = json.dumps(
        [*Person.objects.values_list("name", flat=True), *Standing.objects.values_list("outside")]
    )
    assert ID not in kept, "the id itself is not kept"


def test_pay_of_who_has_withdrawn_stays_on_the_sheet(serve: Serve, clock: Clock) -> None:
    project = serve("[pay]\namount = '3'\n" + PROFILE, items=6)
    ann, person = working(project, clock)
    page = ann.post("/withdraw", {"sure": "yes"}).content.decode()
    assert "2.00 USD" in page
    assert f"withdrawn-{person.pk}" in page
    boss = browser()
    boss.post(f"/join/{invite('Olga', role='owner', now=START)}")
    sheet = boss.get("/project").content.decode()
    assert re.search(rf"withdrawn-{person.pk}</th>.*?<td>2.00</td>", sheet, re.S)


def test_demo_answers_are_erased_too(serve: Serve, clock: Clock) -> None:
    project = serve("[withdrawal]\nanswers = 'erase'")
    ann = browser()
    ann.post(f"/join/{invite('Ann', now=START)}")
    person = Person.objects.get(name="Ann")
    Trial.objects.create(
        person=person, part="demo", item="d", answers={"metaphor": "no"}, seconds=1, at=START
    )
    ann.post("/withdraw", {"sure": "yes"})
    assert not Trial.objects.exists()
    check_books(project)
