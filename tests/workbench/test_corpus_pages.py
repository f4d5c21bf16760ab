"""The pages of the corpus over HTTP: files, permanent links, and everything that is refused."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from benches import Bench, bench
from corpus_bench import CorpusBench, corpus_bench
from corpus_fixtures import corpus_folder, corpus_rows, corpus_table, small_corpus

PAGES = {
    "rates": "/corpus/rates?by=source",
    "rates over time": "/corpus/rates?by=date&period=month&where=source%3DHerald",
    "figures": "/corpus/figures?sort=rate&where=source%3DHerald",
    "verbs": "/corpus/verbs?min_uses=2",
    "keyness": "/corpus/keyness?by=source&part=Herald&min_count=2&metaphors=true",
    "collocates": "/corpus/collocates?lemma=ate&min_count=1&uses=metaphors",
    "objects": "/corpus/collocates?lemma=ate&near=object&min_count=1",
    "concordance": "/corpus/concordance?lemma=ate&sort=left&rows=7&page=2&context=4",
    "relations": "/corpus/concordance?object=time&relations=true",
    "features": "/corpus/features?where=source%3DHerald&rows=5",
    "sketch": "/corpus/sketch?lemma=ate",
    "n-grams": "/corpus/ngrams?size=2&min_count=2",
    "dispersion": "/corpus/dispersion?lemma=time&rows=5",
    "by a column": "/corpus/concordance?lemma=ate&sort=column&by=date",
    "key figures": "/corpus/keyness?by=source&part=Herald&of=figures&min_count=1",
    "trend": "/corpus/trend?by=date&period=month&min_count=5",
    "text": "/corpus/text/3?at=0",
}


def command_of(page: str) -> str:
    found = re.search(r'<code id="command"[^>]*>(.*?)</code>', page)
    assert found
    return html.unescape(found[1])


@pytest.mark.parametrize("name", PAGES)
def test_files_of_a_page_are_those_of_its_command(corpus_bench: CorpusBench, name: str) -> None:
    status, page = corpus_bench.get(PAGES[name])
    assert status == 200
    command = command_of(page)
    for form in ("csv", "json"):
        link = re.search(rf'href="(\?[^"]*format={form}[^"]*)"', page)
        assert link
        address = PAGES[name].partition("?")[0] + html.unescape(link[1])
        status, headers, content = corpus_bench.bench.ask("GET", address)
        assert status == 200
        assert headers["content-disposition"].startswith("attachment")
        assert content.decode() == corpus_bench.run(command, "--format", form)


def test_every_page_is_reached_without_a_script(corpus_bench: CorpusBench) -> None:
    seen, left = set(), {"/corpus/"}
    while left:
        path = left.pop()
        seen.add(path)
        status, page = corpus_bench.get(path)
        assert status == 200, path
        links = {
            html.unescape(link)
            for link in re.findall(r'href="(/corpus/[^"#]*)"(?! download)', page)
        }
        left |= {link for link in links if link not in seen and len(seen) < 60}
    assert len(seen) > 20


def test_empty_forms_show_themselves(corpus_bench: CorpusBench) -> None:
    for view in ("keyness", "collocates", "concordance", "sketch", "dispersion", "trend"):
        status, page = corpus_bench.get(f"/corpus/{view}")
        assert status == 200
        assert 'id="command"' not in page


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("concordance?regex=((", "'((' is not a regular expression"),
        ("concordance?lemma=x&rows=none", "Lines per page must be a whole number, you gave 'none'"),
        ("keyness?by=source&part=Herald&min_count=abc", "Minimum count must be a whole number"),
        ("concordance?lemma=x&page=0", "Page must be at least 1, you gave '0'"),
        ("concordance?sort=left", "The search is empty"),
        ("concordance?lemma=x&colour=red", "Colour is not a field"),
        ("rates?by=colour", "No column is called 'colour'"),
        ("rates?where=Herald", "'Herald' is not a condition"),
        ("collocates?lemma=zebra", "'zebra' is not a lemma of this corpus"),
        ("collocates?lemma=ate&window=99", "Words on either side must be at most 20"),
        ("figures?min_count=abc", "Minimum count must be a whole number"),
        ("keyness?by=source&part=None", "No texts with words have the source 'None'"),
        (f"concordance?regex={'x' * 300}", "Regular expression must have at most 200 characters"),
    ],
)
def test_bad_questions_are_answered_beside_the_form(
    corpus_bench: CorpusBench, path: str, words: str
) -> None:
    status, page = corpus_bench.get(f"/corpus/{path}")
    assert status == 400
    assert words in html.unescape(page)
    assert "<form" in page


def test_markup_and_sql_are_text(corpus_bench: CorpusBench) -> None:
    for evil in ("<script>alert(1)</script>", "x' OR 1=1; DROP TABLE words; --"):
        for field in ("lemma", "form", "object", "regex"):
            _, page = corpus_bench.get(f"/corpus/concordance?{urlencode({field: evil})}")
            assert "<script>alert" not in page
        _, page = corpus_bench.get(f"/corpus/rates?where={quote('source=' + evil)}")
        assert "<script>alert" not in page
    assert corpus_bench.get("/corpus/concordance?lemma=ate")[0] == 200


def test_pages_that_there_are_not(corpus_bench: CorpusBench) -> None:
    assert corpus_bench.get("/corpus/text/61")[0] == 400
    assert corpus_bench.get(f"/corpus/text/{10**30}")[0] == 400
    assert corpus_bench.get("/corpus/text/0")[0] == 400
    assert corpus_bench.get("/corpus/sql")[0] == 404
    assert corpus_bench.get("/corpus/rates?by=source&format=xml")[0] == 400
    assert corpus_bench.bench.ask("POST", "/corpus/rates")[0] in (403, 405)
    assert corpus_bench.bench.ask("GET", "/corpus/send")[0] == 405


def test_a_page_has_so_many_rows_at_most(corpus_bench: CorpusBench) -> None:
    _, page = corpus_bench.get("/corpus/concordance?regex=.&rows=9000")
    assert page.count('name="line"') == 500
    assert "--rows 500" in command_of(page)


def test_selections_do_not_come_from_other_sites(corpus_bench: CorpusBench) -> None:
    body = urlencode({"query": "lemma=ate", "which": "all", "name": "stolen"}).encode()
    kind = "application/x-www-form-urlencoded"
    status, _, _ = corpus_bench.bench.ask("POST", "/corpus/send", body, Content_Type=kind)
    assert status == 403
    assert not (corpus_bench.projects / "stolen").exists()


def test_without_a_corpus_the_way_to_one_is_told(bench: Bench) -> None:
    status, _, content = bench.ask("GET", "/corpus/bring")
    assert bench.ask("GET", "/corpus/")[1]["location"] == "/corpus/bring"
    assert status == 200
    assert b"trope detect news.csv --out news.parquet" in content
    status, _, content = bench.ask("GET", "/corpus/rates")
    assert status == 404
    assert b"trope serve FOLDER" in content
