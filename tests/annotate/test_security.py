"""Who may do what, and what an attacker gets; security_requirements.md names these tests."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from logs import no_link_in_logs  # noqa: F401
from projects import START, Clock, add_items, make_project
from routes import ANNOTATOR, OWNER, ROLES, ROUTES, STRANGER
from test_web import browser, form_token

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.discipline import dismiss
from trope.annotate.store.models import Person, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web import annotator_pages, context
from trope.annotate.web.service import application, web_settings
from trope.annotate.web.urls import urlpatterns

NAMES = [pattern.name for pattern in urlpatterns]


@pytest.fixture
def served(tmp_path: Path) -> Project:
    project = make_project(tmp_path / "p", more="[skip]\nallowed = true\n[gold]\nshare = 0.4")
    connect(project, **web_settings())
    add_items(project, 6, gold=2)
    return project


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(context, "now", lambda: clock.now)
    return clock


def address(name: str) -> str:
    from django.urls import reverse

    return reverse(name, kwargs=ROUTES[name].arguments)


def as_role(role: str, **options: Any) -> Any:
    return browser(invite("Someone", role=role, now=START) if role else "", **options)


def strict(token: str) -> Any:
    """A browser that is signed in, and whose forms are checked as those of strangers."""
    from django.test import Client

    signed_in, checked = browser(token), Client(HTTP_HOST="localhost", enforce_csrf_checks=True)
    checked.cookies = signed_in.cookies
    return checked


def contents() -> list[int]:
    """The number of rows of every table, and the state of people."""
    from django.apps import apps

    rows = [model.objects.count() for model in apps.get_app_config("store").get_models()]
    return [*rows, Person.objects.filter(state="active").count()]


# --- roles -------------------------------------------------------------------------------------


def test_every_route_has_a_line_in_the_table() -> None:
    assert sorted(NAMES) == sorted(ROUTES), "add the new address to tests/annotate/routes.py"
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", NAMES)
def test_every_route_for_every_role(name: str, role: str, served: Project) -> None:
    client, route = as_role(role), ROUTES[name]
    for method in ("PUT", "DELETE", "TRACE", "GET", "POST"):
        status = client.generic(method, address(name)).status_code
        if method not in route.methods.split():
            assert status in (401, 403, 405), method
        elif role in route.roles:
            assert status not in (401, 403, 405, 500), method
        else:
            assert status == (401 if role == STRANGER else 403), method


def test_reading_changes_nothing_but_the_page_in_hand(served: Project) -> None:
    clients = {role: browser(invite(f"a {role}", role=role, now=START)) for role in ROLES if role}
    clients[ANNOTATOR].get("/judge")  # hands out a page
    before = contents()
    for role, client in clients.items():
        for name in NAMES:
            if role in ROUTES[name].roles and "GET" in ROUTES[name].methods:
                client.get(address(name))
    assert contents() == before


# --- forgery, sessions, cookies ----------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in NAMES if "POST" in ROUTES[n].methods])
def test_no_form_is_taken_from_another_site(name: str, served: Project) -> None:
    roles = [role for role in ROUTES[name].roles if role]
    client = strict(invite("Someone", role=roles[0], now=START))
    before = contents()
    forged = {"name": "Eve", "reason": "none", "token": "x"}
    assert client.post(address(name), forged).status_code == 403
    assert contents() == before


def test_sign_in_brings_a_session_of_its_own(served: Project) -> None:
    planted = browser(invite("Eve", now=START))
    victim, token = browser(), invite("Ann", now=START)
    victim.cookies["session"] = planted.cookies["session"].value
    victim.cookies["csrf"] = "a" * 32
    victim.post(f"/join/{token}")
    assert victim.cookies["session"].value != planted.cookies["session"].value
    assert victim.cookies["csrf"].value != "a" * 32
    victim.post("/judge", {"token": form_token(victim), "metaphor": "yes"})
    assert [row.person.name for row in StoredJudgment.objects.select_related("person")] == ["Ann"]


def test_session_that_was_left_cannot_be_used_again(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    copied = ann.cookies["session"].value
    ann.post("/leave")
    assert ann.get("/judge").status_code == 401
    thief = browser()
    thief.cookies["session"] = copied
    assert thief.get("/judge").status_code == 401


def test_session_ends_after_two_weeks(served: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    ann = browser(invite("Ann", now=START))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 14 * 24 * 3600 - 60)
    assert ann.get("/judge").status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 14 * 24 * 3600 + 60)
    assert ann.get("/judge").status_code == 401


@pytest.mark.parametrize("where", ["person", "key", "signature"])
def test_session_that_was_altered_is_nobodys(where: str, served: Project) -> None:
    from django.core import signing

    ann = browser(invite("Ann", now=START))
    value = ann.cookies["session"].value
    salt = "django.contrib.sessions.backends.signed_cookies"
    data = signing.loads(value, salt=salt)
    if where == "signature":
        ann.cookies["session"] = value[:-1] + ("A" if value[-1] != "A" else "B")
    else:
        data[where] = 2 if where == "person" else "0" * 16
        other = signing.dumps(data, key="not our key, which nobody has", salt=salt, compress=True)
        ann.cookies["session"] = other
    assert ann.get("/judge").status_code == 401


def test_dismissed_person_can_store_nothing_at_once(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    token = form_token(ann)
    dismiss(Person.objects.get(name="Ann").pk, "test", now=START)
    assert ann.post("/judge", {"token": token, "metaphor": "yes"}).status_code == 409
    assert not StoredJudgment.objects.exists()


def public_client(project: Project) -> Any:
    """A browser that sees the service as the public does, through a web server with https."""
    from django.test import Client

    connect(project, **web_settings("https://judge.example"))
    return Client(HTTP_HOST="judge.example")


def test_cookies_in_public_are_locked_to_the_host(served: Project) -> None:
    token = invite("Ann", now=START)
    client = public_client(served)
    client.get(f"/join/{token}")
    assert client.post(f"/join/{token}").status_code == 302
    assert set(client.cookies) == {"__Host-session", "__Host-csrf"}
    for cookie in client.cookies.values():
        assert cookie["secure"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
        assert cookie["path"] == "/"
        assert not cookie["domain"]


def test_cookies_hold_no_name_and_no_token(served: Project) -> None:
    from django.core import signing

    token = invite("Ann", now=START)
    value = browser(token).cookies["session"].value
    data = signing.loads(value, salt="django.contrib.sessions.backends.signed_cookies")
    assert set(data) == {"person", "key"}
    assert token not in json.dumps(data)
    assert Person.objects.get(name="Ann").token_hash not in json.dumps(data)


# --- headers, hosts, files ---------------------------------------------------------------------


def wsgi(app: Any, path: str, method: str = "GET", **more: str) -> tuple[int, dict[str, str]]:
    """What the whole application, with its static files, answers to a raw path."""
    got: dict[str, Any] = {}
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        **more,
    }

    def start(status: str, headers: list[tuple[str, str]], error: object = None) -> None:
        got["status"], got["headers"] = int(status[:3]), dict(headers)

    answer = app(environ, start)
    got["body"] = b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
    return got["status"], got["headers"] | {"body": got["body"].decode("utf-8", "replace")}


def test_every_page_has_the_headers_that_keep_it_to_itself(served: Project) -> None:
    clients = [as_role(STRANGER), browser(invite("Ann", now=START))]
    clients.append(browser(invite("Olga", role=OWNER, now=START)))
    for client in clients:
        for path in [*(address(name) for name in NAMES), "/nowhere", "/%00"]:
            headers = client.get(path).headers
            policy = dict(part.strip().split(" ", 1) for part in headers[CSP].split(";"))
            assert policy["default-src"] == "'none'"
            for closed in ("object-src", "base-uri", "frame-ancestors"):
                assert policy[closed] == "'none'"
            assert policy["script-src"] == policy["style-src"] == "'self'"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["X-Frame-Options"] == "DENY"
            assert headers["Referrer-Policy"] == "same-origin"
            assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
            assert headers["Cache-Control"] == "no-store"
            assert path.endswith(".parquet") or "charset=utf-8" in headers["Content-Type"]
            assert "Access-Control-Allow-Origin" not in headers


CSP = "Content-Security-Policy"


def test_public_pages_demand_encryption_for_a_year(served: Project) -> None:
    app = application(served, "https://judge.example")
    _, headers = wsgi(app, "/", HTTP_HOST="judge.example")
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


def test_links_given_out_in_public_are_encrypted(served: Project) -> None:
    token = invite("Olga", role=OWNER, now=START)
    client = public_client(served)
    client.post(f"/join/{token}", secure=True)
    page = client.post("/project/invite", {"name": "Ann"}, secure=True).content.decode()
    assert re.search(r"https://judge\.example/join/[\w-]{43}<", page)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../secret",
        "/static/../../secret",
        "/static/%2e%2e/secret",
        "/static/..%2f..%2fsecret",
        "/static//etc/passwd",
        "/static/",
        "/static/../settings.py",
        "/static/..\\settings.py",
        "/project/../secret",
        "/project/judgments.csv/../../secret",
        "/.git/config",
        "/secret",
        "/project.db",
    ],
)
def test_no_path_leads_out_of_the_static_files(path: str, served: Project) -> None:
    app = application(served)
    status, answer = wsgi(app, path)
    assert status in (400, 401, 404)
    assert served.secret not in answer["body"]
    assert "HERE" not in answer["body"]


def test_static_files_are_served_with_their_type(served: Project) -> None:
    app = application(served)
    for name, kind in (("keys.js", "text/javascript"), ("style.css", "text/css")):
        status, answer = wsgi(app, f"/static/{name}")
        assert status == 200
        assert answer["Content-Type"].startswith(kind)


def test_name_of_an_exported_file_is_ours(tmp_path: Path) -> None:
    project = make_project(tmp_path / 'p";\r\n evil..')
    connect(project, **web_settings())
    owner = browser(invite("Olga", role=OWNER, now=START))
    for kind in ("csv", "jsonl"):
        given = owner.get(f"/project/judgments.{kind}").headers["Content-Disposition"]
        assert re.fullmatch(rf'attachment; filename="[\w-]+-judgments\.{kind}"', given)


def test_host_that_is_not_ours_is_refused(served: Project) -> None:
    assert browser().get("/", HTTP_HOST="evil.example").status_code == 400


def test_error_shows_nothing_of_the_inside(
    served: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = browser(invite("Ann", now=START), raise_request_exception=False)

    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(annotator_pages.queue, "next_page", fail)  # type: ignore[attr-defined]
    answer = ann.get("/judge")
    assert answer.status_code == 500
    assert "secret" not in answer.content.decode()
    assert "Traceback" not in answer.content.decode()


def test_large_form_is_refused(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    filled = {"token": form_token(ann), "metaphor": "x" * 2_000_000}
    assert ann.post("/judge", filled).status_code == 400
    assert not StoredJudgment.objects.exists()


def test_form_of_too_many_fields_or_characters_is_refused(tmp_path: Path) -> None:
    more = "[[questions]]\nid = 'why'\nkind = 'text'\ntext = 'Why?'\nrequired = false"
    project = make_project(tmp_path / "p", more=more)
    connect(project, **web_settings())
    add_items(project, 2)
    ann = browser(invite("Ann", now=START))
    form = {"token": form_token(ann), "metaphor": "yes", "why": "x"}
    many = form | {f"field{n}": "x" for n in range(5_000)}
    assert ann.post("/judge", many).status_code == 400
    answer = ann.post("/judge", form | {"why": "x" * 5_001})
    assert answer.status_code == 422
    assert "is longer than 5,000 characters" in answer.content.decode()
    assert not StoredJudgment.objects.exists()
    assert ann.post("/judge", form | {"why": "x" * 5_000}).status_code == 302


def test_form_that_is_not_text_is_refused(
    served: Project, caplog: pytest.LogCaptureFixture
) -> None:
    ann = browser(invite("Ann", now=START))
    form = "application/x-www-form-urlencoded"
    for body, kind in (
        (b"token=a%00b", form),
        (b"token=a", f"{form}; charset=utf-16"),
        (b"--x", "multipart/form-data"),
        (b"\r\n", "multipart/form-data; boundary=" + "x" * 300),
    ):
        answer = ann.post("/judge", body, content_type=kind)
        assert answer.status_code == 400, (body, kind)
        assert "The form was refused" in answer.content.decode()
    assert "Traceback" not in caplog.text
