"""A project with people to invite, and a clock that moves when told."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from projects import START, Clock, make_project

from trope.annotate.project import Project

with tempfile.TemporaryDirectory() as _folder:  # tables can be imported only after a first project
    make_project(Path(_folder) / "first")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project")


@pytest.fixture
def person(project: Project) -> Callable[[str], int]:
    """Invites someone, and gives their number."""
    from trope.annotate.store.people import invite, person_of

    def invited(name: str) -> int:
        found = person_of(invite(name, now=START))
        assert found is not None
        return int(found.pk)

    return invited
