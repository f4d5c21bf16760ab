import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from builders import HEADLINE, TWO_SENTENCES, FakePipeline
from trope.core.records import Analysis
from trope.render.markup import printable
from trope.render.text import DEEPEST, draw_tree, write_text


def shown(*analyses: Analysis, names: str = "") -> str:
    file = io.StringIO()
    write_text(((names, analysis) for analysis in analyses), file)
    return file.getvalue()


def test_tree_joins_every_word_to_its_head_in_the_order_of_the_words() -> None:
    assert draw_tree([1, 3, 3, -1, 5, 3, 3]) == [
        "  ┌─╴",
        "┌─┘  ",
        "├─╴  ",
        "┤    ",
        "│ ┌─╴",
        "├─┘  ",
        "└─╴  ",
    ]
    assert draw_tree([-1]) == ["─"]
    assert draw_tree([]) == []


def test_tree_that_is_too_deep_or_goes_in_circles_is_not_drawn() -> None:
    chain = [-1, *range(DEEPEST + 1)]
    assert draw_tree(chain) == [""] * len(chain)
    assert draw_tree([1, 0, -1]) == ["", "", ""]


@given(st.lists(st.integers(0, 100), max_size=30))
def test_any_tree_has_a_row_of_one_width_for_every_word(choices: list[int]) -> None:
    heads = [-1, *(choice % place for place, choice in enumerate(choices, start=1))]
    rows = draw_tree(heads)
    assert len(rows) == len(heads)
    assert len({len(row) for row in rows}) == 1


def test_a_sentence_is_shown_with_tags_lemmas_and_numbered_heads() -> None:
    lines = [line.rstrip() for line in shown(HEADLINE).splitlines()]
    assert lines[0] == HEADLINE.text
    assert lines[9] == " 9 │ ├─┘     questions NOUN  NNS  question  obj → 5"
    assert lines[13] == "  ✓ kept     svo  Sessions – face – questions  (ROOT)"
    assert all(len(line) <= 80 for line in lines)


def test_heads_of_a_second_sentence_are_counted_within_it() -> None:
    second = shown(TWO_SENTENCES).split("Rain ate away")[1]
    assert "obj → 2" in second
    assert "ate away – road" in second


def test_rejected_relations_say_why() -> None:
    lines = shown(TWO_SENTENCES).splitlines()
    assert "  ✗ rejected vo   take – break  light-verb  (ROOT, negated, light verb)" in lines


def test_several_texts_end_with_their_totals() -> None:
    text = shown(HEADLINE, TWO_SENTENCES)
    totals = "2 texts · 3 sentences · 23 words · relations: 3 kept, 1 left out"
    assert text.rstrip().endswith(totals)
    assert "1 text" not in shown(HEADLINE)


def test_nothing_in_a_text_is_obeyed_by_the_terminal_or_taken_for_markup() -> None:
    text = "Rain [bold]ate[/bold] \x1b[31mroads\x07 \ud83d :smile:"
    out = shown(FakePipeline().analyze(text))
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[bold]ate[/bold]" in out
    assert ":smile:" in out
    out.encode("utf-8")


@pytest.mark.parametrize(
    "text", ["", "   ", "x" * 3000, "家" * 200, "😂" * 99 + " " + "https://e.org/" * 30]
)
def test_odd_texts_stay_within_the_width(text: str) -> None:
    table = shown(FakePipeline().analyze(text)).splitlines()
    assert all(cell_len(line.rstrip()) <= 80 for line in table)


def test_ten_thousand_words_in_one_sentence() -> None:
    out = shown(FakePipeline().analyze("word " * 10_000))
    assert out.count("obj → 2") == 9_998


def test_syntax_and_relations_can_be_left_out() -> None:
    assert "NOUN" not in shown(replace(HEADLINE, tasks=("relations",)))
    only_syntax = shown(replace(HEADLINE, tasks=("syntax",), relations=()))
    assert "NOUN" in only_syntax
    assert "kept" not in only_syntax


@given(st.text(st.characters(codec=None)))
def test_printable_keeps_the_length_and_the_lines(text: str) -> None:
    clean = printable(text)
    assert len(clean) == len(text)
    assert clean.count("\n") == text.count("\n")
    clean.encode("utf-8")
