"""Source domains of a corpus: shares, groups, time, near a word, and key domains."""

from __future__ import annotations

import html
import io
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from benches import Bench, start, stop
from corpus_bench import CorpusBench, corpus_bench  # noqa: F401
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus  # noqa: F401
from small_corpus import ALL, detect, make_rows, opened, trope, write_csv

from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import draw_table
from trope.workbench.corpus.terminal import write_table
from trope.workbench.corpus.views import answer

_SAME = (
    "BODY & HEALTH",
    "BUILDING & STRUCTURE",
    "FOOD",
    "LIGHT & VISION",
    "PLANT",
    "STORY & STAGE",
)
_WEIGHTS = {"Herald": {"WAR & CONFLICT": 6, "MACHINE & TOOL": 1}}
_ELSEWHERE = {"WAR & CONFLICT": 1, "MACHINE & TOOL": 6}
Rows = list[dict[str, Any]]


def _plant(folder: Path) -> Rows:
    """Give each text metaphors with domains; Herald has more of war and less of machines."""
    rng = random.Random(2)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["tasks"].append("domains")
    planted: Rows = []
    for shard in manifest["shards"]:
        part = folder / shard["name"]
        rows = [json.loads(line) for line in part.read_text().splitlines()]
        for row in rows:
            weights = dict.fromkeys(_SAME, 3) | _WEIGHTS.get(row["source"], _ELSEWHERE)
            drawn = rng.choices(list(weights), weights.values(), k=rng.randint(2, 6))
            places = [rng.randrange(len(row["tokens"])) for _ in drawn]
            row["figures"] = [
                {"kind": "metaphor", "tokens": [at], "score": 0.9, "domain": domain,
                 "start": row["tokens"][at]["start"], "end": row["tokens"][at]["end"]}
                for at, domain in zip(places, drawn, strict=True)
            ]  # fmt: skip
            planted.append(row)
        part.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        shard["sha256"] = sha256(part)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return planted


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[IndexedCorpus, Rows]]:
    folder = tmp_path_factory.mktemp("planted")
    table = write_csv(make_rows(texts=400), folder / "news.csv")
    detected = detect(table, folder / "news", *ALL, "--format", "jsonl", shard_rows=150)
    rows = _plant(detected)
    with opened(detected, folder / "index") as corpus:
        yield corpus, rows


@pytest.fixture(scope="module")
def served(
    planted: tuple[IndexedCorpus, Rows], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("served")
    before = f"import os; os.environ['XDG_CACHE_HOME'] = {str(folder)!r}"
    started = start(folder, str(planted[0].folder), before=before)
    yield started
    stop(started)


def _ask(corpus: IndexedCorpus, **fields: Any) -> Rows:
    return answer(corpus, make_query("domains", {"rows": 1000, **fields})).dicts()


def test_the_plot_names_groups_whole(planted: tuple[IndexedCorpus, Rows], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    draw_table(answer(planted[0], make_query("domains", {"by": "source"})), tmp_path / "plot.svg")
    drawn = html.unescape((tmp_path / "plot.svg").read_text())
    for name in ("building & structure, O'Neill's \"Daily\"", "war & conflict, –"):
        assert f">{name}<" in drawn


def _counts(rows: Rows) -> Counter[str]:
    return Counter(figure["domain"] for row in rows for figure in row["figures"])


def _key(corpus: IndexedCorpus, **fields: str) -> Rows:
    query = make_query("keyness", {"of": "domains", "min_count": 1, "rows": 100, **fields})
    return answer(corpus, query).dicts()


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_key_domains_are_those_that_were_planted(
    planted: tuple[IndexedCorpus, Rows], correction: str
) -> None:
    corpus, rows = planted
    found = _key(corpus, by="source", part="Herald", correction=correction)
    key = {row["domain"]: row["direction"] for row in found if row["p_texts"] < 0.05}
    assert key == {"WAR & CONFLICT": "more", "MACHINE & TOOL": "less"}
    assert {row["domain"] for row in found[:2]} == set(key)
    herald = _counts([row for row in rows if row["source"] == "Herald"])
    assert {row["domain"]: row["count"] for row in found} == herald
    assert all(row["p"] <= row["p_corrected"] for row in found)


def test_groups_without_a_planted_difference_have_no_key_domains(
    planted: tuple[IndexedCorpus, Rows],
) -> None:
    found = _key(planted[0], by="source", part="Gazette", against="O'Neill's \"Daily\"")
    assert len(found) == len(_SAME) + 2
    assert all(row["p_texts"] > 0.05 for row in found)


def test_shares_are_of_all_metaphors_with_a_domain(planted: tuple[IndexedCorpus, Rows]) -> None:
    corpus, rows = planted
    found, counts = _ask(corpus), _counts(rows)
    assert {row["domain"]: row["metaphors"] for row in found} == counts
    assert sum(row["share"] for row in found) == pytest.approx(1)
    assert all(row["low"] < row["share"] < row["high"] and row["lemmas"] for row in found)
    assert [row["metaphors"] for row in found] == sorted(counts.values(), reverse=True)


def test_frequent_words_are_those_of_the_group(planted: tuple[IndexedCorpus, Rows]) -> None:
    corpus, rows = planted
    lemmas: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        for figure in row["figures"]:
            token = row["tokens"][figure["tokens"][0]]
            key = figure["domain"], row["source"]
            lemmas.setdefault(key, Counter())[(token["lemma"] or token["text"]).lower()] += 1
    found = _ask(corpus, by="source")
    assert len(found) == len(lemmas)
    for row in found:
        counts = lemmas[row["domain"], row["group"]]
        wanted = sorted(counts, key=lambda one: (-counts[one], one))
        assert row["lemmas"] == wanted[:5]
    assert len({tuple(row["lemmas"]) for row in found if row["domain"] == "FOOD"}) > 1


def test_dates_are_grouped_by_period_in_their_order(planted: tuple[IndexedCorpus, Rows]) -> None:
    corpus, rows = planted
    found = _ask(corpus, by="date")
    assert [*dict.fromkeys(row["group"] for row in found)] == ["2018", "2019", "2020"]
    of_2019 = _counts([row for row in rows if row["date"].startswith("2019")])
    assert {r["domain"]: r["metaphors"] for r in found if r["group"] == "2019"} == of_2019
    assert len({row["group"] for row in _ask(corpus, by="date", period="month")}) == 9


def test_a_target_keeps_the_metaphors_near_it(planted: tuple[IndexedCorpus, Rows]) -> None:
    corpus, rows = planted
    wanted: Counter[str] = Counter()
    for row in rows:
        places = [at for at, token in enumerate(row["tokens"]) if token["lemma"].lower() == "wind"]
        for figure in row["figures"]:
            own = figure["tokens"][0]
            wanted[figure["domain"]] += any(0 < abs(own - at) <= 2 for at in places)
    found = _ask(corpus, target="Wind", window=2)
    assert {row["domain"]: row["metaphors"] for row in found} == +wanted
    with pytest.raises(BadInput, match="'winds' is not a lemma"):
        _ask(corpus, target="winds")


def test_what_is_missing_is_said(
    planted: tuple[IndexedCorpus, Rows],
    small_corpus: IndexedCorpus,  # noqa: F811
) -> None:
    corpus, _ = planted
    with pytest.raises(BadInput, match="--with relations,domains"):
        _ask(small_corpus)
    with pytest.raises(BadInput, match="has no dates"):
        _ask(corpus, by="source", period="year")
    assert _ask(corpus, where=["source=Times"]) == []


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, "frequent words"),
        ({"by": "date", "where": ["source=Herald"]}, "2019"),
        ({"by": "source", "target": "wind"}, "O'Neill's"),
    ],
)
def test_page_and_terminal_show_the_table(
    planted: tuple[IndexedCorpus, Rows], served: Bench, fields: dict[str, Any], shown: str
) -> None:
    corpus, _ = planted
    status, _, content = served.ask("GET", f"/corpus/domains?{urlencode(fields, doseq=True)}")
    page = html.unescape(content.decode())
    assert status == 200 and shown in page and "WAR & CONFLICT" in page
    table = answer(corpus, make_query("domains", fields))
    assert table.command in page
    printed = io.StringIO()
    write_table(table, printed, "text")
    assert {"PLANT", "FOOD"} <= {*printed.getvalue().split()}


def test_a_corpus_without_domains_has_a_page_that_says_so(corpus_bench: CorpusBench) -> None:  # noqa: F811
    status, page = corpus_bench.get("/corpus/domains")
    assert status == 200 and "has no source domains" in html.unescape(page)
    status, page = corpus_bench.get("/corpus/domains?by=source")
    assert status == 400


def test_the_overview_draws_the_most_frequent_domains(served: Bench) -> None:
    _, _, content = served.ask("GET", "/corpus/")
    assert "Most frequent source domains" in content.decode()


def test_the_page_of_a_text_says_what_its_metaphors_are_drawn_from(
    planted: tuple[IndexedCorpus, Rows], served: Bench
) -> None:
    corpus, _ = planted
    number, domain = next(
        (number, one["domain"])
        for number in range(1, corpus.facts.texts + 1)
        for one in corpus.source.figures_of(number)
        if one["domain"]
    )
    _, _, content = served.ask("GET", f"/corpus/text/{number}")
    assert f", from {domain}" in html.unescape(content.decode())


def test_detection_writes_domains_in_both_formats(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    table.write_text("id,text,source\na,The war on prices began.,x\nb,A flood of letters came.,y\n")
    for form in ("jsonl", "parquet"):
        out = tmp_path / form
        options = ("--columns", "source", "--with", "domains", "--format", form, "--quiet")
        done = trope("detect", table, "--out", out, "--threads", "1", *options)
        assert done.exit_code == 0, done.output
        with opened(out, tmp_path / "index") as corpus:
            domains = {row["domain"]: row["group"] for row in _ask(corpus, by="source")}
        assert domains["WAR & CONFLICT"] == "x" and domains["NATURE & WATER"] == "y"
