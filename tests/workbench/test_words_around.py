"""Sketches, n-grams, dispersion and the order of lines against a look at all texts."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import math
import re
from collections import Counter
from typing import Any

import pytest
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus
from small_corpus import Row

from trope.core.errors import BadInput, TropeError
from trope.core.records import is_word
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import make_query
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.corpus.views import answer

HERALD = ["source=Herald"]


def ask(corpus: IndexedCorpus, view: str, **fields: Any) -> CorpusTable:
    return answer(corpus, make_query(view, {"rows": 5000, **fields}))


def chosen(rows: list[Row], where: list[str]) -> list[Row]:
    return [row for row in rows if not where or row.source == "Herald"]


@pytest.mark.parametrize("where", [[], HERALD])
@pytest.mark.parametrize("lemma", ["", "time", "é"])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_ngrams_are_the_sequences_of_words(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], size: int, lemma: str, where: list[str]
) -> None:
    counts: Counter[str] = Counter()
    metaphors: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    words = 0
    for row in chosen(corpus_rows, where):
        found = row.analysis
        words += sum(is_word(token.text) for token in found.tokens)
        seen = set()
        for at in range(len(found.tokens) - size + 1):
            part = found.tokens[at : at + size]
            lemmas = [token.lemma.lower() for token in part]
            if not all(is_word(token.text) for token in part) or (lemma and lemma not in lemmas):
                continue
            said = " ".join(token.text.lower() for token in part)
            seen.add(said)
            counts[said] += 1
            metaphors[said] += any(map(found.is_metaphor, range(at, at + size)))
        texts.update(seen)
    table = ask(small_corpus, "ngrams", size=size, lemma=lemma, where=where, min_count=2)
    rows = table.dicts()
    kept = {said: n for said, n in counts.items() if n > 1}
    assert {row["ngram"]: row["count"] for row in rows} == kept
    assert [row["count"] for row in rows] == sorted(kept.values(), reverse=True)
    for row in rows:
        assert row["metaphors"] == metaphors[row["ngram"]]
        assert row["texts"] == texts[row["ngram"]]
        assert row["per_million"] == pytest.approx(row["count"] / words * 1e6, abs=0.006)
    some = ask(small_corpus, "ngrams", size=size, lemma=lemma, where=where, min_count=2,
               metaphors=True)  # fmt: skip
    assert {row["ngram"] for row in some.dicts()} == {said for said in kept if metaphors[said]}


def pairs(rows: list[Row], role: str) -> list[tuple[str, str, bool]]:
    """The verb, the lemma of the role and whether the verb is a metaphor, of all relations."""
    found = []
    for row in rows:
        analysis = row.analysis
        kept = {}
        for one in analysis.relations:
            if one.kept and one.object is not None:
                kept.setdefault((one.verb, one.object), set()).add(one.subject)
        for (verb, thing), subjects in kept.items():
            place = thing if role == "object" else max(s for s in (*subjects, -1) if s is not None)
            if place >= 0:
                lemmas = [analysis.tokens[at].lemma.lower() for at in (verb, place)]
                found.append((lemmas[0], lemmas[1], analysis.is_metaphor(verb)))
    return found


@pytest.mark.parametrize("where", [[], HERALD])
@pytest.mark.parametrize("role", ["object", "subject"])
@pytest.mark.parametrize("verb", ["ate", "take"])
def test_sketches_have_both_kinds_of_uses_side_by_side(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], verb: str, role: str, where: list[str]
) -> None:
    every = pairs(chosen(corpus_rows, where), role)
    totals = Counter(word for _, word, _ in every)
    sides = [Counter(w for v, w, m in every if v == verb and m is kind) for kind in (True, False)]
    sizes = [sum(side.values()) for side in sides]
    table = ask(small_corpus, "sketch", lemma=verb, role=role, where=where)
    assert [table.about[f"{role}_{side}"] for side in ("metaphors", "others")] == sizes
    assert {row["lemma"] for row in table.dicts()} == set(sides[0]) | set(sides[1])
    for row in table.dicts():
        a, b = (side[row["lemma"]] for side in sides)
        assert (row["role"], row["metaphors"], row["others"]) == (role, a, b)
        for n, size, name in ((a, sizes[0], "metaphors"), (b, sizes[1], "others")):
            dice = 14 + math.log2(2 * n / (size + totals[row["lemma"]])) if n else None
            assert row[f"log_dice_{name}"] == (
                None if dice is None else pytest.approx(dice, abs=6e-4)
            )
        if not all(sizes):
            assert row["log_ratio"] is row["log_likelihood"] is None
            continue
        ratio = math.log2(max(a, 0.5) / sizes[0]) - math.log2(max(b, 0.5) / sizes[1])
        assert row["log_ratio"] == pytest.approx(ratio, abs=6e-4)


@pytest.mark.parametrize(
    ("view", "fields", "note"),
    [
        ("sketch", {"lemma": "rain"}, "no kept relation has the verb 'rain'"),
        ("collocates", {"lemma": "rain", "near": "object"}, "no kept relation has the verb 'rain'"),
        ("sketch", {"lemma": "ate", "min_count": 999}, ""),
        ("collocates", {"lemma": "rain", "min_count": 999}, ""),
        ("rates", {"where": ["source=Heralt"]}, "the source 'Heralt'; .* such as 'Herald'"),
        ("ngrams", {"where": ["date=2019", "source=X"]}, "the source 'X'; choose another value"),
        ("concordance", {"lemma": "nowhere"}, ""),
    ],
)
def test_an_empty_table_says_what_to_change(
    small_corpus: IndexedCorpus, view: str, fields: dict[str, Any], note: str
) -> None:
    table = ask(small_corpus, view, **fields)
    assert table.rows == []
    assert len(table.notes) == bool(note)
    assert re.search(note, "".join(table.notes))


def test_sketches_are_ordered_within_a_role(small_corpus: IndexedCorpus) -> None:
    both = ask(small_corpus, "sketch", lemma="ate", min_count=2).dicts()
    assert [row["role"] for row in both] == sorted(row["role"] for row in both)
    assert {row["role"] for row in both} == {"object", "subject"}
    assert all(row["metaphors"] + row["others"] >= 2 for row in both)
    for sort, sign in (("metaphors", -1), ("others", 1)):
        rows = ask(small_corpus, "sketch", lemma="ate", role="object", sort=sort).dicts()
        ratios = [sign * row["log_ratio"] for row in rows]
        assert ratios == sorted(ratios)


@pytest.mark.parametrize("where", [[], HERALD])
@pytest.mark.parametrize("uses", ["all", "metaphors", "others"])
@pytest.mark.parametrize("lemma", ["ate", "time"])
def test_dispersion_is_that_of_the_texts(
    small_corpus: IndexedCorpus, corpus_rows: list[Row], lemma: str, uses: str, where: list[str]
) -> None:
    wanted = {"all": (True, False), "metaphors": (True,), "others": (False,)}[uses]
    counts, sizes, places = [], [], {}
    for row in chosen(corpus_rows, where):
        found = row.analysis
        hits = [
            (at, found.is_metaphor(at))
            for at, token in enumerate(found.tokens)
            if token.lemma.lower() == lemma and found.is_metaphor(at) in wanted
        ]
        counts.append(len(hits))
        sizes.append(sum(is_word(token.text) for token in found.tokens))
        if hits:
            places[row.id] = [
                [round(at / len(found.tokens), 3) for at, metaphor in hits if metaphor is kind]
                for kind in (True, False)
            ]
    table = ask(small_corpus, "dispersion", lemma=lemma, uses=uses, where=where)
    rows, about = table.dicts(), table.about
    assert {row["id"]: [row["places"], row["other_places"]] for row in rows} == places
    assert [row["count"] for row in rows] == sorted(filter(None, counts), reverse=True)
    assert (about["uses"], about["texts"], about["all_texts"]) == (
        sum(counts), len(places), len(counts),
    )  # fmt: skip
    if not sum(counts):
        assert about["dp"] is None
        return
    shares = [size / sum(sizes) for size in sizes]
    dp = sum(abs(n / sum(counts) - s) for n, s in zip(counts, shares, strict=True)) / 2
    assert about["dp"] == pytest.approx(dp, abs=6e-5)
    assert about["dp_norm"] == pytest.approx(dp / (1 - min(shares)), abs=6e-5)
    mean = sum(counts) / sum(sizes)
    rates = [n / size for n, size in zip(counts, sizes, strict=True)]
    spread = sum(s * (rate - mean) ** 2 for s, rate in zip(shares, rates, strict=True)) ** 0.5
    assert about["d"] == pytest.approx(1 - spread / mean / (len(sizes) - 1) ** 0.5, abs=6e-5)


def test_dispersion_in_other_orders(small_corpus: IndexedCorpus) -> None:
    rates = [
        r["per_thousand"]
        for r in ask(small_corpus, "dispersion", lemma="time", sort="rate").dicts()
    ]
    assert rates == sorted(rates, reverse=True)
    numbers = [
        r["text"] for r in ask(small_corpus, "dispersion", lemma="time", sort="place").dicts()
    ]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("relations", [False, True])
def test_lines_can_be_ordered_by_a_column(small_corpus: IndexedCorpus, relations: bool) -> None:
    table = ask(small_corpus, "concordance", lemma="ate", sort="column", by="date",
                relations=relations)  # fmt: skip
    dates = [row["date"] for row in table.dicts()]
    assert dates == sorted(dates)
    assert len(set(dates)) > 3
    for wrong in ({"sort": "column"}, {"by": "date"}):
        with pytest.raises(BadInput, match="--sort column needs a column"):
            ask(small_corpus, "concordance", lemma="ate", **wrong)


@pytest.mark.parametrize(
    ("view", "fields", "words"),
    [
        ("sketch", {"lemma": "qwerty"}, "'qwerty' is not a lemma of this corpus"),
        ("dispersion", {"lemma": "qwerty"}, "'qwerty' is not a lemma of this corpus"),
        ("ngrams", {"lemma": "qwerty"}, "'qwerty' is not a lemma of this corpus"),
        ("ngrams", {"size": 5}, "size must be at most 4"),
        ("ngrams", {"min_count": 1}, "min_count must be at least 2"),
        ("sketch", {}, "lemma is missing"),
        ("concordance", {"lemma": "ate", "sort": "column", "by": "colour"}, "no column is called"),
    ],
)
def test_what_cannot_be_answered(
    small_corpus: IndexedCorpus, view: str, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(TropeError, match=words):
        ask(small_corpus, view, **fields)
