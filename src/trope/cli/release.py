"""`trope release`: a publishable data set from a run of a recipe or an annotation project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.cli.aggregate import METHODS

if TYPE_CHECKING:
    from trope.annotate.project import Project
    from trope.annotate.web.downloads import ReleaseForm
    from trope.release.card import ReleaseSummary
    from trope.release.finished_run import ProjectChoices


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path),
              help="A new folder for the release.  [default: DIR/release]")  # fmt: skip
@click.option("--with-text", is_flag=True,
              help="Include texts whose terms forbid it; you are responsible.")  # fmt: skip
@click.option("--licence", "licences", multiple=True, metavar="[SOURCE=]LICENCE",
              help="Licence of a project or of a source of your own.")  # fmt: skip
@click.option("--shares", default="0.8,0.1,0.1", show_default=True,
              help="Shares of train, validation and test.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the split and of the order of pseudonyms.")  # fmt: skip
@click.option("--name", default="", help="The name of the data set.  [default: the recipe's]")
@click.option("--creator", default="", help="Who publishes it.")
@click.option("--url", default="", help="Its address.")
@click.option("--published", default="", help="Day of publication, YYYY-MM-DD.")
@click.option("--language", default="en", show_default=True, help="Language of the texts.")
@click.option("--question", default="", metavar="ID",
              help="Project: question that gives the label.  [default: the first]")  # fmt: skip
@click.option("--group-by", default="", metavar="FIELD",
              help="Project: field of items that belong in one split.")  # fmt: skip
@click.option("--drafts", is_flag=True, help="Project: also items that lack judgments.")
@click.option("--method", type=click.Choice(METHODS), default="majority", show_default=True,
              help="Project: how judgments become labels.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def release(
    folder: Path,
    out: Path | None,
    with_text: bool,
    licences: tuple[str, ...],
    shares: str,
    seed: int,
    name: str,
    creator: str,
    url: str,
    published: str,
    language: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Make a publishable data set from DIR: a finished run of `trope recipe`, or a project.

    The licence of a project has to be given, such as --licence CC-BY-4.0. Splits share no text.
    """
    from trope.release.card import Publication
    from trope.release.folder import ReleaseOptions, make_release, release_project

    publication = Publication(name, creator, url, _day(published), language=language)
    options = ReleaseOptions(
        *(_shares(shares), seed, with_text, _licences(licences), publication), _choices(**chosen)
    )
    target = out or folder / "release"
    if (folder / "project.toml").is_file():
        from trope.annotate.project import open_project
        from trope.annotate.store.database import connect

        connect(project := open_project(folder))
        summary = release_project(project, target, options)
    else:
        summary = make_release(folder, target, options)
    click.echo(_document(summary, target) if as_json else _text(summary, target))


def _choices(question: str, group_by: str, drafts: bool, method: str) -> ProjectChoices:
    from trope.annotate.rules.aggregation import AggregationOptions
    from trope.release.finished_run import ProjectChoices

    return ProjectChoices(question, group_by, drafts, AggregationOptions(method=method))


def release_from_page(project: Project, out: Path, form: ReleaseForm) -> None:
    """Make the release that the owner's page asks for; the service is started with this."""
    from trope.release.card import Publication
    from trope.release.folder import ReleaseOptions, release_project

    publication = Publication(form.name, form.creator, language=form.language)
    choices = _choices(form.question, form.group_by, form.drafts, form.method)
    options = ReleaseOptions(
        *(_shares(form.shares), 0, form.with_text, {"": form.licence}, publication), choices
    )
    release_project(project, out, options)


def _licences(given: tuple[str, ...]) -> dict[str, str]:
    from trope.core.errors import BadInput

    found = {}
    for one in given:
        name, _, licence = (part.strip() for part in one.rpartition("="))
        if not licence:
            raise BadInput(f"--licence {one!r} names none; write LICENCE or SOURCE=LICENCE")
        found[name] = licence
    return found


def _shares(given: str) -> tuple[float, ...]:
    from trope.core.errors import BadInput

    try:
        return tuple(float(share) for share in given.split(","))
    except ValueError:
        raise BadInput(f"--shares {given!r} are not numbers; give three like 0.8,0.1,0.1") from None


def _day(given: str) -> str:
    from datetime import date

    from trope.core.errors import BadInput

    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError:
        raise BadInput(f"--published {given!r} is not a date; give it as YYYY-MM-DD") from None


def _document(summary: ReleaseSummary, target: Path) -> str:
    document = {
        "folder": str(target),
        "name": summary.name,
        "simulated": summary.run.manifest.simulated,
        "parts": {part: len(rows) for part, rows in summary.parts.items()},
        "further": {
            name: {split: len(rows) for split, rows in table.splits.items()}
            for name, table in summary.further.items()
        },
        "groups": summary.groups,
        "judgments": len(summary.run.judgments),
        "with_text": summary.permission.with_text,
        "withheld": summary.permission.withheld,
        "note": summary.permission.note,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _text(summary: ReleaseSummary, target: Path) -> str:
    from trope.core.progress import counted

    parts = ", ".join(f"{part} {len(rows)}" for part, rows in summary.parts.items())
    lines = [
        f"{target}: {summary.name}",
        f"items: {parts}, in {summary.groups} groups that stay together",
        f"judgments: {len(summary.run.judgments)} answers by {summary.annotators()} annotators",
    ]
    for name, table in summary.further.items():
        sizes = ", ".join(f"{split} {len(rows)}" for split, rows in table.splits.items())
        if list(table.splits) == ["train"]:  # one table, which loaders call so
            sizes = counted(len(table.splits["train"]), "item")
        lines.append(f"{name.replace('_', ' ')}: {sizes}")
    for part, label in summary.one_sided().items():
        remedy = "give more texts, or other --shares or --seed"
        lines.append(
            f"{part} has no other label than {label}, as alike items stay together; {remedy}"
        )
    if summary.run.manifest.simulated:
        lines.append(
            "simulated: judgments and labels come from a simulated crowd, and are marked as such"
        )
    if summary.permission.note:
        lines.append(summary.permission.note)
    return "\n".join(lines)
