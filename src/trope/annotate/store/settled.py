"""What adjudicators settled, and what waits for them, laid over labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, F, Q

from trope.annotate.exchange.records import Judged, Shown
from trope.annotate.project import Plan
from trope.annotate.questions import Question
from trope.annotate.store.models import Decision, Item
from trope.annotate.watched import label_of
from trope.metrics.aggregation.results import ItemResult

DECIDED = "decided by an adjudicator"
EXCLUDED = "left out by an adjudicator"
NOT_RECONCILED = "left out: answers differ and nobody has settled them"
NOT_LOOKED_AT = "left out: in doubt, and nobody has looked again"
NOT_ASKED = "not asked after what an adjudicator decided"


@dataclass(frozen=True, slots=True)
class Settled:
    """Decisions by item (answers, None for an item that was left out), and what waits.

    With `strict`, an item whose answers differ has no label until someone has decided.
    """

    decided: Mapping[str, Mapping[str, Any] | None]
    waiting: frozenset[str]
    strict: bool

    def over(
        self,
        question: Question,
        option: str | None,
        item: Shown,
        rows: Sequence[Judged],
        key: str,
        found: ItemResult | None,
    ) -> ItemResult | None:
        """The label after what was decided, under `key`; None where there is nothing to say."""
        if item.id in self.decided:
            answers = self.decided[item.id]
            label = None if answers is None else _label(question, option, item, answers)
            if label is None and found is None:
                return None
            note = EXCLUDED if answers is None else DECIDED if label is not None else NOT_ASKED
            certain = None if label is None else 1.0
            return ItemResult(key, label, certain, found.answers if found else 0, note)
        if found is None or not self.strict:
            return found
        given = {label_of(row.answers[question.id]) for row in rows if question.id in row.answers}
        why = NOT_LOOKED_AT if item.id in self.waiting else NOT_RECONCILED if len(given) > 1 else ""
        return replace(found, label=None, confidence=None, score=None, note=why) if why else found


def settled_items(plan: Plan) -> Settled:
    """What holds now."""
    rows = Decision.objects.filter(current=True).order_by("pk")
    found = rows.values_list("item__external_id", "answers", "excluded")
    decided = {item: None if excluded else answers for item, answers, excluded in found}
    strict = plan.adjudication.unresolved == "exclude"
    return Settled(decided, frozenset(_waiting(plan)) if strict else frozenset(), strict)


def _label(
    question: Question, option: str | None, item: Shown, answers: Mapping[str, Any]
) -> str | None:
    """The label that a decision gives to a question, or to an option of it."""
    answer = answers.get(question.id)
    if option is None or answer is None:
        return label_of(answer)
    if option not in {one.value for one in question.offered(item.payload, answers)}:
        return None
    return "yes" if option in answer else "no"


def _waiting(plan: Plan) -> list[str]:
    """Items that someone is in doubt about and that lack their further judgments."""
    counted = Count("judgment", filter=Q(judgment__current=True, judgment__state="counted"))
    doubted = Item.objects.filter(extra__gt=0).annotate(given=counted)
    short = doubted.filter(given__lt=plan.judgments_an_item + F("extra"))
    return list(short.values_list("external_id", flat=True))
