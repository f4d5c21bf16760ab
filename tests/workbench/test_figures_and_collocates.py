"""Figures and collocates of a corpus against a look at all of its texts."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import math
from collections import Counter
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import Row

from trope.core.errors import BadInput
from trope.core.records import is_word
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.corpus.views import answer


def ask(corpus: IndexedCorpus, view: str, **fields: Any) -> CorpusTable:
    return answer(corpus, make_query(view, fields))


def words_of(rows: list[Row]) -> list[list[tuple[str, str, bool, bool]]]:
    """The lemma of every token of each text, its tag, whether it is a word, and a metaphor."""
    return [
        [
            (t.lemma.lower(), t.upos, is_word(t.text), a.is_metaphor(at))
            for at, t in enumerate(a.tokens)
        ]
        for a in (row.analysis for row in rows)
    ]


@pytest.mark.parametrize("source", ["", "Herald"])
def test_figures_are_counted_over_texts(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], source: str
) -> None:
    texts = words_of([row for row in corpus_rows if not source or row.source == source])
    found = ask(small_corpus, "figures", rows=500, where=[f"source={source}"] if source else [])
    sizes = [sum(word for _, _, word, _ in text) for text in texts]
    assert found.rows
    for row in found.dicts():
        key = row["lemma"], row["upos"]
        uses = [sum(one[:2] == key and one[2] for one in text) for text in texts]
        times = [sum(one[:2] == key and one[2] and one[3] for one in text) for text in texts]
        assert (row["uses"], row["count"]) == (sum(uses), sum(times))
        assert row["texts"] == sum(map(bool, times))
        shares = zip(times, sizes, strict=True)
        dispersion = sum(abs(n / sum(times) - s / sum(sizes)) for n, s in shares) / 2
        assert row["dispersion"] == pytest.approx(dispersion, abs=0.0006)
        assert row["lemma"] in row["example"].lower()
    listed = {(row["lemma"], row["upos"]) for row in found.dicts()}
    assert listed == {one[:2] for text in texts for one in text if one[2] and one[3]}


def test_figures_can_be_ordered_and_limited(small_corpus: IndexedCorpus) -> None:
    counts = [row["count"] for row in ask(small_corpus, "figures").dicts()]
    assert counts == sorted(counts, reverse=True)
    lows = [row["low"] for row in ask(small_corpus, "figures", sort="rate").dicts()]
    assert lows == sorted(lows, reverse=True)
    assert lows != counts
    few = ask(small_corpus, "figures", upos="noun", min_count=3).dicts()
    assert all(row["upos"] == "NOUN" and row["count"] >= 3 for row in few)


@pytest.mark.parametrize("uses", ["all", "metaphors", "others"])
@pytest.mark.parametrize("upos", ["", "VERB"])
def test_collocates_are_the_words_of_the_windows(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], uses: str, upos: str
) -> None:
    texts, wide = words_of(corpus_rows), 5
    wanted = {"all": (True, False), "metaphors": (True,), "others": (False,)}[uses]
    near: dict[tuple[int, int], bool] = {}
    nodes = 0
    for number, text in enumerate(texts):
        for at, (lemma, _, _, metaphor) in enumerate(text):
            if lemma != "ate" or metaphor not in wanted:
                continue
            nodes += 1
            for other in range(max(0, at - wide), min(len(text), at + wide + 1)):
                if other != at and text[other][2]:
                    near[number, other] = near.get((number, other), False) or metaphor
    counts = Counter(texts[n][at][0] for n, at in near if upos in ("", texts[n][at][1]))
    marked = Counter(
        texts[n][at][0] for (n, at), m in near.items() if m and upos in ("", texts[n][at][1])
    )
    total = Counter(one[0] for text in texts for one in text if one[2] and upos in ("", one[1]))
    table = ask(
        small_corpus,
        "collocates",
        lemma="Ate",
        window=wide,
        uses=uses,
        upos=upos,
        rows=500,
        min_count=1,
    )
    assert counts
    assert (table.about["uses"], table.about["near_words"]) == (nodes, len(near))
    assert {
        row["lemma"]: (row["count"], row["metaphors"], row["total"]) for row in table.dicts()
    } == {lemma: (n, marked[lemma], total[lemma]) for lemma, n in counts.items()}
    size = sum(one[2] for text in texts for one in text)
    for row in table.dicts():
        a, b = row["count"], row["total"] - row["count"]
        c, d = len(near), size - len(near)
        cells = ((a, c), (b, d), (c - a, c), (d - b, d))
        shares = [(a + b) / (c + d)] * 2 + [1 - (a + b) / (c + d)] * 2
        g = 2 * sum(
            seen * math.log(seen / (whole * share))
            for (seen, whole), share in zip(cells, shares, strict=True)
            if seen
        )
        assert row["log_likelihood"] == pytest.approx(g, abs=0.001)
        dice = 14 + math.log2(2 * a / (nodes + row["total"]))
        assert row["log_dice"] == pytest.approx(dice, abs=0.001)


def test_collocates_by_relation_are_those_of_the_verbs(small_corpus: IndexedCorpus) -> None:
    verbs = {row["verb"]: row["objects"] for row in ask(small_corpus, "verbs", rows=500).dicts()}
    verb, objects = max(verbs.items(), key=lambda one: len(one[1]))
    table = ask(small_corpus, "collocates", lemma=verb, near="object", min_count=1, rows=500)
    found = {row["lemma"]: (row["count"], row["metaphors"]) for row in table.dicts()}
    assert objects
    assert {
        one["lemma"]: (one["count"], one["metaphors"]) for one in objects
    }.items() <= found.items()
    assert sum(count for count, _ in found.values()) == table.about["uses"]


def test_collocates_of_a_word_that_is_not_there(small_corpus: IndexedCorpus) -> None:
    with pytest.raises(BadInput, match="'zebra' is not a lemma of this corpus; check its spelling"):
        ask(small_corpus, "collocates", lemma="zebra")
    with pytest.raises(BadInput, match="leave out --upos"):
        ask(small_corpus, "collocates", lemma="ate", near="object", upos="NOUN")
