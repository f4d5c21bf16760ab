"""What is seen of a name: roles in hand-made trees, form, neighbours, people's roles."""

from dataclasses import replace

import pytest
from names_by_hand import in_place, subject, tree

from trope.core.errors import BadInput
from trope.tasks.metonymy.features import role_features, shallow_features, tree_roles
from trope.tasks.metonymy.task import NameInContext


def roles(table, first, last, name="Peru"):
    context = NameInContext(name, "location", tree(table), first, last)
    return [(role.name, role.lemma) for role in tree_roles(context)]


def test_subject_and_place():
    assert [(r.name, r.lemma) for r in tree_roles(subject("Peru", "deny"))] == [("subj", "deny")]
    assert [(r.name, r.lemma) for r in tree_roles(in_place("Peru", "live"))] == [("pp in", "live")]


def test_passive_subject():
    table = """
    Peru Peru PROPN 3 nsubj:pass
    was be AUX 3 aux:pass
    beaten beat VERB 0 root
    """
    assert roles(table, 0, 1) == [("subjpassive", "beat")]


def test_genitive_premodifier_and_conjunct():
    genitive = "Peru Peru PROPN 3 nmod:poss\n's 's PART 1 case\ncoast coast NOUN 0 root"
    assert roles(genitive, 0, 1) == [("gen", "coast")]
    premodifier = "Peru Peru PROPN 2 compound\ncoffee coffee NOUN 0 root"
    assert roles(premodifier, 0, 1) == [("premod", "coffee")]
    conjunct = """
    Chile Chile PROPN 4 nsubj
    and and CCONJ 3 cc
    Peru Peru PROPN 1 conj
    refused refuse VERB 0 root
    """
    assert roles(conjunct, 2, 3) == [("conj", "chile"), ("conj subj", "refuse")]


def test_predicate_and_name_alone():
    predicate = "This this PRON 3 nsubj\nis be AUX 3 cop\nPeru Peru PROPN 0 root"
    assert roles(predicate, 2, 3) == [("pred", "")]
    assert roles("Peru Peru PROPN 0 root", 0, 1) == [("root", "")]


def test_a_name_of_several_words_hangs_by_its_head():
    table = """
    South south PROPN 2 compound
    Korea Korea PROPN 3 nsubj
    won win VERB 0 root
    """
    assert roles(table, 0, 2, "South Korea") == [("subj", "win")]


def test_features_generalise_the_head_by_its_classes():
    row = role_features(subject("Peru", "deny"), {"deny": ("say-37.7",)})
    assert row["role=subj"] == row["subj=deny"] == row["subj:say-37.7"] == 1
    assert row["subj:verb.communication"] > 0
    assert row["determiner=none"] == row["plural=False"] == 1
    assert "subj:say-37.7" not in role_features(subject("Peru", "deny"))


def test_roles_of_people_take_the_place_of_the_trees():
    name = replace(subject("Peru", "deny"), roles=(("obj", "praise"), ("pp", "of"), ("nohead", "")))
    row = role_features(name)
    assert row["obj=praise"] == row["role=pp of"] == row["role=root"] == 1
    assert "role=subj" not in row


def test_shallow_features_see_no_tree():
    one = in_place("Peru", "live")
    other = replace(one, parse=replace(one.parse, heads=(-1, 0, 0, 0, 0), deprels=("dep",) * 5))
    assert shallow_features(one) == shallow_features(other)
    assert shallow_features(one)["word-1=in"] == 1
    assert shallow_features(one)["near=live"] == 1


def test_a_name_without_words_is_refused():
    with pytest.raises(BadInput, match="'Peru' has no words"):
        NameInContext("Peru", "location", tree("Peru Peru PROPN 0 root"), 1, 1)
