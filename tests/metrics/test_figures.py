import json

import msgspec
import pytest

import trope
from trope.core.errors import BadInput, BadRecord
from trope.metrics.figures import (
    NO_DATA,
    DataRef,
    Evaluation,
    Measurement,
    Share,
    merge_figures,
    new_evaluation,
    read_evaluation,
    share_figures,
    to_json,
    write_evaluation,
)

DATA = DataRef(name="ewt", split="test", sha256="ab12")


def figure(name="syntax.ewt.test.las", **changes):
    fields = {"value": 0.9, "low": 0.89, "high": 0.91, "n": 25094, "data": DATA, **changes}
    return Measurement(name=name, **fields)


def test_json_has_exactly_the_published_shape():
    evaluation = new_evaluation("syntax", "small", "cd34", [figure(chosen_on="ewt dev")])
    assert json.loads(to_json(evaluation)) == {
        "trope": trope.__version__,
        "task": "syntax",
        "tier": "small",
        "model_sha256": "cd34",
        "figures": [
            {
                "name": "syntax.ewt.test.las",
                "value": 0.9,
                "low": 0.89,
                "high": 0.91,
                "n": 25094,
                "data": {"name": "ewt", "split": "test", "sha256": "ab12"},
                "chosen_on": "ewt dev",
                "note": "",
            }
        ],
    }


def test_an_undefined_figure_is_null_with_its_reason(tmp_path):
    undefined = figure(value=None, low=None, high=None, note="no verbs")
    write_evaluation(new_evaluation("syntax", "small", "", [undefined]), tmp_path / "x.json")
    assert '"value": null' in (tmp_path / "x.json").read_text()
    assert read_evaluation(tmp_path / "x.json").figures == (undefined,)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"value": None}, "note must say why"),
        ({"value": float("nan")}, "not finite"),
        ({"high": float("inf")}, "not finite"),
        ({"low": None}, "half an interval"),
        ({"low": 0.95}, "upside down"),
        ({"n": -1}, "n = -1"),
    ],
)
def test_a_figure_that_says_nothing_is_refused(changes, problem):
    with pytest.raises(BadInput, match=problem):
        figure(**changes)


def test_a_name_is_for_one_figure():
    with pytest.raises(BadInput, match=r"two figures.*las"):
        new_evaluation("syntax", "small", "", [figure(), figure()])


def test_figures_are_frozen():
    with pytest.raises(AttributeError):
        figure().value = 1.0


def test_merging_replaces_what_was_measured_again_and_keeps_the_rest():
    old = new_evaluation("benchmarks", "small", "a", [figure("x", value=0.1), figure("y")])
    new = new_evaluation("benchmarks", "small", "a", [figure("x", value=0.2)])
    merged = merge_figures(old, new)
    assert {f.name: f.value for f in merged.figures} == {"x": 0.2, "y": 0.9}


def test_figures_of_another_model_are_not_passed_on():
    old = new_evaluation("benchmarks", "small", "a", [figure("y"), figure("z", data=NO_DATA)])
    new = new_evaluation("benchmarks", "small", "b", [figure("x")])
    merged = merge_figures(old, new)
    assert (merged.model_sha256, [f.name for f in merged.figures]) == ("b", ["z", "x"])


@pytest.mark.parametrize("text", ["", "[]", '{"trope": 1}', '{"task": "syntax"'])
def test_a_file_that_is_no_evaluation_is_named(tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(BadRecord, match=r"bad\.json: is not an evaluation"):
        read_evaluation(tmp_path / "bad.json")


def test_an_unsound_figure_in_a_file_is_refused(tmp_path):
    evaluation = Evaluation("0.1.0", "syntax", "small", "", (figure(data=NO_DATA),))
    rows = msgspec.json.decode(msgspec.json.encode(evaluation))
    rows["figures"][0]["value"] = None
    (tmp_path / "bad.json").write_bytes(msgspec.json.encode(rows))
    with pytest.raises(BadRecord, match="note must say why"):
        read_evaluation(tmp_path / "bad.json")


def test_shares_become_figures_with_their_intervals():
    shares = {
        "all": lambda item: Share(item[0], item[1], n=1),
        "none": lambda item: Share(0, 0, n=0),
    }
    every, none = share_figures("x", [(1, 2), (2, 4)], shares, data=DATA, seed=1, note="two items")
    assert (every.name, every.value, every.low, every.high) == ("x.all", 0.5, 0.5, 0.5)
    assert (every.n, every.note) == (2, "two items")
    assert (none.name, none.value, none.n) == ("x.none", None, 0)
    assert none.note.startswith("undefined")


def test_no_items_make_undefined_figures():
    shares = {"all": lambda item: Share(item, item, n=1)}
    (figure,) = share_figures("x", [], shares, data=DATA, seed=1)
    assert (figure.value, figure.n) == (None, 0)
