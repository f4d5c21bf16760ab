import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from builders import HEADLINE, TWO_SENTENCES, FakePipeline, with_metaphors
from trope.core.records import Analysis, Figure, Metonymy
from trope.render.markup import printable
from trope.render.text import DEEPEST, draw_tree, write_text

ALL = ("syntax", "relations", "metonymy")


def shown(*analyses: Analysis, names: str = "", details: tuple[str, ...] = ()) -> str:
    file = io.StringIO()
    write_text(((names, analysis) for analysis in analyses), file, details=details)
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


def test_a_text_comes_first_and_trees_and_relations_only_when_asked_for() -> None:
    assert shown(HEADLINE) == f"{HEADLINE.text}\n"
    assert "NOUN" not in shown(HEADLINE, details=("relations",))
    assert "kept" not in shown(HEADLINE, details=("syntax",))


def test_a_sentence_is_shown_with_tags_lemmas_and_numbered_heads() -> None:
    lines = [line.rstrip() for line in shown(HEADLINE, details=ALL).splitlines()]
    assert lines[:3] == [HEADLINE.text, "", f"1  {HEADLINE.text}"]
    assert lines[11] == " 9 │ ├─┘     questions NOUN  NNS  question  obj → 5"
    assert lines[15] == "  svo  Sessions – face – questions  kept  (ROOT)"
    assert all(len(line) <= 80 for line in lines)


def test_heads_of_a_second_sentence_are_counted_within_it() -> None:
    second = shown(TWO_SENTENCES, details=ALL).split("2  Rain ate away")[1]
    assert "obj → 2" in second
    assert "ate away – road" in second


def test_relations_that_are_left_out_say_why() -> None:
    lines = shown(TWO_SENTENCES, details=("relations",)).splitlines()
    assert "  vo   take – break  left out: light-verb  (ROOT, negated, light verb)" in lines


def test_several_texts_end_with_their_totals() -> None:
    text = shown(HEADLINE, TWO_SENTENCES)
    assert text.rstrip().endswith("2 texts · 3 sentences · 23 words")
    text = shown(HEADLINE, TWO_SENTENCES, details=("relations",))
    assert text.rstrip().endswith("23 words · relations: 3 kept, 1 left out")
    assert "1 text" not in shown(HEADLINE)


FIGURES = replace(
    with_metaphors(TWO_SENTENCES),
    figures=(
        Figure("idiom", 14, 30, (4, 6), 0.7, meaning="to rest"),
        Figure("metonymy", 32, 36, (8,), 0.9, stands_for="the weather"),
        Figure("metaphor", 37, 45, (9, 10), 0.8, 0.6),
        Figure("simile", 46, 58, (11, 12, 13), 0.5, topic=(8,), vehicle=(13,), ground=(12,)),
    ),
    metonymies=(Metonymy(32, 36, "location", "literal", 0.9, "the place Rain itself"),),
    tasks=("syntax", "metaphor", "metonymy"),
)


def test_figures_are_listed_most_striking_first_with_what_they_mean() -> None:
    assert shown(FIGURES).splitlines() == [
        "The storm did not *take* a *break*. *Rain* *ate away* *the old road*!",
        "  metaphor  ate away      0.80  novelty 0.60",
        "  metonymy  Rain          0.90  the weather",
        "  idiom     take … break  0.70  to rest",
        "  simile    the old road  0.50  compares Rain with road (old)",
    ]


def test_what_is_compared_is_said_in_its_object_form() -> None:
    (found,) = FakePipeline(metaphor=True).analyze_many(["He ran like rain."])
    tokens = (replace(found.tokens[0], upos="PRON"), *found.tokens[1:])
    simile = Figure("simile", 7, 16, (2, 3), 0.9, topic=(0,), vehicle=(3,), ground=(1,))
    assert "compares him with rain (ran)" in shown(replace(found, tokens=tokens, figures=(simile,)))


@pytest.mark.parametrize(
    ("text", "reading", "said"),
    [
        ("The BBC said no.", "organisation-for-members", "people of the BBC"),
        ("The BBC fell.", "organisation-for-index", "people of BBC"),
        ("Now BBC said no.", "organisation-for-members", "people of BBC"),
    ],
)
def test_a_name_keeps_its_article_where_people_are_meant(
    text: str, reading: str, said: str
) -> None:
    doc = FakePipeline(metaphor=True).analyze(text)
    tokens = (replace(doc.tokens[0], head=1), *doc.tokens[1:])
    name = Metonymy(4, 7, "organisation", reading, 0.9, "people of BBC")
    figure = Figure("metonymy", 4, 7, (1,), 0.9, stands_for=name.stands_for)
    doc = replace(doc, tokens=tokens, figures=(figure,), metonymies=(name,))
    assert f"0.90  {said}\n" in shown(doc, details=("metonymy",))


def test_lines_that_do_not_fit_go_on_further_in_and_no_count_is_torn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = shown(*[FIGURES] * 2).splitlines()
    assert lines[4:6] == ["  metonymy  Rain          0.90  the", "    weather"]
    assert lines[-3:] == [
        "2 texts · 4 sentences · 26 words",
        "4 metaphors · 2 idioms · 2 similes",
        "2 metonymies",
    ]


def test_a_blank_line_stands_between_paragraphs_and_figures() -> None:
    (found,) = FakePipeline(metaphor=True).analyze_many(["Rain ate roads.\n\nSun shone."])
    lines = ["Rain *ate* roads.", "", "Sun shone.", "", "  metaphor  ate  0.93"]
    assert shown(found).splitlines() == lines


def test_many_figures_are_listed_in_part() -> None:
    (many,) = FakePipeline(metaphor=True).analyze_many(["Rain ate roads. " * 60])
    assert "  and 10 more (--format html or --json has all)" in shown(many)


def test_irony_is_said_of_the_whole_text() -> None:
    ironic = replace(FIGURES, figures=(Figure("irony", 0, 59, tuple(range(15)), 0.8),))
    lines = shown(ironic).splitlines()
    assert lines[0] == TWO_SENTENCES.text
    assert lines[1] == "  irony  the whole text  0.80"


def test_paragraphs_are_kept_and_blanks_are_not_repeated() -> None:
    text = "Rain  ate\troads.\n\n\nSun shone.\nSo it went."
    assert shown(FakePipeline().analyze(text)) == ("Rain ate roads.\n\nSun shone.\nSo it went.\n")


def test_a_sentence_whose_own_score_contradicts_its_words_is_named() -> None:
    odd = replace(with_metaphors(TWO_SENTENCES), figurative=(0.9, 0.1), figures=())
    assert "sentence 1: literal, but the whole sentence reads as metaphorical (0.90)" in shown(odd)
    assert "sentence 2" not in shown(odd)


def test_literal_names_are_shown_when_asked_for() -> None:
    assert "△ Rain  literal 0.90  the place Rain itself" not in shown(FIGURES)
    assert "△ Rain  literal 0.90  the place Rain itself" in shown(FIGURES, details=("metonymy",))


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
    table = shown(FakePipeline().analyze(text), details=ALL).splitlines()
    assert all(cell_len(line.rstrip()) <= 80 for line in table)


def test_ten_thousand_words_in_one_sentence() -> None:
    out = shown(FakePipeline().analyze("word " * 10_000), details=("syntax",))
    assert out.count("obj → 2") == 9_998


@given(st.text(st.characters(codec=None)))
def test_printable_keeps_the_length_and_the_lines(text: str) -> None:
    clean = printable(text)
    assert len(clean) == len(text)
    assert clean.count("\n") == text.count("\n")
    clean.encode("utf-8")
