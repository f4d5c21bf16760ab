"""Sign-on with an OpenID Connect provider: authorization code flow with PKCE, state and nonce.

The provider says who someone is, `[sign_on]` of the plan who may come in, and in which role. What
an attempt must remember is in the browser's session; nothing is stored before it has succeeded.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET

from trope.annotate.admission import SignOn, is_safe_address
from trope.annotate.store.membership import sign_on_account
from trope.annotate.web.context import message_page, now, plan
from trope.annotate.web.middleware import address_of, seconds_to_wait, sign_in, wait_page
from trope.annotate.web.onboarding import after_joining
from trope.annotate.web.service import SIGN_ON_SECRET
from trope.core.errors import TropeError

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

    from trope.annotate.store.models import Person

_log = logging.getLogger("trope.annotate.security")

SIGN_ONS = (30, timedelta(minutes=5))
"""Attempts from one address within a time."""

SESSION = timedelta(hours=12)
"""How long a session lasts: whomever the provider locks out is out on the same day."""

_ATTEMPT = timedelta(minutes=10)
_WAIT_S, _ANSWER_S = 5.0, 10.0  # for a sign of the provider, and for its whole answer
_MOST_BYTES, _PIECE = 1_000_000, 65_536
_FRESH_S, _AGAIN_S = 3600.0, 60.0  # how long its keys are kept; how soon new ones are asked for
_LEEWAY_S = 60  # between its clock and ours
# keys of which the provider publishes a half only: neither `none` nor a shared secret
_ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)]
_calls = threading.BoundedSemaphore(3)


class SignOnFailed(TropeError):
    """A sign-on that ended without a person; `code` is for the log."""

    def __init__(self, code: str, status: int = 400) -> None:
        super().__init__(code, status)
        self.code, self.status = code, status

    def __str__(self) -> str:
        return _MESSAGES[self.code]


_MESSAGES = {
    "unavailable": "The sign-on service does not answer at the moment. Try again in a minute.",
    "expired": "This sign-on took too long, or began in another window. Start it again.",
    "denied": "The sign-on service did not let you in. Start again if you did not mean that.",
    "invalid": "The answer of the sign-on service is not valid, so you are not signed in. Start "
    "again; if it happens again, tell the person who runs this site.",
    "unverified": "The sign-on service has not verified your e-mail address. Verify it there, then "
    "sign on again.",
    "unknown": "You are signed on, but not on the list of this project. Ask its owner to add your "
    "e-mail address.",
}


@require_GET
def begin(request: HttpRequest) -> HttpResponse:
    """Lead to the provider, with an attempt that only this browser can finish."""
    settings = _settings()
    if wait := seconds_to_wait(request, SIGN_ONS):
        return wait_page(request, wait, "Many people have just signed on from your network.")
    try:
        client = _client(request, settings)
        with _call():
            endpoint = _provider(settings.issuer).document()["authorization_endpoint"]
    except SignOnFailed as error:
        return _failed_page(request, error)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    until = (now() + _ATTEMPT).isoformat()
    request.session["sign_on"] = {
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "until": until,
    }
    address, _ = client.create_authorization_url(
        endpoint, state=state, nonce=nonce, code_verifier=verifier
    )
    return HttpResponseRedirect(address)


@require_GET
def finish(request: HttpRequest) -> HttpResponse:
    """Come back from the provider; whoever it names and the plan admits is signed in."""
    settings = _settings()
    attempt = request.session.pop("sign_on", None)
    try:
        code = _code(request, attempt, settings)
        person = _admitted(_identity(request, code, attempt, settings), settings)
    except SignOnFailed as error:
        return _failed_page(request, error)
    sign_in(request, person, until=now() + SESSION)
    return redirect(after_joining(person))  # always a page of ours


def _settings() -> SignOn:
    if not plan().sign_on.issuer:
        raise Http404
    return plan().sign_on


def _failed_page(request: HttpRequest, error: SignOnFailed) -> HttpResponse:
    _log.warning("sign-on failed (%s), from %r", error.code, address_of(request))
    response = message_page(request, "You are not signed in", str(error), error.status)
    if error.status == 503:
        response["Retry-After"] = "60"
    return response


def _code(request: HttpRequest, attempt: Any, settings: SignOn) -> str:
    """The code that the provider gave for this attempt."""
    given = request.GET
    if not isinstance(attempt, dict) or now() > datetime.fromisoformat(attempt["until"]):
        raise SignOnFailed("expired")
    if not constant_time_compare(attempt["state"], given.get("state", "")):
        raise SignOnFailed("expired")
    if given.get("iss", settings.issuer) != settings.issuer:
        raise SignOnFailed("invalid")
    if "error" in given:
        raise SignOnFailed("denied", 403)
    if not (code := given.get("code", "")):
        raise SignOnFailed("invalid")
    return code


def _identity(
    request: HttpRequest, code: str, attempt: Mapping[str, str], settings: SignOn
) -> dict[str, Any]:
    """What the provider says about the person, once its signature and its claims are checked."""
    from authlib.integrations.base_client import OAuthError

    provider = _provider(settings.issuer)
    with _call():
        document = provider.document()
        client = _client(request, settings, document)
        try:
            token = client.fetch_token(
                document["token_endpoint"],
                grant_type="authorization_code",
                code=code,
                code_verifier=attempt["verifier"],
            )
        except OAuthError:
            raise SignOnFailed("invalid") from None
        except ValueError:  # the answer is no JSON object
            raise SignOnFailed("unavailable", 503) from None
        claims = _checked_claims(provider, token, attempt["nonce"], settings)
        if "email" not in claims and "userinfo_endpoint" in document:
            more = _json(client.get(document["userinfo_endpoint"]))
            if more.get("sub") != claims["sub"]:
                raise SignOnFailed("invalid")
            claims = more | claims
    return claims


def _checked_claims(
    provider: Provider, token: Mapping[str, Any], nonce: str, settings: SignOn
) -> dict[str, Any]:
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import InvalidKeyIdError, JoseError

    given, access = str(token.get("id_token", "")), token.get("access_token")
    wanted = {"iss": settings.issuer, "aud": settings.client_id}
    try:
        try:
            read = jwt.decode(given, provider.keys(), algorithms=_ALGORITHMS)
        except InvalidKeyIdError:  # signed with a newer key than those we know
            read = jwt.decode(given, provider.keys(anew=True), algorithms=_ALGORITHMS)
        claims = CodeIDToken(
            read.claims,
            read.header,
            options={name: {"essential": True, "value": value} for name, value in wanted.items()},
            params={"nonce": nonce, "client_id": settings.client_id, "access_token": access},
        )
        claims.validate(leeway=_LEEWAY_S)
    except (JoseError, ValueError, TypeError):
        raise SignOnFailed("invalid") from None
    if not isinstance(claims["sub"], str) or not claims["sub"]:
        raise SignOnFailed("invalid")
    return dict(claims)


def _admitted(claims: Mapping[str, Any], settings: SignOn) -> Person:
    """The account of the person, if the plan admits them."""
    email = claims.get("email")
    if not isinstance(email, str) or claims.get("email_verified") is not True:
        raise SignOnFailed("unverified", 403)
    if not (role := settings.role_of(email, claims)):
        raise SignOnFailed("unknown", 403)
    subject = f"{settings.issuer} {claims['sub']}"
    return sign_on_account(email.lower(), subject, role, now=now())


# the provider, and how it is asked


class Provider:
    """What a provider publishes about itself, asked for when needed and kept for an hour."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self._lock = threading.Lock()
        self._document: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    def document(self) -> dict[str, Any]:
        """Its addresses; it must be the provider that the plan names, and use https."""
        with self._lock:
            if self._document is None or self._document[0] + _FRESH_S < time.monotonic():
                found = _fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
                needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
                used = [*needed, *({"userinfo_endpoint"} & found.keys())]
                unsafe = [name for name in used if not is_safe_address(found.get(name))]
                if found.get("issuer") != self.issuer or unsafe:
                    _log.error("%s does not describe itself as it should", self.issuer)
                    raise SignOnFailed("unavailable", 503)
                self._document = time.monotonic(), found
            return self._document[1]

    def keys(self, *, anew: bool = False) -> KeySet:
        """The keys with which it signs; `anew` asks again, but not all the time."""
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        address = self.document()["jwks_uri"]
        with self._lock:
            age = time.monotonic() - self._keys[0] if self._keys else _FRESH_S
            if self._keys is None or age >= (_AGAIN_S if anew else _FRESH_S):
                found = _fetch(address)
                try:
                    self._keys = time.monotonic(), KeySet.import_key_set({"keys": found["keys"]})
                except (JoseError, LookupError, ValueError, TypeError, AttributeError):
                    raise SignOnFailed("unavailable", 503) from None
            return self._keys[1]


@lru_cache(maxsize=2)
def _provider(issuer: str) -> Provider:
    return Provider(issuer)


@contextmanager
def _call() -> Iterator[None]:
    """A call of the provider: few at a time, so that one that hangs leaves threads for the work."""
    from requests import RequestException

    if not _calls.acquire(timeout=1):
        raise SignOnFailed("unavailable", 503)
    try:
        yield
    except RequestException as error:
        _log.error("the sign-on provider does not answer (%s)", type(error).__name__)
        raise SignOnFailed("unavailable", 503) from None
    finally:
        _calls.release()


def _client(
    request: HttpRequest, settings: SignOn, document: Mapping[str, Any] | None = None
) -> Any:
    from authlib.integrations.requests_client import OAuth2Session

    methods = (document or {}).get("token_endpoint_auth_methods_supported", ())
    client = OAuth2Session(
        settings.client_id,
        os.environ.get(SIGN_ON_SECRET, ""),
        scope="openid email profile",
        redirect_uri=request.build_absolute_uri(reverse("sign_on_return")),
        code_challenge_method="S256",
        token_endpoint_auth_method=(
            "client_secret_post" if "client_secret_post" in methods else "client_secret_basic"
        ),
    )
    return _limited(client)


def _limited(session: Any) -> Any:
    """The session, whose answers have a limited size, arrive in time and lead nowhere else."""
    from requests import ReadTimeout, RequestException
    from requests.adapters import HTTPAdapter

    class Limited(HTTPAdapter):
        def send(self, request: Any, **options: Any) -> Any:
            until = time.monotonic() + _ANSWER_S
            response = super().send(request, **options | {"stream": True, "timeout": _WAIT_S})
            body = bytearray()
            try:
                while piece := response.raw.read1(_PIECE, decode_content=True):
                    body += piece
                    if len(body) > _MOST_BYTES or time.monotonic() > until:
                        raise ReadTimeout("the answer is too long")
            except OSError as error:  # RequestException is one, too
                raise error if isinstance(error, RequestException) else ReadTimeout() from None
            finally:
                response.close()
            response._content = bytes(body)
            return response

    for scheme in ("https://", "http://"):
        session.mount(scheme, Limited())
    session.max_redirects = 0
    return session


def _fetch(address: str) -> dict[str, Any]:
    from requests import Session

    with _limited(Session()) as session:
        return _json(session.get(address))


def _json(response: Any) -> dict[str, Any]:
    """The object that was answered."""
    try:
        found = response.json() if response.status_code == 200 else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        _log.error("%s answered with status %d", _host(response.url), response.status_code)
        raise SignOnFailed("unavailable", 503)
    return found


def _host(address: str) -> str:
    return urlsplit(address).hostname or ""
