"""Lemmas as edit rules: how many letters go at the end, what comes instead, which case stays.

A rule is text, for example "lower|3|y" (tries → try) or "lower|=|be" (was → be), so that a list
of rules can be stored, read and reviewed.
"""

from __future__ import annotations

from functools import lru_cache


def make_rule(form: str, lemma: str) -> str:
    """The rule that turns this form into this lemma."""
    keep = lemma != lemma.lower()
    source = form if keep else form.lower()
    case = "keep" if keep else "lower"
    shared = 0
    while shared < min(len(source), len(lemma)) and source[shared] == lemma[shared]:
        shared += 1
    # a lemma that shares nothing, or almost nothing, with its form is irregular: name it whole
    if shared == 0 or (shared == 1 and len(source) > 3):
        return f"{case}|=|{lemma}"
    return f"{case}|{len(source) - shared}|{lemma[shared:]}"


@lru_cache(maxsize=100_000)
def apply_rule(rule: str, form: str) -> str:
    """The lemma of a form; a rule that does not fit leaves the form (in the rule's case)."""
    case, cut, ending = rule.split("|", 2)
    if cut == "=":
        return ending
    source = form if case == "keep" else form.lower()
    drop = int(cut)
    if drop >= len(source):
        return source
    return source[: len(source) - drop] + ending
