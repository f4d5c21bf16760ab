"""Gold readings of names: by people or two simulated annotators, reconciled as in the task.

A judged run can be written as the files of the task, with its layers: words with tags, the places
of the names, and their roles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from trope.annotate.exchange.records import JudgmentRecord
from trope.core.errors import MissingData
from trope.core.files import atomic_write
from trope.core.judgments import Judgment
from trope.corpora.records import NameSample
from trope.corpora.semeval2007 import write_samples
from trope.corpora.semeval2007_layers import (
    RoleRow,
    TaggedSample,
    TaggedWord,
    write_roles,
    write_standoff,
    write_tagged,
)
from trope.lexicon.readings import NameClass, readings
from trope.recipes import crowd
from trope.recipes.answers import AdjudicatedAnswers, CompleteAnswers, ProjectAnswers, as_rows
from trope.recipes.recipe import Context, JudgedDataset
from trope.recipes.records import SUBSET, ItemLabel, Record, from_lines
from trope.recipes.run_folder import LABELS
from trope.tasks.metonymy.features import task_roles
from trope.tasks.metonymy.samples import (
    Reconciliation,
    count_readings,
    kappas,
    reconcile_both,
    reconcile_checked,
)
from trope.tasks.metonymy.task import SentenceParser, parse_samples, words_within
from trope.text import read
from trope.text.tokenise import tokenise

QUESTION = "reading"
CLASS, SURE, METONYMIC, LITERAL = "class", "sure", "metonymic", "literal"
FIRST, SECOND = "a01", "a02"


@dataclass(frozen=True, slots=True)
class _NameReadings:
    """The readings that annotators gave a sample, and the final one, if there is one."""

    item: Record
    readings: tuple[str | None, ...]
    final: str | None


def is_train(item: Record) -> bool:
    """Whether two annotators judge the sample; else one does, and a second checks doubtful ones."""
    return str(item.fields[SUBSET]).endswith("-train")


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    """Two simulated annotators judge train samples, one judges test samples."""
    truth = _truth(items, context)
    answers = {name: _simulated_answers(name, items, truth, context) for name in (FIRST, SECOND)}
    judgments: list[Judgment] = []
    labels: dict[str, ItemLabel] = {}
    agreement: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for part in dict.fromkeys(item.fields[SUBSET] for item in items):
        own = [item for item in items if item.fields[SUBSET] == part]
        samples = [sample_of(item) for item in own]
        both = is_train(own[0])
        checked = _doubtful(samples, context)
        reconciled = _reconcile(samples, answers, truth, checked, both, context)
        votes = dict.fromkeys(crowd.ids_of(own), 2 if both else 1)
        labels |= labels_of(reconciled, votes)
        judgments += _judgments(samples, answers, None if both else checked, context)
        tables[part] = count_readings(reconciled.kept, own[0].fields["name_class"])
        if reconciled.kappas is not None:
            agreement[part] = {name: asdict(k) for name, k in reconciled.kappas.items()}
    return JudgedDataset(
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


def _simulated_answers(
    name: str, items: Sequence[Record], truth: Mapping[str, str], context: Context
) -> dict[str, str]:
    rng = crowd.generator(context.seed, name)
    (skill,) = crowd.skills(rng, context.settings.crowd, 1)
    return {
        item.id: crowd.answer(rng, truth[item.id], (*readings(item.fields["name_class"]),), skill)
        for item in items
    }


def sample_of(item: Record) -> NameSample:
    """The item as a sample of the task."""
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
    answers: Mapping[str, Mapping[str, str]],
    truth: Mapping[str, str],
    doubtful: set[str],
    both: bool,
    context: Context,
) -> Reconciliation:
    first, second = ({s.id: answers[name][s.id] for s in samples} for name in (FIRST, SECOND))
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


def labels_of(reconciled: Reconciliation, votes: Mapping[str, int]) -> dict[str, ItemLabel]:
    """A label per sample; those that were left out have a reason instead."""
    found = {one.id: ItemLabel(one.id, one.reading, votes=votes[one.id]) for one in reconciled.kept}
    return found | {
        item: ItemLabel(item, None, votes=votes[item], reason=why)
        for item, why in reconciled.removed.items()
    }


def _judgments(
    samples: Sequence[NameSample],
    answers: Mapping[str, Mapping[str, str]],
    checked: set[str] | None,
    context: Context,
) -> list[Judgment]:
    """All answers; of the second annotator only those that were needed."""
    rng = crowd.generator(context.seed, "seconds")
    return [
        Judgment(sample.id, name, answers[name][sample.id], QUESTION, seconds=crowd.seconds(rng))
        for sample in samples
        for name in (FIRST, SECOND)
        if name == FIRST or checked is None or sample.id in checked
    ]


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    """Readings by people: two agree on a train sample, one is sure of a test sample.

    If the first annotator of a test sample was unsure, the second one's reading counts. An
    adjudicator's decision wins; a sample without agreement or decision has no label.
    """
    people = answers.complete({item.id: 2 if is_train(item) else 1 for item in items})
    forms = _forms(items, people)
    votes = {name: len(rows) for name, rows in forms.items()}
    labels: dict[str, ItemLabel] = dict(people.lacking)
    agreement: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for part in dict.fromkeys(item.fields[SUBSET] for item in items):
        own = [item for item in items if item.fields[SUBSET] == part]
        found = [
            _final_reading(item, forms[item.id], people.decisions.get(item.id))
            for item in own
            if item.id not in people.lacking
        ]
        reconciled = _reconcile_people(found)
        labels |= labels_of(reconciled, votes)
        tables[part] = count_readings(reconciled.kept, own[0].fields["name_class"])
        if is_train(own[0]):
            agreement[part] = _kappas(found, context.seed)
    return JudgedDataset(
        tuple(row for item in items for form in forms[item.id] for row in _rows(item, form)),
        people.settle(labels[item.id] for item in items),
        {"measure": "cohen", "subsets": agreement},
        {"tables 1 and 2": tables},
    )


def _forms(items: Sequence[Record], people: CompleteAnswers) -> dict[str, list[JudgmentRecord]]:
    """The forms of each item; those of train samples in the order of annotators, for kappa."""
    found: dict[str, list[JudgmentRecord]] = {item.id: [] for item in items}
    for row in people.rows:
        found[row.item].append(row)
    for item in items:
        if is_train(item):
            found[item.id].sort(key=lambda row: row.annotator)
    return found


def _final_reading(
    item: Record, forms: Sequence[JudgmentRecord], decision: AdjudicatedAnswers | None
) -> _NameReadings:
    readings = tuple(reading_of(form.answers, item) for form in forms)
    if decision is not None:
        final = reading_of(decision.answers, item)
    elif not is_train(item) and forms[0].answers.get(SURE) == "no":
        final = readings[1] if len(readings) > 1 else None
    else:
        final = readings[0] if len(set(readings)) == 1 else None
    return _NameReadings(item, readings, final)


def reading_of(answers: Mapping[str, Any], item: Record) -> str | None:
    """The fine reading of a form; None if it puts the name into another class."""
    name_class = item.fields["name_class"]
    if answers.get(CLASS) != name_class:
        return None
    reading: str | None = answers.get(QUESTION)
    return answers.get(f"{name_class}_pattern") if reading == METONYMIC else reading


def _reconcile_people(found: Sequence[_NameReadings]) -> Reconciliation:
    """Samples with their final reading; those without one are left out as unresolved."""
    open_ones = {one.item.id for one in found if one.final is None}
    readings = {one.item.id: one.final or LITERAL for one in found}  # not used for open ones
    return reconcile_checked([sample_of(one.item) for one in found], readings, open_ones, {})


def _kappas(found: Sequence[_NameReadings], seed: int) -> dict[str, Any]:
    """Agreement of the first two annotators on samples to which both gave a reading."""
    pairs = {
        one.item.id: (one.readings[0], one.readings[1])
        for one in found
        if len(one.readings) > 1 and one.readings[0] and one.readings[1]
    }
    samples = [sample_of(one.item) for one in found if one.item.id in pairs]
    first = {name: str(pair[0]) for name, pair in pairs.items()}
    second = {name: str(pair[1]) for name, pair in pairs.items()}
    by_level = kappas(samples, first, second, seed=seed)
    return {name: asdict(kappa) for name, kappa in by_level.items()}


def _rows(item: Record, form: JudgmentRecord) -> Iterator[Judgment]:
    """The form as rows, with the fine reading as in the labels."""
    fine = reading_of(form.answers, item)
    for row in as_rows([form], (CLASS, QUESTION, SURE)):
        if row.question != QUESTION:
            yield row
        elif fine is not None:
            yield Judgment(row.item, row.annotator, fine, QUESTION, row.weight, row.seconds)


def read_gold_samples(folder: Path) -> dict[str, list[NameSample]]:
    """The labelled samples of a run, by subset, each in its sentences and with its reading.

    Raises:
        MissingData: for a run that nobody has judged.
    """
    labels = folder / LABELS
    if not labels.is_file():
        raise MissingData(labels, "run the recipe again with --answers or --simulate")
    rows = (msgspec.json.decode(line) for line in labels.read_bytes().splitlines())
    readings = {row["item"]: row["label"] for row in rows if row["label"] is not None}
    found: dict[str, list[NameSample]] = {}
    with (folder / "items.jsonl").open("rb") as lines:
        items = [one for one in from_lines(lines) if isinstance(one, Record)]
    for item in items:
        if item.id in readings:
            title = str(item.fields.get("title", ""))
            sample = replace(
                _split_sample(item), reading=readings[item.id], known_at="fine", title=title
            )
            found.setdefault(item.fields[SUBSET], []).append(sample)
    return found


def _split_sample(item: Record) -> NameSample:
    """The item as a sample with its sentences apart; whole if a break divides the name."""
    whole = sample_of(item)
    spans = [(one.start, one.end) for one in read(item.text).sentences if one.words]
    for at, (start, end) in enumerate(spans):
        if start <= whole.start and whole.end <= end:
            sentences = tuple(item.text[first:last] for first, last in spans)
            first, last = whole.start - start, whole.end - start
            return replace(whole, sentences=sentences, target=at, start=first, end=last)
    return whole


def write_task_files(folder: Path, out: Path, parser: SentenceParser) -> dict[str, int]:
    """Write a judged run as the files of the task; gives the number of samples of each subset.

    For each subset: SUBSET.xml (samples with readings), SUBSET.key (`id|reading`), .tagged.xml
    and .standoff (words with tags, places of the names) and .roles. `samples.csv` says
    which sample is which item of the run.
    """
    every = read_gold_samples(folder)
    out.mkdir(parents=True, exist_ok=True)
    number, names = 0, ["sample,item,subset"]
    for subset, items in every.items():
        samples = []
        for item in items:
            number += 1
            samples.append(replace(item, id=f"samp{number}"))
            names.append(f'samp{number},"{item.id}",{subset}')
        write_samples(samples, out / f"{subset}.xml")
        readings = {sample.id: sample.reading for sample in samples}
        tagged = [_tagged(sample, parser) for sample in samples]
        write_tagged(tagged, out / f"{subset}.tagged.xml")
        write_standoff(tagged, out / f"{subset}.standoff")
        rows = (
            RoleRow(sample.id, lemma, sample.name, role, 0)
            for sample, name in zip(samples, parse_samples(samples, parser), strict=True)
            for role, lemma in task_roles(name)
        )
        write_roles(rows, readings, out / f"{subset}.roles")
        with atomic_write(out / f"{subset}.key") as file:
            file.write("".join(f"{sample}|{reading}\n" for sample, reading in readings.items()))
    with atomic_write(out / "samples.csv") as file:
        file.write("\n".join(names) + "\n")
    return {subset: len(items) for subset, items in every.items()}


def _tagged(sample: NameSample, parser: SentenceParser) -> TaggedSample:
    """The words of a sample with their tags; a word is called by sample, sentence and place."""
    cuts = [tokenise(sentence) for sentence in sample.sentences]
    words = [
        [sentence[start:end] for start, end in spans]
        for sentence, spans in zip(sample.sentences, cuts, strict=True)
    ]
    sentences = tuple(
        tuple(
            TaggedWord(form, tag, f"{sample.id}-s{number}-w{place}")
            for place, (form, tag) in enumerate(zip(parse.words, parse.xpos, strict=True), 1)
        )
        for number, parse in enumerate(parser.parse(words), 1)
    )
    first, last = words_within(cuts[sample.target], sample.start, sample.end)
    return TaggedSample(sample.id, sample.name_class, sentences, sample.target, first, last, 0)
