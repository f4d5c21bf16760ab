"""Every view of a corpus against a look at all of its texts, and against `analyze --summary`."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import ALL, NOUNS, SOURCES, VERBS, Row, detect, opened, read_by_rule, trope

from trope.core.records import is_word
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import CorpusTable, to_dict
from trope.workbench.corpus.views import answer


def ask(corpus: IndexedCorpus, view: str, **fields: Any) -> CorpusTable:
    return answer(corpus, make_query(view, fields))


def summary(table: Path, *options: str) -> Any:
    with read_by_rule():
        done = trope("analyze", table, "--summary", "--json", *options)
    return json.loads(done.stdout)["metaphor"]


def test_rates_are_those_of_analyze_summary(
    small_corpus: IndexedCorpus, corpus_table: Path
) -> None:
    said = summary(corpus_table, "--by", "source")
    found = to_dict(ask(small_corpus, "rates", by="source"))
    assert [
        (g["name"], g["texts"], g["sentences"], g["words"], g["metaphors"], *g["rate"].values())
        for g in said["groups"]
    ] == [tuple(row.values()) for row in found["rows"]]
    total = found["all"]
    assert [total[name] for name in ("rate", "low", "high")] == [*said["total"]["rate"].values()]
    assert total["words"] == said["total"]["words"]


def test_verbs_and_objects_are_those_of_analyze_summary(
    small_corpus: IndexedCorpus, corpus_table: Path
) -> None:
    said = summary(corpus_table)["verbs"]
    found = to_dict(ask(small_corpus, "verbs"))["rows"]
    assert said
    assert [
        {"lemma": v["verb"], "count": v["uses"], "metaphors": v["metaphors"],
         "rate": {"value": v["rate"], "low": v["low"], "high": v["high"]},
         "objects": v["objects"]}
        for v in found
    ] == said  # fmt: skip


def test_verbs_of_some_texts(small_corpus: IndexedCorpus, corpus_rows: list[Row]) -> None:
    for conditions in (["source=Herald"], ["date=2019"], ["source=Herald", "date=2019-02"]):
        chosen = [
            row.analysis
            for row in corpus_rows
            if ("source=Herald" not in conditions or row.source == "Herald")
            and ("date=2019" not in conditions or row.date.startswith("2019"))
            and ("date=2019-02" not in conditions or row.date.startswith("2019-02"))
        ]
        uses = Counter(
            (t.lemma, a.is_metaphor(at))
            for a in chosen
            for at, t in enumerate(a.tokens)
            if t.upos == "VERB"
        )
        found = ask(small_corpus, "verbs", where=conditions).dicts()
        assert {v["verb"]: (v["uses"], v["metaphors"]) for v in found} == {
            lemma: (times + uses[lemma, False], times)
            for (lemma, metaphor), times in uses.items()
            if metaphor
        }
    least = ask(small_corpus, "verbs", min_uses=9).dicts()
    assert least
    assert all(verb["uses"] >= 9 for verb in least)


@pytest.mark.parametrize(("period", "length"), [("day", 10), ("month", 7), ("year", 4)])
def test_rates_over_time(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], period: str, length: int
) -> None:
    words: Counter[str] = Counter()
    for row in corpus_rows:
        words[row.date[:length]] += sum(is_word(t.text) for t in row.analysis.tokens)
    found = ask(small_corpus, "rates", by="date", period=period)
    assert [(row["group"], row["words"]) for row in found.dicts()] == sorted(words.items())
    assert found.about["date"]


def test_rates_choose_a_period_and_pages(small_corpus: IndexedCorpus) -> None:
    every = ask(small_corpus, "rates", by="date")
    assert every.about["period"] == "day"
    assert every.command.endswith("rates --by date --period day")
    paged = [ask(small_corpus, "rates", by="date", rows=4, page=page) for page in range(1, 9)]
    assert [row for page in paged for row in page.rows] == every.rows[:32]
    assert ask(small_corpus, "rates", by="date", page=99).rows == []
    by_words = [
        row["words"] for row in ask(small_corpus, "rates", by="source", sort="words").dicts()
    ]
    assert by_words == sorted(by_words, reverse=True)


@pytest.mark.parametrize("metaphors", [False, True])
@pytest.mark.parametrize("against", ["", "Gazette"])
def test_keyness_by_hand(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], against: str, metaphors: bool
) -> None:
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    sizes: Counter[bool] = Counter()
    for row in corpus_rows:
        if row.source != "Herald" and against and row.source != against:
            continue
        analysis, part = row.analysis, row.source == "Herald"
        for at, token in enumerate(analysis.tokens):
            if is_word(token.text):
                sizes[part] += 1
                counts[part][token.lemma] += analysis.is_metaphor(at) if metaphors else 1
    options = {"against": against, "metaphors": metaphors, "min_count": 3}
    found = ask(small_corpus, "keyness", by="source", part="Herald", **options)
    assert (found.about["words"], found.about["other_words"]) == (sizes[True], sizes[False])
    both = counts[True] + counts[False]
    assert {row["lemma"] for row in found.dicts()} == {w for w in both if both[w] >= 3}
    for row in found.dicts():
        a, b = counts[True][row["lemma"]], counts[False][row["lemma"]]
        assert (row["count"], row["other_count"]) == (a, b)
        assert row["log_likelihood"] == pytest.approx(likelihood(a, b, *by_part(sizes)), abs=6e-4)
        ratio = (max(a, 0.5) / sizes[True]) / (max(b, 0.5) / sizes[False])
        assert row["log_ratio"] == pytest.approx(math.log2(ratio), abs=6e-4)
        assert row["direction"] == ("more" if a * sizes[False] > b * sizes[True] else "less")
    likelihoods = [row["log_likelihood"] for row in found.dicts()]
    assert likelihoods == sorted(likelihoods, reverse=True)
    more = ask(small_corpus, "keyness", by="source", part="Herald", direction="more", **options)
    assert more.rows == [row for row in found.rows if row[1] == "more"]


def by_part(sizes: Counter[bool]) -> tuple[int, int]:
    return sizes[True], sizes[False]


def likelihood(a: int, b: int, c: int, d: int) -> float:
    """2 Σ O ln(O / E) over the four cells, one after the other."""
    cells = [(a, c * (a + b)), (b, d * (a + b)), (c - a, c * (c + d - a - b))]
    cells.append((d - b, d * (c + d - a - b)))
    return 2 * sum(o * math.log(o * (c + d) / e) for o, e in cells if o)


def test_keyness_of_dates_and_of_some_texts(small_corpus: IndexedCorpus) -> None:
    year = ask(small_corpus, "keyness", by="date", part="2019", min_count=1)
    rest = ask(small_corpus, "keyness", by="date", part="2019", against="2018", min_count=1)
    assert year.about["words"] == rest.about["words"]
    assert year.about["other_words"] > rest.about["other_words"]
    some = ask(small_corpus, "keyness", by="date", part="2019", where=["source=Herald"])
    assert some.about["words"] < year.about["words"]


def hits(rows: list[Row], fields: dict[str, Any]) -> list[tuple[int, int]]:
    """Where the words stand that a concordance is asked for, by looking at every one."""
    found = []
    for number, row in enumerate(rows, start=1):
        if fields.get("where") and row.source != fields["where"][0].removeprefix("source="):
            continue
        for at, token in enumerate(row.analysis.tokens):
            if (
                token.lemma == fields.get("lemma", token.lemma).lower()
                and token.text.lower() == fields.get("form", token.text).lower()
                and token.upos == fields.get("upos", token.upos)
                and re.search(fields.get("regex", ""), token.text)
                and fields.get("min_score", 0) <= (token.metaphor or 0)
                and (token.metaphor or 0) <= fields.get("max_score", 1)
                and (not fields.get("metaphors") or row.analysis.is_metaphor(at))
            ):
                found.append((number, at))
    return found


FIELDS = st.fixed_dictionaries(
    {"sort": st.sampled_from(["place", "left", "right", "score"])},
    optional={
        "lemma": st.sampled_from([*NOUNS, *VERBS]).map(str.lower),
        "form": st.sampled_from([*NOUNS, *VERBS]),
        "regex": st.sampled_from(["^[a-t]", "e$", "(?i)^r", "[^a-z]", "."]),
        "upos": st.sampled_from(["VERB", "NOUN"]),
        "where": st.sampled_from(SOURCES[:3]).map(lambda source: [f"source={source}"]),
        "metaphors": st.just(True),
        "min_score": st.sampled_from([0.1, 0.5, 0.72, 0.93]),
        "max_score": st.sampled_from([0.1, 0.72, 0.93]),
    },
).filter(lambda fields: len(fields) > 1)


@given(fields=FIELDS)
def test_concordance_finds_what_reading_everything_finds(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], fields: dict[str, Any]
) -> None:
    wanted = hits(corpus_rows, fields)
    found = ask(small_corpus, "concordance", **fields, rows=2_000, context=3)
    assert found.about["total"] == len(wanted) == len(found.rows)
    lines = found.dicts()
    tokens = [corpus_rows[number - 1].analysis.tokens for number, _ in wanted]
    spots = {
        (number, here[at].start): (here, at)
        for (number, at), here in zip(wanted, tokens, strict=True)
    }
    assert {(line["text"], line["start"]) for line in lines} == set(spots)
    keys = []
    for line in lines:
        here, at = spots[line["text"], line["start"]]
        text = corpus_rows[line["text"] - 1].text
        left, right = here[max(0, at - 3)].start, here[min(len(here) - 1, at + 3)].end
        assert line["left"] == " ".join(text[left : line["start"]].split())
        assert line["right"] == " ".join(text[line["end"] : right].split())
        assert (line["word"], line["score"]) == (here[at].text, here[at].metaphor)
        before = [t.text.lower() for t in reversed(here[max(0, at - 3) : at])]
        after = [t.text.lower() for t in here[at + 1 : at + 4]]
        order = {"place": [], "left": before, "right": after, "score": [-(line["score"] or 0)]}
        keys.append((order[fields["sort"]], line["text"], line["start"]))
    assert keys == sorted(keys)


def test_concordance_of_relations(small_corpus: IndexedCorpus, corpus_rows: list[Row]) -> None:
    wanted = Counter(
        (number, tokens[r.verb].start, tokens[r.subject].text, tokens[r.object].text)
        for number, row in enumerate(corpus_rows, start=1)
        for tokens in [row.analysis.tokens]
        for r in row.analysis.relations
        if r.kept and r.object is not None and r.subject is not None
    )
    every = ask(small_corpus, "concordance", relations=True, rows=2_000).dicts()
    assert Counter((x["text"], x["start"], x["subject"], x["object"]) for x in every) == wanted
    eaten = ask(small_corpus, "concordance", lemma="ate", object="Time", rows=2_000)
    assert eaten.about["total"] == sum(
        x["lemma"] == "ate" and x["object"].lower() == "time" for x in every
    )
    assert eaten.about["total"] > 0
    by_rain = ask(small_corpus, "concordance", subject="rain").about["total"]
    assert by_rain == sum(x["subject"] == "Rain" for x in every)


def test_pages_of_a_concordance_are_the_whole(small_corpus: IndexedCorpus) -> None:
    fields = {"upos": "NOUN", "sort": "right"}
    whole = ask(small_corpus, "concordance", **fields, rows=500)
    pages = [ask(small_corpus, "concordance", **fields, rows=50, page=n) for n in range(1, 10)]
    assert [row for page in pages for row in page.rows] == whole.rows[:450]


def test_a_text_word_by_word(small_corpus: IndexedCorpus, corpus_rows: list[Row]) -> None:
    found = ask(small_corpus, "text", text=3)
    row = corpus_rows[2]
    assert found.about["text"] == row.text
    assert found.about["fields"]["source"] == row.source
    assert [(w["word"], w["start"], w["end"], w["upos"], w["score"]) for w in found.dicts()] == [
        (t.text, t.start, t.end, t.upos, t.metaphor) for t in row.analysis.tokens
    ]
    assert [w["metaphor"] for w in found.dicts()] == [
        row.analysis.is_metaphor(at) for at in range(len(found.rows))
    ]


VIEWS: list[tuple[str, dict[str, Any]]] = [
    ("rates", {"by": "source"}),
    ("rates", {"by": "date", "period": "month", "where": ["source=Herald"]}),
    ("verbs", {"where": ["source=Herald"]}),
    ("keyness", {"by": "source", "part": SOURCES[2], "min_count": 2}),
    ("concordance", {"lemma": "ate", "sort": "left"}),
    ("concordance", {"object": "roads"}),
    ("text", {"text": 5}),
]


@pytest.mark.parametrize(("view", "fields"), VIEWS)
def test_lines_of_json_give_the_tables_of_parquet(
    corpus_table: Path,
    small_corpus: IndexedCorpus,
    tmp_path: Path,
    view: str,
    fields: dict[str, Any],
) -> None:
    folder = detect(corpus_table, tmp_path / "news", *ALL)
    assert len(list(folder.glob("part-*.jsonl"))) > 3
    with opened(folder, tmp_path / "index") as corpus:
        assert ask(corpus, view, **fields).rows == ask(small_corpus, view, **fields).rows


def test_texts_that_were_not_kept_are_put_together(
    corpus_table: Path, small_corpus: IndexedCorpus, corpus_rows: list[Row], tmp_path: Path
) -> None:
    folder = detect(corpus_table, tmp_path / "news.parquet", "--columns", "source,date", "--tokens")
    with opened(folder, tmp_path / "index") as corpus:
        shown = ask(corpus, "text", text=3)
        assert shown.about["text"] == corpus_rows[2].text.replace("\n", " ")
        assert "rebuilt from its tokens" in shown.notes[0]
        fields = {"lemma": "ate", "sort": "right"}
        told = ask(small_corpus, "concordance", **fields)
        assert ask(corpus, "concordance", **fields).rows == told.rows


def test_odd_names_of_folders_and_columns(tmp_path: Path) -> None:
    odd = 'it\'s "odd" = [*]'
    table = tmp_path / "news.jsonl"
    lines = [{"text": "Rain ate roads.", odd: value} for value in ("a=b", "c'd", "")]
    table.write_text("\n".join(map(json.dumps, lines)))
    for name in ("it's [1] *.parquet", "[a]?"):
        options = ("--columns", f"text,{odd}", "--tokens", "--with", "relations")
        folder = detect(table, tmp_path / name, *options)
        with opened(folder, tmp_path / "index 'of' it") as corpus:
            assert sorted(row[0] for row in ask(corpus, "rates", by=odd).rows) == ["", "a=b", "c'd"]
            found = ask(corpus, "concordance", lemma="ate", where=[f"{odd}=a=b"])
            assert [(row["id"], row[odd]) for row in found.dicts()] == [(f"{table}:1", "a=b")]


def test_a_column_that_only_looks_like_the_text_is_no_text(tmp_path: Path) -> None:
    table = tmp_path / "news.csv"
    table.write_text("text,title\nRain ate roads.,Weather\nWind bent trees.,Weather\n")
    options = ("--columns", "title", "--tokens")
    with opened(detect(table, tmp_path / "out", *options), tmp_path / "index") as corpus:
        assert ask(corpus, "text", text=1).about["text"] == "Rain ate roads."
        assert [row[0] for row in ask(corpus, "rates", by="title").rows] == ["Weather"]
