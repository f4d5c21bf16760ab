"""Keyness, collocations and trends against reference implementations; two corpora compared."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import ALL, Row, detect, make_rows, opened, trope, write_csv

from trope.core.errors import BadInput, TropeError
from trope.core.records import is_word
from trope.metrics.keyness import poisson_trends
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.keyness import compare
from trope.workbench.corpus.queries import CompareQuery, make_query
from trope.workbench.corpus.table import CorpusTable, draw_table
from trope.workbench.corpus.views import answer

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")


def ask(corpus: IndexedCorpus, view: str, **fields: Any) -> CorpusTable:
    return answer(corpus, make_query(view, {"rows": 5000, **fields}))


def g_squared(a: int, b: int, c: int, d: int) -> float:
    """The reference: SciPy's G-test of the table of this word and all others."""
    table = [[a, b], [c - a, d - b]]
    return float(stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")[0])


def uses(rows: list[Row]) -> list[tuple[str, str, bool]]:
    """Lemma, part of speech and verdict of every word."""
    return [
        (token.lemma.lower(), token.upos, found.is_metaphor(at))
        for found in (row.analysis for row in rows)
        for at, token in enumerate(found.tokens)
        if is_word(token.text)
    ]


@pytest.mark.parametrize("against", ["", "Gazette"])
@pytest.mark.parametrize("metaphors", [False, True])
@pytest.mark.parametrize(("of", "upos"), [("lemmas", ""), ("lemmas", "VERB"), ("classes", "")])
def test_keyness_is_that_of_scipy(
    small_corpus: IndexedCorpus,
    corpus_rows: list[Row],
    of: str,
    upos: str,
    metaphors: bool,
    against: str,
) -> None:
    part = uses([row for row in corpus_rows if row.source == "Herald"])
    rest = uses(
        [
            row
            for row in corpus_rows
            if (row.source == against if against else row.source != "Herald")
        ]
    )
    at = 0 if of == "lemmas" else 1
    classes = ("NOUN", "VERB", "ADJ", "ADV")
    counts = [
        Counter(
            word[at]
            for word in side
            if (word[2] or not metaphors)
            and (not upos or word[1] == upos)
            and (of == "lemmas" or word[1] in classes)
        )
        for side in (part, rest)
    ]
    table = ask(small_corpus, "keyness", by="source", part="Herald", against=against, of=of,
                upos=upos, metaphors=metaphors, min_count=2)  # fmt: skip
    c, d = len(part), len(rest)
    assert (table.about["words"], table.about["other_words"]) == (c, d)
    wanted = {name for name in counts[0] | counts[1] if counts[0][name] + counts[1][name] >= 2}
    assert {row[0] for row in table.rows} == wanted
    assert wanted
    p = []
    for row in table.dicts():
        a, b = (side[next(iter(row.values()))] for side in counts)
        assert (row["count"], row["other_count"]) == (a, b)
        g = g_squared(a, b, c, d)
        assert row["log_likelihood"] == pytest.approx(g, abs=6e-4)
        assert row["p"] == pytest.approx(stats.chi2.sf(g, 1), rel=1e-3, abs=1e-12)
        ratio = math.log2((a or 0.5) / c / ((b or 0.5) / d))
        assert row["log_ratio"] == pytest.approx(ratio, abs=6e-4)
        p.append(stats.chi2.sf(g, 1))
    holm = np.minimum(1, np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1)))
    assert sorted(row["p_corrected"] for row in table.dicts()) == pytest.approx(holm, rel=1e-3)


def test_collocations_are_those_of_scipy(
    small_corpus: IndexedCorpus, corpus_rows: list[Row]
) -> None:
    words = uses(corpus_rows)
    totals = Counter(lemma for lemma, _, _ in words)
    table = ask(small_corpus, "collocates", lemma="ate", min_count=1)
    near = table.about["near_words"]
    assert sum(row["count"] for row in table.dicts()) == near
    for row in table.dicts():
        f, total = row["count"], totals[row["lemma"]]
        g = g_squared(f, total - f, near, len(words) - near)
        assert row["log_likelihood"] == pytest.approx(g, abs=6e-4)
        dice = 14 + math.log2(2 * f / (totals["ate"] + total))
        assert row["log_dice"] == pytest.approx(dice, abs=6e-4)


def test_kinds_of_figures_can_be_key(small_corpus: IndexedCorpus, corpus_rows: list[Row]) -> None:
    table = ask(small_corpus, "keyness", by="source", part="Herald", of="figures", min_count=1)
    (row,) = table.dicts()  # idioms and similes are not in these texts
    metaphors = sum(one[2] for one in uses([r for r in corpus_rows if r.source == "Herald"]))
    assert (row["figure"], row["count"]) == ("metaphor", metaphors)
    with pytest.raises(BadInput, match=r"no source domains; add them with: trope detect .*domains"):
        ask(small_corpus, "keyness", by="source", part="Herald", of="domains")


def test_planted_domains_and_idioms_are_found(tmp_path: Path) -> None:
    folder = detect(
        write_csv(make_rows(120), tmp_path / "n.csv"), tmp_path / "n", *ALL, "--format", "jsonl"
    )
    plant(folder)
    with opened(folder, tmp_path / "index") as corpus:
        fields = {"by": "source", "part": "Herald", "min_count": 1}
        domains = ask(corpus, "keyness", of="domains", **fields).dicts()
        figures = ask(corpus, "keyness", of="figures", **fields).dicts()
        over_time = ask(corpus, "trend", by="date", period="month", of="domains", min_count=1)
    war, water = (next(r for r in domains if r["domain"] == name) for name in ("WAR", "WATER"))
    assert war["direction"] == "more"
    assert war["p_corrected"] < 0.01
    assert war["p_texts"] < 0.01
    assert water["p_corrected"] > 0.05
    idiom = next(row for row in figures if row["figure"] == "idiom")
    assert (idiom["direction"], idiom["other_count"]) == ("more", 0)
    assert {row["domain"] for row in over_time.dicts()} == {"WAR", "WATER"}


def plant(folder: Path) -> None:
    """Give every text the domain WATER, those of the Herald twice WAR and an idiom."""
    from trope.core.files import sha256

    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["tasks"].append("domains")
    for shard in manifest["shards"]:
        part = folder / shard["name"]
        rows = [json.loads(line) for line in part.read_text().splitlines()]
        for row in rows:
            herald = row["source"] == "Herald"
            found = [("metaphor", one) for one in ("WATER", *(("WAR", "WAR") if herald else ()))]
            found += [("idiom", "")] if herald else []
            row["figures"] = [
                {"kind": kind, "tokens": [1], "score": 0.9, "domain": domain}
                for kind, domain in found
            ]
        part.write_text("".join(json.dumps(row) + "\n" for row in rows))
        shard["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def reference_trend(counts: Any, sizes: Any, times: Any) -> tuple[float, float]:
    """The slope of a Poisson regression by a general optimiser, and its quasi-Poisson p."""
    centred = times - np.average(times, weights=sizes)

    def loss(beta: Any) -> float:
        expected = sizes * np.exp(beta[0] + beta[1] * centred)
        return float((expected - counts * np.log(expected)).sum())

    start = [math.log(counts.sum() / sizes.sum()), 0.0]
    beta = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x
    expected = sizes * np.exp(beta[0] + beta[1] * centred)
    design = np.stack([np.ones_like(centred), centred])
    variance = np.linalg.inv((design * expected) @ design.T)[1, 1]
    freedom = len(counts) - 2
    variance *= max(1.0, ((counts - expected) ** 2 / expected).sum() / freedom)
    return beta[1] / math.log(2), 2 * stats.t.sf(abs(beta[1]) / variance**0.5, freedom)


def test_trends_are_those_of_a_regression() -> None:
    rng = np.random.default_rng(5)
    times, sizes = 2015 + np.arange(24) / 12, rng.integers(500, 3000, 24).astype(float)
    rates = 0.02 * np.exp(np.outer([0.0, 0.5, -0.8, 0.1, 0.0], times - 2016))
    counts = rng.poisson(rates * sizes)
    counts[4] = 0
    counts[4, 3] = 40  # a burst in one period is no trend
    slopes, p = poisson_trends(counts, sizes, times)
    wanted = [reference_trend(row, sizes, times) for row in counts]
    assert slopes == pytest.approx([slope for slope, _ in wanted], abs=1e-4)
    assert p == pytest.approx([chance for _, chance in wanted], abs=0.004)
    assert p[1] < 0.01
    assert p[2] < 0.01
    assert p[4] > 0.05


def test_lines_of_a_plot_can_be_told_apart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    columns = ("lemma", "direction", "count", "per_million", "log2_per_year", "p", "rates")
    rows = [(name, "rising", 9, 9.0, 0.1, 0.5, [1.0, 2.0]) for name in "abcdefgh"]
    table = CorpusTable("trend", columns, rows, "", (), {"periods": ["2019", "2020"]})
    draw_table(table, tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text()
    legend = drawn[drawn.index('id="legend_1"') :]
    styles = re.findall(r'<path [^>]*style="(fill: none; stroke[^"]*)"', legend)
    assert len(styles) == len(set(styles)) == 6


@pytest.mark.parametrize("where", [[], ["source=Herald"]])
@pytest.mark.parametrize("metaphors", [False, True])
@pytest.mark.parametrize(("of", "upos"), [("lemmas", ""), ("lemmas", "VERB"), ("classes", "")])
def test_trends_count_words_of_periods(
    small_corpus: IndexedCorpus,
    corpus_rows: list[Row],
    of: str,
    upos: str,
    metaphors: bool,
    where: list[str],
) -> None:
    rows = [row for row in corpus_rows if not where or row.source == "Herald"]
    months = sorted({row.date[:7] for row in rows})
    sizes = np.array([len(uses([r for r in rows if r.date[:7] == m])) for m in months], float)
    table = ask(small_corpus, "trend", by="date", period="month", of=of, upos=upos,
                metaphors=metaphors, where=where, min_count=4)  # fmt: skip
    assert table.about["periods"] == months
    assert table.rows
    at = 0 if of == "lemmas" else 1
    for row in table.dicts():
        name = next(iter(row.values()))
        counts = [
            sum(w[at] == name and (w[2] or not metaphors) and upos in ("", w[1])
                for w in uses([r for r in rows if r.date[:7] == month]))
            for month in months
        ]  # fmt: skip
        assert row["count"] == sum(counts)
        assert row["rates"] == pytest.approx(np.array(counts) / sizes * 1e6, abs=0.06)
        assert (row["log2_per_year"] > 0) == (row["direction"] == "rising")
    rising = ask(small_corpus, "trend", by="date", period="month", min_count=4, direction="rising")
    assert {row["direction"] for row in rising.dicts()} == {"rising"}


def test_dates_that_do_not_exist_are_periods_all_the_same(tmp_path: Path) -> None:
    dates = ("2019-00-00", "2019-02-30", "2019-06-01", "2020-13-45")
    rows = [Row(f"d{at}", "Time ate roads.", "Herald", date) for at, date in enumerate(dates)]
    folder = detect(write_csv(rows, tmp_path / "d.csv"), tmp_path / "d", *ALL)
    with opened(folder, tmp_path / "index") as corpus:
        for period in ("day", "month"):
            table = ask(corpus, "trend", by="date", period=period, min_count=1)
            assert len(table.about["periods"]) == 4


@pytest.mark.parametrize(
    ("view", "fields", "words"),
    [
        ("trend", {"by": "source"}, "column 'source' has no dates"),
        ("trend", {"by": "date", "where": ["date=2019-01-02"]}, "a trend needs three"),
        ("keyness", {"by": "source", "part": "Heralt"}, "choose another value, such as 'Herald'"),
    ],
)
def test_what_cannot_be_compared(
    small_corpus: IndexedCorpus, view: str, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(TropeError, match=words):
        ask(small_corpus, view, **fields)


def test_two_corpora_are_compared_as_two_groups(
    corpus_rows: list[Row], small_corpus: IndexedCorpus, tmp_path: Path
) -> None:
    folders = []
    for source in ("Herald", "Gazette"):
        table = write_csv(
            [r for r in corpus_rows if r.source == source], tmp_path / f"{source}.csv"
        )
        folders.append(detect(table, tmp_path / source, *ALL))
    index = ("--index", tmp_path / "index", "--quiet")
    done = trope("query", folders[0], "compare", folders[1], "--min-count", "2", "--json", *index)
    assert done.exit_code == 0, done.output
    wanted = ask(small_corpus, "keyness", by="source", part="Herald", against="Gazette",
                 min_count=2).dicts()  # fmt: skip
    found = json.loads(done.stdout)
    assert {row["lemma"]: row for row in found["rows"]} == {row["lemma"]: row for row in wanted}
    assert found["command"] == f"trope query {folders[0]} compare {folders[1]} --min-count 2"
    shown = trope("query", folders[0], "compare", folders[1], "--of", "classes", *index)
    assert "classes tested" in shown.stdout


@pytest.mark.parametrize(
    ("settings", "of", "words"),
    [
        (
            {"kind": "tweet"},
            "lemmas",
            r"kind: 'tweet' instead of 'plain'.*write it again and compare: trope",
        ),
        ({"threshold": 0.3}, "lemmas", r"threshold: 0.3 instead of the model's.*trope detect"),
        (
            {"model_sha256": "1" * 64},
            "lemmas",
            "model: '111111111111' instead of .*again with the model of the first and compare",
        ),
        ({"domains": "lcc"}, "domains", r"domains by: 'lcc' instead of none.*write it again"),
    ],
)
def test_corpora_of_other_settings_are_not_compared(
    corpus_folder: Path, tmp_path: Path, settings: dict[str, Any], of: Any, words: str
) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(corpus_folder, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["settings"] |= settings
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with (
        opened(corpus_folder, tmp_path / "index") as one,
        opened(copy, tmp_path / "index") as two,
        pytest.raises(BadInput, match=words) as refused,
    ):
        compare(one, two, CompareQuery(other=str(copy), of=of))
    again = str(refused.value)
    assert ("--kind" in again.rpartition("compare:")[2]) is False
    assert ("--threshold" in again.rpartition("compare:")[2]) is False


def test_corpora_counted_by_other_views_are_not_compared(
    corpus_folder: Path, corpus_table: Path, tmp_path: Path
) -> None:
    # the model knows only content words: both show them, with thresholds of their own
    first = detect(corpus_table, tmp_path / "noticed", *ALL)
    second = detect(corpus_table, tmp_path / "content", *ALL, "--words", "content")
    asked = ("query", first, "compare", second, "--quiet", "--index", tmp_path / "index")
    with pytest.raises(BadInput, match=r"view of words: 'content' instead of 'noticed'.*--words n"):
        trope(*asked)
    assert "tested" in trope(*asked, "--words", "content").stdout
