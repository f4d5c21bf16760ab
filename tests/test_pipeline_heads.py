"""Names and sentiment in the pipeline: one pass where one is enough, the same in any company."""

from typing import Any

import pytest

from metaphor_model import ALL_LABELS, write_model
from trope import Pipeline
from trope.core.errors import BadInput
from trope.core.export import to_dict
from trope.core.records import Metonymy, Sentiment
from trope.encoder.session import METAPHOR, METONYMY, SENTIMENT

TEXTS = ["Lovely France sleeps.", "", "Rain fell. Nokia sold awful phones.", "Rain fell.", " "]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    folder = write_model(tmp_path_factory.mktemp("model"), ALL_LABELS)
    return Pipeline(folder=folder, threads=1)


@pytest.fixture
def sent(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[Any], Any]]:
    """What goes through the network: sequences, and what is asked of them."""
    told: list[tuple[list[Any], Any]] = []
    submit = pipeline.encoder.submit

    def watched(sentences: Any, outputs: Any, *read: Any) -> Any:
        told.append((list(map(tuple, sentences)), outputs))
        return submit(sentences, outputs, *read)

    monkeypatch.setattr(pipeline.encoder, "submit", watched)
    return told


def test_all_heads_are_tasks(pipeline: Pipeline) -> None:
    assert pipeline.tasks == ("syntax", "relations", "metaphor", "metonymy", "sentiment")


def test_texts_feel_as_a_whole_and_names_have_readings(pipeline: Pipeline) -> None:
    one, empty, two, plain, blank = pipeline.analyze_many(TEXTS)
    assert one.sentiment == Sentiment(0.75, 1)  # of four words, one is lovely
    assert two.sentiment == Sentiment(-0.4375, 0)  # of eight words
    assert plain.sentiment == Sentiment(0.0, 0)
    assert empty.sentiment is None
    assert blank.sentiment is None
    (france,) = one.metonymies
    assert (france.start, france.end, france.reading) == (7, 13, "place-for-people")
    (nokia,) = two.metonymies
    assert two.text[nokia.start : nokia.end] == "Nokia"
    assert nokia.stands_for == "share price of Nokia"
    assert plain.metonymies == empty.metonymies == ()


def test_alone_and_in_company_are_the_same(pipeline: Pipeline) -> None:
    together = list(pipeline.analyze_many(TEXTS * 7, batch_size=5))
    assert together == [pipeline.analyze(text) for text in TEXTS] * 7


def test_one_sentence_needs_no_second_pass(pipeline: Pipeline, sent: list[Any]) -> None:
    pipeline.analyze("Rain fell on roads.", tasks=("sentiment",))
    assert len(sent) == 1
    list(pipeline.analyze_many(TEXTS, tasks=("metaphor", "sentiment"), words="all"))
    (_, first), (whole, outputs) = sent[1:]
    assert "sentiment" in first
    assert "arcs" not in first
    assert outputs == SENTIMENT
    assert whole == [("Rain", "fell", ".", "Nokia", "sold", "awful", "phones", ".")]


def test_names_are_read_in_the_pass_that_gives_the_trees(
    pipeline: Pipeline, sent: list[Any]
) -> None:
    found = list(pipeline.analyze_many(TEXTS, tasks=("metonymy",)))
    [(_, outputs)] = sent
    assert {*METONYMY, "arcs"} <= {*outputs}  # names are told from other words by the tree
    assert [[name.reading for name in one.metonymies] for one in found] == [
        ["place-for-people"], [], ["organisation-for-index"], [], [],
    ]  # fmt: skip


def test_names_among_words_that_the_network_reads_in_another_spelling(
    pipeline: Pipeline, sent: list[Any]
) -> None:
    (found,) = pipeline.analyze_many(["“France sleeps.” Rain fell.”"], tasks=("metonymy",))
    [(sentences, _)] = sent
    assert sentences[0][:2] == ('"', "France")
    (france,) = found.metonymies
    assert (found.text[france.start : france.end], france.reading) == ("France", "place-for-people")


def test_a_task_alone_brings_nothing_else(pipeline: Pipeline) -> None:
    names = to_dict(pipeline.analyze(TEXTS[0], tasks=("metonymy",)))
    assert set(names) == {*("text", "tokens", "sentences", "figures", "names", "metonymies")}
    assert set(names["tokens"][0]) == {"text", "start", "end"}
    assert names["metonymies"][0]["class"] == "location"
    felt = to_dict(pipeline.analyze(TEXTS[0], tasks=("sentiment",)))
    assert felt["sentiment"] == {"score": 0.75, "integer": 1, "scale": "tweet"}
    assert "metonymies" not in felt
    assert to_dict(pipeline.analyze("", tasks=("sentiment",)))["sentiment"] is None


def test_sentences_that_were_read_elsewhere_are_felt_too(
    pipeline: Pipeline, sent: list[Any]
) -> None:
    parses = pipeline.parse([["lovely"], ["awful", "rain"], ["rain"]])
    assert pipeline.sentiments([parses[:1], parses[1:], []]) == [
        Sentiment(3.0, 3),
        Sentiment(-1.1667, -1),
        None,
    ]
    assert sent[1] == ([("awful", "rain", "rain")], SENTIMENT)


def test_the_shipped_model_is_asked_for_what_it_has(shipped: Pipeline) -> None:
    for task in {"metonymy", "sentiment"} - {*shipped.tasks}:
        with pytest.raises(BadInput, match=f"no head for '{task}'"):
            shipped.analyze("Rain.", tasks=(task,))


def test_names_in_a_long_text(pipeline: Pipeline) -> None:
    found = pipeline.analyze("Rain fell on France. " * 400)
    assert len(found.metonymies) == 400
    assert {type(name) for name in found.metonymies} == {Metonymy}
    assert {found.text[n.start : n.end] for n in found.metonymies} == {"France"}


def test_without_tags_only_what_the_tasks_need_is_asked(
    pipeline: Pipeline, sent: list[tuple[list[Any], Any]]
) -> None:
    tagged = list(pipeline.analyze_many(TEXTS, tasks=("metaphor",), words="all"))
    plain = list(pipeline.analyze_many(TEXTS, tasks=("metaphor",), tags=False, words="all"))
    assert sent[1][1] == METAPHOR
    assert [a.figurative for a in plain] == [a.figurative for a in tagged]
    scores = [[(t.text, t.start, t.metaphor) for t in a.tokens] for a in plain]
    assert scores == [[(t.text, t.start, t.metaphor) for t in a.tokens] for a in tagged]
    assert {(t.upos, t.xpos, t.lemma) for a in plain for t in a.tokens} == {("", "", "")}


def test_tasks_that_need_tags_have_them_unasked(pipeline: Pipeline) -> None:
    tasks = ("relations", "metaphor")
    assert list(pipeline.analyze_many(TEXTS, tasks=tasks, tags=False)) == list(
        pipeline.analyze_many(TEXTS, tasks=tasks)
    )
