"""WordNet's graph: the shipped files, the measure, and how the files are made."""

import math
from pathlib import Path

import pytest

from trope.lexicon.wordnet import compile_part, read_wordnet

VERBS = """  1 the licence
00000010 30 v 02 move 0 go 0 001 ~ 00000020 v 0000 00 | change place; "they move fast"
00000020 30 v 01 run 0 001 @ 00000010 v 0000 00 | go fast on foot
00000030 30 v 01 stop 0 002 ! 00000010 v 0101 + 00000099 n 0101 00 | come to an end
"""
INDEX = """  1 the licence
go v 1 1 ~ 1 0 00000010
move v 1 1 ~ 1 0 00000010
run v 1 1 @ 1 0 00000020
stop v 1 0 1 0 00000030
"""


def test_verbs_are_as_many_as_in_wordnet_3() -> None:
    assert len(read_wordnet("VERB").synsets) == 13_767
    assert len(read_wordnet("ADV").synsets) == 3_621


@pytest.mark.parametrize(("path", "likeness"), [(0, 3.258), (1, 2.565), (2, 2.159), (3, 1.872)])
def test_likeness_falls_with_the_path(path: int, likeness: float) -> None:
    net = read_wordnet("VERB")
    run = net.senses("run")[0]
    found = next(s.number for s in net.synsets if net.path(run, s.number) == path)
    assert math.isclose(net.likeness(run, found), likeness, abs_tol=1e-3)


def test_the_path_is_the_same_both_ways_and_goes_over_a_root_if_need_be() -> None:
    net = read_wordnet("VERB")
    pairs = [(net.senses(a)[0], net.senses(b)[0]) for a in ("run", "say") for b in ("eat", "own")]
    assert all(net.path(a, b) == net.path(b, a) > 0 for a, b in pairs)


def test_what_is_below_has_it_above() -> None:
    net = read_wordnet("VERB")
    sense = net.senses("walk")[0]
    assert all(sense in net.synsets[below].hypernyms for below in net.hyponyms[sense])


OPPOSED = [
    ("raise", "lower"), ("soar", "plunge"), ("bury", "publish"), ("bury", "reveal"),
    ("embrace", "reject"), ("slash", "raise"), ("ignite", "extinguish"), ("demolish", "build"),
]  # fmt: skip
ALIKE = [("bury", "hide"), ("raise", "lift"), ("slam", "criticize"), ("run", "run"), ("eat", "own")]


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_verbs_that_lead_in_opposite_directions_are_opposed_both_ways(one: str, other: str) -> None:
    net = read_wordnet("VERB")
    assert net.opposed(one, other)
    assert net.opposed(other, one)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_verbs_that_say_the_same_or_something_else_are_not(one: str, other: str) -> None:
    assert not read_wordnet("VERB").opposed(one, other)
    assert not read_wordnet("VERB").opposed(one, "blork")


def test_adjectives_are_opposed_too() -> None:
    assert read_wordnet("ADJ").opposed("hot", "cold")


def test_unknown_words_have_no_senses() -> None:
    assert read_wordnet("VERB").senses("blork") == ()


def test_files_of_wordnet_become_lines(tmp_path: Path) -> None:
    (tmp_path / "data.verb").write_text(VERBS)
    (tmp_path / "index.verb").write_text(INDEX)
    lines = [line for line in compile_part(tmp_path, "VERB") if not line.startswith("#")]
    assert lines == [
        "move:1 go:1\t\t\t\tchange place",
        "run:1\t0\t\t\tfast foot go on",
        "stop:1\t\t\t0\tan come end to",
    ]
