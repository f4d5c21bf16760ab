"""Which words are shown as metaphors, by each view."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import TWO_SENTENCES, build, with_metaphors
from trope.core.errors import BadInput, UnknownName
from trope.core.options import FigureView
from trope.core.records import Analysis, Figure, FigureThresholds, Metonymy, Parse
from trope.tasks.figures.views import add_spans, noticeable, show_figures, shown_score

LIMITS = FigureThresholds(noticed=0.6, idiom=0.5, simile=0.5)
EATEN = with_metaphors(TWO_SENTENCES)
"""Rain ate (0.93) away the old road; a break has 0.55."""


def noticed(analysis: Analysis, scores: dict[str, float], novelty: float = 0.3) -> Analysis:
    tokens = tuple(
        replace(token, noticed=scores.get(token.text, 0.01), novelty=novelty)
        for token in analysis.tokens
    )
    return replace(analysis, tokens=tokens)


def shown(analysis: Analysis) -> list[str]:
    return [token.text for token in analysis.metaphors]


def test_noticed_words_have_the_geometric_mean_of_both_probabilities() -> None:
    found = show_figures(noticed(EATEN, {"ate": 0.5, "break": 0.9}), FigureView(), LIMITS)
    assert found.words == "noticed"
    assert found.shown_threshold == 0.6
    (broken, eaten) = found.figures
    assert (broken.kind, broken.tokens, broken.score, broken.novelty) == (
        *("metaphor", (6,), round((0.55 * 0.9**2) ** (1 / 3), 4)),
        0.3,
    )
    assert eaten.score == round((0.93 * 0.5**2) ** (1 / 3), 4)
    assert shown(found) == ["break", "ate", "away"]


def test_that_readers_notice_a_word_counts_twice() -> None:
    assert noticeable(0.3, 0.9) == pytest.approx(0.624, abs=0.001)
    assert noticeable(0.9, 0.3) == pytest.approx(0.433, abs=0.001)
    assert noticeable(0.0, 0.9) == noticeable(0.9, 0.0) == 0


@given(*[st.floats(0, 1)] * 2)
def test_how_noticeable_a_word_is_lies_between_both_probabilities(m: float, n: float) -> None:
    assert min(m, n) - 1e-9 <= noticeable(m, n) <= max(m, n) + 1e-9


def test_particles_go_with_their_verb_and_never_alone() -> None:
    found = show_figures(EATEN, FigureView(words="content"), LIMITS)
    (_, eaten) = found.figures
    assert eaten.tokens == (9, 10)
    assert found.text[eaten.start : eaten.end] == "ate away"
    alone = tuple(replace(t, metaphor=0.99 if t.text == "away" else 0.01) for t in EATEN.tokens)
    assert shown(show_figures(replace(EATEN, tokens=alone), FigureView(), None)) == []


def test_only_content_words_are_shown_unless_all_are_asked_for() -> None:
    every = replace(EATEN, tokens=tuple(replace(t, metaphor=0.9) for t in EATEN.tokens))
    content = show_figures(every, FigureView(words="content"), LIMITS)
    assert shown(content) == [*("storm", "take", "break", "Rain", "ate", "away", "old", "road")]
    assert shown(show_figures(every, FigureView(words="all"), LIMITS)) == [
        token.text for token in every.tokens
    ]


def test_a_copula_that_is_tagged_as_a_verb_is_no_content_word() -> None:
    rows = """
    Time NOUN NN time 3 nsubj
    is VERB VBZ be 3 cop
    money NOUN NN money 0 root
    """
    text = build("Time is money", rows)
    tokens = tuple(replace(token, metaphor=0.9) for token in text.tokens)
    scored = replace(text, tokens=tokens, tasks=("syntax", "metaphor"), figurative=(0.9,))
    assert shown(show_figures(scored, FigureView(), None)) == ["Time", "money"]


def test_without_the_head_noticed_becomes_content() -> None:
    found = show_figures(EATEN, FigureView(words="noticed"), None)
    assert found.words == "content"
    assert found.threshold == EATEN.threshold < found.shown_threshold
    assert shown(found) == ["break", "ate", "away"]


def test_without_the_head_a_probability_just_above_that_of_mipvu_is_not_shown() -> None:
    unsure = replace(
        EATEN,
        tokens=tuple(replace(token, metaphor=EATEN.threshold + 0.01) for token in EATEN.tokens),
    )
    assert shown(show_figures(unsure, FigureView(words="noticed"), None)) == []
    assert "ate" in shown(show_figures(unsure, FigureView(words="content"), None))


def test_a_threshold_counts_for_the_view() -> None:
    strict = show_figures(EATEN, FigureView(words="content", threshold=0.9), None)
    assert shown(strict) == ["ate", "away"]
    assert (strict.threshold, strict.shown_threshold) == (0.9, 0.9)
    assert not strict.is_metaphor(6)
    scored = noticed(EATEN, {"ate": 0.5})
    loose = show_figures(scored, FigureView(threshold=0.01), LIMITS)
    assert (loose.threshold, loose.shown_threshold) == (EATEN.threshold, 0.01)
    assert len(shown(loose)) > 2


def test_words_of_other_figures_are_not_listed_again() -> None:
    idiom = Figure("idiom", 19, 31, (4, 5, 6), 0.8, meaning="pause")
    simile = Figure("simile", 32, 40, (8, 9), 0.9, vehicle=(9,))
    given_figures = replace(EATEN, figures=(idiom, simile))
    found = show_figures(given_figures, FigureView(), None)
    assert found.figures == (idiom, simile)
    assert shown(show_figures(given_figures, FigureView(words="all"), None)) == ["break", "ate"]


def test_names_that_stand_for_something_else_are_figures() -> None:
    names = (
        Metonymy(32, 36, "location", "place-for-people", 0.7, "people of Rain"),
        Metonymy(4, 9, "organisation", "literal", 0.9, "the organisation itself"),
    )
    found = show_figures(replace(EATEN, metonymies=names), FigureView(words="all"), None)
    (name,) = (figure for figure in found.figures if figure.kind == "metonymy")
    assert (name.start, name.end, name.tokens, name.score) == (32, 36, (8,), 0.7)
    assert name.stands_for == "people of Rain"


def test_wrong_views_and_thresholds_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"no view of words is called 'every'.*noticed, content"):
        FigureView(words="every")  # type: ignore[arg-type]
    for limit in (1.5, -0.1, "high"):
        with pytest.raises(BadInput, match="give one from 0 to 1"):
            FigureView(threshold=limit)  # type: ignore[arg-type]


def test_verdicts_follow_from_what_is_shown() -> None:
    found = show_figures(EATEN, FigureView(words="content", threshold=0.6), None)
    first, second = map(found.sentence_verdict, found.sentences)
    assert (first.label, second.label) == ("literal", "metaphorical")
    assert not first.disagrees
    sure = replace(found, figurative=(0.99, 0.02))
    first, second = map(sure.sentence_verdict, sure.sentences)
    assert str(first) == "literal, but the whole sentence reads as metaphorical"
    assert str(second) == "metaphorical, but the whole sentence reads as literal"
    assert (first.score, second.score) == (0.99, 0.02)


def test_a_metonymy_alone_is_figurative_and_not_metaphorical() -> None:
    name = Metonymy(0, 3, "location", "place-for-people", 0.7, "people")
    found = show_figures(
        replace(EATEN, metonymies=(name,)), FigureView(words="all", threshold=0.99), None
    )
    assert found.sentence_verdict(found.sentences[0]).label == "figurative"


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=15, max_size=15),
    st.sampled_from(["noticed", "content", "all"]),
    st.floats(0, 1),
)
def test_what_is_shown_reaches_the_threshold(
    scores: list[tuple[float, float]], view: str, limit: float
) -> None:
    tokens = tuple(
        replace(token, metaphor=a, noticed=b)
        for token, (a, b) in zip(EATEN.tokens, scores, strict=True)
    )
    showing = FigureView(words=view, threshold=limit)  # type: ignore[arg-type]
    found = show_figures(replace(EATEN, tokens=tokens), showing, LIMITS)
    for figure in found.figures:
        assert figure.score >= limit
        assert figure.score == shown_score(found.tokens[figure.tokens[0]], found.words)
        assert found.text[figure.start : figure.end].startswith(found.tokens[figure.tokens[0]].text)
    again = show_figures(found, showing, LIMITS)
    assert again == found


BUCKET = build(
    "Rain fell. The old goat kicked the bucket like a stone.",
    """
    Rain NOUN NN rain 2 nsubj
    fell VERB VBD fall 0 root
    . PUNCT . . 2 punct

    The DET DT the 6 det
    old ADJ JJ old 6 amod
    goat NOUN NN goat 7 nsubj
    kicked VERB VBD kick 0 root
    the DET DT the 9 det
    bucket NOUN NN bucket 7 obj
    like ADP IN like 12 case
    a DET DT a 12 det
    stone NOUN NN stone 7 obl
    . PUNCT . . 7 punct
    """,
)


def parsed(analysis: Analysis, **scores: float) -> list[Parse]:
    """The parses of its sentences, every word with these scores."""
    parses = [analysis.parse_of(sentence) for sentence in analysis.sentences]
    return [
        replace(parse, **{name: (score,) * len(parse) for name, score in scores.items()})
        for parse in parses
    ]


def test_idioms_and_similes_are_found_where_they_stand() -> None:
    found = add_spans(BUCKET, parsed(BUCKET), None)
    idiom, simile = sorted(found.figures, key=lambda figure: figure.start)
    assert BUCKET.text[idiom.start : idiom.end] == "kicked the bucket"
    assert (idiom.kind, idiom.tokens, idiom.meaning) == ("idiom", (6, 7, 8), "die")
    assert BUCKET.text[simile.start : simile.end] == "like a stone"
    assert (simile.kind, simile.tokens, simile.vehicle) == ("simile", (9, 10, 11), (10, 11))
    assert add_spans(found, parsed(BUCKET), None).figures == found.figures


def test_the_heads_of_a_model_decide_on_idioms_and_similes() -> None:
    assert add_spans(BUCKET, parsed(BUCKET, idiom=0.1, simile=0.1), LIMITS).figures == ()
    found = add_spans(BUCKET, parsed(BUCKET, idiom=0.55, simile=0.8), LIMITS)
    assert sorted((figure.kind, figure.score) for figure in found.figures) == [
        ("idiom", round((2 * 0.55 + 0.75) / 3, 4)),  # usually an idiom
        ("simile", 0.8),
    ]


def test_what_is_idiom_and_simile_is_listed_once() -> None:
    rows = """
    Her PRON PRP$ her 2 nmod:poss
    voice NOUN NN voice 5 nsubj
    was AUX VBD be 5 cop
    as ADV RB as 5 advmod
    clear ADJ JJ clear 0 root
    as ADP IN as 8 case
    a DET DT a 8 det
    bell NOUN NN bell 5 obl
    """
    clear = build("Her voice was as clear as a bell", rows)
    (figure,) = add_spans(clear, parsed(clear), None).figures
    assert (figure.kind, figure.meaning) == ("simile", "easily heard")
    assert (figure.topic, figure.ground, figure.vehicle) == ((0, 1), (4,), (6, 7))


def test_without_trees_nothing_is_found() -> None:
    bare = [replace(parse, heads=(), deprels=()) for parse in parsed(BUCKET)]
    assert add_spans(BUCKET, bare, None).figures == ()
