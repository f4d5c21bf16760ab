"""The README works where it is shown: on GitHub, on PyPI, and beside the code."""

import re

from conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
ADDRESS = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
OURS = re.compile(r"https://(?:github\.com|raw\.githubusercontent\.com)/([\w-]+/[\w-]+)/(.*)")


def addresses() -> list[str]:
    return [one or other for one, other in ADDRESS.findall(README)]


def test_links_and_images_are_absolute() -> None:
    """PyPI shows the README without the files beside it."""
    assert [a for a in addresses() if not a.startswith(("https://", "#"))] == []


def test_links_into_the_repository_lead_to_files() -> None:
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    missing = []
    for address in addresses():
        if found := OURS.fullmatch(address.partition("#")[0]):
            assert f"https://github.com/{found[1]}\n" in citation
            path = found[2].removeprefix("blob/").removeprefix("main/")
            missing += [] if (REPOSITORY / path).is_file() else [address]
    assert missing == []
