"""What a release says about itself: a summary and the data card (README.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from trope.metrics.figures import Measurement
from trope.release.finished_run import FinishedRun, Value
from trope.release.tables import FurtherTable, Permission, hub_licence

SIMULATED = (
    "The judgments and labels come from a simulated crowd. They test the path from texts to a data "
    "set; they are no data on language, and no figure computed from them may be reported as one."
)

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
_MOST_LISTED = 25  # labels; where words were marked, nearly every item has its own


@dataclass(frozen=True, slots=True)
class Publication:
    """What only the publisher knows; empty where it is not said."""

    name: str = ""
    creator: str = ""
    url: str = ""
    published: str = ""
    version: str = "1.0.0"
    language: str = "en"


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """All that card and metadata are made from."""

    run: FinishedRun
    permission: Permission
    publication: Publication
    parts: Mapping[str, Sequence[Mapping[str, Value]]]
    types: Mapping[str, str]
    groups: int
    audit: Sequence[Measurement] = field(default=())
    not_audited: str = ""
    further: Mapping[str, FurtherTable] = field(default_factory=dict)
    drawn_by_recipe: bool = False

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

    def one_sided(self) -> dict[str, str]:
        """The parts whose items all have one label although there are several, with that label."""
        counts = {part: self.label_counts(part) for part in self.parts}
        if len(set().union(*counts.values())) < 2:
            return {}
        return {part: next(iter(found)) for part, found in counts.items() if len(found) == 1}

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


def data_card(summary: ReleaseSummary, version: str) -> str:
    """The whole card; `version` is a checksum of the data."""
    return "\n".join([*_metadata(summary, version), "", *_body(summary)]) + "\n"


def _metadata(summary: ReleaseSummary, version: str) -> Iterator[str]:
    """The block between lines of dashes; strings are JSON, which YAML reads.

    The library `datasets` takes a folder of the same name and parts for one that it has loaded
    before, unless the description of a configuration tells them apart.
    """
    manifest = summary.run.manifest
    licence = hub_licence(manifest.licence)
    size = sum(len(rows) for rows in summary.parts.values())
    yield "---"
    yield f"pretty_name: {json.dumps(summary.name)}"
    yield f"language:\n- {json.dumps(summary.publication.language)}"
    yield f"license: {licence}"
    if licence == "other":
        yield f"license_name: {json.dumps(manifest.licence or 'see the card')}"
    creators = "machine-generated" if manifest.simulated else "crowdsourced"
    yield f"annotations_creators:\n- {creators}"
    yield "task_categories:\n- text-classification"
    yield f"size_categories:\n- {next((name for most, name in _SIZES if size < most), '100K<n<1M')}"
    yield "tags:\n- figurative-language\n- croissant" + "\n- simulated" * manifest.simulated
    paths = {"default": {part: f"data/{part}.parquet" for part in summary.parts}}
    for name, table in summary.further.items():
        paths[name] = {split: f"{name}/{split}.parquet" for split in table.splits}
    paths["judgments"] = {"train": "judgments/judgments.parquet"}
    yield "configs:"
    for name, splits in paths.items():
        yield f"- config_name: {name}\n  description: data {version}\n  data_files:"
        for split, path in splits.items():
            yield f"  - split: {split}\n    path: {path}"
    yield "---"


def _body(summary: ReleaseSummary) -> Iterator[str]:
    run, manifest = summary.run, summary.run.manifest
    yield f"# {summary.name}"
    if manifest.simulated:
        yield f"\n> **Simulated.** {SIMULATED}"
    yield f"\n{summary.description}\n\nMade with trope {manifest.trope} {manifest.origin}."
    yield "\n## Parts\n\n| part | items | labels |\n|---|---|---|"
    for part, rows in summary.parts.items():
        counts = summary.label_counts(part)
        listed = ", ".join(f"{name} {n}" for name, n in counts.items())
        listed = listed if len(counts) <= _MOST_LISTED else f"{len(counts)} different ones"
        yield f"| {part} | {len(rows)} | {listed} |"
    by = f" items of one `{manifest.group_by}`," * bool(manifest.group_by)
    yield (
        "\nThe parts are those that the recipe drew; texts of one source may be in both."
        if summary.drawn_by_recipe
        else f"\n{summary.groups} groups of alike items were drawn whole, so that parts share "
        f"nothing:{by} of one source, texts that differ in at most one word, near duplicates."
    )
    yield "\n## Columns\n\n| column | type |\n|---|---|"
    yield from (f"| `{name}` | {kind} |" for name, kind in summary.types.items())
    yield from _further(summary)
    if manifest.project is not None:
        yield from manifest.project.described()
    yield (
        f"\n## Judgments\n\n{len(run.judgments)} judgments by {summary.annotators()} annotators "
        f"under pseudonyms, {summary.annotators_an_item():.2f} of them per item, in the "
        f"configuration `judgments`. Agreement: {summary.agreement()}."
    )
    licence = manifest.licence or "not stated"
    yield f"\n## Licence and sources\n\nLicence: {licence}. {_text_note(summary)}"
    yield from _sources(summary)
    yield "\n## Audit\n"
    yield from _audit(summary)
    yield f"\n## Citation\n\n{citation(summary) or 'None was given.'}"
    yield "\n## Files\n"
    yield "`data/` and `judgments/`: Parquet; `csv/`: the same as CSV, in which a cell that a "
    yield "spreadsheet would run begins with an apostrophe; `croissant.json`: metadata;"
    yield "`agreement.json`; `audit.json`; `provenance.json`: what it was made from; `SHA256SUMS`:"
    yield "checksums of all other files (`sha256sum -c SHA256SUMS`)."


_ABOUT = {
    "gold_plus": "what the candidates make of each headline (`item`): with an accepted one the "
    "label is the opposite, a rejected one keeps the label of its headline",
    "left_out": "items that are no part of the data set, with the reason: they have no label, are "
    "control items, or were the demo task that annotators were selected by",
}


def _further(summary: ReleaseSummary) -> Iterator[str]:
    """Tables beside the items, each a configuration."""
    for name, table in summary.further.items():
        sizes = ", ".join(f"{split} {len(rows)}" for split, rows in table.splits.items())
        yield f"\nConfiguration `{name}`: {_ABOUT[name]} ({sizes})."


def _text_note(summary: ReleaseSummary) -> str:
    permission = summary.permission
    if permission.with_text:
        return permission.note[:1].upper() + permission.note[1:] if permission.note else ""
    withheld = ", ".join(f"`{name}`" for name in permission.withheld)
    said = "Texts are not in the release; `source_id` names them where they came from"
    said += f" ({permission.without_source} items have none)" * bool(permission.without_source)
    return f"{said}.{f' Left out with them: {withheld}.' if withheld else ''}"


def _sources(summary: ReleaseSummary) -> Iterator[str]:
    inputs = {(one.dataset or one.path, one.licence) for one in summary.run.manifest.inputs}
    if inputs:
        yield "\n| made from | licence |\n|---|---|"
        yield from (f"| {name} | {licence or 'not stated'} |" for name, licence in sorted(inputs))


def citation(summary: ReleaseSummary) -> str:
    """Of the procedure, and of the user's own texts."""
    manifest = summary.run.manifest
    cited = dict.fromkeys(one.citation for one in manifest.inputs if one.citation)
    return " ".join(filter(None, (manifest.citation, *(f"Texts: {one}" for one in cited))))


def _audit(summary: ReleaseSummary) -> Iterator[str]:
    """What can be answered without understanding, and what the parts share."""
    if summary.not_audited:
        yield summary.not_audited
    if summary.audit:
        yield "What is reached on the test part without reading what is asked:\n"
        yield "| control | value | 95 % | |\n|---|---|---|---|"
        for figure in summary.audit:
            value = "" if figure.value is None else f"{figure.value:.3f}"
            low_high = "" if figure.low is None else f"{figure.low:.3f} to {figure.high:.3f}"
            yield f"| `{figure.name}` | {value} | {low_high} | {figure.note} |"
