"""Figures of the systems for metonymy: the encoder's head, any other encoder, linear models.

All choices are made by cross-validation on train. The fine and medium labels of the company
test set are not public: there, companies are measured at the coarse level, and at the other levels
by ten-fold cross-validation on train with three seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path

from trope.catalog import METONYMY_SYSTEMS
from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.corpora.metadata import load_corpora
from trope.corpora.records import NameSample
from trope.corpora.semeval2007 import read_company_labels, read_samples, with_company_labels
from trope.corpora.semeval2007_layers import read_roles, roles_of
from trope.encoder.session import AnyEncoder
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.lexicon.readings import GRANULARITIES, NAME_CLASSES, NameClass, labels
from trope.lexicon.verbs import read_verbnet
from trope.metrics.classification import Counts
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.metonymy import f_score
from trope.tasks.metonymy.baselines import STRENGTH, LinearMetonymy, MajorityReading
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, Masking, blend
from trope.tasks.metonymy.features import role_features, shallow_features
from trope.tasks.metonymy.task import (
    MetonymySystem,
    NameInContext,
    NoParser,
    Probabilities,
    decide,
    parse_samples,
)
from trope.tasks.metonymy.validation import choose_by_cross_validation, cross_predict, held_out

CORPUS = "semeval2007"
_TRAIN: dict[NameClass, str] = {
    "location": "SemEval.train.xml",
    "organisation": "comp_toparse.train.gz",
}
_TEST: dict[NameClass, str] = {"location": "SemEval.test.xml", "organisation": "companies.test"}
_COMPANY_LABELS = "companies_test.json"
_ROLES: dict[NameClass, str] = {
    "location": "grammannot/countries.test.grammannot",
    "organisation": "grammannot/companies.test.grammannot",
}


@dataclass(frozen=True, slots=True)
class NameSplit:
    """The samples of one class of names in one split."""

    samples: list[NameSample]
    data: DataRef


@dataclass(frozen=True)
class NameData:
    """All samples; their trees are made on first use."""

    root: Path
    splits: dict[tuple[NameClass, str], NameSplit]
    pipeline: EvaluatedPipeline | None

    def __getitem__(self, key: tuple[NameClass, str]) -> NameSplit:
        return self.splits[key]

    def names(self, name_class: NameClass, split: str) -> list[NameInContext]:
        """The names of a split with the trees of their sentences."""
        return self._trees[name_class, split]

    def names_in_words(self, name_class: NameClass, split: str) -> list[NameInContext]:
        """The names of a split in sentences without trees, for systems that read words."""
        return parse_samples(self.splits[name_class, split].samples, NoParser())

    def names_with_roles(self, name_class: NameClass) -> list[NameInContext]:
        """The names of a test split with the roles that people annotated."""
        path = load_corpora()[CORPUS].find(_ROLES[name_class], self.root)
        samples = self.splits[name_class, "test"].samples
        roles = roles_of(samples, read_roles(path), str(path))
        return [replace(name, roles=roles[name.id]) for name in self.names(name_class, "test")]

    @cached_property
    def _trees(self) -> dict[tuple[NameClass, str], list[NameInContext]]:
        if self.pipeline is None:
            raise BadInput("names have no trees without a model; this part needs one")
        samples = [sample for split in self.splits.values() for sample in split.samples]
        names = iter(parse_samples(samples, self.pipeline))
        return {key: [next(names) for _ in split.samples] for key, split in self.splits.items()}


def read_data(root: Path, pipeline: EvaluatedPipeline | None) -> NameData:
    """The four sets from the folder of the research data.

    Raises:
        MissingData: where a file is not there.
    """
    corpus = load_corpora()[CORPUS]
    splits: dict[tuple[NameClass, str], NameSplit] = {}
    for name_class in NAME_CLASSES:
        for split, files in (("train", _TRAIN), ("test", _TEST)):
            path = corpus.find(files[name_class], root)
            samples = list(read_samples(path))
            checksum = sha256(path)
            if (name_class, split) == ("organisation", "test"):
                labels = corpus.find(_COMPANY_LABELS, root)
                samples = with_company_labels(samples, read_company_labels(labels), labels)
                checksum = f"{checksum},{sha256(labels)}"
            data = DataRef(CORPUS, f"{name_class} {split}", checksum)
            splits[name_class, split] = NameSplit(samples, data)
    return NameData(root, splits, pipeline)


VERBNET = "lexica/verbnet3.zip"
SEEDS = (0, 1, 2)
CHOSEN_ON = "semeval2007 train, ten-fold cross-validation"
_STRENGTHS = (0.3, 1.0, 3.0)
_CACHED = 8192  # names whose features are kept: all of both classes

Build = Callable[[], MetonymySystem]


def evaluate_baselines(data: NameData, options: EvaluationOptions) -> list[Measurement]:
    """The most frequent reading, and the words around the name."""
    shallow = lru_cache(maxsize=_CACHED)(shallow_features)
    figures = _system_figures("majority", MajorityReading, data, options.seed)
    build = partial(LinearMetonymy, shallow, strength=STRENGTH)
    return [*figures, *_system_figures("shallow", build, data, options.seed)]


def evaluate_roles(data: NameData, options: EvaluationOptions) -> list[Measurement]:
    """Grammatical roles from our trees, and from people's annotation of the test part."""
    build, note = choose_roles(data, options.data / VERBNET, options.seed)
    figures = _system_figures("roles", build, data, options.seed, CHOSEN_ON, note)
    system = _trained(build, data)
    for name_class in NAME_CLASSES:
        names = data.names_with_roles(name_class)
        note = "learnt from roles of our trees; the test part's roles are people's"
        figures += figures_on_test(
            "manual_roles", system.predict(names), data, name_class, options.seed, CHOSEN_ON, note
        )
    return figures


def choose_roles(data: NameData, verbnet: Path, seed: int) -> tuple[Build, str]:
    """The system of roles that cross-validation on train prefers, and in words which it is."""
    sources: dict[str, Callable[[NameInContext], dict[str, float]]] = {
        "WordNet": lru_cache(maxsize=_CACHED)(role_features)
    }
    if verbnet.is_file():
        classes = read_verbnet(verbnet)
        sources["WordNet and VerbNet"] = lru_cache(maxsize=_CACHED)(
            partial(role_features, verb_classes=classes)
        )
    candidates: dict[str, Build] = {
        f"classes of {source}, strength {strength:g}": partial(
            LinearMetonymy, row, strength=strength
        )
        for source, row in sources.items()
        for strength in _STRENGTHS
    }
    names, readings = _training(data)
    best, scores = choose_by_cross_validation(candidates, names, readings, seed=seed)
    return candidates[best], f"{best}: {scores[best]:.4f} on train, coarse, mean of both classes"


def _training(data: NameData) -> tuple[list[NameInContext], list[str]]:
    names = [name for name_class in NAME_CLASSES for name in data.names(name_class, "train")]
    samples = [s for name_class in NAME_CLASSES for s in data[name_class, "train"].samples]
    return names, [sample.reading for sample in samples]


def _trained(build: Build, data: NameData) -> MetonymySystem:
    system = build()
    system.fit(*_training(data))
    return system


def _system_figures(
    label: str, build: Build, data: NameData, seed: int, chosen_on: str = "", note: str = ""
) -> list[Measurement]:
    system = _trained(build, data)
    figures: list[Measurement] = []
    for name_class in NAME_CLASSES:
        predicted = system.predict(data.names(name_class, "test"))
        figures += figures_on_test(label, predicted, data, name_class, seed, chosen_on, note)
    for name_class in NAME_CLASSES:
        figures += _cross_figures(label, build, data, name_class, seed, chosen_on, note)
    return figures


def figures_on_test(
    label: str,
    predicted: Sequence[Probabilities],
    data: NameData,
    name_class: NameClass,
    seed: int,
    chosen_on: str,
    note: str,
) -> Iterator[Measurement]:
    """Figures of a system on a test set, at every granularity that its labels are known at.

    Args:
        label: its name; "" for the system of a tier, whose figures have no name in them.
    """
    yield from figures_on(
        label, predicted, data[name_class, "test"], name_class, seed, chosen_on, note
    )


def figures_on(
    label: str,
    predicted: Sequence[Probabilities],
    split: NameSplit,
    name_class: NameClass,
    seed: int,
    chosen_on: str,
    note: str,
) -> Iterator[Measurement]:
    """The same on any samples."""
    for level in GRANULARITIES:
        gold = [sample.label(level) for sample in split.samples]
        if None in gold:
            continue
        answers = [decide(one, name_class, level) for one in predicted]
        places = ("metonymy.semeval2007", name_class, level, label)
        prefix = ".".join(place for place in places if place)
        yield from _figures(
            prefix, "", [str(g) for g in gold], [answers], labels(name_class, level),
            split.data, seed, chosen_on, note,
        )  # fmt: skip


def _cross_figures(
    label: str,
    build: Build,
    data: NameData,
    name_class: NameClass,
    seed: int,
    chosen_on: str,
    note: str,
) -> Iterator[Measurement]:
    split = data[name_class, "train"]
    names = data.names(name_class, "train")
    readings = [sample.reading for sample in split.samples]
    runs = [cross_predict(build, names, readings, seed=seed + extra) for extra in SEEDS]
    for level in GRANULARITIES:
        gold = [str(sample.label(level)) for sample in split.samples]
        answers = [[decide(one, name_class, level) for one in run] for run in runs]
        yield from _figures(
            f"metonymy.semeval2007.{name_class}.{level}.{label}", "cv_", gold, answers,
            labels(name_class, level), split.data, seed, chosen_on,
            _with_spread(note, gold, answers),
        )  # fmt: skip


def _with_spread(note: str, gold: Sequence[str], runs: Sequence[Sequence[str]]) -> str:
    shares = [sum(a == b for a, b in zip(gold, run, strict=True)) / len(gold) for run in runs]
    shown = "; ".join(f"{share:.4f}" for share in shares)
    summary = f"ten folds, {len(runs)} seeds, accuracies {shown}"
    return f"{summary}; {note}" if note else summary


def _figures(
    prefix: str,
    kind: str,
    gold: Sequence[str],
    runs: Sequence[Sequence[str]],
    known: Sequence[str],
    data: DataRef,
    seed: int,
    chosen_on: str,
    note: str,
) -> Iterator[Measurement]:
    """Accuracy and F of every label over all runs, with intervals over the names."""
    parts: list[list[int]] = []
    wholes: list[list[int]] = []
    for at, wanted in enumerate(gold):
        given = [run[at] for run in runs]
        rights = [sum(answer == wanted == label for answer in given) for label in known]
        parts.append([sum(rights), *(2 * right for right in rights)])
        sizes = [len(runs) * (wanted == label) + given.count(label) for label in known]
        wholes.append([len(runs), *sizes])
    spans = bootstrap_ratios(parts, wholes, seed=seed)
    yield Measurement(
        f"{prefix}.{kind}accuracy", spans[0].value, spans[0].low, spans[0].high, len(gold), data,
        chosen_on, note,
    )  # fmt: skip
    for label, span in zip(known, spans[1:], strict=True):
        wanted_times = sum(wanted == label for wanted in gold)
        counts = Counts(
            right=sum(a == b == label for run in runs for a, b in zip(gold, run, strict=True)),
            predicted=sum(answer == label for run in runs for answer in run),
            gold=len(runs) * wanted_times,
        )
        value = f_score(counts)
        low, high = (span.low, span.high) if value is not None else (None, None)
        why = "undefined: the gold labels have none" if value is None else ""
        reason = why or ("never assigned" if not counts.predicted else "")
        yield Measurement(
            f"{prefix}.{kind}f.{label}", value, low, high, wanted_times, data, chosen_on, reason
        )


ENCODER_CHOSEN_ON = "semeval2007 train, one sample in ten"
HELD_OUT = "held_out"
_SINGLE: tuple[Masking, Masking] = ("plain", "masked")
_NOTES: dict[Masking, str] = {
    "both": "the name as it is and, where that leaves a doubt, hidden",
    "masked": "the name hidden",
    "plain": "the name as it is",
}


def evaluate_encoder(data: NameData, options: EvaluationOptions) -> list[Measurement]:
    """Accuracy and F of every label on the test sets, and on what training has set aside.

    The fine and medium labels of the company test set are not public: for them there is only the
    part of train that no stage of training has read.
    """
    if data.pipeline is None:
        raise BadInput("names are not read without a model; this part needs one")
    figures: list[Measurement] = []
    for name_class in NAME_CLASSES:
        for split, chosen_on in (("test", ENCODER_CHOSEN_ON), (HELD_OUT, "")):
            part = data[name_class, "test"] if split == "test" else _set_aside(data, name_class)
            for mask, predicted in _views(data.pipeline.heads, part):
                places = (
                    "" if mask == "both" else f"encoder_{mask}",
                    "" if split == "test" else split,
                )
                label = ".".join(place for place in places if place)
                figures += figures_on(
                    label, predicted, part, name_class, options.seed, chosen_on, _NOTES[mask]
                )
    return figures


def _views(encoder: AnyEncoder, part: NameSplit) -> Iterator[tuple[Masking, list[Probabilities]]]:
    """The readings of the names from the head: visible, hidden, and from both."""
    names = parse_samples(part.samples, NoParser())
    plain, masked = (EncoderMetonymy(encoder, mask=mask).predict(names) for mask in _SINGLE)
    yield "both", [blend(a, b) for a, b in zip(plain, masked, strict=True)]
    yield "plain", plain
    yield "masked", masked


def _set_aside(data: NameData, name_class: NameClass) -> NameSplit:
    whole = data[name_class, "train"]
    samples = [sample for sample in whole.samples if held_out(sample.id)]
    part = DataRef(whole.data.name, f"{whole.data.split}, one in ten", whole.data.sha256)
    return NameSplit(samples, part)


def evaluate_transformers(data: NameData, options: EvaluationOptions) -> list[Measurement]:
    """The folder that was given: a Hugging Face encoder that reads marked names."""
    system = METONYMY_SYSTEMS.load("transformers")(model=options.detector)
    note = f"weights {system.model_sha256[:12]}"
    figures: list[Measurement] = []
    for name_class in NAME_CLASSES:
        predicted = system.predict(data.names_in_words(name_class, "test"))
        figures += figures_on_test(
            "transformers", predicted, data, name_class, options.seed, "", note
        )
    return figures
