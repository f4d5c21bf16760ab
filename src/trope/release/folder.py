"""A release: files that can be published as they are, made whole or not at all, and its audit."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from trope.annotate.exchange.files import csv_lines, write_parquet
from trope.annotate.project import Project
from trope.audit.controls import AuditItem, BinarySet, audit_figures, positive_label
from trope.core.errors import BadInput, MissingExtra
from trope.core.files import sha256
from trope.core.records import TextKind
from trope.metrics.figures import DataRef, Measurement
from trope.release.card import Publication, ReleaseSummary, data_card
from trope.release.croissant import write_croissant
from trope.release.finished_run import (
    MANIFEST,
    FinishedRun,
    Manifest,
    ProjectChoices,
    Value,
    read_run,
)
from trope.release.newsmet_gold import GOLD_PLUS, gold_plus_rows, verb_columns
from trope.release.tables import (
    JUDGMENT_TYPES,
    PARTS,
    SHARES,
    FurtherTable,
    Permission,
    check_licence,
    column_types,
    drawn_parts,
    group_items,
    item_rows,
    judgment_rows,
    only_labelled,
    split_groups,
)

CHECKSUMS = "SHA256SUMS"
_KINDS: dict[str, TextKind] = {"tweets": "tweet", "headlines": "headline"}


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How a release is made."""

    shares: tuple[float, ...] = SHARES
    seed: int = 0
    with_text: bool = False
    licences: Mapping[str, str] = field(default_factory=dict)
    publication: Publication = field(default_factory=Publication)
    choices: ProjectChoices = field(default_factory=ProjectChoices)


def make_release(folder: Path, out: Path, options: ReleaseOptions | None = None) -> ReleaseSummary:
    """Write the release of a finished run into a new folder, and say what is in it.

    Raises:
        BadInput: for a folder that holds something, and for all that a run can have wrong.
    """
    _check_new(out)
    options = options or ReleaseOptions()
    read = read_run(folder)
    manifest = read.manifest.with_licences(options.licences, folder / MANIFEST)
    return _release(replace(read, manifest=manifest), out, options, verb_columns(folder), folder)


def release_project(project: Project, out: Path, options: ReleaseOptions) -> ReleaseSummary:
    """Write the release of an annotation project, whose database is connected.

    Its licence is the one under the name of its folder, or under the empty name.

    Raises:
        BadInput: for a folder that holds something, and where nothing can be released yet.
    """
    from trope.release.judged_project import read_project  # which needs the extra annotate

    _check_new(out)
    given = {name: licence for name, licence in options.licences.items() if licence.strip()}
    name = project.folder.resolve().name
    licence = given.pop(name, "") or given.pop("", "")
    if given:
        problem = f"has no source {min(given)!r}; give one licence, such as --licence CC-BY-4.0"
        raise BadInput(f"{project.folder}: {problem}")
    judged = read_project(project, licence, options.choices)
    return _release(judged.run, out, options, judged.columns)


def _check_new(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out}: exists already; give a new or an empty folder")


def _release(
    read: FinishedRun,
    out: Path,
    options: ReleaseOptions,
    columns: Mapping[str, Mapping[str, Value]],
    folder: Path | None = None,
) -> ReleaseSummary:
    """Write the release of what was read; `columns` are further ones by item."""
    run, left_out = only_labelled(read)
    permission = check_licence(run.manifest, run.items, allowed=options.with_text)
    kind = _KINDS.get(run.manifest.text_is, "plain")
    groups = group_items(run.items, by=run.manifest.group_by, kind=kind)
    kept = drawn_parts(run.items) if options.shares == SHARES else []
    shares = tuple(float(part in kept) for part in PARTS) if kept else options.shares
    parts = kept or split_groups(groups, shares=options.shares, seed=options.seed)
    rows = item_rows(run, groups, permission, columns)
    figures, not_audited = audit_run(run, parts, groups)
    summary = ReleaseSummary(
        run,
        permission,
        options.publication,
        _parted(rows, parts, shares),
        column_types(rows),
        len(set(groups)),
        tuple(figures),
        not_audited,
        _further(folder, run, parts, permission, left_out),
        drawn_by_recipe=bool(kept),
    )
    _write_whole(out, lambda to: _write(to, summary, options.seed))
    return summary


def _further(
    folder: Path | None,
    run: FinishedRun,
    parts: Sequence[str],
    permission: Permission,
    left_out: Sequence[Mapping[str, Value]],
) -> dict[str, FurtherTable]:
    """Tables beside the items: gold+ of newsmet, and what has no label."""
    found = {}
    if folder is not None and (folder / GOLD_PLUS).is_file():
        of_item = {item.id: part for item, part in zip(run.items, parts, strict=True)}
        splits = gold_plus_rows(folder, run, of_item, with_text=permission.with_text)
        found["gold_plus"] = FurtherTable({part: rows for part, rows in splits.items() if rows})
    found["left_out"] = FurtherTable({"train": left_out} if left_out else {})
    return {name: table for name, table in found.items() if table.splits}


def _parted(
    rows: Sequence[Mapping[str, Value]], parts: Sequence[str], shares: Sequence[float]
) -> dict[str, list[Mapping[str, Value]]]:
    """The rows of each part that was asked for.

    Raises:
        BadInput: where one of them is empty.
    """
    found = {
        part: [row for row, own in zip(rows, parts, strict=True) if own == part]
        for part, share in zip(PARTS, shares, strict=True)
        if share > 0
    }
    if empty := [part for part, own in found.items() if not own]:
        problem = f"no group of alike items fits into {empty[0]} ({len(rows)} items)"
        raise BadInput(f"{problem}; give other shares (--shares), for example 1,0,0")
    return found


def _write_whole(out: Path, write: Callable[[Path], None]) -> None:
    """Write into a folder beside `out`, and give it its name at the end."""
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        write(made)
        made.chmod(0o755)
        if out.is_dir():
            out.rmdir()
        made.rename(out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _write(folder: Path, summary: ReleaseSummary, seed: int) -> None:
    for name in ("data", "csv", "judgments", *summary.further):
        (folder / name).mkdir()
    for part, rows in summary.parts.items():
        _table(folder, f"data/{part}.parquet", f"csv/{part}.csv", summary.types, rows)
    for name, table in summary.further.items():
        for split, rows in table.splits.items():
            csv = f"csv/{name}-{split}.csv"
            _table(folder, f"{name}/{split}.parquet", csv, table.types, rows)
    judgments = judgment_rows(summary.run, seed)
    _table(folder, "judgments/judgments.parquet", "csv/judgments.csv", JUDGMENT_TYPES, judgments)
    _json(folder / "audit.json", {"figures": summary.audit, "note": summary.not_audited})
    _json(folder / "provenance.json", _provenance(summary.run.manifest))
    _json(folder / "agreement.json", summary.run.agreement)
    write_croissant(summary, folder)
    version = hashlib.sha256(_checksums(folder, "*.parquet").encode()).hexdigest()[:16]
    (folder / "README.md").write_text(data_card(summary, version), encoding="utf-8")
    (folder / CHECKSUMS).write_text(_checksums(folder, "*"), encoding="utf-8")


def _checksums(folder: Path, pattern: str) -> str:
    """The files of a release with their checksums, as `sha256sum` writes them."""
    paths = sorted(path for path in folder.rglob(pattern) if path.is_file())
    return "".join(f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)


def _provenance(manifest: Manifest) -> Manifest:
    """The manifest without the places where files lay."""
    inputs = [msgspec.structs.replace(one, path=Path(one.path).name) for one in manifest.inputs]
    return msgspec.structs.replace(manifest, inputs=tuple(inputs))


def _table(
    folder: Path,
    parquet: str,
    csv: str,
    types: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """The same rows as Parquet and as CSV."""
    with (folder / parquet).open("wb") as binary:
        write_parquet(binary, types, rows)
    with (folder / csv).open("w", encoding="utf-8", newline="") as text:
        text.writelines(csv_lines(list(types), rows))


def _json(path: Path, document: Any) -> None:
    plain = msgspec.to_builtins(document)
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def audit_run(
    run: FinishedRun, parts: Sequence[str], groups: Sequence[int]
) -> tuple[list[Measurement], str]:
    """The controls of `trope audit` on the test part of a run with two labels, or why not."""
    settled = sorted({label.label for label in run.labels.values() if label.label})
    if len(settled) != 2:
        return [], f"Not audited: the controls need two labels, and there are {len(settled)}."
    questions: dict[str, list[AuditItem]] = {"train": [], "validation": [], "test": []}
    for item, part, group in zip(run.items, parts, groups, strict=True):
        label = run.labels[item.id].label
        if label:
            words = tuple(item.text.split())
            questions[part].append(AuditItem(words, label == positive_label(settled), str(group)))
    if not all(questions[part] for part in ("train", "test")):
        return [], "Not audited: the controls need a part to learn from and a test part."
    data = DataRef(run.manifest.recipe, "test", "")
    asked = BinarySet(
        run.manifest.recipe, questions["train"], questions["test"], data, questions["validation"]
    )
    try:
        return audit_figures(asked, seed=0), ""
    except MissingExtra as error:
        return [], f"Not audited: {error}"
