"""The version has one source, and everything that names it says the same."""

import re
import tomllib

import pytest
from packaging.version import Version

import trope
from conftest import REPOSITORY

HOME = "https://github.com/trope-nlp/trope"


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_the_package_takes_its_version_from_the_source() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/trope/__init__.py"
    assert f'__version__ = "{trope.__version__}"' in read("src/trope/__init__.py")


def test_citation_names_the_version_and_the_address() -> None:
    citation = read("CITATION.cff")
    assert re.search(r"^version: (.+)$", citation, re.M)[1] == trope.__version__  # type: ignore[index]
    assert f"repository-code: {HOME}\n" in citation


def test_changes_are_listed_by_version_newest_first() -> None:
    sections = re.findall(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.M)
    assert sections[0] in ("Unreleased", trope.__version__)
    released = [Version(name) for name in sections if name != "Unreleased"]
    assert released == sorted(released, reverse=True)
    assert all(version <= Version(trope.__version__) for version in released)


def test_addresses_of_the_project_agree() -> None:
    addresses = tomllib.loads(read("pyproject.toml"))["project"]["urls"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= set(addresses)
    assert all(address.startswith(HOME) for address in addresses.values())


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
def test_supported_pythons_are_classified(minor: int) -> None:
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    assert f"Programming Language :: Python :: 3.{minor}" in classifiers
