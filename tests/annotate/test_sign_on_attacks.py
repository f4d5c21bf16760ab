"""Sign-on against attackers of every kind, and with a provider that fails, hangs or lies."""

# ruff: noqa: F811 - fixtures are taken by importing them

from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest
from logs import no_link_in_logs  # noqa: F401
from projects import Clock
from sign_on_provider import CLIENT, SECRET, Claims, Provider, made_key
from sign_on_visits import (  # noqa: F401
    back,
    begun,
    clock,
    project,
    provider,
    refused,
    signed_on,
    visited,
)
from visitors import browser

from trope.annotate.project import Project
from trope.annotate.store.models import Person
from trope.annotate.web import sign_on

DISCOVERY = "/.well-known/openid-configuration"


def test_wrong_state_signs_nobody_in(project: Project, provider: Provider) -> None:
    for state in ("", "wrong", "ü"):
        refused(signed_on(browser(), state=state), 400, "Start it again")
    assert "/token" not in provider.asked, "the code is not even tried"


def test_answer_for_another_browser_signs_nobody_in(project: Project, provider: Provider) -> None:
    address = visited(begun(browser()))
    refused(back(browser(), address), 400, "Start it again")
    other = browser()
    begun(other)
    refused(back(other, address), 400, "Start it again")


def test_code_of_someone_else_is_worth_nothing(project: Project, provider: Provider) -> None:
    """An attacker puts their own code, or a stolen one, into the answer for another browser."""
    stolen = dict(parse_qsl(urlsplit(visited(begun(browser()))).query))["code"]
    refused(signed_on(browser(), code=stolen), 400, "is not valid")


def test_replayed_answer_signs_nobody_in(project: Project, provider: Provider) -> None:
    client = browser()
    first = begun(client)
    cookie = client.cookies["session"].value
    address = visited(first)
    assert back(client, address).status_code == 302
    Person.objects.all().delete()
    refused(back(client, address), 400, "Start it again")
    client.cookies["session"] = cookie  # also with the cookie of that attempt
    refused(back(client, address), 400, "is not valid")


def test_attempt_ends_after_ten_minutes(project: Project, provider: Provider, clock: Clock) -> None:
    client = browser()
    address = visited(begun(client))
    clock.forward(minutes=11)
    refused(back(client, address), 400, "took too long")


def without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


WRONG_CLAIMS: list[Callable[[Claims], Claims]] = [
    lambda c: c | {"nonce": "another"},
    without("nonce"),
    lambda c: c | {"aud": "another-client"},
    lambda c: c | {"aud": [CLIENT, "another"]},  # for whom it was issued is not said
    lambda c: c | {"aud": [CLIENT, "another"], "azp": "another"},
    without("aud"),
    lambda c: c | {"iss": "https://evil.example"},
    lambda c: c | {"exp": c["iat"] - 3600},
    lambda c: c | {"exp": "soon"},
    without("exp"),
    lambda c: c | {"iat": c["iat"] + 3600, "nbf": c["iat"] + 3600},
    lambda c: c | {"sub": ""},
    lambda c: c | {"sub": 7},
    without("sub"),
    lambda c: c | {"at_hash": "wrong"},
]


def test_token_with_a_wrong_claim_signs_nobody_in(project: Project, provider: Provider) -> None:
    for change in WRONG_CLAIMS:
        provider.change = change
        refused(signed_on(browser()), 400, "is not valid")


def test_token_with_a_wrong_signature_signs_nobody_in(project: Project, provider: Provider) -> None:
    for sign in (
        provider.unsigned,
        provider.signed_with_the_public_key,
        provider.signed_by_someone_else,
        lambda _: "a.b.c",
        lambda _: "",
    ):
        provider.sign = sign
        refused(signed_on(browser()), 400, "is not valid")


def test_new_key_of_the_provider_is_fetched_once(project: Project, provider: Provider) -> None:
    assert signed_on(browser()).status_code == 302
    provider.key = made_key("second")
    assert signed_on(browser()).status_code == 400, "keys are not asked for all the time"
    sign_on._provider(provider.issuer)._keys = None
    assert signed_on(browser()).status_code == 302
    assert provider.asked.count("/keys") == 2


FAULTS = [
    (DISCOVERY, "hangs"),
    (DISCOVERY, "drips"),
    (DISCOVERY, "never ends"),
    (DISCOVERY, "leads elsewhere"),
    (DISCOVERY, "nonsense"),
    ("/token", "hangs"),
    ("/token", "never ends"),
    ("/token", "leads elsewhere"),
    ("/token", "nonsense"),
    ("/token", "fails"),
    ("/keys", "hangs"),
    ("/keys", "fails"),
]


def test_provider_that_does_not_answer_is_told_in_time(
    project: Project, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_on, "_WAIT_S", 0.3)
    monkeypatch.setattr(sign_on, "_ANSWER_S", 0.3)
    for place, fault in FAULTS:
        sign_on._provider.cache_clear()
        provider.fault = {place: fault}
        client = browser()
        answer = client.get("/sign-on") if place == DISCOVERY else signed_on(client)
        refused(answer, 503, "does not answer at the moment")
        assert answer.headers["Retry-After"] == "60"
    assert "/elsewhere" not in provider.asked
    provider.fault.clear()
    monkeypatch.undo()
    monkeypatch.setenv("TROPE_SIGN_ON_SECRET", SECRET)
    assert signed_on(client).status_code == 302, "and later it works again"


def test_provider_that_is_down_is_told(project: Project, provider: Provider) -> None:
    client = browser()
    address = visited(begun(client))
    sign_on._provider(provider.issuer)._document = None
    provider.document = lambda found: found | {"token_endpoint": "http://127.0.0.1:9/token"}
    refused(back(client, address), 503, "does not answer at the moment")


def test_provider_that_describes_itself_wrongly_is_not_used(
    project: Project, provider: Provider
) -> None:
    wrong: list[Callable[[Claims], Claims]] = [
        lambda d: d | {"issuer": "https://evil.example"},
        lambda d: d | {"token_endpoint": "http://evil.example/token"},
        lambda d: d | {"authorization_endpoint": "javascript:alert(1)"},
        lambda d: d | {"jwks_uri": "file:///etc/passwd"},
        lambda d: d | {"userinfo_endpoint": "http://[broken"},
        without("jwks_uri"),
    ]
    for document in wrong:
        provider.document = document
        refused(browser().get("/sign-on"), 503, "does not answer")


def test_answer_of_another_provider_is_refused(project: Project, provider: Provider) -> None:
    refused(signed_on(browser(), iss="https://evil.example"), 400, "is not valid")


def test_refusal_of_the_provider_is_told(project: Project, provider: Provider) -> None:
    answer = signed_on(browser(), error="access_denied", error_description="<b>no</b>")
    refused(answer, 403, "did not let you in")
    assert "<b>" not in answer.content.decode()


def test_sign_on_leads_to_no_other_site(project: Project, provider: Provider) -> None:
    evil = "https://evil.example/"
    for name in ("next", "redirect_uri", "return", "url"):
        client = browser()
        address = str(client.get("/sign-on", {name: evil}).headers["Location"])
        assert address.startswith(f"{provider.issuer}/authorize?")
        assert "evil" not in address
        answer = back(client, visited(address), **{name: evil})
        assert answer.headers["Location"] == "/project"


def test_host_that_is_not_ours_is_not_handed_to_the_provider(
    project: Project, provider: Provider
) -> None:
    assert browser().get("/sign-on", HTTP_HOST="evil.example").status_code == 400


def test_attempts_from_one_address_are_limited(project: Project, provider: Provider) -> None:
    statuses = {browser().get("/sign-on").status_code for _ in range(30)}
    assert statuses == {302}
    assert browser().get("/sign-on").status_code == 429
    assert provider.asked.count(DISCOVERY) == 1


def test_no_secret_of_a_sign_on_is_logged_or_shown(
    project: Project, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    client = browser()
    address = visited(begun(client))
    provider.change = lambda claims: claims | {"nonce": "wrong"}
    page = back(client, address).content.decode()
    state, code = (dict(parse_qsl(urlsplit(address).query))[name] for name in ("state", "code"))
    for secret in (SECRET, state, code, "olga@example.org"):
        assert secret not in caplog.text + page
    assert "sign-on failed (invalid)" in caplog.text
