"""Gold+: a headline and an accepted candidate make a new headline with the opposite label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trope.core.errors import BadInput
from trope.lexicon.inflection import inflect
from trope.tasks.rewriting.headlines import verb_base
from trope.tasks.rewriting.task import Place, in_case_of


@dataclass(frozen=True, slots=True)
class NewHeadline:
    """A headline that was made, its label, and where it comes from.

    `repaired` is the form that was accepted where another one stands in the new headline.
    """

    text: str
    metaphor: bool
    source: str
    focus_verb: str
    candidate: str
    repaired: str = ""


def expand(
    text: str, place: Place, metaphor: bool, accepted: Sequence[str], *, source: str
) -> list[NewHeadline]:
    """A new headline for every accepted candidate, in the verb form that the place asks for.

    Raises:
        BadInput: where the verb of the place does not stand exactly once in the text.
    """
    word = place.word
    if text.split().count(word) != 1 and text.count(word) != 1:
        raise BadInput(f"the verb {word!r} does not stand exactly once in {text!r}; mask by place")
    start = text.find(word)
    found = []
    for candidate in accepted:
        form = in_case_of(agreeing(candidate, place), word)
        found.append(
            NewHeadline(
                text=text[:start] + form + text[start + len(word) :],
                metaphor=not metaphor,
                source=source,
                focus_verb=word,
                candidate=form,
                repaired=candidate if candidate.lower() != form.lower() else "",
            )
        )
    return found


def agreeing(candidate: str, place: Place) -> str:
    """The candidate in the number and tense of the verb that it stands for."""
    return inflect(verb_base(candidate), place.form)
