import io
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import HEADLINE, TWO_SENTENCES, FakePipeline
from trope.core.records import Analysis, Relation
from trope.render import Named
from trope.render.html import write_html
from trope.render.sentence_html import LONGEST, stack
from trope.tasks.rewriting.rewriter import Candidate, Rewriting

VOID = {"meta", "input", "br", "path"}
OPTIONAL_END = {"tr", "td", "th", "dt", "dd"}
ALLOWED = set(
    re.findall(
        r"\w+",
        """html head meta title style body header main section footer h1 h2 h3 p dl dt dd div
        table caption tbody tr td th meter small label input span article ul li details summary
        bdi em svg path text code b output script""",
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


def test_page_is_well_formed_and_fetches_nothing() -> None:
    source = page(HEADLINE, TWO_SENTENCES)
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    for _, attributes in parsed.tags:
        assert not {"src", "href", "action", "onclick", "style"} & set(attributes)
    assert not re.search(r"url\(|@import|https?://", source)
    assert "default-src 'none'" in source


def test_candidates_open_under_the_sentence_of_their_verb() -> None:
    at = TWO_SENTENCES.tokens[-2]
    first = TWO_SENTENCES.tokens[0]
    candidates = (Candidate("<b>cuts", "cut", 1.0, 0.5, 0.75, 0.25, "…"),)
    found = [
        Rewriting(at.text, at.lemma, at.start, at.end, "literal", 0.9, candidates),
        Rewriting(first.text, first.lemma, first.start, first.end, "literal", 0.9, ()),
    ]
    source = page(TWO_SENTENCES, rewrite=lambda _: found)
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    assert source.count('<details class="rewriting">') == 1  # nothing opens on nothing
    opened = source.index('<details class="rewriting">')
    assert opened > source.rindex('<p dir="auto" class="s">')  # that of the second sentence
    assert "&lt;b&gt;cuts" in source[opened:]
    assert f"Say {at.text} literally" in parsed.text


def test_summary_counts_and_names_the_reasons_and_verbs() -> None:
    text = Page(page(HEADLINE, TWO_SENTENCES)).text
    for wanted in ("texts2", "sentences3", "words27", "relations kept3", "relations rejected1"):
        assert wanted in text
    assert "rejected: light-verb1" in text
    assert "eat1road" in text
    assert "face1question" in text  # once, though it is in a pair and in a triplet


def test_words_carry_tags_and_roles_as_text() -> None:
    words = [attributes for tag, attributes in Page(page(HEADLINE)).tags if tag == "span"]
    face = next(w for w in words if w.get("data-role") == "verb")
    assert face["class"] == "w v kept"
    assert face["data-tag"] == "VERB"


def test_a_word_with_several_roles_has_them_all_and_kept_ones_win() -> None:
    relations = (
        Relation("svo", 4, 1, 8, 1, 9, True, True),
        Relation("vo", 2, None, 1, 1, 3, True, True),
        Relation("vo", 1, None, 4, 1, 5, False, False, "not-root"),
    )
    source = page(replace(HEADLINE, relations=relations))
    assert 'data-role="subject, object">Sessions' in source
    assert 'data-role="verb">face' in source


def test_tree_and_reason_are_on_demand_without_scripts() -> None:
    source = page(TWO_SENTENCES)
    assert source.count("<svg") == 2
    assert all(
        "open" not in attributes for tag, attributes in Page(source).tags if tag == "details"
    )
    rejected = source[source.index('<li class="rejected">') :].split("</li>")[0]
    assert "Rejected<dd" in rejected
    assert "light-verb" in rejected


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


@given(st.text(st.characters(codec=None), max_size=60))
@settings(max_examples=50)
def test_any_text_is_in_the_page_as_it_was(text: str) -> None:
    analysis = FakePipeline().analyze(text)
    source = page(analysis)
    source.encode("utf-8")
    parsed = Page(source)
    assert {tag for tag, _ in parsed.tags} <= ALLOWED
    for sentence in analysis.sentences:
        shown = text[sentence.start : sentence.end]
        if shown.isprintable():
            assert shown in parsed.text


def test_right_to_left_sentences_choose_their_direction() -> None:
    source = page(FakePipeline().analyze("הממשלה תוקפת את השופטים"))
    assert '<p dir="auto" class="s">' in source


def test_page_limit_shows_the_first_texts_and_says_so() -> None:
    source = page(*[HEADLINE] * 30, limit=40_000)
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


def test_long_sentences_have_a_table_but_no_arcs() -> None:
    source = page(FakePipeline().analyze("word " * (LONGEST + 1)))
    assert "<svg" not in source
    assert source.count("<tr><td>") == LONGEST + 1


def test_empty_texts_and_no_texts_make_a_page() -> None:
    empty = Analysis("", (), (), ())
    assert "texts1" in Page(page(empty)).text
    assert "texts0" in Page(page()).text


def test_tasks_that_did_not_run_are_not_shown() -> None:
    only_syntax = page(replace(HEADLINE, tasks=("syntax",), relations=()))
    assert "relations kept" not in only_syntax
    only_relations = page(replace(HEADLINE, tasks=("relations",)))
    assert "<svg" not in only_relations
    assert "data-tag=" not in only_relations


def test_page_is_the_same_every_time() -> None:
    assert page(HEADLINE, TWO_SENTENCES) == page(HEADLINE, TWO_SENTENCES)


@given(st.lists(st.integers(0, 10**6), max_size=25))
def test_arcs_over_the_same_gap_never_share_a_level(choices: list[int]) -> None:
    size = len(choices) + 1
    heads = [-1, *(choice % size for choice in choices)]
    heads = [-1 if head == word else head for word, head in enumerate(heads)]
    arcs = stack(heads, ["x"] * size)
    assert len(arcs) == sum(head >= 0 for head in heads)
    for gap in range(size - 1):
        levels = [
            a.level for a in arcs if min(a.head, a.dependent) <= gap < max(a.head, a.dependent)
        ]
        assert len(levels) == len(set(levels))
