"""The figures of ours that the pages of the papers are made with."""

from pathlib import Path

from conftest import REPOSITORY

PAGES = REPOSITORY / "docs" / "papers"
FIGURES = {
    "mean": ("mean",),
    "newsmet": ("newsmet",),
    "semeval2007": ("semeval2007",),
    "semeval2015": ("semeval2015", "semeval2015-baselines"),
    "tweets2019": (),
}


def ours_of(paper: str) -> list[Path]:
    return [PAGES / "figures" / f"{name}.json" for name in FIGURES[paper]]
