"""Sign-on: who comes in as what, accounts, sessions, links, and settings that cannot work."""

# ruff: noqa: F811 - fixtures are taken by importing them

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browsers import Serve, chromium, follow, open_page, serve  # noqa: F401
from logs import no_link_in_logs  # noqa: F401
from projects import START, Clock, make_project
from sign_on_provider import CLIENT, Provider
from sign_on_visits import RULES, clock, project, provider, refused, served, signed_on  # noqa: F401
from visitors import browser
from walking import shoot

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Person
from trope.annotate.store.people import invite, make_link_token
from trope.annotate.web.service import web_settings


def test_owner_signs_on_and_out(project: Project, provider: Provider) -> None:
    client = browser()
    page = client.get("/").content.decode()
    assert 'href="/sign-on"' in page
    answer = signed_on(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/project")
    assert client.get("/project").status_code == 200
    person = Person.objects.get()
    assert (person.name, person.role) == ("olga@example.org", "owner")
    assert "u-1" not in json.dumps(list(Event.objects.values("who", "detail")))
    copy = client.cookies["session"].value
    client.post("/leave")
    assert client.get("/project").status_code == 401
    client.cookies["session"] = copy
    assert client.get("/project").status_code == 401, "a copy of the cookie is worth nothing"
    signed_on(client)
    assert Person.objects.count() == 1


def test_plan_says_who_comes_in_as_what(project: Project, provider: Provider) -> None:
    for number, (claims, role, page) in enumerate(
        (
            ({"email": "OLGA@EXAMPLE.ORG"}, "owner", "/project"),
            ({"email": "ann@example.org"}, "annotator", "/way"),
            ({"email": "judy@else.org", "groups": ["x", "judges"]}, "adjudicator", "/adjudicate"),
            ({"email": "jim@else.org", "groups": "judges"}, "adjudicator", "/adjudicate"),
        )
    ):
        provider.person |= {"sub": f"u-{number}", **claims}
        client = browser()
        assert signed_on(client).headers["Location"] == page
        assert Person.objects.get(name=claims["email"].lower()).role == role
        if role == "annotator":
            assert "I agree" in client.get("/way", follow=True).content.decode()


def test_unknown_person_is_told_and_gets_no_account(project: Project, provider: Provider) -> None:
    for email in (
        "eve@elsewhere.org",
        "eve@example.org.evil.net",
        "eve@sub.example.org",
        "olga@example.org@evil.net",
        "eve@evil.net, olga@example.org",
        "olga@example.org\n",
        "\u212ae@example.org",  # the Kelvin sign is lower-cased to k
        "example.org",
        "",
    ):
        provider.person["email"] = email
        refused(signed_on(browser()), 403, "not on the list of this project")


def test_address_must_be_verified(project: Project, provider: Provider) -> None:
    for verified in (False, None, "true", 1):
        provider.person["email_verified"] = verified
        refused(signed_on(browser()), 403, "has not verified your e-mail address")
    del provider.person["email"]
    provider.user_info = {"sub": "u-1"}
    refused(signed_on(browser()), 403, "has not verified")


def test_address_may_come_from_the_address_for_user_information(
    project: Project, provider: Provider
) -> None:
    provider.user_info = dict(provider.person)
    provider.person = {"sub": "u-1"}
    assert signed_on(browser()).headers["Location"] == "/project"
    provider.user_info["sub"] = "u-2"
    assert signed_on(browser()).status_code == 400


def test_account_belongs_to_one_subject(project: Project, provider: Provider) -> None:
    assert signed_on(browser()).status_code == 302
    provider.person["sub"] = "u-2"  # the address was given to someone else
    client = browser()
    assert signed_on(client).status_code == 409
    assert client.get("/project").status_code == 401
    provider.person |= {"sub": "u-1", "email": "o.new@example.org"}  # the same person moved
    assert signed_on(browser()).headers["Location"] == "/way", "and is no owner any more"
    assert Person.objects.get().role == "annotator"


def test_invited_person_keeps_their_account_and_their_link(
    project: Project, provider: Provider
) -> None:
    token = invite("Olga@Example.org", role="owner", now=START)
    assert signed_on(browser()).status_code == 302
    assert Person.objects.count() == 1
    assert browser(token).get("/project").status_code == 200


def test_worker_who_took_an_address_as_id_gets_nobodys_account(
    project: Project, provider: Provider
) -> None:
    token = make_link_token(now=START, days=1)
    thief = browser()
    named = "PROLIFIC_PID=olga@example.org&STUDY_ID=s&SESSION_ID=x"
    assert thief.post(f"/outside/{token}?{named}").status_code == 302
    assert signed_on(browser()).status_code == 409
    assert thief.get("/project").status_code == 403
    assert Person.objects.get().role == "annotator"


def test_who_withdrew_does_not_come_back_by_sign_on(project: Project, provider: Provider) -> None:
    provider.person["email"] = "ann@example.org"
    client = browser()
    signed_on(client)
    client.post("/way")
    assert client.post("/withdraw", {"sure": "yes"}).status_code == 200
    again = signed_on(browser())
    assert again.status_code == 409
    assert "You have withdrawn" in again.content.decode()
    assert Person.objects.count() == 1
    assert "ann@example.org" not in json.dumps(list(Event.objects.values("who", "detail")))


def test_session_by_sign_on_ends_the_same_day(
    project: Project, provider: Provider, clock: Clock
) -> None:
    client = browser()
    signed_on(client)
    clock.forward(hours=11)
    assert client.get("/project").status_code == 200
    clock.forward(hours=2)
    assert client.get("/project").status_code == 401


def test_links_of_owners_can_be_switched_off(
    tmp_path: Path, provider: Provider, clock: Clock
) -> None:
    project = served(tmp_path / "open", provider)
    token = invite("Olga", role="owner", now=START)
    before = browser(token)
    closed = project.folder / "project.toml"
    text = closed.read_text(encoding="utf-8")
    closed.write_text(text.replace("client_id", "owner_links = false\nclient_id"))
    from trope.annotate.project import open_project

    connect(open_project(project.folder), **web_settings())
    assert before.get("/project").status_code == 401, "sessions by link have ended"
    client = browser()
    for answer in (client.get(f"/join/{token}"), client.post(f"/join/{token}")):
        assert answer.status_code == 403
        assert "Owners of this project sign on" in answer.content.decode()
    assert signed_on(client).headers["Location"] == "/project"
    assert browser(invite("Ann", now=START)).get("/me").status_code == 200, "annotators' links work"


def test_without_sign_on_its_addresses_lead_nowhere(tmp_path: Path) -> None:
    connect(make_project(tmp_path / "p"), **web_settings())
    client = browser()
    assert client.get("/sign-on").status_code == 404
    assert client.get("/sign-on/return").status_code == 404
    assert "sign-on" not in client.get("/").content.decode()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("issuer = 'http://login.example'\nclient_id = 'x'", r"sign_on\.issuer: must be the https"),
        ("issuer = 'https://login.example'", r"sign_on\.client_id: is missing"),
        ("client_id = 'x'", r"sign_on\.issuer: must be"),
        ("issuer = 'https://l.example'\nclient_id = 'x'", "nobody could sign on"),
        ("client_secret = 'x'", "client_secret"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: str, words: str, tmp_path: Path) -> None:
    from trope.core.errors import BadConfig

    with pytest.raises(BadConfig, match=words):
        make_project(tmp_path / "p", more=f"[sign_on]\n{settings}")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("role = 'owner'", "would admit everyone"),
        ("role = 'boss'\nemails = ['a@b.org']", "boss"),
        ("role = 'owner'\nclaim = 'groups'", "a claim needs values"),
        ("role = 'owner'\nemails = ['olga']", "'olga' is not an e-mail address"),
        ("role = 'owner'\ndomains = ['@example.org']", "is not a domain"),
        (
            "role = 'annotator'\ndomains = ['example.org']",
            "no rule of sign_on.admit admits an owner",
        ),
    ],
)
def test_rules_that_cannot_work_are_refused(rule: str, words: str, tmp_path: Path) -> None:
    from trope.core.errors import BadConfig

    usual = "issuer = 'https://l.example'\nclient_id = 'x'\nowner_links = false"
    with pytest.raises(BadConfig, match=re.escape(words)):
        make_project(tmp_path / "p", more=f"[sign_on]\n{usual}\n[[sign_on.admit]]\n{rule}")


def test_service_without_the_secret_does_not_begin(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from trope.annotate.web.doctor import examine
    from trope.cli.main import main

    monkeypatch.delenv("TROPE_SIGN_ON_SECRET")
    result = CliRunner().invoke(main, ["annotate", "serve", str(project.folder)])
    assert "set TROPE_SIGN_ON_SECRET" in str(result.exception)
    found = {one.check: one.level for one in examine(project)}
    assert found["sign-on"] == "unsafe"


def test_owner_signs_on_and_out_in_a_real_browser(
    chromium: Any, serve: Serve, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # another site than the service's 127.0.0.1, as providers are: its cookies must come back
    provider.issuer = provider.issuer.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    settings = (
        f'[sign_on]\nissuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\nname = "Example"\n'
    )

    def change(folder: Path) -> None:
        path = folder / "project.toml"
        path.write_text(path.read_text("utf-8") + settings + RULES, encoding="utf-8")

    _, link = serve("words", change)
    page = open_page(chromium, link.partition("/join")[0])
    shoot(page, "sign-on")
    follow(page.get_by_role("link", name="Example"), "Enter")
    page.get_by_role("heading", name="Next step").wait_for()
    assert page.url.endswith("/project")
    assert provider.asked[:2] == ["/.well-known/openid-configuration", "/authorize"]
    follow(page.get_by_role("button", name="Sign out"), "Enter")
    page.goto(f"{page.url.rpartition('/')[0]}/project")
    assert page.get_by_role("link", name="Example").count() == 1, "and is asked to sign on again"
    provider.person |= {"sub": "u-2", "email": "eve@elsewhere.org"}
    follow(page.get_by_role("link", name="Example"), "Enter")
    page.get_by_text("not on the list of this project").wait_for()
    shoot(page, "sign-on-refused")
