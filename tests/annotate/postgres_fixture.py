"""The fixture of tests that need PostgreSQL: `from postgres_fixture import server`."""

import os
from collections.abc import Iterator

import pytest
from postgres_server import find_programs, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server: the one that TROPE_POSTGRES names, or one of our own."""
    named, programs = os.environ.get("TROPE_POSTGRES", ""), find_programs()
    if named:
        yield named
    elif programs is None:
        pytest.skip("PostgreSQL is not installed, and TROPE_POSTGRES names no server")
    else:
        with running_server(programs) as address:
            yield address
