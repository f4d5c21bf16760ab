"""`trope evaluate ordinary`: the sentences that ship, and counts that can be checked by hand."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trope import Pipeline
from trope.cli.main import run
from trope.core.errors import BadRecord
from trope.core.options import FigureView
from trope.core.records import Analysis, Metonymy, Sentiment, Token
from trope.evaluate import ordinary
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.ordinary import evaluate, read_ordinary, shipped_sentences
from trope.tasks.figures.views import show_figures

Change = Callable[[Analysis], Analysis]


class Answering:
    """Tags by the shipped model; what is said of figures, names and sentiment by rule."""

    def __init__(self, shipped: Pipeline, change: Change) -> None:
        self.shipped, self.change = shipped, change
        self.tasks = shipped.tasks

    def check_tasks(self, tasks: Iterable[str]) -> None:
        self.shipped.check_tasks(tasks)

    def analyze_many(self, texts: Iterable[str]) -> Iterator[Analysis]:
        return map(self.change, self.shipped.analyze_many(texts, tasks=["syntax", "metaphor"]))


def scored(analysis: Analysis, score: Callable[[Token], float]) -> Analysis:
    tokens = tuple(replace(token, metaphor=score(token)) for token in analysis.tokens)
    bare = replace(analysis, tokens=tokens, figures=())
    return show_figures(bare, FigureView("all"), None)


def figures(shipped: Pipeline, change: Change) -> dict[str, Any]:
    pipeline: Any = Answering(shipped, change)
    found = evaluate(EvaluationOptions(Path()), pipeline).figures
    return {figure.name.removeprefix("ordinary.own."): figure for figure in found}


def test_an_annotators_own_answers_are_right_everywhere(shipped: Pipeline) -> None:
    gold = {sentence.text: sentence.gold for sentence in read_ordinary(shipped_sentences())}

    def answer(analysis: Analysis) -> Analysis:
        own = gold[analysis.text]
        names = tuple(
            Metonymy(start, end, "location", reading, 1.0, "")
            for start, end, _, reading in own.names
        )
        marked = scored(analysis, lambda token: float(own.kind_at(token) is not None))
        return replace(marked, metonymies=names, sentiment=Sentiment(own.sentiment, 0))

    found = figures(shipped, answer)
    assert [name for name, figure in found.items() if figure.value not in (0, 1)] == [
        "agreement.kappa"
    ]
    assert found["conventional.found"].value == found["novel.found"].value == 1
    assert found["names.found"].value == found["names.read"].value == 1
    assert found["literal.false_marks"].value == found["neutral.strength"].value == 0
    assert 0.9 < found["agreement.kappa"].value < 1


def test_marking_every_word_finds_all_and_is_wrong_in_every_literal_sentence(
    shipped: Pipeline,
) -> None:
    found = figures(shipped, lambda analysis: scored(analysis, lambda _: 1.0))
    assert found["idiom.found"].value == 1
    assert found["literal.false_marks"].value == found["idiom_literal.false_marks"].value == 1
    assert found["literal.function_words"].value > 2
    assert found["names.found"].value == 0


def write(path: Path, *sentences: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(sentence) + "\n" for sentence in sentences))
    return path


def sentence(text: str, kind: str = "literal", **gold: Any) -> dict[str, Any]:
    own = {"figures": [], "names": [], "sentiment": 0} | gold
    return {"id": text, "kind": kind, "text": text, "first": own, "second": own, "gold": own}


def test_counts_by_hand(shipped: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(
        tmp_path / "own.jsonl",
        sentence("Prices climb steeply.", "conventional", figures=[[7, 20, "conventional"]]),
        sentence("The dog sleeps on the mat."),
        sentence("The cat sleeps."),
        sentence("Oslo refused.", "name", names=[[0, 4, "place", "metonymic"]]),
    )
    monkeypatch.setattr(ordinary, "shipped_sentences", lambda: path)

    def answer(analysis: Analysis) -> Analysis:
        names = (Metonymy(0, 4, "location", "literal", 0.9, ""),) if "Oslo" in analysis.text else ()
        marked = scored(analysis, lambda token: float(token.text in ("climb", "dog", "on")))
        return replace(marked, metonymies=names, sentiment=Sentiment(-0.5, 0))

    found = figures(shipped, answer)
    assert (found["conventional.found"].value, found["conventional.found"].n) == (0.5, 2)
    assert (found["literal.false_marks"].value, found["literal.false_marks"].n) == (0.5, 2)
    assert found["literal.function_words"].value == 0.5
    assert (found["names.found"].value, found["names.read"].value) == (1, 0)
    assert found["neutral.strength"].value == 0.5
    assert found["novel.found"].value is None


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"kind": "poem"}, "is not an annotated sentence"),
        ({"gold": {"figures": [[3, 99, "novel"]], "names": [], "sentiment": 0}}, "3 to 99"),
        ({"gold": {"figures": [[3, 3, "novel"]], "names": [], "sentiment": 0}}, "3 to 3"),
    ],
)
def test_a_changed_file_is_refused_with_its_line(
    tmp_path: Path, changed: dict[str, Any], fault: str
) -> None:
    path = write(tmp_path / "own.jsonl", sentence("Fine."), sentence("Odd.") | changed)
    with pytest.raises(BadRecord, match=fault) as refused:
        list(read_ordinary(path))
    assert f"{path}:2:" in str(refused.value)


def test_command_needs_no_data_and_others_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["evaluate", "ordinary", "--part", "agreement", "--json"])
    assert leave.value.code == 0
    (figure,) = json.loads(capsys.readouterr().out)["figures"]
    assert figure["name"] == "ordinary.own.agreement.kappa"
    assert figure["data"]["name"] == "ordinary"


def test_the_shipped_sentences_are_three_hundred_different_ones() -> None:
    sentences = list(read_ordinary(shipped_sentences()))
    assert len({sentence.text for sentence in sentences}) == len(sentences) == 300
