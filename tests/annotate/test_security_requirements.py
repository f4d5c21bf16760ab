"""Every security requirement names tests, and these exist."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
REQUIREMENTS = Path(__file__).parent / "security_requirements.md"


def rows() -> list[list[str]]:
    """The cells of the table of requirements."""
    table = REQUIREMENTS.read_text(encoding="utf-8")
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_every_requirement_has_tests_that_exist() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    known = set(re.findall(r"def (test_\w+)\(", written))
    assert len(rows()) > 40
    for numbers, _, how, tests in rows():
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"{numbers}: no test is named"
        assert set(named) <= known, f"{numbers}: no such test as {sorted(set(named) - known)}"
        assert how


def test_numbers_are_requirements_of_the_standard() -> None:
    for numbers, *_ in rows():
        for number in numbers.split(", "):
            assert re.fullmatch(r"(1[0-7]|[1-9])\.\d{1,2}\.\d{1,2}", number), number
