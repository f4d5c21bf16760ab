"""The pages of the papers: every claim has its line and its tests, every page is fresh."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from paper_figures import FIGURES, PAGES, ours_of

from conftest import REPOSITORY
from trope.catalog import REPRODUCTIONS
from trope.cli.main import run
from trope.reproduce.report import as_page, find_row
from trope.reproduce.rows import read_notes

CHECKLIST = tomllib.loads((Path(__file__).parent / "claims.toml").read_text("utf-8"))
CLAIMS = [(paper, claim) for paper, claims in CHECKLIST.items() for claim in claims]


@pytest.mark.parametrize("paper", sorted(FIGURES))
def test_the_checklist_has_every_claim(paper: str) -> None:
    assert [claim["claim"] for claim in CHECKLIST[paper]] == [
        claim.claim for claim in read_notes(paper).claims
    ]


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_a_claim_has_code_and_tests_that_exist(paper: str, claim: dict[str, Any]) -> None:
    assert claim["code"]
    assert claim["tests"]
    paths = [*claim["code"], *claim["tests"]]
    assert [path for path in paths if not (REPOSITORY / path).is_file()] == []
    assert all(path.startswith("tests/") for path in claim["tests"])


@pytest.mark.parametrize("paper", sorted(FIGURES))
def test_figures_of_claims_are_rows_of_the_report(paper: str) -> None:
    report = REPRODUCTIONS.load(paper)()
    tables = {table.name for table in report.notes.tables}
    names = [name for claim in report.notes.claims for name in claim.ours]
    unknown = [n for n in names if n not in tables and find_row(report, n) is None]
    assert unknown == []


@pytest.mark.parametrize("paper", sorted(FIGURES))
def test_the_page_has_a_line_for_every_claim(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    missing = [c.claim for c in read_notes(paper).claims if c.claim.replace("|", "\\|") not in page]
    assert missing == []


@pytest.mark.shared
@pytest.mark.parametrize("paper", sorted(FIGURES))
def test_the_page_is_what_the_command_writes(shared: Path, paper: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    arguments = ["reproduce", paper, "--from", str(shared / "data"), "--write", str(page)]
    arguments += [f"--ours={path}" for path in ours_of(paper)]
    with pytest.raises(SystemExit) as leave:
        run([*arguments, "--out", str(tmp_path / "report.md")])
    assert leave.value.code == 0
    assert page.read_text("utf-8") == (PAGES / f"{paper}.md").read_text("utf-8")
    rows = page.with_suffix(".json").read_text("utf-8")
    assert rows == (PAGES / f"{paper}.json").read_text("utf-8")
    assert page.read_text("utf-8") == as_page(
        REPRODUCTIONS.load(paper)(shared / "data", ours_of(paper))
    )
