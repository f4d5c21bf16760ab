import base64
import hashlib
import io
import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import HEADLINE, TWO_SENTENCES, FakePipeline, with_metaphors
from trope.core.records import Analysis, Figure
from trope.render import Named
from trope.render.figures import (
    blocks,
    figure_words,
    marked_stretches,
    marks,
    paragraphs,
)
from trope.render.html import FRAGMENT_LIMIT, fragment, write_html
from trope.render.markup import printable, static_file
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

VOID = {"meta", "input", "br", "path"}
OPTIONAL_END = {"tr", "td", "th", "dt", "dd"}
ALLOWED = set(
    re.findall(
        r"\w+",
        """html head meta title style body header main footer h1 h2 h3 p dl dt dd div a aside ol
        table caption tbody tr td th meter small label input span article li details summary
        bdi svg path text code b output script fieldset legend select option""",
    )
)
TEXT = with_metaphors(
    replace(
        TWO_SENTENCES,
        text=TWO_SENTENCES.text.replace(". ", ".\n\n"),
        tokens=tuple(
            replace(token, start=token.start + 1, end=token.end + 1) if place > 7 else token
            for place, token in enumerate(TWO_SENTENCES.tokens)
        ),
        sentences=(
            TWO_SENTENCES.sentences[0],
            replace(TWO_SENTENCES.sentences[1], start=33, end=60),
        ),
    )
)


class Page(HTMLParser):
    """Tags, attributes and text of a page; complains of tags that do not close."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID | OPTIONAL_END:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID | OPTIONAL_END:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def page(*analyses: Analysis, **options: object) -> str:
    file = io.StringIO()
    write_html((("", analysis) for analysis in analyses), file, **options)  # type: ignore[arg-type]
    return file.getvalue()


def texts_data(source: str) -> list[dict[str, Any]]:
    """The data of the texts of a page."""
    return [
        json.loads(found) for found in re.findall(r'<script type="application/json">(.*?)<', source)
    ]


def test_page_is_well_formed_and_fetches_nothing() -> None:
    source = page(HEADLINE, TWO_SENTENCES)
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    for _, attributes in parsed.tags:
        assert not {"src", "action", "onclick", "style"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    inside = source.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"url\(|@import|https?://", inside)
    assert "default-src 'none'" in source


def test_text_is_prose_with_its_paragraphs_and_figures_in_place() -> None:
    source = page(TEXT)
    paragraphs = re.findall(r'<p dir="auto">(.*?)</p>', source)
    assert [Page(each).text for each in paragraphs] == [
        "The storm did not take a break.",
        "Rain ate away the old road!",
    ]
    assert re.search(r'<a class="f metaphor p9" id="f1-0" href="#l1-0"[^>]*>ate</a>', source)


def test_figures_are_listed_most_striking_first_and_lead_to_their_places() -> None:
    source = page(TEXT)
    assert re.findall(r'<li id="l1-\d".*?<a href="(.*?)"><bdi>(.*?)</bdi>', source) == [
        ("#f1-0", "ate"),
        ("#f1-1", "break"),
    ]
    assert "<h3>2 figures</h3>" in source
    ids = re.findall(r' id="([fl]\d+-\d+)"', source)
    links = re.findall(r'href="#(.*?)"', source)
    assert len(ids) == len(set(ids))
    assert set(links) <= set(ids)


def test_page_without_figures_has_no_filters() -> None:
    source = page(HEADLINE)
    assert 'id="least"' not in source
    assert 'class="found"' not in source
    assert 'id="classes"' in source


def test_candidates_open_under_the_paragraph_of_their_verb() -> None:
    at, first = TEXT.tokens[9], TEXT.tokens[0]
    candidates = (Candidate("<b>cuts", "cut", 1.0, 0.5, 0.75, 0.25, "…"),)
    found = [
        Rewriting(at.text, at.lemma, at.start, at.end, "literal", 0.9, candidates),
        Rewriting(first.text, first.lemma, first.start, first.end, "literal", 0.9, ()),
    ]
    source = page(TEXT, rewrite=lambda _: found)
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    assert source.count('<details class="rewriting">') == 1  # nothing opens on nothing
    opened = source.index('<details class="rewriting">')
    assert opened > source.rindex('<p dir="auto">')  # that of the second paragraph
    assert "&lt;b&gt;cuts" in source[opened:]
    assert f"Say {at.text} literally" in parsed.text


def test_statistics_count_and_name_the_reasons_and_verbs() -> None:
    text = Page(page(HEADLINE, TWO_SENTENCES)).text
    for wanted in ("texts2", "sentences3", "words23", "relations kept3", "relations left out1"):
        assert wanted in text
    assert "left out: light-verb1" in text
    assert "eat1road" in text
    assert "face1question" in text  # once, though it is in a pair and in a triplet


def test_nothing_is_drawn_before_it_is_asked_for() -> None:
    source = page(TWO_SENTENCES)
    assert "<svg" not in source
    assert "rejected" not in source.replace(static_file("pieces.css"), "")
    assert all(
        "open" not in attributes for tag, attributes in Page(source).tags if tag == "details"
    )


def test_scripts_of_the_page_are_allowed_by_their_checksums() -> None:
    source = page(TEXT)
    scripts = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    assert scripts == [static_file("tree.js"), static_file("page.js")]
    for script in scripts:
        checksum = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{checksum}'" in source


def test_data_of_a_text_is_compact_and_complete() -> None:
    data = texts_data(page(TEXT))[0]
    assert data["paragraphs"] == [[0, 1], [33, 2]]
    assert data["sentences"] == [8, 7]
    assert data["words"]["gaps"][:8] == [0, 1, 1, 1, 1, 1, 1, 0]
    syntax = data["syntax"]
    assert [syntax["upos_names"][n] for n in syntax["upos"]] == [t.upos for t in TEXT.tokens]
    assert syntax["heads"][8:] == [1, -1, 1, 5, 5, 1, 1]
    assert data["relations"][0] == [
        ["vo", "take – break", "ROOT, negated, light verb, metaphor 0.40", "light-verb"]
    ]
    assert data["scores"][9] == 93


def test_a_word_takes_less_than_160_bytes_of_a_long_page() -> None:
    text = "The storm did not take a break, and rain ate away the old road.\n\n" * 400
    analysis = next(FakePipeline(metaphor=True).analyze_many([text]))
    words = sum(token.is_word for token in analysis.tokens)
    assert len(page(analysis).encode()) < 160 * words


@pytest.mark.parametrize(
    "text",
    [
        "</script><img src=x onerror=alert(1)> takes over.",
        "</style><script>alert(1)</script> takes over.",
        '" onmouseover="alert(1)" takes over.',
        "<!-- texts --> takes $title over & &amp; out.",
        "]]><svg/onload=alert(1)> takes over.",
    ],
)
def test_texts_names_and_titles_are_escaped(text: str) -> None:
    analysis = FakePipeline().analyze(text)
    reason = replace(analysis.relations[0], kept=False, reason=text, verb_class=text)
    odd = tuple(replace(t, lemma=text, xpos=text, upos=text, deprel=text) for t in analysis.tokens)
    evil = replace(analysis, relations=(*analysis.relations, reason), tokens=odd)
    file = io.StringIO()
    write_html([(text, evil)], file, title=text)
    parsed = Page(file.getvalue())
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    assert not any(name.startswith("on") for _, attributes in parsed.tags for name in attributes)
    assert parsed.text.count(text) >= 4
    assert texts_data(file.getvalue())[0]["syntax"]["xpos_names"] == [text]


@given(st.text(st.characters(codec=None), max_size=60))
@settings(max_examples=50)
def test_any_text_is_in_the_page_as_it_was(text: str) -> None:
    analysis = FakePipeline().analyze(text)
    source = page(analysis)
    source.encode("utf-8")
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    for start, end in paragraphs(text):
        assert printable(text[start:end]) in parsed.text


@given(st.text(st.sampled_from("ab .\n\r\t\x0b😂"), max_size=40))
def test_paragraphs_hold_every_letter_and_begin_and_end_with_one(text: str) -> None:
    found = paragraphs(text)
    assert (
        "".join(text[start:end] for start, end in found).split() == text.split() or len(found) > 1
    )
    covered = {place for start, end in found for place in range(start, end)}
    assert all(place in covered for place, letter in enumerate(text) if not letter.isspace())
    for start, end in found:
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert "\n\n" not in text[start:end]


@given(st.lists(st.sets(st.integers(0, 14), min_size=1), max_size=8))
def test_marks_are_in_order_apart_and_cover_the_words_of_all_figures(
    chosen: list[set[int]],
) -> None:
    figures = [Figure("idiom", 0, 0, tuple(sorted(places)), 0.5) for places in chosen]
    found = marks(figures, TEXT)
    assert all(before.end <= after.start for before, after in pairwise(found))
    covered = {
        place
        for place, token in enumerate(TEXT.tokens)
        if any(mark.start <= token.start and token.end <= mark.end for mark in found)
    }
    assert covered == set().union(*chosen)
    assert len([mark for mark in found if mark.first]) == len({mark.figure for mark in found})
    whole = "".join(text for text, _ in marked_stretches(TEXT.text, 0, len(TEXT.text), found))
    assert whole == TEXT.text


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30), st.integers(10, 200))
def test_long_paragraphs_are_cut_between_sentences_and_lose_nothing(
    sizes: list[int], longest: int
) -> None:
    text = " ".join("word " * (size - 1) + "end." for size in sizes)
    analysis = FakePipeline().analyze(text)
    with patch("trope.render.figures.LONGEST_BLOCK", longest):
        found = blocks(analysis)
    assert " ".join(text[start:end] for start, end in found) == text
    starts = {sentence.start for sentence in analysis.sentences}
    assert {start for start, _ in found} <= starts
    for start, end in found:
        assert end - start <= longest or text.count(".", start, end) == 1


def test_text_that_begins_before_its_first_sentence_is_cut_too() -> None:
    analysis = FakePipeline().analyze("Rain ate roads. " * 3)
    late = replace(analysis, text="— " + analysis.text)  # a dash that belongs to no sentence
    with patch("trope.render.figures.LONGEST_BLOCK", 20):
        assert blocks(late)[0] == (0, 15)


def test_words_of_a_figure_are_told_with_what_is_left_out() -> None:
    figure = Figure("idiom", 14, 30, (4, 6), 0.5)
    assert figure_words(figure, TEXT) == "take … break"


def test_right_to_left_sentences_choose_their_direction() -> None:
    source = page(FakePipeline().analyze("הממשלה תוקפת את השופטים"))
    assert '<p dir="auto">' in source


def test_page_limit_shows_the_first_texts_and_says_so() -> None:
    source = page(*[HEADLINE] * 30, limit=20_000)
    shown = source.count("<article")
    assert 1 < shown < 30
    assert f"The first {shown} of 30 texts are shown" in source
    assert "texts30" in Page(source).text
    assert "are shown" not in page(HEADLINE)


def test_memory_does_not_grow_with_the_number_of_texts() -> None:
    class Sink(io.StringIO):
        def write(self, text: str) -> int:
            return len(text)

    def many(count: int) -> Iterator[Named]:
        return (("", HEADLINE) for _ in range(count))

    def peak(count: int) -> int:
        tracemalloc.start()
        write_html(many(count), Sink(), limit=10**9)
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(1)
    assert peak(3_000) < 2 * peak(600)


def test_empty_texts_and_no_texts_make_a_page() -> None:
    empty = Analysis("", (), (), ())
    assert "texts1" in Page(page(empty)).text
    assert "texts0" in Page(page()).text


def test_tasks_that_did_not_run_are_not_shown() -> None:
    only_syntax = page(replace(HEADLINE, tasks=("syntax",), relations=()))
    assert "relations kept" not in only_syntax
    assert 'id="relations"' not in only_syntax
    only_relations = page(replace(HEADLINE, tasks=("relations",)))
    assert 'id="trees"' not in only_relations
    assert "syntax" not in texts_data(only_relations)[0]


def test_page_is_the_same_every_time() -> None:
    assert page(HEADLINE, TWO_SENTENCES) == page(HEADLINE, TWO_SENTENCES)


def test_fragment_for_a_notebook_has_its_own_style_and_neither_script_nor_link() -> None:
    parsed = Page(fragment(TEXT))
    assert {tag for tag, _ in parsed.tags} <= {"style", "div", "p", "span", "ol", "li", "b", "bdi"}
    assert "Rain ate away the old road!" in parsed.text
    assert "atemetaphor 0.93" in parsed.text
    rules = re.sub(r"/\*.*?\*/", "", static_file("figures.css"), flags=re.DOTALL)
    selectors = [each for rule in re.findall(r"([^{}]+)\{", rules) for each in rule.split(",")]
    assert all(each.strip().startswith(".trope ") for each in selectors)


def test_fragment_of_many_figures_lists_the_first() -> None:
    many = next(FakePipeline(metaphor=True).analyze_many(["Rain ate roads. " * 30]))
    source = fragment(many)
    assert source.count("<li") == FRAGMENT_LIMIT + 1
    assert "and 10 more" in source
