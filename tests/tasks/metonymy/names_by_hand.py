"""Names in sentences whose trees are written by hand."""

from __future__ import annotations

from trope.core.records import Parse
from trope.lexicon.readings import NameClass
from trope.tasks.metonymy.task import NameInContext


def tree(table: str) -> Parse:
    """A parse from lines "form lemma UPOS/XPOS head relation", heads counted from 1."""
    rows = [line.split() for line in table.strip().splitlines()]
    forms, lemmas, tags, heads, deprels = zip(*rows, strict=True)
    upos, xpos = zip(*((tag + "/_").split("/")[:2] for tag in tags), strict=True)
    return Parse(forms, upos, xpos, lemmas, tuple(int(head) - 1 for head in heads), deprels)


def subject(name: str, verb: str, name_class: NameClass = "location") -> NameInContext:
    """ "NAME verbs ." with the name as subject."""
    table = f"{name} {name} PROPN/NNP 2 nsubj\n{verb} {verb} VERB/VBD 0 root\n. . PUNCT 2 punct"
    return NameInContext(name, name_class, tree(table), 0, 1)


def in_place(name: str, verb: str, name_class: NameClass = "location") -> NameInContext:
    """ "They verb in NAME ."."""
    table = f"""
    They they PRON/PRP 2 nsubj
    {verb} {verb} VERB/VBD 0 root
    in in ADP/IN 4 case
    {name} {name} PROPN/NNP 2 obl
    . . PUNCT 2 punct
    """
    return NameInContext(name, name_class, tree(table), 3, 4)
