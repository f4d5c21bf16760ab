"""No secret of a link is ever logged: importing `no_link_in_logs` watches the tests of a module."""

import logging
import secrets
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_link_in_logs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fails where a log line has the token of an invitation or of a signed link."""
    from django.core import signing

    given: list[str] = []
    make, sign = secrets.token_urlsafe, signing.dumps

    def made(*args: int) -> str:
        given.append(make(*args))
        return given[-1]

    def signed(*args: object, **options: object) -> str:
        given.append(sign(*args, **options))
        return given[-1]

    monkeypatch.setattr(secrets, "token_urlsafe", made)
    monkeypatch.setattr(signing, "dumps", signed)
    yield
    said = "\n".join(
        logging.Formatter().format(record)
        for when in ("setup", "call")
        for record in caplog.get_records(when)
    )
    assert not [token for token in given if token in said]
