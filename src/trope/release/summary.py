"""What a release says of itself: in the card, in Croissant, in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from trope.metrics.figures import Figure
from trope.release.finished_run import FinishedRun, Value
from trope.release.licensing import Permission

SIMULATED = (
    "The judgments and labels come from a simulated crowd. They test the path from texts to a data "
    "set; they are no data on language, and no figure computed from them may be reported as one."
)


@dataclass(frozen=True, slots=True)
class Publication:
    """What only the publisher knows; empty where it is not said."""

    name: str = ""
    creator: str = ""
    url: str = ""
    published: str = ""
    version: str = "1.0.0"


@dataclass(frozen=True, slots=True)
class Summary:
    """All that card and metadata are made from."""

    run: FinishedRun
    permission: Permission
    publication: Publication
    parts: Mapping[str, Sequence[Mapping[str, Value]]]
    types: Mapping[str, str]
    groups: int
    audit: Sequence[Figure] = field(default=())
    not_audited: str = ""

    @property
    def name(self) -> str:
        """The name of the data set; a simulated one cannot hide it."""
        name = self.publication.name or self.run.manifest.recipe
        ending = "-simulated"
        return name + ending * (self.run.manifest.simulated and not name.endswith(ending))

    @property
    def description(self) -> str:
        """One paragraph."""
        manifest = self.run.manifest
        what = manifest.title or manifest.recipe
        size = sum(len(rows) for rows in self.parts.values())
        said = f"{what}: {size:,} items with labels and {len(self.run.judgments):,} judgments."
        return " ".join(filter(None, (said, SIMULATED * manifest.simulated, self.permission.note)))

    def label_counts(self, part: str) -> dict[str, int]:
        """How often each label occurs in a part; `none` where nothing was settled."""
        counts = Counter(str(row["label"] or "none") for row in self.parts[part])
        return dict(sorted(counts.items()))

    def annotators_an_item(self) -> float:
        """How many people judged an item, on average."""
        pairs = {(judgment.item, judgment.annotator) for judgment in self.run.judgments}
        counts = Counter(item for item, _ in pairs)
        return fmean(counts[item.id] for item in self.run.items)

    def annotators(self) -> int:
        """How many people, or simulated ones, judged."""
        return len({judgment.annotator for judgment in self.run.judgments})

    def agreement(self) -> str:
        """The agreement of the run in a few words."""
        found = self.run.agreement
        parts: dict[str, Any] = {n: found[n] for n in ("overall", "subsets") if n in found}
        values = ", ".join(f"{name} {value:.3f}" for name, value in _values(parts))
        return ": ".join(filter(None, (str(found.get("measure", "")), values))) or "not computed"


def _values(document: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, float]]:
    """The values of a nested document of figures, each with its place."""
    for name, part in document.items():
        if isinstance(part, Mapping):
            inner = place if name in ("overall", "subsets") else f"{place} {name}".strip()
            yield from _values(part, inner)
        elif name in ("value", "kappa") and isinstance(part, int | float):
            yield place or "overall", float(part)
