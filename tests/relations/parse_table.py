"""Parses written as tables, one word a line: form, lemma, tag, head (from 1, 0 = root), relation.

The tag is UPOS or UPOS/XPOS; a missing XPOS is "_".
"""

from __future__ import annotations

from trope.core.records import Parse, Relation


def read_parse(table: str) -> Parse:
    rows = [line.split() for line in table.strip().splitlines()]
    forms, lemmas, tags, heads, deprels = zip(*rows, strict=True)
    upos, xpos = zip(*((tag + "/_").split("/")[:2] for tag in tags), strict=True)
    return Parse(forms, upos, xpos, lemmas, tuple(int(head) - 1 for head in heads), deprels)


def in_words(parse: Parse, relation: Relation) -> str:
    """A triplet as "subject-verb-object"."""
    places = (relation.subject, relation.verb, relation.object)
    return "-".join(parse.words[place] for place in places if place is not None)


def expression(parse: Parse, relation: Relation) -> str:
    """The words of an expression as they stand in the text."""
    return " ".join(parse.words[relation.start : relation.end])
