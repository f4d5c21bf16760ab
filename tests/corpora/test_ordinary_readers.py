"""EmoBank, figures, source domains and lists of leaks, from small files of our own."""

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.corpora.conceptual_metaphors import read_concept_names, read_concept_texts
from trope.corpora.emobank import read_emobank
from trope.corpora.figures import (
    HyperboleTriple,
    SimileText,
    read_hyperboles,
    read_hypo,
    read_isarcasm,
    read_msd23,
)
from trope.corpora.leaks import LeakedRow, read_leaks

EMOBANK = "id,split,V,A,D,text\n"
EMOBANK_ROW = 'd-1,train,3.4,3.1,3.0,"Thank you, we slept well."\n'
SIMILE = {"id": "s-1", "text": "like a deer", "before": "", "after": "so ?", "label": "simile"}
HYPO = "id\thyperbole\tparaphrase\tminimal_units_sentence\n"
HYPERBOLES = "id,text,hyperbole,metaphor\n"
SARCASM = "id,tweet,sarcastic,rephrase,sarcasm,irony,satire,understatement,overstatement,"
SARCASM += "rhetorical_question\n"
SARCASM_ROW = 't-1,"Great, rain\nagain",1,I dislike rain,1,0,0,0,0,1\n'
SOURCES = "id,text,span1,words,guess,label,name,group\n"
SOURCE_ROW = 'l-1,The plan rests on weak pillars .,"[5, 6]",pillars,,0,BUILDING,STRUCTURE\n'
TARGETS = "id,text,span1,words,metaphor,label,name\n"
TARGET_ROW = 'l-1,Taxes bite us,"[1, 2]",bite,Metaphor,3,TAXES\n'
NAMES = "id\tname\tconfidence\tgroup\ttrain\ttrain_with_span\tdev\t"
NAMES += "words_by_frequency\twords_by_log_odds\n"
NAME_ROW = "0\tBUILDING\tsure\tSTRUCTURE\t9\t7\t2\ttower 3, old house 1\thouse, tower\n"
LEAKS = "file\tid\tagainst\n"


def read(reader, text):
    return list(reader(io.BytesIO(text.encode())))


# what is read ---------------------------------------------------------------------------------


def test_emobank_has_ratings_and_a_score_from_minus_five_to_five():
    (text,) = read(read_emobank, EMOBANK + EMOBANK_ROW)
    assert (text.id, text.split, text.text) == ("d-1", "train", "Thank you, we slept well.")
    assert (text.valence, text.arousal, text.dominance, text.genre) == (3.4, 3.1, 3.0, "")
    assert text.sentiment == pytest.approx(1.0)


def test_emobank_with_genres_packed(tmp_path):
    path = tmp_path / "emobank.csv.gz"
    header = "id,split,V,A,D,genre,subgenre,text\n"
    path.write_bytes(gzip.compress((header + "d,dev,1,5,3,letters,,Hello\n").encode()))
    (text,) = read_emobank(path)
    assert (text.genre, text.subgenre, text.sentiment) == ("letters", "", -5.0)


def test_similes_have_their_turns():
    literal = SIMILE | {"id": "s-2", "label": "literal"}
    rows = read(read_msd23, f"{json.dumps(SIMILE)}\n{json.dumps(literal)}\n")
    assert rows[0] == SimileText("s-1", "like a deer", True, 1, "", "so ?")
    assert rows[1].simile is False


def test_hyperboles_have_a_paraphrase_and_perhaps_a_literal_use():
    rows = read(read_hypo, HYPO + 'h-1\tI slept "years".\tI slept long.\t\n')
    assert rows == [HyperboleTriple("h-1", 'I slept "years".', "I slept long.", "", 2)]


def test_hyperboles_with_two_labels_of_which_one_may_be_missing():
    rows = read(read_hyperboles, HYPERBOLES + "h-1,I slept years.,1,0\nh-2,I slept.,0,\n")
    assert [(row.hyperbole, row.metaphor) for row in rows] == [(True, False), (False, None)]


def test_sarcasm_over_lines_with_finer_labels():
    first, second = read(read_isarcasm, SARCASM + SARCASM_ROW + "t-2,Rain,0,,,,,,,\n")
    assert (first.text, first.sarcastic, first.line) == ("Great, rain\nagain", True, 2)
    assert (first.rephrase, first.classes) == ("I dislike rain", ("sarcasm", "rhetorical_question"))
    assert (second.sarcastic, second.classes, second.line) == (False, (), 4)


def test_sarcasm_in_the_files_of_the_task():
    (row,) = read(read_isarcasm, ",tweet,sarcastic,rephrase,sarcasm\n0,Rain,1,No rain,1\n")
    assert (row.id, row.sarcastic, row.classes) == ("0", True, ("sarcasm",))
    (row,) = read(read_isarcasm, "text,sarcastic\nRain,0\n")
    assert (row.id, row.text, row.sarcastic) == ("1", "Rain", False)
    (row,) = read(read_isarcasm, "text,sarcasm,irony\nRain,0,1\n")
    assert (row.sarcastic, row.classes) == (None, ("irony",))


def test_source_concepts_have_a_span_a_guess_or_neither():
    guessed = 'l-2,Walls of debt,,,"[0, 1]",0,BUILDING,STRUCTURE\n'
    bare = "l-3,A text,,,,7,WAR,CONFLICT\n"
    first, second, third = read(read_concept_texts, SOURCES + SOURCE_ROW + guessed + bare)
    assert (first.span, first.words[5], first.guess) == ((5, 6), "pillars", None)
    assert (first.label, first.name, first.group) == (0, "BUILDING", "STRUCTURE")
    assert (first.metaphor, second.span, second.guess) == (None, None, (0, 1))
    assert (third.span, third.guess, third.label) == (None, None, 7)


def test_target_concepts_say_if_the_span_is_a_metaphor():
    first, second = read(read_concept_texts, TARGETS + TARGET_ROW + "l-2,Taxes,,,,3,TAXES\n")
    assert (first.span, first.metaphor, first.group) == ((1, 2), True, "")
    assert (second.span, second.metaphor) == (None, None)


def test_names_of_concepts_have_words():
    (name,) = read(read_concept_names, NAMES + NAME_ROW)
    assert (name.label, name.name, name.confidence, name.group) == (
        0,
        "BUILDING",
        "sure",
        "STRUCTURE",
    )
    assert (name.train, name.dev) == (9, 2)
    assert (name.frequent, name.typical) == ((("tower", 3), ("old house", 1)), ("house", "tower"))
    header = "id\tname\tconfidence\ttrain\tdev\twords_by_frequency\twords_by_log_odds\n"
    (name,) = read(read_concept_names, header + "1\tTAXES\tlikely\t1\t0\t\t\n")
    assert (name.group, name.frequent, name.typical) == ("", (), ())


def test_leaks_name_every_test_set():
    rows = read(read_leaks, f"{LEAKS}toy\tt-1\theld;vua18 test\ntoy\tt-1\tlcc test\n")
    assert rows[0] == LeakedRow("toy", "t-1", ("held", "vua18 test"), 2)
    assert rows[1].against == ("lcc test",)


# what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("3.4", "5.1", "V '5.1' is not from 1 to 5"),
        ("3.1", "nan", "A 'nan' is not from 1 to 5"),
        ("3.0", "high", "D 'high' is not a number"),
        ("train", "trial", "unknown split 'trial'"),
        ('"Thank you, we slept well."', "", "column 'text' is empty"),
        ('"Thank you, we', '"Thank you" we', "cannot be split into fields"),
        (EMOBANK_ROW, EMOBANK_ROW * 2, "id 'd-1' is also in line 2"),
    ],
)
def test_faults_of_emobank(old, new, problem):
    with pytest.raises(BadRecord, match=problem) as caught:
        read(read_emobank, EMOBANK + EMOBANK_ROW.replace(old, new))
    assert caught.value.line in (2, 3)


@pytest.mark.parametrize(
    ("reader", "text", "problem"),
    [
        (read_msd23, json.dumps(SIMILE | {"label": "pun"}), "unknown label 'pun'"),
        (read_msd23, json.dumps(SIMILE | {"text": " "}), "column 'text' is empty"),
        (read_msd23, "[1]\n", "is a JSON list"),
        (read_msd23, f"{json.dumps(SIMILE)}\n" * 2, "is also in line 1"),
        (read_hypo, f"{HYPO}h\t\tp\tm\n", "column 'hyperbole' is empty"),
        (read_hypo, f"{HYPO}h\tx\t\tm\n", "column 'paraphrase' is empty"),
        (read_hypo, f"{HYPO}h\tx\ty\tz\nh\tx\ty\tz\n", "is also in line 2"),
        (read_hyperboles, f"{HYPERBOLES}h,x,,1\n", "column 'hyperbole' is empty"),
        (read_hyperboles, f"{HYPERBOLES}h,x,1,yes\n", "unknown label 'yes'"),
        (read_isarcasm, SARCASM + SARCASM_ROW.replace(",1,I", ",2,I"), "unknown label '2'"),
        (read_isarcasm, SARCASM + SARCASM_ROW * 2, "id 't-1' is also in line 2"),
        (read_isarcasm, "id,text\n1,Rain\n", "has no column 'sarcastic'"),
        (read_isarcasm, "id,sarcastic\n1,1\n", "has no column 'tweet'"),
        (read_leaks, f"{LEAKS}toy\t\theld\n", "column 'id' is empty"),
        (read_leaks, f"{LEAKS}toy\tt\theld;\n", "names an empty test set"),
        (read_leaks, LEAKS + "toy\tt\theld\n" * 2, "is also in line 2"),
    ],
)
def test_faults_of_figures_and_leaks(reader, text, problem):
    with pytest.raises(BadRecord, match=problem):
        read(reader, text)


@pytest.mark.parametrize(
    ("reader", "text", "problem"),
    [
        (read_concept_texts, SOURCES + SOURCE_ROW.replace("6]", "9]"), "outside of the text"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace("[5, 6]", "5 6"), "does not hold a list"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace(",pillars,", ",plan,"), "are not 'plan'"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace('"[5, 6]"', ""), "but no span"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace(",,", ',"[1, 2]",'), "a guess beside"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace(",0,", ",x,"), "not a whole number"),
        (read_concept_texts, SOURCES + SOURCE_ROW.replace("STRUCTURE", ""), "'group' is empty"),
        (read_concept_texts, SOURCES + SOURCE_ROW * 2, "is also in line 2"),
        (read_concept_texts, TARGETS + TARGET_ROW.replace("Metaphor", "yes"), "unknown label"),
        (read_concept_texts, TARGETS + "l,Taxes,,,Metaphor,3,TAXES\n", "label but no span"),
        (read_concept_names, NAMES + NAME_ROW.replace("sure", "so"), "unknown confidence 'so'"),
        (read_concept_names, NAMES + NAME_ROW.replace("\t9\t", "\t-9\t"), "not a whole number"),
        (read_concept_names, NAMES + NAME_ROW.replace("tower 3", "tower"), "not a word and its"),
        (read_concept_names, NAMES + NAME_ROW * 2, "id '0' is also in line 2"),
        (read_concept_names, NAMES + NAME_ROW + "1" + NAME_ROW[1:], "'BUILDING' is also"),
    ],
)
def test_faults_of_concepts(reader, text, problem):
    with pytest.raises(BadRecord, match=problem):
        read(reader, text)


@given(st.integers(-2, 8), st.integers(-2, 8), st.integers(1, 6))
def test_a_span_is_read_if_and_only_if_it_lies_in_the_text(start, end, words):
    spelt = [f"w{at}" for at in range(words)]
    marked = " ".join(spelt[max(start, 0) : end]) or "x"
    row = f'l,{" ".join(spelt)},"[{start}, {end}]",{marked},,0,A,B\n'
    if 0 <= start < end <= words:
        (text,) = read(read_concept_texts, SOURCES + row)
        assert " ".join(text.words[slice(*text.span)]) == marked
    else:
        with pytest.raises(BadRecord, match="outside of the text"):
            read(read_concept_texts, SOURCES + row)


# the research data ----------------------------------------------------------------------------


@pytest.mark.shared
def test_concepts_of_the_texts_have_their_names(shared):
    folder = shared / "data" / "lcc-domains"
    for kind in ("source", "target"):
        names = {one.label: one for one in read_concept_names(folder / f"{kind}_names.tsv")}
        texts = list(read_concept_texts(folder / f"{kind}_train.csv.gz"))
        assert all(names[text.label].name == text.name for text in texts)
        assert all(names[text.label].group == text.group for text in texts)
        assert {label: one.train for label, one in names.items() if one.train} == {
            label: sum(text.label == label for text in texts)
            for label in {text.label for text in texts}
        }
