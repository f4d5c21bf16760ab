"""The pipeline as a stream: order, laziness, memory bounded for long texts."""

from collections.abc import Generator, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from trope import Pipeline
from trope.core.errors import BadInput
from trope.core.options import FigureView
from trope.core.records import Analysis
from trope.core.texts import Text
from trope.pipeline import batch as batch_module
from trope.pipeline.pipeline import AHEAD


class Source:
    """Texts that know how many of them were taken."""

    def __init__(self, text: str, count: int) -> None:
        self.text, self.count, self.taken = text, count, 0

    def __iter__(self) -> Iterator[str]:
        for _ in range(self.count):
            self.taken += 1
            yield self.text


def test_no_more_texts_are_taken_than_the_batches_under_way(shipped: Pipeline) -> None:
    source = Source("Rain.", 30)
    found = shipped.analyze_many(source, batch_size=5)
    assert source.taken == 0
    next(found)
    assert source.taken == 5 * AHEAD
    assert len(list(found)) == 29


def test_long_texts_make_small_batches(shipped: Pipeline) -> None:
    source = Source(" " * batch_module.BATCH_CHARACTERS + " ", 30)
    found = shipped.analyze_many(source)
    assert next(found).tokens == ()
    assert source.taken == AHEAD
    assert len(list(found)) == 29


def test_scores_are_gone_once_their_trees_are_made(
    shipped: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []

    def count(text: Text, *_: object) -> Analysis:
        left.append(len(sent.passes))
        return Analysis(text.original, (), (), ())

    texts = ["Rain ate roads. " * 200]
    tasks = ("syntax", "relations", "metaphor")
    sent = shipped._analyzer.start(texts, "plain", tasks, FigureView())
    assert len(sent.passes) > 1
    monkeypatch.setattr(batch_module, "assemble", count)
    assert [analysis.text for analysis in shipped._analyzer.finish(sent)] == texts
    assert left == [0]


def test_who_stops_early_does_not_wait_for_what_the_network_has_not_begun(
    shipped: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = shipped._analyzer.start
    waiting: list[Future[Any]] = []

    def start_with_another(*arguments: Any, **options: Any) -> batch_module.TextBatch:
        sent = start(*arguments, **options)
        waiting.append(Future())
        sent.whole.passes.append(waiting[-1])
        return sent

    monkeypatch.setattr(shipped._analyzer, "start", start_with_another)
    found = shipped.analyze_many(["Rain."] * 9, batch_size=2, only="metaphor")
    assert [next(found).text for _ in range(3)] == ["Rain."] * 3
    assert isinstance(found, Generator)
    found.close()
    assert len(waiting) == 1 + AHEAD
    assert [future.cancelled() for future in waiting] == [False] + [True] * AHEAD


def test_texts_without_words_are_analyses_too(shipped: Pipeline) -> None:
    texts = ["", "Rain ate roads.", " \n", "\u200b"]
    found = list(shipped.analyze_many(texts))
    assert [analysis.text for analysis in found] == texts
    assert [bool(analysis.tokens) for analysis in found[:3]] == [False, True, False]


def test_time_of_every_stage_is_kept(shipped: Pipeline) -> None:
    shipped.analyze("Rain ate the old roads near the river.")
    assert set(shipped.timings) == {"text", "encoder", "decode", "relations"}
    assert all(seconds > 0 for seconds in shipped.timings.values())


def test_threads_below_one_are_refused() -> None:
    with pytest.raises(BadInput, match="threads must be a number of at least 1, got 0"):
        Pipeline(threads=0)
