"""Settings of the web part, made from the project and from where it is served."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trope.core.errors import BadInput
from trope.web.serving import LOOPBACK

HERE = Path(__file__).parent


def web_settings(origin: str = "") -> dict[str, Any]:
    """What Django needs beside the database.

    `origin` is the public address (https://…) under which browsers see the service; without it
    the service answers on this machine only.

    Raises:
        BadInput: for an origin that is not https.
    """
    public = bool(origin)
    address = urlsplit(origin)
    if public and (address.scheme != "https" or not address.hostname or address.path.strip("/")):
        raise BadInput(f"{origin!r} is no public address; give one such as https://judge.example")
    return {
        "DEBUG": False,
        "ALLOWED_HOSTS": [address.hostname] if public else list(LOOPBACK),
        "TROPE_BEHIND_SERVER": public,  # whose word on the address of a client is believed
        "CSRF_TRUSTED_ORIGINS": [f"https://{address.netloc}"] if public else [],
        "ROOT_URLCONF": "trope.annotate.web.urls",
        "MIDDLEWARE": [
            "trope.web.headers.harden",
            "django.middleware.security.SecurityMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "trope.annotate.web.middleware.know_person",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [HERE / "templates"],
                "OPTIONS": {"context_processors": ["trope.annotate.web.middleware.frame"]},
            }
        ],
        # sessions travel signed in the cookie, so that no page waits for the database for them
        "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_AGE": 14 * 24 * 3600,
        "SESSION_COOKIE_SECURE": public,
        # the prefix makes browsers refuse the cookie from any other host, and without encryption
        "SESSION_COOKIE_NAME": "__Host-session" if public else "session",
        "CSRF_COOKIE_NAME": "__Host-csrf" if public else "csrf",
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SECURE": public,
        "SECURE_HSTS_SECONDS": 31_536_000 if public else 0,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": public,
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        "SECURE_REFERRER_POLICY": "same-origin",
        "DATA_UPLOAD_MAX_MEMORY_SIZE": 1_000_000,
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": 5_000,
        "USE_I18N": False,
        "LOGGING_CONFIG": None,
    }
