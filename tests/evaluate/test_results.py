"""A file of results: merged by task, tier and name of a figure."""

from pathlib import Path

import pytest

from trope.core.errors import BadRecord
from trope.evaluate.results import Results, merge_results, read_results
from trope.metrics.figures import NO_DATA, DataRef, Evaluation, Figure

DATA = DataRef("vua18", "test", "0" * 64)


def figure(name: str, value: float, data: DataRef = DATA) -> Figure:
    return Figure(name, value, None, None, 10, data)


def evaluation(*figures: Figure, task: str = "metaphor", tier: str = "small", model: str = "a"):
    return Evaluation("0.1.0", task, tier, model, figures)


def test_an_evaluation_makes_the_file_and_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    first = evaluation(figure("metaphor.f1", 0.75))
    merge_results(first, file)
    assert read_results(file) == Results((first,))
    assert len(file.read_text("utf-8").splitlines()) == 5


def test_figures_are_merged_by_task_tier_and_name(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    merge_results(evaluation(figure("a", 0.1), figure("b", 0.2)), file)
    merge_results(evaluation(figure("b", 0.3), figure("c", 0.4)), file)
    merge_results(evaluation(figure("a", 0.5), tier="base"), file)
    merge_results(evaluation(figure("d", 0.6), task="analogy"), file)
    results = read_results(file)
    assert [(one.task, one.tier) for one in results.evaluations] == [
        ("analogy", "small"), ("metaphor", "base"), ("metaphor", "small"),
    ]  # fmt: skip
    small = results.find("metaphor")
    assert small is not None
    assert {f.name: f.value for f in small.figures} == {"a": 0.1, "b": 0.3, "c": 0.4}


def test_figures_of_another_model_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    merge_results(evaluation(figure("a", 0.1), figure("count", 7, NO_DATA)), file)
    merge_results(evaluation(figure("b", 0.2), model="b"), file)
    found = read_results(file).find("metaphor")
    assert found is not None
    assert [f.name for f in found.figures] == ["count", "b"]


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"figures": []}', "utf-8")
    with pytest.raises(BadRecord, match="is not a file of results"):
        merge_results(evaluation(), file)
