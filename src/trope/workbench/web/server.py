"""The server of the workbench: one process with the model, and threads."""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

from trope.core.errors import BadInput, MissingExtra, TropeError
from trope.core.progress import MessageWriter
from trope.pipeline import BASE, Pipeline
from trope.render import markup as render_files
from trope.web import is_loopback, run_service, with_static_files
from trope.workbench.requests import BODY_LIMIT, THREADS
from trope.workbench.web import state
from trope.workbench.web.state import WorkbenchOptions

HERE = Path(__file__).parent


def web_settings() -> dict[str, Any]:
    """Settings of Django; there is no database and no session."""
    return {
        "DEBUG": False,
        "SECRET_KEY": secrets.token_urlsafe(64),  # nothing that it signs outlives the process
        "ALLOWED_HOSTS": ["*"],  # `middleware.guard` checks the host name
        "ROOT_URLCONF": "trope.workbench.web.text_pages",
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
        "DATA_UPLOAD_MAX_NUMBER_FILES": None,  # `bring_pages` has a limit of its own
        "DATA_UPLOAD_MAX_NUMBER_FIELDS": 20_000,
        "USE_I18N": False,
        "USE_TZ": True,
        "LOGGING_CONFIG": None,
    }


PART = ("the workbench", "web")

_log = logging.getLogger("trope.workbench")


def application(options: WorkbenchOptions) -> Any:
    """The WSGI application with its static files."""
    state.begin(options)
    import django
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application

    if not settings.configured:
        settings.configure(**web_settings())
        django.setup()
    # refusals go to the client; `middleware.handle_errors` logs errors in trope
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    logging.getLogger("django.security.csrf").setLevel(logging.CRITICAL)
    from trope.web.worker import read_whole_body

    advice = "; for long texts use trope analyze or trope detect"
    folders = [render_files.FOLDER, HERE / "static"]
    served = with_static_files(get_wsgi_application(), folders)
    files = {state.BRING: options.bring_mb * 1_000_000} if options.bring_mb else {}
    return read_whole_body(served, BODY_LIMIT, advice, files)


def serve(
    options: WorkbenchOptions, *, when_ready: Callable[[], None], tell: MessageWriter
) -> None:
    """Answer requests until stopped.

    `when_ready` is called once requests can be sent; `tell` reports slow steps before that.
    """
    check_parts()
    check_place(options.host, options.port)
    check_model(options)
    build_index(options, tell)
    run_service(
        lambda: _loaded(options),
        host=options.host,
        port=options.port,
        part=PART,
        body_limit=BODY_LIMIT,
        workers=1,  # it has the model; its threads take turns
        threads=THREADS,
        worker_connections=64,
        graceful_timeout=3,
        when_ready=lambda server: when_ready(),
    )


def _loaded(options: WorkbenchOptions) -> Any:
    """The application, with the model being loaded."""
    served = application(options)
    Thread(target=_load_model, daemon=True).start()
    return served


def _load_model() -> None:
    try:
        state.the_pipeline()
    except TropeError as error:
        _log.error("%s", error)  # requests that need the model report it too


def check_parts() -> None:
    """Raises MissingExtra if a package that the pages need is not installed."""
    for name in ("django", "gunicorn", "whitenoise"):
        if find_spec(name) is None:
            raise MissingExtra(*PART, name)


def check_model(options: WorkbenchOptions) -> None:
    """Raises TropeError if there is no such model.

    The tier `base` is checked when it is loaded, and so is a model on a graphics processor: neither
    may be used before a fork.
    """
    if options.tier != BASE and options.device == "cpu":
        Pipeline(tier=options.tier, threads=options.threads, systems=options.systems)


def build_index(options: WorkbenchOptions, tell: MessageWriter) -> None:
    """Build the index of the corpus, or raise for a bad corpus, before anything is served.

    The serving process opens it again: connections do not survive a fork.
    """
    if options.corpus is not None:
        from trope.workbench.corpus.corpus import open_corpus

        open_corpus(options.corpus, index=options.index, progress=tell).close()


def check_place(host: str, port: int) -> None:
    """Check that the address and port can be served.

    Raises:
        BadInput: the machine does not have the address, or the port is taken.
    """
    try:
        place = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(place[0], place[1]) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place[4])
    except OSError as error:
        why = error.strerror or str(error)
        raise BadInput(
            f"cannot serve on {host}:{port} ({why}); choose another with --host or --port"
        ) from None


def address(options: WorkbenchOptions) -> str:
    """The address of the workbench, with the token if one is needed."""
    host = options.host if ":" not in options.host else f"[{options.host.strip('[]')}]"
    base = f"http://{host}:{options.port}/"
    return f"{base}enter/{options.token}" if options.token else base


def needs_token(host: str) -> bool:
    """Whether other machines can reach the host."""
    return not is_loopback(host)
