from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trope.lexicon.idioms as lexicon
from trope.core.errors import BadModel, BadRecord
from trope.lexicon.idioms import SHIPPED, Idioms, paper_idioms, read_idioms, shipped_idioms

WORDS = ("pull", "my", "leg", "'s", "the", "wool", "over", "eyes", "drop", "a", "line")
LEMMAS = {"blew": "blow", "twisting": "twist", "dropped": "drop", "turns": "turn", "took": "take"}


def found(idioms: Idioms, sentence: str) -> list[tuple[str, str]]:
    words = sentence.split()
    lemmas = [LEMMAS.get(word.lower(), word) for word in words]
    return [
        (match.entry.pattern, " ".join(words[place] for place in match.positions))
        for match in idioms.find(words, lemmas)
    ]


@pytest.mark.parametrize(
    ("pattern", "sentence", "words"),
    [
        ("blow the whistle", "They blew the whistle early", "blew the whistle"),
        ("blow the whistle", "INSIDER BLEW THE WHISTLE", "BLEW THE WHISTLE"),
        ("twist one's arm", "stop twisting my arm", "twisting arm"),
        ("twist one's arm", "twisting the poor man 's arm", "twisting arm"),
        ("drop someone a line", "dropped my old boss a line", "dropped a line"),
        ("pull the rug (out)", "pull the rug out", "pull the rug out"),
        ("take a/the back seat", "it took the back seat", "took the back seat"),
        ("take a/the back seat", "it took a back seat", "took a back seat"),
    ],
)
def test_idiom_is_found(pattern, sentence, words):
    assert (pattern, words) in found(Idioms([pattern]), sentence)


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("blow the whistle", "they blew a whistle"),
        ("blow the whistle", "the whistle blew"),
        ("blow the whistle", "they blew the"),
        ("twist one's arm", "twisting the arm"),
        ("twist one's arm", "twisting arm"),
        ("drop someone a line", "dropped a line"),
        ("drop someone a line", "dropped one two three four a line"),
    ],
)
def test_other_words_are_no_idiom(pattern, sentence):
    assert found(Idioms([pattern]), sentence) == []


def test_idiom_is_found_as_often_as_it_stands():
    assert len(found(Idioms(["turn the page"]), "turn the page then turn the page")) == 2


def test_paper_counts_the_idioms_that_it_names():
    for idiom in ("blow the whistle", "call the shots", "pull the rug out", "turn a blind eye"):
        assert found(paper_idioms(), f"do not {idiom} now")


def test_paper_counts_705_verbs_with_an_object():
    assert len(paper_idioms().entries) == 705
    assert not found(paper_idioms(), "a bolt out of the blue")


def test_shipped_idioms_leave_plain_metaphors_alone():
    for expression in ("make history", "have time", "join team", "bring happiness", "have a say"):
        assert not found(shipped_idioms(), expression)


def test_every_shipped_idiom_has_a_meaning_in_other_words():
    for entry in shipped_idioms().entries:
        assert entry.meaning
        assert entry.meaning.lower() != entry.pattern


def test_every_shipped_idiom_is_found_in_its_own_words():
    fillers = {"one's": "my", "someone": "anna", "something": "anna", "oneself": "myself"}
    for entry in shipped_idioms().entries:
        items = entry.pattern.replace("(", "").replace(")", "").split()
        words = [fillers.get(item, item).split("/")[0] for item in items]
        lemmas = ["be" if word in ("is", "are", "was") else word for word in words]
        lemmas = ["have" if word == "has" else word for word in lemmas]
        assert entry in [match.entry for match in shipped_idioms().find(words, lemmas)], entry


def test_shipped_file_has_the_columns_of_a_list_of_your_own():
    assert read_idioms(SHIPPED).entries == shipped_idioms().entries


def test_shipped_file_names_source_and_licence():
    text = SHIPPED.read_text(encoding="utf-8")
    assert "https://github.com/hslh/pie-annotation" in text
    assert "CC BY 4.0" in text


ROW = "spill the beans\treveal a secret\tflexible\tusually\town\t"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("spill (it)", "two words or more"),
        (ROW + "\tmore", "has 7 columns"),
        ("spill the tea\tgossip", "has 2 columns"),
        (ROW.replace("flexible", "loose"), "form is 'loose'"),
        (ROW.replace("usually", "often"), "use is 'often'"),
        (ROW.replace("own", "mine"), "source is 'mine'"),
        (ROW + "no", "paper is 'no'"),
        ("jump the gun", "occurs twice"),
    ],
)
def test_line_that_is_no_idiom_is_refused_with_its_number(tmp_path, line, problem):
    path = tmp_path / "idioms.tsv"
    path.write_text(f"# mine\njump the gun\n\n{line}\n")
    with pytest.raises(BadRecord, match=problem) as caught:
        read_idioms(path)
    assert caught.value.line == 4


def test_own_list_may_have_patterns_or_all_columns(tmp_path):
    path = tmp_path / "idioms.tsv"
    path.write_text(f"jump the gun\n{ROW}\n")
    plain, full = read_idioms(path).entries
    assert (plain.pattern, plain.meaning, plain.prior) == ("jump the gun", "", 0.75)
    assert (full.meaning, full.flexible, full.use) == ("reveal a secret", True, "usually")


@pytest.fixture
def altered_file(tmp_path, monkeypatch):
    """A copy of the shipped file, to be read in its place."""
    path = tmp_path / "idioms.tsv"
    path.write_bytes(SHIPPED.read_bytes())
    monkeypatch.setattr(lexicon, "SHIPPED", path)
    for cached in (shipped_idioms, paper_idioms):
        cached.cache_clear()
    yield path
    for cached in (shipped_idioms, paper_idioms):
        cached.cache_clear()


def test_altered_lexicon_is_refused(altered_file):
    altered_file.write_bytes(
        altered_file.read_bytes().replace(b"kick the bucket", b"kick the pail")
    )
    for read in (shipped_idioms, paper_idioms):
        with pytest.raises(BadModel, match=r"altered or damaged.*install trope again"):
            read()


def test_half_a_lexicon_is_refused(altered_file):
    altered_file.write_bytes(altered_file.read_bytes()[:2000])
    with pytest.raises(BadModel, match="altered or damaged"):
        shipped_idioms()


def test_line_ends_of_windows_are_no_alteration(altered_file):
    altered_file.write_bytes(altered_file.read_bytes().replace(b"\n", b"\r\n"))
    assert shipped_idioms().entries


@given(st.lists(st.sampled_from(WORDS)))
def test_matches_of_any_words_are_inside_and_in_order(words):
    for match in shipped_idioms().find(words, words):
        assert list(match.positions) == sorted(set(match.positions))
        assert all(0 <= place < len(words) for place in match.positions)
