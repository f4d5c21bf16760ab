"""A file of results: figures merged by name and tier."""

from datetime import date
from pathlib import Path

import pytest

from trope.core.errors import BadInput, BadRecord
from trope.evaluate.results import merge_results, read_results
from trope.metrics.figures import DataRef, Evaluation, Measurement

DATA = DataRef("vua18", "test", "0" * 64)
DAY, NEXT_DAY = date(2026, 1, 1), date(2026, 1, 2)


def evaluation(tier: str = "small", /, **values: float) -> Evaluation:
    figures = tuple(
        Measurement(name.replace("_", "."), value, None, None, 10, DATA)
        for name, value in values.items()
    )
    return Evaluation("0.1.0", "any", tier, "a" * 64, figures)


def test_figures_are_recorded_one_per_line(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    merge_results(evaluation(metaphor_f1=0.75), file, on=DAY)
    (figure,) = read_results(file).figures
    assert (figure.name, figure.tier, figure.value, figure.date) == (
        "metaphor.f1", "small", 0.75, "2026-01-01",
    )  # fmt: skip
    assert (figure.data, figure.model_sha256, figure.trope) == (DATA, "a" * 64, "0.1.0")
    assert len(file.read_text("utf-8").splitlines()) == 3


def test_figures_are_merged_by_name_and_tier(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    merge_results(evaluation(metaphor_a=0.1, metaphor_b=0.2), file, on=DAY)
    merge_results(evaluation("base", metaphor_a=0.5), file, on=DAY)
    merge_results(evaluation(metaphor_b=0.3, metaphor_c=0.4), file, on=NEXT_DAY)
    merge_results(evaluation(analogy_d=0.6), file, on=NEXT_DAY)
    found = [(f.name, f.tier, f.value, f.date[-1]) for f in read_results(file).figures]
    assert found == [
        ("analogy.d", "small", 0.6, "2"),
        ("metaphor.a", "small", 0.1, "1"),
        ("metaphor.b", "small", 0.3, "2"),
        ("metaphor.c", "small", 0.4, "2"),
        ("metaphor.a", "base", 0.5, "1"),
    ]


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    file.write_text('{"results": []}', "utf-8")
    with pytest.raises(BadRecord, match="is not a file of results"):
        merge_results(evaluation(a=1), file, on=DAY)
    with pytest.raises(BadInput, match=r"ends in \.json"):
        merge_results(evaluation(a=1), tmp_path / "results.md", on=DAY)
