"""What a release says about itself: a summary, the data card (README.md) and Croissant metadata.

The metadata have the responsible-AI fields and are made and checked by mlcroissant.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.files import atomic_write, sha256
from trope.metrics.figures import Measurement
from trope.release.finished_run import FinishedRun, Manifest, Value
from trope.release.tables import JUDGMENT_TYPES, FurtherTable, Permission, hub_licence

SIMULATED = (
    "The judgments and labels come from a simulated crowd. They test the path from texts to a data "
    "set; they are no data on language, and no figure computed from them may be reported as one."
)

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
_TYPES = {"string": "TEXT", "int64": "INTEGER", "float64": "FLOAT", "bool": "BOOL"}
_PARQUET = "application/x-parquet"
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


def data_card(summary: ReleaseSummary) -> str:
    """The whole card."""
    return "\n".join([*_metadata(summary), "", *_body(summary)]) + "\n"


def _metadata(summary: ReleaseSummary) -> Iterator[str]:
    """The block between lines of dashes; strings are JSON, which YAML reads."""
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
    yield "configs:\n- config_name: default\n  data_files:"
    for part in summary.parts:
        yield f"  - split: {part}\n    path: data/{part}.parquet"
    for name, table in summary.further.items():
        yield f"- config_name: {name}\n  data_files:"
        for split in table.splits:
            yield f"  - split: {split}\n    path: {name}/{split}.parquet"
    yield "- config_name: judgments\n  data_files:"
    yield "  - split: train\n    path: judgments/judgments.parquet"
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
        f"under pseudonyms, {summary.annotators_an_item():.2f} of them an item, in the "
        f"configuration `judgments`. Agreement: {summary.agreement()}."
    )
    licence = manifest.licence or "not stated"
    yield f"\n## Licence and sources\n\nLicence: {licence}. {_text_note(summary)}"
    yield from _sources(summary)
    yield "\n## Audit\n"
    yield from _audit(summary)
    yield f"\n## Citation\n\n{_citation(summary) or 'None was given.'}"
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


def _citation(summary: ReleaseSummary) -> str:
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


def write_croissant(summary: ReleaseSummary, folder: Path) -> None:
    """Put `croissant.json` beside the data, and read it back with the official validator.

    Raises:
        MissingExtra: without mlcroissant.
        BadInput: where the validator refuses what was written, which would be a fault of ours.
    """
    library = _library()
    files = {part: f"data/{part}.parquet" for part in summary.parts}
    types = dict.fromkeys(files, summary.types)
    for name, table in summary.further.items():
        for split in table.splits:
            files[f"{name}-{split}"] = f"{name}/{split}.parquet"
            types[f"{name}-{split}"] = table.types
    files["judgments"], types["judgments"] = "judgments/judgments.parquet", JUDGMENT_TYPES
    try:
        metadata = library.Metadata(
            **_described(summary),
            **_responsible(summary),
            distribution=[_file(library, name, path, folder) for name, path in files.items()],
            record_sets=[_records(library, name, types[name]) for name in files],
        )
        document = metadata.to_json()
    except library.ValidationError as error:
        raise BadInput(f"croissant.json: the validator refuses it ({error})") from None
    with atomic_write(folder / "croissant.json") as file:
        file.write(json.dumps(document, indent=1, ensure_ascii=False, default=str) + "\n")
    check_croissant(folder / "croissant.json")


def check_croissant(path: Path) -> list[str]:
    """The warnings of the official validator.

    Raises:
        BadInput: where it finds errors.
    """
    library = _library()
    try:
        with warnings.catch_warnings(), _quiet_log():
            warnings.simplefilter("ignore", DeprecationWarning)  # of what mlcroissant stands on
            dataset = library.Dataset(jsonld=str(path))
    except library.ValidationError as error:
        raise BadInput(f"{path}: the validator refuses it ({error})") from None
    return sorted(dataset.metadata.ctx.issues.warnings)


@contextmanager
def _quiet_log() -> Iterator[None]:
    """The validator returns its warnings; it need not print them as well."""
    log = logging.getLogger("absl")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _library() -> Any:
    try:
        return import_module("mlcroissant")
    except ModuleNotFoundError:
        raise MissingExtra("Croissant metadata", "release", "mlcroissant") from None


def _file(library: Any, name: str, path: str, folder: Path) -> Any:
    return library.FileObject(
        id=f"{name}.parquet",
        name=f"{name}.parquet",
        content_url=path,
        content_size=f"{(folder / path).stat().st_size} B",
        encoding_formats=[_PARQUET],
        sha256=sha256(folder / path),
    )


def _records(library: Any, name: str, types: Mapping[str, str]) -> Any:
    fields = [
        library.Field(
            id=f"{name}/{column}",
            name=column,
            data_types=[getattr(library.DataType, _TYPES[kind])],
            source=library.Source(
                file_object=f"{name}.parquet", extract=library.Extract(column=column)
            ),
        )
        for column, kind in types.items()
    ]
    return library.RecordSet(id=name, name=name, fields=fields)


def _described(summary: ReleaseSummary) -> dict[str, Any]:
    manifest, publication = summary.run.manifest, summary.publication
    described: dict[str, Any] = {
        "name": summary.name,
        "description": summary.description,
        "license": [manifest.licence or "not stated"],
        "cite_as": _citation(summary) or None,
        "in_language": [publication.language],
        "keywords": ["figurative language", manifest.recipe],
        "version": publication.version,
        "url": publication.url or None,
    }
    if publication.published:
        described["date_published"] = datetime.fromisoformat(publication.published)
    if publication.creator:
        library = _library()
        described["creators"] = [library.Person(name=publication.creator)]
    return {name: value for name, value in described.items() if value is not None}


def _responsible(summary: ReleaseSummary) -> dict[str, Any]:
    """The fields on how the data came to be, what they are for, and what is wrong with them."""
    run, manifest = summary.run, summary.run.manifest
    crowd = "a simulated crowd" if manifest.simulated else "people"
    limits = [SIMULATED] * manifest.simulated
    limits += ["One language, and the kinds of text that its sources have."]
    limits += ["Labels are those of few people; what is in doubt has no label."]
    texts = "present" if summary.permission.with_text else summary.permission.note
    return {
        **_collection(manifest),
        "data_annotation_protocol": f"Judged by {crowd}; labels are aggregated as the run says. "
        f"Agreement: {summary.agreement()}.",
        "data_annotation_platform": ["trope annotate"],
        "annotations_per_item": f"{summary.annotators_an_item():.2f} annotators on average",
        "annotator_demographics": [
            f"{summary.annotators()} annotators under pseudonyms; nothing else of them is released"
        ],
        "machine_annotation_tools": [f"trope {manifest.trope} {manifest.model_sha256}".strip()],
        "data_limitations": limits,
        "data_use_cases": ["Tests of systems for figurative language; studies of annotation."],
        "data_social_impact": "Texts may offend; labels say what words mean, not what is right.",
        "personal_sensitive_information": [
            f"Texts: {texts}. Judgments: {len(run.judgments)}, under pseudonyms."
        ],
        "data_release_maintenance_plan": f"Version {summary.publication.version}; made again where "
        "it is at fault.",
    }


def _collection(manifest: Manifest) -> dict[str, Any]:
    """How the texts came together, and what that does to them."""
    if manifest.project is not None:
        return {
            "data_collection": f"The owner of the annotation project {manifest.recipe} chose them.",
            "data_collection_type": ["Others"],
            "data_preprocessing_protocol": ["Texts are as the owner of the project gave them."],
            "data_biases": ["Texts were chosen by the owner of the project, not at random."],
        }
    sources = sorted({one.dataset or one.path for one in manifest.inputs})
    return {
        "data_collection": f"By the recipe {manifest.recipe} of trope from "
        f"{', '.join(sources) or 'files of its user'}.",
        "data_collection_type": ["Secondary data analysis"],
        "data_preprocessing_protocol": [
            "Every step, and every text that it drops with the reason, is in the run's funnel."
        ],
        "data_biases": ["Texts were chosen by verbs, lengths and sources, not at random."],
    }
