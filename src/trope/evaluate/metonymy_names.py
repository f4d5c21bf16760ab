"""The names of SemEval-2007 Task 8, train and test, with their trees and hand-made roles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from trope.core.errors import BadInput
from trope.core.files import sha256
from trope.corpora.metadata import load_corpora
from trope.corpora.records import NameSample
from trope.corpora.semeval2007 import read_company_labels, read_samples, with_company_labels
from trope.corpora.semeval2007_layers import read_roles, roles_of
from trope.evaluate.options import EvaluatedPipeline
from trope.lexicon.readings import NAME_CLASSES, NameClass
from trope.metrics.figures import DataRef
from trope.tasks.metonymy.task import NameInContext, NoParser, parse_samples

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
