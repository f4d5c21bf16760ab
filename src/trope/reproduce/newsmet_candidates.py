"""NewsMet's diversity of candidates, computed again where the release has the candidates."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trope.corpora.newsmet import Headline
from trope.metrics.shares import wilson
from trope.reproduce.rows import Measured, Place, counted
from trope.tasks.rewriting.measures import diversity

SAMPLES = {
    "has": "af992d50097b908e",
    "Discussed": "4aa7233b49888c53",
    "Win": "eb4078df96fd4812",
    "propose": "f61d3f01217fd054",
}
"""The rows of Table 4, by the checksum of their candidates: headlines are not quoted here."""

MOST = 6
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class Offered:
    """A literal headline, the place of its verb, and the metaphorical candidates for it."""

    words: tuple[str, ...]
    at: int
    candidates: tuple[str, ...]

    @property
    def digest(self) -> str:
        """A checksum of the candidates, whatever their order."""
        return hashlib.sha256(" ".join(sorted(self.candidates)).encode()).hexdigest()[:16]

    @property
    def diversity(self) -> int:
        """The number of clusters of candidates."""
        return diversity(self.words, self.at, self.candidates)


def diversity_cells(splits: Mapping[str, Sequence[Headline]]) -> dict[Place, Measured]:
    """Section 4.2.3's distribution, with intervals, and the rows of Table 4 that are released."""
    offered = [one for headlines in splits.values() for one in literal_headlines(headlines)]
    clusters = [one.diversity for one in offered]
    counts = Counter(clusters)
    why = f"of the {len(offered)} literal headlines whose candidates are released, not of 611"
    cells: dict[Place, Measured] = {}
    for number in range(1, MOST + 1):
        share = wilson(counts[number], len(offered))
        cells["4.2.3", str(number), "headlines"] = counted(counts[number], why)
        if share.value is not None and share.low is not None and share.high is not None:
            value, low, high = (100 * part for part in (share.value, share.low, share.high))
            shown = f"{value:.1f} ({low:.1f} to {high:.1f})"
            cells["4.2.3", str(number), "percent"] = Measured(shown, value, low, high, why)
    found = {one.digest: number for one, number in zip(offered, clusters, strict=True)}
    for row, digest in SAMPLES.items():
        if digest in found:
            cells["4", row, "diversity"] = counted(found[digest])
    return cells


def literal_headlines(headlines: Iterable[Headline]) -> list[Offered]:
    """The literal headlines that have candidates."""
    originals: dict[str, Headline] = {}
    candidates: dict[str, list[str]] = {}
    for headline in headlines:
        if headline.gold:
            originals[headline.id] = headline
        elif headline.target is not None:
            word = headline.text.split()[headline.target]
            candidates.setdefault(headline.group, []).append(_EDGES.sub("", word).lower())
    return [
        Offered(tuple(original.text.split()), original.target, tuple(candidates[name]))
        for name, original in originals.items()
        if not original.metaphor and original.target is not None and name in candidates
    ]
