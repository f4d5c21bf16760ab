"""Submissions and keys: both spellings, the three first lines, refusals by id and line."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import NameSample
from trope.corpora.semeval2007_answers import (
    key_of,
    read_name_key,
    read_submission,
    write_submission,
)
from trope.lexicon.readings import GRANULARITIES, NAME_CLASSES, labels

HEAD = "# Mine\n# org\n# fine\n"


def stream(text):
    return io.BytesIO(text.encode())


def test_a_submission_is_read():
    answers = read_submission(stream(f"{HEAD}samp1|literal\nsamp2|org-for-index\nsamp3|unknown\n"))
    assert (answers.system, answers.name_class, answers.granularity) == (
        "Mine", "organisation", "fine",
    )  # fmt: skip
    assert answers.labels == {
        "samp1": "literal",
        "samp2": "organisation-for-index",
        "samp3": None,
    }


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("samp1|literal\n", 1, "no line '# …' with the system"),
        ("# Mine\n# org\nsamp1|literal\n", 3, "with the granularity"),
        ("# Mine\n# person\n# fine\n", 2, "no class of names is called 'person'"),
        ("# Mine\n# org\n# finest\n", 3, "Did you mean 'fine'"),
        ("# Mine\n", 2, "class of names"),
    ],
)
def test_a_wrong_beginning_is_refused(text, line, words):
    with pytest.raises(BadRecord, match=words) as error:
        read_submission(stream(text))
    assert error.value.line == line


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("samp1|literal", "sample 'samp1' is also in line 4"),
        ("samp2|metonymic", "sample 'samp2': 'metonymic' is not a fine reading .*medium one"),
        ("samp2|place-for-people", "fine reading of the class organisation"),
        ("samp2 literal", "is not a line id|label"),
        ("samp2|", "is not a line id|label"),
        ("samp2|literal|mixed", "is not a line id|label"),
    ],
)
def test_bad_answers_are_refused_by_line_and_good_ones_stay(row, words):
    errors = []
    text = f"{HEAD}samp1|literal\n{row}\nsamp3|mixed\n"
    answers = read_submission(stream(text), refused=errors.append)
    assert set(answers.labels) == {"samp1", "samp3"}
    assert errors[0].line == 5
    with pytest.raises(BadRecord, match=words):
        read_submission(stream(text))


def test_a_key_has_no_unknown_labels():
    assert read_name_key(stream("# x\nsamp1|literal\n"), "location", "coarse").labels == {
        "samp1": "literal"
    }
    with pytest.raises(BadRecord, match=r"input:1: sample 'samp1': 'unknown' is not a gold label"):
        read_name_key(stream("samp1|unknown\n"), "location", "coarse")


def test_a_key_of_fine_labels_scores_any_granularity():
    fine = "samp1|literal\nsamp2|place-for-people\nsamp3|mixed\n"
    for granularity, wanted in (
        ("coarse", ["literal", "non-literal", "non-literal"]),
        ("medium", ["literal", "metonymic", "mixed"]),
        ("fine", ["literal", "place-for-people", "mixed"]),
    ):
        assert list(read_name_key(stream(fine), "location", granularity).labels.values()) == wanted
    with pytest.raises(BadRecord, match="is not a medium reading of the class location"):
        read_name_key(stream("samp1|literal\nsamp2|non-literal\n"), "location", "medium")


def test_a_key_of_samples_needs_readings_fine_enough():
    one = NameSample("a", "Peru", "location", ("Peru",), 0, 0, 4, "mixed", "medium", line=9)
    assert key_of({"a": one}, "coarse", "f").labels == {"a": "non-literal"}
    with pytest.raises(BadRecord, match="f:9: sample 'a' has medium reading, so no fine gold"):
        key_of({"a": one}, "fine", "f")
    with pytest.raises(BadRecord, match="no samples"):
        key_of({}, "fine", "f")


@given(st.data())
def test_what_is_written_is_read_back(tmp_path_factory, data):
    name_class = data.draw(st.sampled_from(NAME_CLASSES))
    level = data.draw(st.sampled_from(GRANULARITIES))
    label = st.sampled_from([None, *labels(name_class, level)])
    ids = st.integers(1, 999).map(lambda number: f"samp{number}")
    given_labels = data.draw(st.dictionaries(ids, label))
    path = tmp_path_factory.mktemp("submission") / "x"
    write_submission(path, "My system", name_class, level, given_labels)
    answers = read_submission(path)
    assert answers.labels == given_labels
    assert (answers.name_class, answers.granularity) == (name_class, level)


def test_a_submission_is_written_in_long_spelling(tmp_path):
    path = tmp_path / "x"
    write_submission(path, "S", "organisation", "fine", {"samp1": "org-for-event"})
    assert path.read_text() == "# S\n# org\n# fine\nsamp1|organisation-for-event\n"
    with pytest.raises(BadInput, match="not a coarse reading"):
        write_submission(path, "S", "organisation", "coarse", {"samp1": "mixed"})
    with pytest.raises(BadInput, match="name of a system"):
        write_submission(path, " ", "organisation", "coarse", {})
