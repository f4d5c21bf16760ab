"""Readers of substitutes and paraphrases: SWORDS, CoInCo, MUNCH and others."""

import io
import json
from pathlib import Path

import pytest

from trope.core.errors import BadRecord
from trope.corpora.figures import read_bizzoni_lappin, read_impli
from trope.corpora.substitution import (
    read_coinco,
    read_lexsub2007,
    read_munch,
    read_munch_pairs,
    read_swords,
)

SWORDS = {
    "contexts": {"c1": {"context": "The\n big dog", "extra": {"coinco_ids": ["f.txt:s1"]}}},
    "targets": {
        "t1": {
            "context_id": "c1", "target": "big", "offset": 5, "pos": "ADJ",
            "extra": {"coinco_ids": ["7"], "coinco_lemma": "big"},
        }
    },
    "substitutes": {"s1": {"target_id": "t1", "substitute": "large", "extra": {"sources": []}}},
    "substitute_labels": {"s1": ["TRUE", "UNSURE", "FALSE", "TRUE"]},
}  # fmt: skip
COINCO = b"""<document><sent MASCfile="a.txt" MASCsentID="s1"><targetsentence>
  Dogs eat, dogs sleep </targetsentence><tokens>
  <token id="XXX" wordform="Dogs" lemma="dog" posMASC="XXX" />
  <token id="3" wordform="eat" lemma="eat" posMASC="VB" problematic="no"><substitutions>
    <subst lemma="feed" pos="VV" freq="3" /></substitutions></token>
  <token id="4" wordform="sleep" lemma="sleep" posMASC="VB" problematic="yes"/>
</tokens></sent></document>"""


def swords(**changes: object) -> io.BytesIO:
    return io.BytesIO(json.dumps({**SWORDS, **changes}).encode())


def test_swords_gives_shares_of_judges() -> None:
    (target,) = read_swords(swords())
    assert (target.word, target.upos, target.document) == ("big", "ADJ", "f.txt")
    assert [(s.text, s.weight) for s in target.substitutes] == [("large", 0.5)]


def test_swords_refuses_targets_that_do_not_stand_there() -> None:
    moved = {"t1": {**SWORDS["targets"]["t1"], "offset": 0}}  # type: ignore[dict-item]
    with pytest.raises(BadRecord, match="is not where"):
        list(read_swords(swords(targets=moved)))
    with pytest.raises(BadRecord, match="not a file of SWORDS"):
        list(read_swords(io.BytesIO(b"[]")))


def test_coinco_finds_words_and_leaves_problems_out() -> None:
    (target,) = read_coinco(io.BytesIO(COINCO))
    assert (target.id, target.word, target.upos, target.start) == ("3", "eat", "VERB", 5)
    assert [(s.text, s.weight) for s in target.substitutes] == [("feed", 3.0)]


def test_coinco_refuses_what_is_no_xml() -> None:
    with pytest.raises(BadRecord, match="is not XML"):
        list(read_coinco(io.BytesIO(b"<document>")))


def test_lexsub2007_reads_glued_documents_with_broken_entities() -> None:
    xml = b'<corpus><instance id="1"><context>He &#8220 ;had a <head>bright</head> idea</context>'
    gold = b"bright.a 1 :: clever 3;very good 1;\n"
    (target,) = read_lexsub2007(io.BytesIO(xml), io.BytesIO(gold))
    assert (target.word, target.upos, target.lemma) == ("bright", "ADJ", "bright")
    assert [(s.text, s.weight) for s in target.substitutes] == [("clever", 3.0), ("very good", 1.0)]


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        (b"bright 1 clever", "is not an answer"),
        (b"bright.a 9 :: clever 1;", "which input has not"),
        (b"bright.a 1 :: clever;", "is not a substitute"),
    ],
)
def test_lexsub2007_names_the_line(gold: bytes, problem: str) -> None:
    xml = b'<instance id="1"><context>a <head>bright</head> idea</context>'
    with pytest.raises(BadRecord, match=problem) as error:
        list(read_lexsub2007(io.BytesIO(xml), io.BytesIO(gold)))
    assert error.value.line == 1


def test_munch_marks_words_and_keeps_choices_only() -> None:
    items = b"idx,s0,sid,human_ans\n1,Prices <b>fell</b>,a1-f01-3,sank shrank\n"
    (item,) = read_munch(io.BytesIO(items))
    assert (item.word, item.document, len(item.substitutes)) == ("fell", "a1-f01", 2)
    pairs = (
        b"i0,s0_idx,s0,s1,s1_label,s2,s2_label\n"
        b"0,1,x,Prices <b>sank</b>,apt,Prices <b>sat</b>,inapt\n1,1,x,a,apt,b,apt\n"
    )
    (pair,) = read_munch_pairs(io.BytesIO(pairs))
    assert (pair.apt, pair.inapt) == ("Prices <b>sank</b>", "Prices <b>sat</b>")


def test_munch_refuses_rows_without_a_word() -> None:
    with pytest.raises(BadRecord, match="marks no word"):
        list(read_munch(io.BytesIO(b"idx,s0,sid,human_ans\n1,nothing,a-1,x\n")))


@pytest.mark.shared
def test_the_real_files_have_their_counts(shared: Path) -> None:
    data = shared / "data"
    test = list(read_swords(data / "swords" / "swords-v1.1_test.json.gz"))
    assert len(test) == 762
    assert sum(s.weight > 0.5 for t in test for s in t.substitutes) == 2564
    banned = {target.document for target in test}
    coinco = list(read_coinco(data / "coinco" / "coinco_patched.xml.gz"))
    assert (len(banned), len(coinco)) == (35, 15_629 - 214)
    lexsub = data / "semeval2007-lexsub"
    found = list(read_lexsub2007(lexsub / "lst_all.xml", lexsub / "lst_test.gold"))
    assert len(found) == 1703
    munch = data / "munch" / "correct_answers"
    assert len(list(read_munch(munch / "for_generation.csv"))) == 2953
    assert len(list(read_munch_pairs(munch / "for_judgement.csv"))) == 1072


def test_graded_paraphrases_come_in_fours() -> None:
    four = "\n".join(f" Rain fell hard {n}.# {n}" for n in (4, 1, 2, 3))
    source = (
        f"\nIt poured.\n{four}\n\n###*###\n\nNo grades.\n a\n b\n c\n d\n\nTwice.\n{four}\n{four}"
    )
    once, twice = read_bizzoni_lappin(io.BytesIO(source.encode()))
    assert (once.line, once.text) == (2, "It poured.")
    assert once.candidates[0] == ("Rain fell hard 4.", 4)
    assert (len(once.candidates), len(twice.candidates)) == (4, 8)


def test_inference_pairs_are_read_without_regard_to_quotes() -> None:
    source = io.BytesIO(b'"Prices jump.\tPrices rise.\nHope "dies\tHope ends.\t0.5\n')
    pairs = list(read_impli(source))
    assert [pair.figurative for pair in pairs] == ['"Prices jump.', 'Hope "dies']
    assert pairs[1].hypothesis == "Hope ends."


@pytest.mark.parametrize("line", ["one sentence", "one\t", "a\tb\tc\td"])
def test_lines_without_two_sentences_are_told_by_number(line: str) -> None:
    with pytest.raises(BadRecord, match="does not have two sentences"):
        list(read_impli(io.BytesIO(f"a\tb\n{line}\n".encode())))


@pytest.mark.shared
def test_paraphrases_are_as_many_as_were_counted(shared: Path) -> None:
    folder = shared / "data/bizzoni-lappin"
    sets = list(read_bizzoni_lappin(folder / "metaphor_paraphrase_corpus.txt"))
    assert len(sets) == 186
    grades = [grade for own in sets for _, grade in own.candidates]
    assert [grades.count(grade) for grade in (4, 3, 2, 1)] == [218, 153, 171, 202]
    others = read_bizzoni_lappin(folder / "lit2met_corpus.txt")
    assert sum(len(own.candidates) for own in others) == 720
    assert len(list(read_impli(shared / "data/impli/metaphors/manual_e.tsv"))) == 387
