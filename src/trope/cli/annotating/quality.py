"""`trope annotate review` and `tables`: the quality of what was collected."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trope.cli.annotating.options import DIRECTORY, connected

if TYPE_CHECKING:
    from trope.annotate.rules.paper_tables import PartTables, Share


@click.command()
@DIRECTORY
@click.option("--apply", "acting", is_flag=True, help="Warn, hold and dismiss as the plan says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def review(directory: Path, acting: bool, as_json: bool) -> None:
    """Put all answers to the rules, and say what they find.

    Control items, constant answers, outliers, peers, speed, straight lines, copies: each with the
    outcome that [quality] names. Nothing is done without --apply.
    """
    plan = connected(directory).plan
    from trope.annotate.store.quality import find_in_project
    from trope.annotate.store.reviewing import apply_findings

    findings = find_in_project(plan)
    done = apply_findings(findings, now=datetime.now(UTC), by="command line") if acting else []
    if as_json:
        document = {
            "findings": [asdict(finding) for finding in findings],
            "done": [asdict(finding) for finding in done],
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    for one in findings:
        click.echo(f"{one.annotator}: {one.rule}: {one.reason} -> {one.outcome}")
    ending = f"{len(done)} acted on" if acting else "nothing was done (--apply acts)"
    click.echo(f"{len(findings)} findings; {ending}", err=True)


@click.command()
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def tables(directory: Path, as_json: bool) -> None:
    """Print tables 3 to 6 of the tweet study of 2019 over the project.

    The plan's [tables] names the question and the fields of items that they are about.
    """
    plan = connected(directory).plan
    from trope.annotate.store.quality import project_tables

    parts = project_tables(plan)
    if as_json:
        document = {"parts": [asdict(part) for part in parts]}
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
        return
    for part in parts:
        _print_part(part)


def _print_part(part: PartTables) -> None:
    click.echo(f"{part.part}: {part.tweets} tweets")
    click.echo("Table 3")
    for exclusion in part.exclusions:
        for one in exclusion.agreements:
            value = one.note if one.value is None else f"{one.value:.3f} ({one.n}) {one.word}"
            click.echo(f"  {exclusion.name} exclusion, {one.name}: {value}")
    for number, sides in ((4, part.unanimous), (5, part.narrow)):
        click.echo(f"Table {number}")
        for name, side in zip(("metaphor", "not metaphor"), sides, strict=True):
            shown = "; ".join(f"{one.marked} {one.positive}:{one.negative}" for one in side)
            click.echo(f"  {name}: {shown or 'none'}")
    click.echo("Table 6")
    length = "–" if part.length is None else f"{part.length:.2f}"
    click.echo(f"  pairs {part.pairs}, average length {length}")
    click.echo(f"  verbs {part.verbs}, nouns {part.nouns}")
    shares = {
        "metaphor": part.positive,
        "not metaphor": part.negative,
        "decided by one vote": part.narrow_majority,
        "tied": part.tied,
        "not understood": part.not_understood,
    }
    for name, share in shares.items():
        click.echo(f"  {name}: {_percent(share)}")


def _percent(share: Share) -> str:
    percent = "–" if share.percent is None else f"{share.percent:.2f} %"
    return f"{percent} ({share.count} of {share.base})"
