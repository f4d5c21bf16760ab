"""Croissant metadata of a release, with the responsible-AI fields, checked by mlcroissant."""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from trope.core.errors import BadInput, MissingExtra
from trope.core.files import atomic_write, sha256
from trope.release.card import SIMULATED, ReleaseSummary, citation
from trope.release.finished_run import Manifest
from trope.release.tables import JUDGMENT_TYPES

_TYPES = {"string": "TEXT", "int64": "INTEGER", "float64": "FLOAT", "bool": "BOOL"}
_PARQUET = "application/x-parquet"


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
    ids: dict[str, str] = {}
    for column in types:  # the format takes no blanks in ids
        plain = re.sub(r"[^\w.-]+", "_", column)
        while plain in ids:
            plain += "_"
        ids[plain] = column
    fields = [
        library.Field(
            id=f"{name}/{plain}",
            name=column,
            data_types=[getattr(library.DataType, _TYPES[types[column]])],
            source=library.Source(
                file_object=f"{name}.parquet", extract=library.Extract(column=column)
            ),
        )
        for plain, column in ids.items()
    ]
    return library.RecordSet(id=name, name=name, fields=fields)


def _described(summary: ReleaseSummary) -> dict[str, Any]:
    manifest, publication = summary.run.manifest, summary.publication
    described: dict[str, Any] = {
        "name": summary.name,
        "description": summary.description,
        "license": [manifest.licence or "not stated"],
        "cite_as": citation(summary) or None,
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
