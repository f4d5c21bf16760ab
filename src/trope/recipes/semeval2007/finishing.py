"""What two simulated annotators make of names, and how they come to terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from trope.core.judgments import Judgment
from trope.corpora.name_samples import NameSample
from trope.lexicon.readings import NameClass, readings
from trope.recipes import crowd
from trope.recipes.recipe import Context, Finished, Label
from trope.recipes.records import SUBSET, Record
from trope.tasks.metonymy.review import Reconciliation, reconcile_both, reconcile_checked
from trope.tasks.metonymy.samples import count_readings

QUESTION = "reading"
LITERAL = "literal"
FIRST, SECOND = "a01", "a02"


def is_train(item: Record) -> bool:
    """Whether two judge the sample; of the others one does, and a second checks doubtful ones."""
    return str(item.fields[SUBSET]).endswith("-train")


def simulate(items: Sequence[Record], context: Context) -> Finished:
    """Train samples are judged by two, test samples by one; what stays open has no label."""
    truth = _truth(items, context)
    said = {name: _answers(name, items, truth, context) for name in (FIRST, SECOND)}
    judgments: list[Judgment] = []
    labels: dict[str, Label] = {}
    agreement: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for part in dict.fromkeys(item.fields[SUBSET] for item in items):
        own = [item for item in items if item.fields[SUBSET] == part]
        samples = [sample_of(item) for item in own]
        both = is_train(own[0])
        checked = _doubtful(samples, context)
        reconciled = _reconcile(samples, said, truth, checked, both, context)
        votes = dict.fromkeys(crowd.ids_of(own), 2 if both else 1)
        labels |= labels_of(reconciled, votes)
        judgments += _judgments(samples, said, None if both else checked, context)
        tables[part] = count_readings(reconciled.kept, own[0].fields["name_class"])
        if reconciled.kappas is not None:
            agreement[part] = {name: asdict(k) for name, k in reconciled.kappas.items()}
    return Finished(
        tuple(judgments),
        tuple(labels[item.id] for item in items),
        {"measure": "cohen", "subsets": agreement},
        {"tables 1 and 2": tables},
    )


def _truth(items: Sequence[Record], context: Context) -> dict[str, str]:
    rng = crowd.generator(context.seed, "truth")
    machine = context.settings.crowd.machine
    found = {}
    for item in items:
        labels = tuple(readings(item.fields["name_class"]))
        (found[item.id],) = crowd.hidden_truth(rng, [LITERAL], labels, machine)
    return found


def _answers(
    name: str, items: Sequence[Record], truth: Mapping[str, str], context: Context
) -> dict[str, str]:
    rng = crowd.generator(context.seed, name)
    (skill,) = crowd.skills(rng, context.settings.crowd, 1)
    return {
        item.id: crowd.answer(rng, truth[item.id], (*readings(item.fields["name_class"]),), skill)
        for item in items
    }


def sample_of(item: Record) -> NameSample:
    """The item as the rules of the task know it."""
    fields = item.fields
    kind: NameClass = fields["name_class"]
    return NameSample(
        item.id, fields["name"], kind, (item.text,), 0, fields["start"], fields["end"]
    )


def _doubtful(samples: Sequence[NameSample], context: Context) -> set[str]:
    rng = crowd.generator(context.seed, "doubt")
    share = context.settings.doubts.doubtful
    return {sample.id for sample in samples if rng.random() < share}


def _reconcile(
    samples: Sequence[NameSample],
    said: Mapping[str, Mapping[str, str]],
    truth: Mapping[str, str],
    doubtful: set[str],
    both: bool,
    context: Context,
) -> Reconciliation:
    first, second = ({s.id: said[name][s.id] for s in samples} for name in (FIRST, SECOND))
    if not both:
        return reconcile_checked(
            samples, first, doubtful, {item: second[item] for item in doubtful}
        )
    rng = crowd.generator(context.seed, "settled")
    settled = {
        sample.id: truth[sample.id]
        for sample in samples
        if first[sample.id] != second[sample.id] and rng.random() < context.settings.doubts.settled
    }
    return reconcile_both(samples, first, second, settled, seed=context.seed)


def labels_of(reconciled: Reconciliation, votes: Mapping[str, int]) -> dict[str, Label]:
    """A label a sample; those that were left out have the reason instead."""
    found = {one.id: Label(one.id, one.reading, votes=votes[one.id]) for one in reconciled.kept}
    return found | {
        item: Label(item, None, votes=votes[item], reason=why)
        for item, why in reconciled.removed.items()
    }


def _judgments(
    samples: Sequence[NameSample],
    said: Mapping[str, Mapping[str, str]],
    checked: set[str] | None,
    context: Context,
) -> list[Judgment]:
    """All answers; of the second annotator only those that were asked for."""
    rng = crowd.generator(context.seed, "seconds")
    return [
        Judgment(sample.id, name, said[name][sample.id], QUESTION, seconds=crowd.seconds(rng))
        for sample in samples
        for name in (FIRST, SECOND)
        if name == FIRST or checked is None or sample.id in checked
    ]
