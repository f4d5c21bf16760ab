"""Settings of Django; there is no database and no session."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from trope.workbench.requests import BODY_LIMIT

HERE = Path(__file__).parent


def web_settings() -> dict[str, Any]:
    """The settings."""
    return {
        "DEBUG": False,
        "SECRET_KEY": secrets.token_urlsafe(64),  # nothing that it signs outlives the process
        "ALLOWED_HOSTS": ["*"],  # `middleware.guard` checks the host name
        "ROOT_URLCONF": "trope.workbench.web.urls",
        "INSTALLED_APPS": [],
        "MIDDLEWARE": [
            "trope.web.harden",
            "django.middleware.security.SecurityMiddleware",
            "trope.workbench.web.middleware.guard",
            "django.middleware.csrf.CsrfViewMiddleware",
            "trope.workbench.web.middleware.handle_errors",
        ],
        "TEMPLATES": [
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "DIRS": [HERE / "templates"],
                "OPTIONS": {"context_processors": ["trope.workbench.web.middleware.frame"]},
            }
        ],
        "CSRF_COOKIE_NAME": "csrf",
        "CSRF_COOKIE_HTTPONLY": True,
        "CSRF_COOKIE_SAMESITE": "Strict",
        "CSRF_FAILURE_VIEW": "trope.workbench.web.middleware.wrong_site",
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        # none to other sites; our forms need it, or browsers send a null origin
        "SECURE_REFERRER_POLICY": "same-origin",
        "DATA_UPLOAD_MAX_MEMORY_SIZE": BODY_LIMIT,
        "FILE_UPLOAD_MAX_MEMORY_SIZE": BODY_LIMIT,
        "FILE_UPLOAD_HANDLERS": ["django.core.files.uploadhandler.MemoryFileUploadHandler"],
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": 20_000,
        "USE_I18N": False,
        "USE_TZ": True,
        "LOGGING_CONFIG": None,
    }
