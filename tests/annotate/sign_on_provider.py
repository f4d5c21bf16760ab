"""A small OpenID Connect provider: a real HTTP server that issues real signed tokens.

It lets everyone in as `person`, and can be told to be wrong in many ways.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

pytest.importorskip("authlib", reason="Authlib is not installed (pip install 'trope[sso]')")

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "trope-client", "s3cret-of-the-client"
Claims = dict[str, Any]


@cache
def made_key(name: str) -> RSAKey:
    """A key with that name; making one takes a while."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


class Provider:
    """What the server answers; tests change it."""

    def __init__(self) -> None:
        self.issuer = ""
        self.person: Claims = {
            "sub": "u-1",
            "email": "olga@example.org",
            "email_verified": True,
        }
        self.key = made_key("first")
        self.sign: Callable[[Claims], str] = self.signed
        self.change: Callable[[Claims], Claims] = lambda claims: claims
        self.document: Callable[[Claims], Claims] = lambda document: document
        self.user_info: Claims | None = None
        self.fault: dict[str, str] = {}
        self.released = threading.Event()  # those who hang wait for it
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    def signed(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def unsigned(self, claims: Claims) -> str:
        parts = ({"alg": "none", "typ": "JWT"}, claims)
        return ".".join([*(_encoded(json.dumps(part).encode()) for part in parts), ""])

    def signed_with_the_public_key(self, claims: Claims) -> str:
        head = {"alg": "HS256", "typ": "JWT", "kid": self.key.kid}
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in (head, claims))
        key = self.key.as_pem(private=False)  # by hand: the library refuses to
        return f"{signed}.{_encoded(hmac.digest(key, signed.encode(), 'sha256'))}"

    def signed_by_someone_else(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, made_key("other"))

    def described(self) -> Claims:
        places = ("authorize", "token", "keys", "userinfo")
        at = {name: f"{self.issuer}/{name}" for name in places}
        return self.document(
            {
                "issuer": self.issuer,
                "authorization_endpoint": at["authorize"],
                "token_endpoint": at["token"],
                "jwks_uri": at["keys"],
                "userinfo_endpoint": at["userinfo"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            }
        )

    def begun(self, given: dict[str, str]) -> str:
        """The address to which a browser is sent back."""
        wanted = ("response_type", "client_id", "code_challenge_method")
        assert [given[name] for name in wanted] == ["code", CLIENT, "S256"]
        assert "openid" in given["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = given
        return f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"

    def exchanged(self, given: dict[str, str], authorization: str) -> tuple[int, Claims]:
        """The tokens for a code, once, for who can prove to have begun."""
        wanted = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != wanted:
            return 401, {"error": "invalid_client"}
        begun = self.codes.pop(given["code"], None)
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        if (
            begun is None
            or begun["code_challenge"] != _encoded(digest)
            or begun["redirect_uri"] != given["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": begun["nonce"],
            **self.person,
        }
        token = self.sign(self.change(claims))
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": token}


class Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        path, given = self._asked()
        if self._is_wrong(path):
            return
        if path == "/.well-known/openid-configuration":
            self._answer(200, self.provider.described())
        elif path == "/keys":
            public = self.provider.key.as_dict(private=False)
            self._answer(200, {"keys": [public]})
        elif path == "/authorize":
            self._send(302, b"", Location=self.provider.begun(given))
        elif path == "/userinfo" and self.headers["Authorization"] == "Bearer access":
            self._answer(200, self.provider.user_info or {})
        else:
            self._answer(404, {})

    def do_POST(self) -> None:
        path, _ = self._asked()
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self._is_wrong(path):
            return
        given = dict(parse_qsl(body))
        self._answer(*self.provider.exchanged(given, self.headers.get("Authorization", "")))

    def _asked(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        return parts.path, dict(parse_qsl(parts.query))

    def _is_wrong(self, path: str) -> bool:
        fault = self.provider.fault.get(path, "")
        if fault == "hangs":
            self.provider.released.wait(60)
        elif fault == "drips":
            self._begin(200, 1000)
            while not self.provider.released.wait(0.02):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    break
        elif fault == "fails":
            self._answer(500, {"error": "server_error"})
        elif fault == "nonsense":
            self._send(200, b"<html>")
        elif fault == "leads elsewhere":
            self._send(302, b"", Location=f"{self.provider.issuer}/elsewhere")
        elif fault == "never ends":
            self._begin(200, 1 << 40)
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                pass
        return bool(fault)

    def _begin(self, status: int, length: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self._begin(status, len(body), **headers)
        self.wfile.write(body)

    def _answer(self, status: int, found: Claims) -> None:
        self._send(status, json.dumps(found).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def running_provider() -> Iterator[Provider]:
    """A provider on a free port of this machine, gone when the block ends."""
    provider = Provider()
    handler = type("Bound", (Handler,), {"provider": provider})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            provider.released.set()
            server.shutdown()
            thread.join()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
