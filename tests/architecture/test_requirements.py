"""Every package that the source imports comes with the core or with the extra that it is for."""

from pathlib import Path

import pytest
from requirements import EXTRAS, REPOSITORY, imports_of, packages_of

SOURCE = REPOSITORY / "src" / "trope"

# a part of trope and the extras that serve it; each of them alone must be enough
PARTS = {
    "annotate/store": ("annotate",),
    "annotate/web": ("annotate",),
    "annotate/web/sign_on.py": ("sso",),
    "encoder": ("hub", "train"),
    "integrations": ("spacy",),
    "lexicon": ("names",),
    "metrics": ("",),
    "release": ("release",),
    "text": ("",),
    "train": ("train",),
    "web": ("annotate", "web"),
    "workbench/web": ("web",),
}


def _is_part(path: Path) -> bool:
    """Whether a module has a line of its own in `PARTS`."""
    return path.relative_to(SOURCE).as_posix() in PARTS


def used_by(part: str) -> set[str]:
    place = SOURCE / part
    files = [place] if place.is_file() else list(place.rglob("*.py"))
    files = [path for path in files if path == place or not _is_part(path)]
    assert files, f"{part} is not in src/trope any more"
    return {package for path in files for package in imports_of(path)}


def test_every_import_is_declared() -> None:
    declared = packages_of().union(*map(packages_of, EXTRAS))
    missing = {
        f"{path.relative_to(SOURCE)}: {package}"
        for path in SOURCE.rglob("*.py")
        for package in imports_of(path)
        if package not in declared
    }
    assert not missing, "declare these in the extra that needs them"


@pytest.mark.parametrize(("part", "extra"), [(p, e) for p, all_ in PARTS.items() for e in all_])
def test_an_extra_brings_what_its_part_imports(part: str, extra: str) -> None:
    assert used_by(part) - packages_of(extra) == set()


def test_core_packages_are_used() -> None:
    used = {package for path in SOURCE.rglob("*.py") for package in imports_of(path)}
    assert packages_of() <= used
