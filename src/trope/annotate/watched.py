"""What rules and tables read of a plan: labels of answers, known answers, the watched question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trope.annotate.project import Plan
from trope.annotate.questions import Question
from trope.annotate.rules.gold import Gold

RARE = 0.05
"""How often a blind guess is taken to be right where the answers cannot be counted."""


def measured_questions(plan: Plan) -> list[Question]:
    """The questions on which people can agree: all but free text."""
    return [question for question in plan.questions if question.kind != "text"]


def watched_question(plan: Plan) -> Question | None:
    """The question that the rules look at: the one named, else the first choice or scale."""
    for question in plan.questions:
        if question.id == plan.quality.question or (
            not plan.quality.question and question.kind in ("choice", "scale")
        ):
            return question
    return None


def label_of(answer: Any) -> str | None:
    """An answer as a label; a list is compared as a whole."""
    if answer is None:
        return None
    return json.dumps(answer, ensure_ascii=False) if isinstance(answer, list) else str(answer)


def scale_of(question: Question) -> list[str]:
    """All labels that the question offers whatever the item, in their order."""
    return [option.value for option in question.offered({}, {})]


def known_answer(wanted: Any) -> Gold:
    """The known answer to a question, for the rules."""
    if isinstance(wanted, dict):
        return Gold(low=float(wanted["from"]), high=float(wanted["to"]))
    return Gold(frozenset(map(str, wanted if isinstance(wanted, list) else [wanted])))


def gold_text(wanted: Any) -> str:
    """The known answer as a cell of a table: `yes`, `yes|unsure`, `-2..1`."""
    if isinstance(wanted, dict):
        return f"{wanted['from']}..{wanted['to']}"
    return "|".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)


def guess_chance(plan: Plan, gold: Mapping[str, Any]) -> float:
    """How often someone who answers blindly is right on all that is known of an item."""
    chance = 1.0
    for question in plan.questions:
        if question.id in gold:
            scale = scale_of(question) if question.kind in ("choice", "scale") else []
            accepted = known_answer(gold[question.id]).chance(scale) if scale else RARE
            chance *= accepted
    return max(chance, RARE)
