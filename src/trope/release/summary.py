"""What a release says of itself: in the card, in Croissant, in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from trope.metrics.figures import Figure
from trope.release.finished_run import Run, Value
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

    run: Run
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

    def judgments_an_item(self) -> float:
        """The mean number of judgments of an item."""
        counts = Counter(judgment.item for judgment in self.run.judgments)
        return fmean(counts[item.id] for item in self.run.items)

    def annotators(self) -> int:
        """How many people, or simulated ones, judged."""
        return len({judgment.annotator for judgment in self.run.judgments})

    def agreement(self) -> str:
        """The agreement of the run in a few words."""
        found = self.run.agreement
        shown = [str(found.get("measure", "")), _flat(found.get("overall"))]
        return ": ".join(filter(None, shown)) or "not computed"


def _flat(value: Any) -> str:
    """Numbers of a nested document in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_flat(part)}" for name, part in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str("" if value is None else value)
