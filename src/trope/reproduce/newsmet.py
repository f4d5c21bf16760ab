"""NewsMet: the released splits counted, the diversity of candidates, and our silver detectors."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.corpora.newsmet import Headline, read_newsmet, read_newsmet_test
from trope.metrics.figures import Evaluation, Measurement
from trope.metrics.intervals import wilson
from trope.published import Published, read_published
from trope.render.tables import ReportTable
from trope.reproduce.report import Reproduction, read_ours
from trope.reproduce.rows import (
    OurValue,
    Place,
    all_rows,
    counted,
    estimated,
    headline_settings,
    measured,
    read_notes,
)
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


def diversity_cells(splits: Mapping[str, Sequence[Headline]]) -> dict[Place, OurValue]:
    """Section 4.2.3's distribution, with intervals, and the rows of Table 4 that are released."""
    offered = [one for headlines in splits.values() for one in literal_headlines(headlines)]
    clusters = [one.diversity for one in offered]
    counts = Counter(clusters)
    why = f"of the {len(offered)} literal headlines whose candidates are released, not of 611"
    cells: dict[Place, OurValue] = {}
    for number in range(1, MOST + 1):
        share = wilson(counts[number], len(offered))
        cells["4.2.3", str(number), "headlines"] = counted(counts[number], why)
        if share.value is not None and share.low is not None and share.high is not None:
            value, low, high = (100 * part for part in (share.value, share.low, share.high))
            shown = f"{value:.1f} ({low:.1f} to {high:.1f})"
            cells["4.2.3", str(number), "percent"] = OurValue(shown, value, low, high, why)
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


PAPER = "newsmet"
SPLITS = ("train", "val", "test")
CANDIDATES = 6
_PREFIX = "metaphor.newsmet.silver"
_RETRAINED = "d_imbal_gold_plus_all_six"
_PROVENANCE = re.compile(
    r"seed (?P<seed>\d+),.*; encoder (?P<encoder>\S+) (?P<sum>\w+); prepared (?P<prepared>\w+)"
)
"""The note that evaluations give to a figure of a detector."""


def reproduce(data: str | Path | None = None, ours: Iterable[str | Path] = ()) -> Reproduction:
    """Every table and figure, as far as the release lets it be counted.

    Args:
        data: folder of the research data; without it nothing is counted.
        ours: files that `trope evaluate metaphor --part silver --json` wrote.
    """
    printed, notes = read_published(PAPER), read_notes(PAPER)
    evaluations = read_ours(ours, "metaphor")
    found = detector_cells(printed, evaluations) | headline_settings()
    tables = [control_table(evaluations), provenance_table(evaluations)]
    if data is not None:
        splits = read_splits(Path(data) / PAPER)
        found |= {**count_cells(splits, printed), **test_set_cells(Path(data) / PAPER)}
        found |= diversity_cells(splits)
        tables.append(split_table(splits))
    rows = all_rows(printed, notes, found, data=data is not None)
    return Reproduction(notes, tuple(rows), tuple(table for table in tables if table.rows))


def read_splits(folder: Path) -> dict[str, list[Headline]]:
    """The headlines of each split, with all six candidates where there are some."""
    return {split: list(read_newsmet(folder / f"{split}_goldplus.csv")) for split in SPLITS}


def count_cells(splits: dict[str, list[Headline]], printed: Published) -> dict[Place, OurValue]:
    """Table 2 and what follows from it, counted in the three split files."""
    everything = [(split, h) for split, headlines in splits.items() for h in headlines]
    gold = Counter(h.metaphor for _, h in everything if h.gold)
    new = Counter(h.metaphor for _, h in everything if h.accepted)
    accepted: Counter[tuple[str, str, bool]] = Counter(
        (split, h.group, not h.metaphor) for split, h in everything if h.accepted
    )
    with_reading = Counter(original for _, _, original in accepted)
    with_one = Counter(original for (_, _, original), n in accepted.items() if n == 1)
    cells: dict[Place, OurValue] = {
        ("2", "metaphorical headlines", "gold"): counted(gold[True]),
        ("2", "metaphorical headlines", "new"): counted(new[True]),
        ("2", "metaphorical headlines", "sum"): counted(gold[True] + new[True]),
        ("2", "metaphorical headline and verb", "new"): counted(new[True]),
        ("2", "literal headline and verb", "gold"): counted(gold[False]),
        ("2", "literal headline and verb", "new"): counted(new[False]),
        ("2", "literal headline and verb", "sum"): counted(gold[False] + new[False]),
        ("2", "valid headlines", "gold"): counted(gold.total()),
        ("2", "valid headlines", "new"): counted(new.total()),
        ("2", "valid headlines", "sum"): counted(gold.total() + new.total()),
        ("3", "total", "metaphorical"): counted(gold[True]),
        ("3", "total", "valid"): counted(gold.total()),
        ("4.1", "metaphorical headlines with a literal reading", "count"): counted(
            with_reading[True]
        ),
        ("4.1", "literal headlines with a metaphorical reading", "count"): counted(
            with_reading[False]
        ),
        ("4.3", "rows of the test split", "value"): counted(len(splits["test"])),
        ("3.1.2", "candidates a class", "count"): counted(_candidates_each(everything)),
    }
    return cells | _acceptance_cells(printed, gold, with_reading, with_one)


def _candidates_each(everything: Sequence[tuple[str, Headline]]) -> int:
    """How many candidates every headline with candidates has; 0 where the numbers differ."""
    sizes = Counter((split, h.group) for split, h in everything if not h.gold)
    numbers = set(sizes.values())
    return numbers.pop() if len(numbers) == 1 else 0


def _acceptance_cells(
    printed: Published, gold: Counter[bool], some: Counter[bool], one: Counter[bool]
) -> dict[Place, OurValue]:
    """Shares without and with one accepted candidate, and the second tables' "none"."""
    both = printed.find("metaphorical headline and verb", "gold")
    whole = {True: 0 if both is None else int(both.value), False: gold[False]}
    cells: dict[Place, OurValue] = {}
    for original, name, final in ((True, "metaphorical", "L_final"), (False, "literal", "M_final")):
        base = f"of the {whole[True]} printed, which the release does not mark"
        why = base if original else ""
        none = measured(100 * (1 - some[original] / whole[original]), 1, why)
        single = measured(100 * one[original] / whole[original], 1, why)
        cells["4.2.1", f"{name}, no candidate accepted", "percent"] = none
        cells["4.2.1", f"{name}, one candidate accepted", "percent"] = single
        cells["4.2.2", final, "none"] = none
    return cells


def test_set_cells(folder: Path) -> dict[Place, OurValue]:
    """The sizes of the two custom test sets."""
    return {
        ("3.1.1", f"test_{n}", "items"): counted(
            sum(1 for _ in read_newsmet_test(folder / f"test_set_{n}.csv"))
        )
        for n in (1, 2)
    }


def detector_cells(printed: Published, evaluations: Sequence[Evaluation]) -> dict[Place, OurValue]:
    """Tables 1 and 5 and McNemar's test, from the figures of our detectors."""
    figures = {figure.name: figure for e in evaluations for figure in e.figures}
    cells: dict[Place, OurValue] = {}
    for cell in printed.cells:
        if cell.table in ("1", "5"):
            test, _, measure = cell.column.partition(".")
            _put(cells, (cell.table, cell.row, cell.column),
                 figures.get(f"{_PREFIX}.{test}.{cell.row}.{measure}"))  # fmt: skip
    stem = f"{_PREFIX}.test.{_RETRAINED}.vs_d_imbal"
    _put(cells, ("4.3", "McNemar", "value"), figures.get(f"{stem}.mcnemar"), 0)
    p = figures.get(f"{stem}.mcnemar_p")
    if p is not None and p.value is not None:
        shown = "< 0.01" if p.value < 0.01 else f"{p.value:.3f}"
        cells["4.3", "McNemar, p", "value"] = OurValue(shown, why=f"exact binomial: {p.value:.2g}")
    for run in ("d_imbal", "d_bal"):
        for column in ("metaphorical", "literal", "total"):
            _put(cells, ("3.1.1", run, column), figures.get(f"{_PREFIX}.{run}.items.{column}"), 0)
    return cells


def _put(
    cells: dict[Place, OurValue], place: Place, figure: Measurement | None, decimals: int = 2
) -> None:
    ours = None if figure is None else estimated(figure, decimals, why=figure.note)
    if ours is not None:
        cells[place] = ours


def control_table(evaluations: Sequence[Evaluation]) -> ReportTable:
    """Table 5's measures for answers that know nothing of metaphor, beside the detectors'."""
    figures = {figure.name: figure for e in evaluations for figure in e.figures}
    measures = ("accuracy", "precision", "recall", "f1")
    rows = []
    for system in ("constant", "tfidf", "d_imbal", _RETRAINED):
        own = [figures.get(f"{_PREFIX}.test.{system}.{measure}") for measure in measures]
        if any(own):
            values = [None if figure is None else figure.value for figure in own]
            rows.append((system, *("" if v is None else f"{v:.2f}" for v in values)))
    note = (
        "`constant` calls every headline metaphorical: more accurate than the paper's first "
        "detector (0.54), and better in F1 than both. Its 546 rows have 310 metaphorical ones."
    )
    columns = ("system", *measures)
    return ReportTable("Table 5 and its controls, ours", columns, tuple(rows), note)


def provenance_table(evaluations: Sequence[Evaluation]) -> ReportTable:
    """Which encoder Tables 1 and 5 were measured with, and the model that ships beside it."""
    rows = []
    for evaluation in evaluations:
        figures = {figure.name: figure for figure in evaluation.figures}
        for run in ("d_imbal", "d_bal", _RETRAINED):
            figure = figures.get(f"{_PREFIX}.test_1.{run}.f1_literal") or figures.get(
                f"{_PREFIX}.test.{run}.accuracy"
            )
            if figure is not None and (found := _PROVENANCE.search(figure.note)):
                rows.append((run, *found.group("encoder", "sum", "prepared", "seed")))
        if rows:
            ships = (f"{evaluation.tier}, which ships", evaluation.model_sha256[:12])
            rows.append(("none of these tables", *ships, "", ""))
    note = (
        "Checksums begin with these digits. The detectors were fine-tuned from the named folder of "
        "an encoder; their weights do not ship. `trope train metaphor --silver --model ENCODER "
        "--from DATA --out OUT` trains them again and writes their predictions; `trope evaluate "
        "metaphor --part silver --predictions OUT/predictions --from DATA --json` makes figures "
        "of them."
    )
    columns = ("run", "encoder", "sha256", "training data, sha256", "seed")
    return ReportTable("What Tables 1 and 5 were measured with", columns, tuple(rows), note)


def split_table(splits: dict[str, list[Headline]]) -> ReportTable:
    """What the released split files hold: rejected candidates under the label of their headline."""
    rows = []
    for split, headlines in splits.items():
        parts = Counter((h.gold, h.metaphor) for h in headlines)
        cells = [parts[gold, metaphor] for gold in (True, False) for metaphor in (True, False)]
        rows.append((split, *map(str, cells), str(len(headlines))))
    sums = [sum(int(row[at]) for row in rows) for at in range(1, 6)]
    rows.append(("all", *map(str, sums)))
    note = (
        f"Every headline with an accepted candidate comes with all {CANDIDATES}: the experiments "
        f"used {sums[-1]:,} rows, not the 2,669 of section 4.1."
    )
    columns = ("split", "gold M", "gold L", "gold+ M", "gold+ L", "rows")
    return ReportTable("The released splits", columns, tuple(rows), note)
