"""`trope release`: a publishable data set out of a finished run of a recipe."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from trope.metrics.figures import Figure
    from trope.release.finished_run import FinishedRun
    from trope.release.summary import Summary


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path),
              help="A new folder for the release.  [default: DIR/release]")  # fmt: skip
@click.option("--with-text", is_flag=True,
              help="Put texts in that their terms keep out; you answer for it.")  # fmt: skip
@click.option("--shares", default="0.8,0.1,0.1", show_default=True,
              help="Of train, validation and test.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Decides the parts and the order of pseudonyms.")  # fmt: skip
@click.option("--name", default="", help="The name of the data set.  [default: the recipe's]")
@click.option("--creator", default="", help="Who publishes it.")
@click.option("--url", default="", help="Where it will be.")
@click.option("--published", default="", help="Day of publication, YYYY-MM-DD.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def release(
    folder: Path,
    out: Path | None,
    with_text: bool,
    shares: str,
    seed: int,
    name: str,
    creator: str,
    url: str,
    published: str,
    as_json: bool,
) -> None:
    """Make a publishable data set out of DIR, a finished run of `trope recipe`."""
    from trope.release.summary import Publication
    from trope.release.writing import Options, make_release

    publication = Publication(name, creator, url, _day(published))
    options = Options(_shares(shares), seed, with_text, publication)
    target = out or folder / "release"
    summary = make_release(folder, target, options, audit=_audit)
    click.echo(_document(summary, target) if as_json else _said(summary, target))


def _shares(given: str) -> tuple[float, ...]:
    from trope.core.errors import BadInput

    try:
        return tuple(float(share) for share in given.split(","))
    except ValueError:
        raise BadInput(f"--shares {given!r} are no numbers; give three, as 0.8,0.1,0.1") from None


def _day(given: str) -> str:
    from datetime import date

    from trope.core.errors import BadInput

    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError:
        raise BadInput(f"--published {given!r} is no day; give it as YYYY-MM-DD") from None


def _audit(
    run: FinishedRun, parts: Sequence[str], groups: Sequence[int]
) -> tuple[list[Figure], str]:
    """The controls of `trope audit` on the test part, for sets of two labels."""
    from trope.audit.controls import AuditItem, BinarySet, audit_figures
    from trope.core.errors import MissingExtra
    from trope.metrics.figures import DataRef

    settled = sorted({label.label for label in run.labels.values() if label.label})
    if len(settled) != 2:
        return [], f"Not audited: the controls are for two labels, and there are {len(settled)}."
    questions: dict[str, list[AuditItem]] = {"train": [], "validation": [], "test": []}
    for item, part, group in zip(run.items, parts, groups, strict=True):
        label = run.labels[item.id].label
        if label:
            words = tuple(item.text.split())
            questions[part].append(AuditItem(words, label == _positive(settled), str(group)))
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


def _positive(labels: Sequence[str]) -> str:
    """The label that a yes stands for: the metaphorical one, where one is called so."""
    return next((label for label in labels if label.startswith(("metaphor", "yes"))), labels[0])


def _document(summary: Summary, target: Path) -> str:
    document = {
        "folder": str(target),
        "name": summary.name,
        "simulated": summary.run.manifest.simulated,
        "parts": {part: len(rows) for part, rows in summary.parts.items()},
        "groups": summary.groups,
        "judgments": len(summary.run.judgments),
        "with_text": summary.permission.with_text,
        "withheld": summary.permission.withheld,
        "note": summary.permission.note,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _said(summary: Summary, target: Path) -> str:
    parts = ", ".join(f"{part} {len(rows)}" for part, rows in summary.parts.items())
    lines = [
        f"{target}: {summary.name}",
        f"items: {parts}, in {summary.groups} groups that stay together",
        f"judgments: {len(summary.run.judgments)} by {summary.annotators()} annotators",
    ]
    if summary.run.manifest.simulated:
        lines.append("simulated: judgments and labels are of a simulated crowd, and say so")
    if summary.permission.note:
        lines.append(summary.permission.note)
    return "\n".join(lines)
