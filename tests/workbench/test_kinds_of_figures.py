"""Idioms, similes and names in the list of figures; its orders; the switch of words everywhere."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import html
import io
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from corpus_bench import CorpusBench, corpus_bench
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import opened, trope

from trope.core.errors import BadInput, UnknownName
from trope.core.records import is_word
from trope.encoder.session import Encoder
from trope.pipeline import Pipeline
from trope.workbench.corpus import corpus as corpora
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.corpus.views import answer

TEXTS = (
    "She spilled the beans about the merger. Downing Street refused to comment.",
    "He is as stubborn as a mule, and prices climbed like a startled cat.",
    "My brother spills the beans whenever he can. We went to the lake on Sunday.",
    "Nothing happened. The report was long.",
    "Downing Street denied that the talks had collapsed. Critics attacked the plan.",
)
TASKS = ("syntax", "metaphor", "metonymy")


def ask(corpus: IndexedCorpus, **fields: Any) -> CorpusTable:
    return answer(corpus, make_query("figures", fields))


@pytest.fixture(scope="module", params=["table.parquet", "lines"])
def figurative(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedCorpus]:
    """A corpus with figures of all kinds, as the shipped model finds them."""
    yield from open_texts(tmp_path_factory.mktemp("figurative"), request.param)


@pytest.fixture(scope="module", params=["table.parquet", "lines"])
def without_novelty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedCorpus]:
    """The same corpus as a model without a head for figures finds it."""
    labels = msgspec.structs.replace(Encoder().labels, figures=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trope.encoder.session._read_labels", lambda path: labels)
        yield from open_texts(tmp_path_factory.mktemp("old"), request.param)


def open_texts(folder: Path, name: str) -> Iterator[IndexedCorpus]:
    with (folder / "texts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *([one] for one in TEXTS)])
    out = folder / name
    done = trope("detect", folder / "texts.csv", "--out", out, "--with", "relations,metonymy")
    assert done.exit_code == 0, done.output
    with opened(out, folder / "index") as corpus:
        yield corpus


def test_figures_of_all_kinds_are_those_of_the_texts(figurative: IndexedCorpus) -> None:
    pipeline = Pipeline()
    sizes: list[int] = []
    uses: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, text in enumerate(TEXTS):
        analysis = pipeline.analyze(text, tasks=TASKS)
        sizes.append(sum(is_word(token.text) for token in analysis.tokens))
        for one in analysis.figures:
            if one.kind == "metaphor":
                continue
            tokens = [analysis.tokens[at] for at in one.vehicle or one.tokens]
            name = " ".join(
                token.text
                if one.kind == "metonymy"
                else token.text.lower()
                if one.kind == "idiom" and token.upos == "NOUN"
                else token.lemma.lower()
                for token in tokens
            )
            uses[one.kind, name].append(number)
    assert {kind for kind, _ in uses} == {"idiom", "simile", "metonymy"}
    assert any(len(places) > 1 for places in uses.values())
    listed = [row for row in ask(figurative).dicts() if row["kind"] != "metaphor"]
    assert {(row["kind"], row["lemma"]) for row in listed} == set(uses)
    for row in listed:
        places = uses[row["kind"], row["lemma"]]
        shares = [places.count(n) / len(places) for n in range(len(TEXTS))]
        apart = sum(abs(a - b / sum(sizes)) for a, b in zip(shares, sizes, strict=True)) / 2
        assert (row["count"], row["texts"]) == (len(places), len(set(places)))
        assert row["dispersion"] == pytest.approx(apart, abs=0.0006)
        assert row["text"] - 1 in places
        assert row["example"] in TEXTS[row["text"] - 1]
        assert (row["upos"], row["uses"], row["rate"]) == ("", None, None)
    (beans,) = (row for row in listed if row["lemma"] == "spill the beans")
    assert beans["count"] == 2
    assert "secret" in beans["meaning"]


@pytest.mark.parametrize("kind", ["metaphor", "idiom", "simile", "metonymy"])
def test_one_kind_is_the_same_as_in_the_whole_list(figurative: IndexedCorpus, kind: str) -> None:
    found = ask(figurative, kind=kind).rows
    assert found
    assert found == [row for row in ask(figurative).rows if row[1] == kind]


def test_parts_of_speech_are_of_metaphors(figurative: IndexedCorpus) -> None:
    assert {row["kind"] for row in ask(figurative, upos="verb").dicts()} == {"metaphor"}


def test_rare_figures_that_the_model_is_sure_of_surprise(figurative: IndexedCorpus) -> None:
    (words,) = figurative.database.one("SELECT sum(words) FROM documents")
    rows = ask(figurative, sort="surprise").dicts()
    surprises = [row["surprise"] for row in rows]
    assert surprises == sorted(surprises, reverse=True)
    for row in rows:
        bits = -math.log2((row["uses"] or row["count"]) / words)
        assert 0 < row["surprise"] <= bits + 0.005


def test_figures_and_lines_are_ordered_by_novelty(figurative: IndexedCorpus) -> None:
    novelties = [row["novelty"] for row in ask(figurative, sort="novelty").dicts()]
    known = [one for one in novelties if one is not None]
    assert known == sorted(known, reverse=True)
    assert novelties[: len(known)] == known
    lines = answer(figurative, make_query("concordance", {"metaphors": True, "sort": "novelty"}))
    told = [row["novelty"] for row in lines.dicts()]
    assert told == sorted(told, reverse=True)


def test_figures_are_ordered_by_surprise_where_novelty_is_unknown(
    without_novelty: IndexedCorpus,
) -> None:
    surprises = [row["surprise"] for row in ask(without_novelty, sort="surprise").dicts()]
    by_novelty = ask(without_novelty, sort="novelty")
    assert [row["surprise"] for row in by_novelty.dicts()] == surprises
    assert "does not say how novel" in by_novelty.notes[0]
    assert "ordered by surprise instead" in by_novelty.notes[0]


def test_lines_are_ordered_by_score_where_novelty_is_unknown(
    without_novelty: IndexedCorpus,
) -> None:
    fields = {"metaphors": True, "rows": 4}
    found = answer(without_novelty, make_query("concordance", {**fields, "sort": "novelty"}))
    assert (
        found.rows
        == answer(without_novelty, make_query("concordance", {**fields, "sort": "score"})).rows
    )
    assert "ordered by score instead" in found.notes[0]
    assert "--sort novelty" in found.command


def test_names_are_listed_where_they_were_looked_for(
    small_corpus: IndexedCorpus, figurative: IndexedCorpus
) -> None:
    with pytest.raises(BadInput, match=r"trope detect .* --with relations,metonymy"):
        ask(small_corpus, kind="metonymy")
    assert any("names were not looked for" in note for note in ask(small_corpus).notes)
    assert not any("names" in note for note in ask(figurative).notes)


def test_figures_are_drawn_whether_or_not_they_have_a_rate(
    figurative: IndexedCorpus, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    from trope.workbench.corpus.table import draw_table

    for kind, title in (("metaphor", "Share of metaphors"), ("idiom", ">Uses<"), ("all", ">Uses<")):
        path = tmp_path / f"{kind}.svg"
        draw_table(ask(figurative, kind=kind), path)
        drawn = path.read_text()
        assert title in drawn
        if kind != "metaphor":
            assert "spill the beans" in drawn


@pytest.mark.parametrize(
    ("view", "options"),
    [
        ("keyness", "by=source&part=Herald&rows=5"),
        ("collocates", "lemma=ate&min_count=1&rows=5"),
        ("ngrams", "size=2&min_count=2&rows=5"),
    ],
)
def test_comparisons_and_neighbours_have_plots(
    corpus_bench: CorpusBench, view: str, options: str
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    status, _, drawn = corpus_bench.bench.ask("GET", f"/corpus/{view}?{options}&format=svg")
    assert status == 200
    status, page = corpus_bench.get(f"/corpus/{view}?{options}")
    (command,) = re.findall(r'<code id="command"[^>]*>(.*?)</code>', page)
    first = corpus_bench.table(html.unescape(command))[0]
    assert html.escape(str(next(iter(first.values())))) in drawn.decode()


@pytest.mark.parametrize(
    ("view", "options", "said"),
    [
        ("rates", "by=source", "Metaphors are content words."),
        ("rates", "by=date&period=year&words=all", "Metaphors are words of every class."),
        ("figures", "kind=metaphor", "Metaphors are content words."),
        (
            "keyness",
            "by=source&part=Herald",
            "Above 0: more frequent in Herald than in all other texts",
        ),
        (
            "keyness",
            "by=source&part=Herald&against=Gazette",
            "Above 0: more frequent in Herald than in Gazette",
        ),
    ],
)
def test_plots_say_what_they_count_and_compare(
    corpus_bench: CorpusBench, view: str, options: str, said: str
) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (trope[plots])")
    status, _, drawn = corpus_bench.bench.ask("GET", f"/corpus/{view}?{options}&format=svg")
    assert status == 200
    assert f">{said}<" in drawn.decode()


def test_a_page_and_its_links_keep_the_words_that_count(corpus_bench: CorpusBench) -> None:
    status, page = corpus_bench.get("/corpus/figures?words=all&rows=5")
    assert status == 200
    assert "<option selected>all</option>" in page
    links = [html.unescape(one) for one in re.findall(r'href="(/corpus/[^"]*)"', page)]
    assert len(links) > 15
    for link in links:
        assert parse_qs(urlsplit(link).query)["words"] == ["all"], link
    (command,) = re.findall(r'<code id="command"[^>]*>(.*?)</code>', page)
    assert "--words all" in command
    assert "Metaphors are words of every class (<code>--words all</code>)" in page
    printed = corpus_bench.table(html.unescape(command))
    shown = json.loads(corpus_bench.get("/corpus/figures?words=all&rows=5&format=json")[1])
    assert shown["rows"] == printed
    by_content = json.loads(corpus_bench.get("/corpus/figures?rows=5&format=json")[1])
    assert by_content["word_view"] != shown["word_view"] == "all"
    for path in ("/corpus/?words=all", "/corpus/text/1?words=all", "/corpus/concordance?words=all"):
        status, page = corpus_bench.get(path)
        assert status == 200
        assert 'href="/corpus/rates?words=all"' in page
        assert "<option selected>all</option>" in page


def test_programs_choose_the_words_that_count(corpus_bench: CorpusBench) -> None:
    rates = {}
    for words in ("all", "content"):
        status, answered = corpus_bench.bench.call("query", view="rates", by="source", words=words)
        assert status == 200
        assert answered["word_view"] == words
        assert answered["rows"] == corpus_bench.table(answered["command"])
        rates[words] = answered["all"]["metaphors"]
    assert rates["all"] >= rates["content"] > 0


def test_words_that_do_not_exist_are_refused(corpus_bench: CorpusBench) -> None:
    status, page = corpus_bench.get("/corpus/rates?words=%22%3E%3Cscript%3E")
    assert status == 400
    assert "<script>" not in page
    assert "noticed, content, all" in page


def test_an_index_that_takes_long_is_not_built_while_a_page_waits(
    small_corpus: IndexedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "_QUICK_WORDS", 10)
    with pytest.raises(BadInput, match=r"build it in a terminal: trope query .* --words all"):
        small_corpus.counted_by("all", index=tmp_path, quickly=True)
    small_corpus.counted_by("all", index=tmp_path, quickly=False).close()
    small_corpus.counted_by("all", index=tmp_path, quickly=True).close()
    with pytest.raises(UnknownName, match="content"):
        small_corpus.counted_by("most", index=tmp_path, quickly=True)
