"""Verb classes of items, for agreement with and without them."""

from __future__ import annotations

from collections.abc import Mapping

from trope.lexicon.inflection import lemma
from trope.lexicon.verbs import shipped_verbs

_TAGS = ("VB", "VBZ", "VBD", "VBG", "VBN")


def verb_lemma(form: str) -> str:
    """The base form of a verb that may stand in any of its forms."""
    form = form.lower()
    found = [lemma(form, "VERB", tag) for tag in ("VBZ", "VBG", "VBD", "VBN")]
    return next((base for base in found if base and base != form), form)


def verb_classes(verbs: Mapping[str, str]) -> dict[str, str]:
    """The class of each item's verb (light, aspectual, weak or ""), in any of its forms."""
    known = shipped_verbs()
    found = {}
    for item, verb in verbs.items():
        form = verb.lower()
        bases = [lemma(form, "VERB", tag) or form for tag in _TAGS]
        found[item] = next(filter(None, map(known.class_of, [form, *bases])), "")
    return found
