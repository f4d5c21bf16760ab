"""What may be passed on: texts of tweets, headlines and the BNC stay out, their ids go in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trope.release.finished_run import Item, Manifest

TERMS = {
    "tweets": "Twitter's terms: ids may be passed on, texts may not",
    "headlines": "publishers' rights: headlines are for research, and not passed on",
    "bnc": "the BNC's terms: its text may not be passed on, annotations of it may",
}
"""Kinds of text that are left out, and why."""

LONGEST_QUOTATION = 5
"""Words of a text that a field may repeat where the text itself is left out."""

_SOURCE = "source_id"


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether texts are in the release; `withheld` are fields that repeat them."""

    with_text: bool
    withheld: tuple[str, ...] = ()
    note: str = ""
    without_source: int = 0


def check_licence(manifest: Manifest, items: Sequence[Item], *, told: bool = False) -> Permission:
    """What of the items may be in a release.

    Args:
        manifest: of the run; it says what the texts are.
        items: of the run.
        told: the user answers for the texts, whatever they are.
    """
    terms = TERMS.get(manifest.text_is)
    if terms is None or told:
        note = f"texts are in the release on the word of whoever made it ({terms})" if terms else ""
        return Permission(True, note=note)
    names = sorted({name for item in items for name in item.fields})
    withheld = tuple(name for name in names if any(_quotes(item, name) for item in items))
    lost = sum(1 for item in items if not item.fields.get(_SOURCE))
    return Permission(False, withheld, f"texts are left out: {terms}", lost)


def _quotes(item: Item, name: str) -> bool:
    """Whether a field repeats more of the text than an expression."""
    value = item.fields.get(name)
    if not isinstance(value, str) or len(value.split()) <= LONGEST_QUOTATION:
        return False
    return _plain(value) in _plain(item.text) or _plain(item.text) in _plain(value)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
