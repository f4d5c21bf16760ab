"""Fixtures for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from trope import Pipeline

REPOSITORY = Path(__file__).resolve().parents[1]

# how long an example takes says more of the machine than of the code; the examples are the same in
# every run, and others are looked for with --hypothesis-profile search
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("trope", derandomize=True, **_PATIENT)
settings.register_profile("search", max_examples=1_000, **_PATIENT)
settings.load_profile("trope")

# What takes longest begins first, so that no process is left alone with it at the end.
LONG = (
    "docs/test_your_own.py",
    "annotate/test_whole_path_browser.py",
    "annotate/test_browser_safety.py",
    "docs/test_code_blocks.py",
    "workbench/test_text_browser.py",
    "workbench/test_corpus_browser.py",
    "annotate/test_browser_templates.py",
    "scale/test_detect_ray.py",
    "recipes/test_recipe_ray.py",
    "benchmarks/test_workbench_text.py",
    "train/test_hub_training.py",
    "encoder/test_windows.py",
    "docs/test_site.py",
    "architecture/test_installation.py",
    "train/test_train_encoder.py",
    "annotate/test_exchange.py",
    "audit/test_audit.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # several processes take one file after another
        places = {REPOSITORY / "tests" / name: place for place, name in enumerate(LONG)}
        items.sort(key=lambda item: places.get(item.path, len(places)))


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
