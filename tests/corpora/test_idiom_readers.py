"""EPIE, MAGPIE, PIE and the noun compounds of SemEval-2022, from small files of our own."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.corpora.idioms import (
    CompoundSenses,
    read_compound_senses,
    read_compounds,
    read_epie,
    read_magpie,
    read_pie,
)

EPIE = "id\tidiom\tlabel\twords\ttags\n"
EPIE_ROW = "e-1\tbreak the ice\t1\tShe broke the ice .\tO B-IDIOM I-IDIOM I-IDIOM O\n"
MAGPIE = "id\tidiom\tlabel\tspan\twords\n"
MAGPIE_ROW = "m-1\tbreak the ice\tliteral\t1:4\tShe broke the ice .\n"
PIE = "id\tclass\tmeaning\tidiom_or_literal\twords\tpos\n"
PIE_ROW = "p-1\tSimile\tvery brave\tYes\tbrave as lions\tJJ IN NNS\n"
COMPOUNDS = "id,compound,split,label,previous,target,next\n"
COMPOUND_ROW = 'c-1,night owl,dev,0,,"Ann, a night owl, sang.",We slept.\n'
SENSES = (
    "Multiword Expression,Literal Meaning,Non-Literal Meaning 1,Non-Literal Meaning 2,Data Split\n"
)


def read(reader, text):
    return list(reader(io.BytesIO(text.encode())))


def test_epie_has_spans_and_a_label_where_people_judged():
    second = "e-2\tat sea\t\tAt sea , at sea\tB-IDIOM I-IDIOM O B-IDIOM I-IDIOM\n"
    first, second = read(read_epie, EPIE + EPIE_ROW + second)
    assert (first.id, first.idiom, first.line) == ("e-1", "break the ice", 2)
    assert (first.spans, first.idiomatic) == (((1, 4),), True)
    assert (second.spans, second.idiomatic) == (((0, 2), (3, 5)), None)


def test_magpie_has_one_span(tmp_path):
    path = tmp_path / "magpie.tsv.gz"
    path.write_bytes(gzip.compress((MAGPIE + MAGPIE_ROW).encode()))
    (row,) = read_magpie(path)
    assert (row.spans, row.idiomatic) == (((1, 4),), False)
    assert row.words[1:4] == ("broke", "the", "ice")


def test_pie_has_a_class_and_parts_of_speech():
    first, second = read(read_pie, PIE + PIE_ROW + "p-2\tLiteral\t\t\tA lion\tDT NN\n")
    assert (first.figure, first.meaning, first.idiom_or_literal) == ("Simile", "very brave", "Yes")
    assert first.tags == ("JJ", "IN", "NNS")
    assert (second.figure, second.meaning) == ("Literal", "")


def test_compounds_are_read_with_their_context():
    (row,) = read(read_compounds, COMPOUNDS + COMPOUND_ROW)
    assert (row.compound, row.split, row.idiomatic) == ("night owl", "dev", True)
    assert (row.previous, row.target, row.next) == ("", "Ann, a night owl, sang.", "We slept.")


def test_compounds_in_the_columns_of_the_task():
    labelled = (
        "DataID,Language,MWE,Setting,Previous,Target,Next,Label\nd,EN,owl,zero_shot,a,b,c,1\n"
    )
    (row,) = read(read_compounds, labelled)
    assert (row.id, row.compound, row.split, row.idiomatic) == ("d", "owl", "zero_shot", False)
    (row,) = read(read_compounds, "ID,Language,MWE,Previous,Target,Next\n1,PT,coruja,a,b,c\n")
    assert (row.id, row.language, row.split, row.idiomatic) == ("1", "PT", "", None)


def test_senses_leave_out_the_missing_ones():
    rows = read(read_compound_senses, SENSES + "night owl,nocturnal bird,late person,None,train\n")
    assert rows == [CompoundSenses("night owl", "nocturnal bird", ("late person",), 2, "train")]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\t1\t", "\t2\t", "unknown label '2'"),
        (" O\n", "\n", "has 5 words and 4 tags"),
        ("B-IDIOM", "B-NAME", "unknown label 'B-NAME'"),
        ("B-IDIOM", "I-IDIOM", "begins with B-IDIOM"),
        ("B-IDIOM I-IDIOM I-IDIOM", "O O O", "has no idiom"),
        ("break the ice", "", "column 'idiom' is empty"),
        ("\tO B-IDIOM", "", "the number of fields is 4"),
        (EPIE_ROW, EPIE_ROW * 2, "id 'e-1' is also in line 2"),
    ],
)
def test_faults_of_epie(old, new, problem):
    with pytest.raises(BadRecord, match=problem):
        read(read_epie, EPIE + EPIE_ROW.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("literal", "lit", "unknown label 'lit'"),
        ("1:4", "1-4", "span '1-4' is not start:end"),
        ("1:4", "4:4", "span '4:4' is not start:end"),
        ("1:4", "1:6", "in a sentence of 5 words"),
        (MAGPIE_ROW, MAGPIE_ROW * 2, "id 'm-1' is also in line 2"),
    ],
)
def test_faults_of_magpie(old, new, problem):
    with pytest.raises(BadRecord, match=problem):
        read(read_magpie, MAGPIE + MAGPIE_ROW.replace(old, new))


@pytest.mark.parametrize(
    ("reader", "text", "problem"),
    [
        (read_pie, PIE + PIE_ROW.replace("Simile", "Pun"), "unknown label 'Pun'"),
        (read_pie, PIE + PIE_ROW.replace(" NNS", ""), "has 3 words and 2 tags"),
        (read_pie, PIE + PIE_ROW * 2, "is also in line 2"),
        (read_compounds, COMPOUNDS + COMPOUND_ROW.replace(",0,", ",2,"), "unknown label '2'"),
        (
            read_compounds,
            COMPOUNDS + COMPOUND_ROW.replace("night owl,", ","),
            "'compound' is empty",
        ),
        (read_compounds, COMPOUNDS + COMPOUND_ROW * 2, "is also in line 2"),
        (read_compounds, "id,compound\n1,owl\n", "has no column 'target'"),
        (read_compound_senses, SENSES + "owl,,a,b,train\n", "'Literal Meaning' is empty"),
        (read_compound_senses, SENSES + "owl,a,b,c,dev\n" * 2, "is also in line 2"),
    ],
)
def test_other_faults(reader, text, problem):
    with pytest.raises(BadRecord, match=problem):
        read(reader, text)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 8))
def test_a_span_is_read_if_and_only_if_it_lies_in_the_sentence(start, end, words):
    text = f"{MAGPIE}m\tx\tidiomatic\t{start}:{end}\t{'w ' * words}\n"
    if start < end <= words:
        (row,) = read(read_magpie, text)
        assert row.spans == ((start, end),)
    else:
        with pytest.raises(BadRecord, match="is not start:end"):
            read(read_magpie, text)
