"""Keyness with texts as units against SciPy's Welch test; dates in the formats that people use."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import ALL, Row, detect, opened, write_csv

from trope.core.errors import BadInput
from trope.core.records import is_word
from trope.metrics.keyness import TextSums, holm, welch_p
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.index import as_dates, why_no_dates
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.views import answer


def sums(counts: Any, sizes: Any) -> TextSums:
    """The sums of the counts of words in texts: a row per word, a column per text."""
    n, w = np.asarray(counts, float), np.asarray(sizes)
    squares, products = (n * n).sum(axis=1), (n * w).sum(axis=1)
    return TextSums(n.sum(axis=1), squares, products, len(w), int(w.sum()), int((w * w).sum()))


def test_texts_of_equal_length_give_the_test_of_welch() -> None:
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    rng = np.random.default_rng(3)
    one, other = rng.poisson(3, (40, 9)), rng.poisson(4, (40, 14))
    found = welch_p(sums(one, [50] * 9), sums(other, [50] * 14))
    wanted = stats.ttest_ind(one / 50, other / 50, axis=1, equal_var=False).pvalue
    assert found is not None
    assert wanted.min() < 0.05 < wanted.max()
    np.testing.assert_allclose(found, wanted, atol=0.002)


def test_a_word_of_one_text_is_not_key() -> None:
    one = [[30, 0, 0, 0, 0, 0, 0, 0]]
    found = welch_p(sums(one, [100] * 8), sums([[0] * 8], [100] * 8))
    assert found is not None
    assert found[0] > 0.3  # G² of 30 against 0 has a p below 1e-9
    assert welch_p(sums([[3]], [100]), sums([[0] * 8], [100] * 8)) is None


@pytest.mark.parametrize("against", ["", "Gazette"])
@pytest.mark.parametrize("metaphors", [False, True])
def test_keyness_counts_texts(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], against: str, metaphors: bool
) -> None:
    chosen = [row for row in corpus_rows if row.source == "Herald"]
    rest = [row for row in corpus_rows if (row.source == against if against else row not in chosen)]
    fields = {"by": "source", "part": "Herald", "against": against, "metaphors": metaphors}
    table = answer(small_corpus, make_query("keyness", {**fields, "min_count": 3, "rows": 500}))
    lemmas = [row["lemma"] for row in table.dicts()]
    groups = []
    for rows in (chosen, rest):
        texts = [row.analysis for row in rows]
        words = [[(t.lemma.lower(), a.is_metaphor(at)) for at, t in enumerate(a.tokens)
                  if is_word(t.text)] for a in texts]  # fmt: skip
        counts = [[sum(w == lemma and (m or not metaphors) for w, m in text) for text in words]
                  for lemma in lemmas]  # fmt: skip
        groups.append(sums(counts, [len(text) for text in words]))
    p = welch_p(*groups)
    assert lemmas
    assert p is not None
    assert [row["p_texts"] for row in table.dicts()] == pytest.approx(list(holm(p)), rel=0.001)


def test_dates_of_five_formats_are_read() -> None:
    given = ["2019-03-05", "2019/03/06", "7 March 2019", "Mar 8, 2019", "31.03.2019", "20190401"]
    wanted = ["2019-03-05", "2019-03-06", "2019-03-07", "2019-03-08", "2019-03-31", "2019-04-01"]
    assert as_dates(given, years=False) == wanted
    assert as_dates(["03/31/2019", "03/05/2019"], years=False) == ["2019-03-31", "2019-03-05"]
    assert as_dates(["03/04/2019", "03/05/2019"], years=False) == []  # which is the month?
    assert as_dates(["31/03/2019", "03/31/2019"], years=False) == []
    assert as_dates([*given, "spring"], years=False) == []
    assert as_dates(["30 February 2019"], years=True) == []
    assert as_dates(["2019"], years=True) == ["2019"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["2019-03-05", "7 April 2019", "unknown"], "has 'unknown' among its dates; write all as"),
        (["2019-03-05", "30 February 2019"], "has '30 February 2019' among its dates"),
        (["3/4/2019", "3/5/2019"], "such as '3/4/2019', which may begin with day or month"),
        (
            ["2019-01-01", "31/3/2019", "3/31/2019"],
            "'31/3/2019', which may begin with day or month",
        ),
        (["spring", "autumn"], "column 'date' has no dates; choose another"),
    ],
)
def test_values_that_are_no_dates_are_named(tmp_path: Path, values: list[str], words: str) -> None:
    assert as_dates(values, years=True) == []
    assert words in why_no_dates("date", values)
    rows = [Row(f"d{at}", "Time ate roads.", "Herald", date) for at, date in enumerate(values)]
    folder = detect(write_csv(rows, tmp_path / "news.csv"), tmp_path / "news", *ALL)
    with opened(folder, tmp_path / "index") as corpus:
        for view, fields in (("trend", {}), ("rates", {"period": "year"})):
            with pytest.raises(BadInput, match="column 'date' has"):
                answer(corpus, make_query(view, {"by": "date", **fields}))


def test_a_corpus_with_dates_of_five_formats_has_months(tmp_path: Path) -> None:
    dates = ["2019-03-05", "2019/03/06", "7 April 2019", "Apr 8, 2019", "31.05.2019"]
    rows = [Row(f"d{at}", "Time ate roads.", "Herald", date) for at, date in enumerate(dates)]
    folder = detect(write_csv(rows, tmp_path / "news.csv"), tmp_path / "news.parquet", *ALL)
    with opened(folder, tmp_path / "index") as corpus:
        fields = {"by": "date", "period": "month"}
        table = answer(corpus, make_query("rates", fields))
        some = answer(corpus, make_query("rates", {**fields, "where": ["date=2019-04"]}))
    assert {row["group"]: row["texts"] for row in table.dicts()} == {
        "2019-03": 2, "2019-04": 2, "2019-05": 1,
    }  # fmt: skip
    assert [row["texts"] for row in some.dicts()] == [2]
