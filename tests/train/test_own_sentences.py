"""Our own marked sentences: every line is well formed, and marks become the right labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.train.encoder.corpus import UNKNOWN
from trope.train.encoder.figure_sets import read_figure_set, read_metaphor_set
from trope.train.encoder.name_sets import LABELS, read_name_set, read_tag_set
from trope.train.encoder.name_sets import TAGS as NAME_TAGS
from trope.train.encoder.own_sentences import (
    FIGURES,
    NAMES,
    TAGS,
    VERDICTS,
    MarkedSentence,
    name_class,
    own_sentences,
)

_NOWHERE = Path("nowhere")


def one(folder: Path, line: str) -> MarkedSentence:
    path = folder / "own.tsv"
    path.write_text(line + "\n", "utf-8")
    own_sentences.cache_clear()
    (sentence,) = own_sentences(path)
    return sentence


def test_shipped_sentences_have_marks_where_their_kind_asks_for_them() -> None:
    sentences = own_sentences()
    assert len(sentences) > 100
    for sentence in sentences:
        marks = {span.mark for span in sentence.spans}
        expected = {"novel": "metaphor", "conventional": "metaphor", "idiom": "idiom"}
        if sentence.kind in expected:
            assert expected[sentence.kind] in marks, sentence.text
        elif sentence.kind == "names":
            assert marks <= {"name"}, sentence.text  # in some, capitals are no names
            for span in sentence.spans:
                name_class(span)
        else:
            assert not marks, sentence.text
    named = [bool(s.spans) for s in sentences if s.kind == "names"]
    assert sum(named) > 0.8 * len(named)


def test_marks_become_verdicts(tmp_path: Path) -> None:
    sentence = one(tmp_path, "novel\tDoubt *rented* the attic, and he [let it slide].")
    assert sentence.text == "Doubt rented the attic, and he let it slide."
    assert sentence.verdicts("metaphor", unknown="idiom") == (
        0, 1, 0, 0, 0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN, 0,
    )  # fmt: skip
    # nobody judged function words and punctuation
    assert sentence.content_verdicts() == (
        0, 1, UNKNOWN, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
    )  # fmt: skip
    assert sentence.places("idiom") == {7, 8, 9}


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "*", "["]), st.from_regex(r"[a-z]{1,9}", fullmatch=True)),
        min_size=1,
        max_size=12,
    )
)
def test_text_and_places_survive_marking(words: list[tuple[str, str]]) -> None:
    closing = {"": "", "*": "*", "[": "]"}
    marked = " ".join(f"{mark}{word}{closing[mark]}" for mark, word in words)
    from trope.train.encoder.own_sentences import _parse

    sentence = _parse(f"novel\t{marked}", "here")
    assert sentence.text == " ".join(word for _, word in words)
    inside = {"*": "metaphor", "[": "idiom"}
    found = [(span.mark, sentence.text[span.start : span.end]) for span in sentence.spans]
    assert found == [(inside[mark], word) for mark, word in words if mark]


@pytest.mark.parametrize(
    "line",
    [
        "no tab in this line",
        "surprising\tThe *tide* of forms.",
        "novel\tThe *tide of forms.",
        "idiom\tHe [let the [cat] out].",
        "names\t{Vienna} refused.",
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("neutral\tThe shop opens at nine.\n" + line + "\n", "utf-8")
    own_sentences.cache_clear()
    with pytest.raises(BadInput, match="line 2"):
        own_sentences(path)


def test_sets_of_own_sentences_share_no_sentence_between_splits() -> None:
    own_sentences.cache_clear()
    for read, name in ((read_figure_set, FIGURES), (read_metaphor_set, VERDICTS)):
        train = {s.words for s in read(_NOWHERE, name, "train")}  # type: ignore[operator]
        dev = {s.words for s in read(_NOWHERE, name, "dev")}  # type: ignore[operator]
        assert train and dev and not train & dev


def test_names_have_readings_and_tags() -> None:
    own_sentences.cache_clear()
    names = read_name_set(_NOWHERE, NAMES, "dev")
    assert names and all(LABELS[s.reading].startswith(s.name_class) for s in names)
    tagged = [{NAME_TAGS[t] for t in s.tags} for s in read_tag_set(_NOWHERE, TAGS, "train")]
    assert set().union(*tagged) == {*NAME_TAGS}
    # in some sentences, capitals are no names
    assert 0 < sum(tags == {"O"} for tags in tagged) < 0.2 * len(tagged)
