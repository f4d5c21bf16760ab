"""The figures on the pages come from the recorded measurements, and those keep their bounds."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "docs"))

from figure_values import FIGURES, MAIN_FIGURES, MARKER, read_figures, results, substitute

PAGES = sorted(REPOSITORY.glob("docs/**/*.md"))
KEYS = {
    "name", "tier", "value", "low", "high", "n", "data", "chosen_on", "note", "model_sha256",
    "trope", "date",
}  # fmt: skip
KNOWN_MISSES = {
    ("rewriting.newsmet.valtest.pooled.first.minus_prior", "small"),
    ("metaphor.newsmet.test.accuracy", "base"),
}


def page_name(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_marker_of_a_page_names_a_figure(page: Path) -> None:
    text = substitute(page.read_text(encoding="utf-8"))
    assert "{{" not in text
    assert not MARKER.search(text)


def test_every_recorded_figure_is_complete_and_stands_once() -> None:
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]
    keys = [(figure["name"], figure["tier"], figure["model_sha256"]) for figure in figures]
    assert len(keys) == len(set(keys))
    assert [figure["name"] for figure in figures if set(figure) != KEYS] == []


def test_tables_have_at_most_twenty_rows() -> None:
    tasks = tomllib.loads(MAIN_FIGURES.read_text(encoding="utf-8"))["task"]
    assert {task["title"]: len(task["rows"]) for task in tasks if len(task["rows"]) > 20} == {}
    assert results().count("\n## ") == len(tasks) - 1


def test_recorded_figures_keep_their_bounds() -> None:
    bounds = tomllib.loads((REPOSITORY / "benchmarks/bounds.toml").read_text(encoding="utf-8"))
    missed = set()
    for tier, own in {"small": bounds, **bounds.get("tiers", {})}.items():
        limits = [
            *((name, "value", 1, limit) for name, limit in own.get("at_least", {}).items()),
            *((name, "low", 1, limit) for name, limit in own.get("low_above", {}).items()),
            *((name, "value", -1, limit) for name, limit in own.get("at_most", {}).items()),
        ]
        for name, field, sign, limit in limits:
            figure = read_figures().get((name, tier))
            if figure and sign * figure[field] < sign * limit:
                missed.add((name, tier))
    assert missed == KNOWN_MISSES


def test_the_readme_prints_recorded_figures() -> None:
    """Each `<!-- figure: NAME -->` in the README follows the value that it names."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"([\d.,]+)\s*<!-- figure: ([^ ]+) -->", readme)
    assert [name for shown, name in named if substitute(f"{{{{ figure:{name} }}}}") != shown] == []
