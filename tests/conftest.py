"""Fixtures for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from trope import Pipeline

REPOSITORY = Path(__file__).resolve().parents[1]

# how long an example takes says more of the machine than of the code
settings.register_profile("trope", deadline=None)
settings.load_profile("trope")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The directory of the research data; a test that needs it is skipped where it is absent."""
    path = Path(os.environ.get("TROPE_SHARED", REPOSITORY.parent / "shared"))
    if not path.is_dir():
        pytest.skip(f"research data not found at {path}; name its directory in TROPE_SHARED")
    return path


@pytest.fixture(scope="session")
def shipped() -> Pipeline:
    """The pipeline with the model that ships, loaded once for all tests."""
    return Pipeline(threads=2)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """torch computes on one thread, so that sums come out the same; afterwards as before."""
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
