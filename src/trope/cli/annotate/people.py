"""Commands of `trope annotate` on people and items: demo and control items, links, review, tables,
rates and rounds."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from trope.annotate.exchange.platforms import PLATFORMS, hit_question
from trope.annotate.project import PANEL_KEY, make_secret, open_project
from trope.cli.annotate.database import DIRECTORY, FILE, connected
from trope.cli.output import open_output
from trope.core.errors import BadInput
from trope.core.progress import counted

if TYPE_CHECKING:
    from trope.annotate.rules.paper_tables import CountedShare, PartTables
    from trope.annotate.rules.rounds import RoundOrder
    from trope.annotate.store.model_measures import ProjectRates
    from trope.metrics.intervals import Interval


# those of rules.rounds, which would load numpy for every command
_ORDERS = ("uncertainty", "disagreement", "novelty", "random")


@click.command("demo-task", short_help="Split items into a demo task and the rest.")
@DIRECTORY
@click.argument("items", type=FILE, metavar="ITEMS")
@click.argument("known", type=FILE, metavar="KNOWN")
@click.option("--out", required=True, type=FILE, help="Demo items.")
@click.option("--rest", required=True, type=FILE, help="All other items.")
@click.pass_context
def demo_task(
    context: click.Context, directory: Path, items: Path, known: Path, out: Path, rest: Path
) -> None:
    """Split ITEMS into a demo task, as long as the plan says, and the rest.

    KNOWN is a table of expressions with known answers: verb, object, and a column such as
    gold.metaphorical. Items with such an expression become the control items of the demo task.
    """
    plan = open_project(directory).plan
    from trope.annotate.demo_task import as_line, divide, read_known
    from trope.annotate.exchange.items import read_items

    wanted = plan.demo
    divided = divide(
        read_items(items, plan),
        read_known(known, plan),
        number=wanted.items,
        gold=wanted.gold,
        seed=plan.seed,
    )
    for path, part in ((out, divided.demo), (rest, divided.work)):
        with open_output(path) as file:
            file.writelines(map(as_line, part))
    found = f"{counted(len(divided.demo), 'demo item')}, {divided.known} with known answers"
    click.echo(f"{found}; {counted(len(divided.work), 'other')}")
    if len(divided.demo) < wanted.items or divided.known < wanted.gold:
        click.echo(f"the plan asks for {wanted.items} and {wanted.gold}", err=True)
        context.exit(1)


@click.command("control-items", short_help="Make control items from a team's judgments.")
@DIRECTORY
@click.argument("items", type=FILE, metavar="ITEMS")
@click.argument("team", type=FILE, metavar="JUDGMENTS")
@click.option("--out", required=True, type=FILE, help="Control items, to import.")
@click.option("--demo", type=FILE,
              help="Demo items, to import with --demo; as many as the plan says.")  # fmt: skip
@click.option("--least", type=click.IntRange(min=1), default=2, show_default=True,
              help="People of the team that must have judged an item.")  # fmt: skip
def control_items(
    directory: Path, items: Path, team: Path, out: Path, demo: Path | None, least: int
) -> None:
    """Make control items, and a demo task, from ITEMS that a team has judged.

    JUDGMENTS is the export of the team's project. Known answers are the team's: on a scale from the
    lowest to the highest, of a choice the one that all gave; items on which the team differs, or
    whose range is the whole scale, are left out.
    """
    plan = open_project(directory).plan
    from trope.annotate.demo_task import as_line, divide_control, team_answers
    from trope.annotate.exchange.items import read_items
    from trope.cli.annotate.files import judgment_reader

    known_items = {item.id: item for item in read_items(items, plan)}
    known = team_answers(known_items, judgment_reader(plan, team)(), team, plan, least=least)
    if not known:
        problem = f"no item has an answer that {least} or more people agree on"
        raise BadInput(f"{team}: {problem}; let the team judge more items, or give --least")
    wanted = plan.demo
    divided = divide_control(
        known_items.values(),
        known,
        number=wanted.items if demo else 0,
        gold=wanted.gold if demo else 0,
        seed=plan.seed,
    )
    files = [(out, divided.work)] + ([(demo, divided.demo)] if demo else [])
    for path, part in files:
        with open_output(path) as file:
            file.writelines(map(as_line, part))
    said = f"{counted(len(divided.work), 'control item')}"
    if demo:
        said += f"; {counted(len(divided.demo), 'demo item')}, {divided.known} with known answers"
    left = len(known_items) - len(known)
    click.echo(f"{said}; {counted(left, 'item')} without an answer that the team agrees on")


@click.command()
@DIRECTORY
@click.option("--days", default=14, show_default=True, help="Days until the link expires.")
@click.option("--study", default="", metavar="ID", help="Only for this study (STUDY_ID).")
@click.option("--worker", "workers", multiple=True, metavar="ID",
              help="A link for this worker only; can be repeated.")  # fmt: skip
@click.option("--places", default=200, show_default=True,
              help="Most workers in all, for a link without --worker.")  # fmt: skip
@click.option("--signed", is_flag=True, help="The panel signs each address with a shared key.")
@click.option("--platform", type=click.Choice(PLATFORMS), default="prolific", show_default=True,
              help="mturk: print the question of a HIT, as XML.")  # fmt: skip
@click.option(
    "--origin",
    default="http://127.0.0.1:8000",
    show_default=True,
    metavar="URL",
    help="The address of the service.",
)
def link(
    directory: Path,
    days: int,
    study: str,
    workers: tuple[str, ...],
    places: int,
    signed: bool,
    platform: str,
    origin: str,
) -> None:
    """Print signed links for external workers.

    Without --worker it is for everyone whom Prolific sends: Prolific fills in the parameters
    PROLIFIC_PID, STUDY_ID and SESSION_ID, and the first is the worker's id. Such a link cannot tell
    a worker from someone who made up an id; where the panel can show each worker a link of their
    own, make them with --worker. Where it can sign addresses, make the link with --signed: the key
    is in DIRECTORY/panel-key, and the manual says what is signed.

    For Mechanical Turk it is an HTMLQuestion, with which a HIT is created: it opens the link for a
    worker and takes the completion code back.
    """
    if platform == "mturk" and (workers or signed):
        raise click.UsageError(
            "--platform mturk is for all workers; leave --worker and --signed out"
        )
    project = connected(directory)
    from trope.annotate.store.people import link_path, make_link_token

    wanted = partial(
        make_link_token,
        now=datetime.now(UTC),
        days=days,
        study=study,
        places=places,
        signed=signed,
    )
    tokens = [(wanted(worker=worker), worker) for worker in workers or ("",)]
    if signed and not (project.folder / PANEL_KEY).exists():
        make_secret(project.folder, PANEL_KEY)
    if signed:
        click.echo(f"the panel signs with the key in {project.folder / PANEL_KEY}", err=True)
    for token, worker in tokens:
        path = link_path(token, worker=worker, signed=signed)
        address = origin.rstrip("/") + path
        if platform == "mturk":
            click.echo(hit_question(project.plan.title, address.partition("?")[0]), nl=False)
        else:
            click.echo(address)


@click.command()
@DIRECTORY
@click.option("--apply", "acting", is_flag=True, help="Warn, hold and dismiss as the plan says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def review(directory: Path, acting: bool, as_json: bool) -> None:
    """Check all answers by the rules, and print what they find.

    Control items, constant answers, outliers, peers, speed, straight lines, copies: each with the
    outcome that [quality] names. Nothing is done without --apply.
    """
    plan = connected(directory).plan
    from trope.annotate.store.discipline import apply_findings
    from trope.annotate.store.reports import find_in_project

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
    ending = f"{len(done)} acted on" if acting else "nothing was done (--apply acts on them)"
    click.echo(f"{counted(len(findings), 'finding')}; {ending}", err=True)


@click.command()
@DIRECTORY
@click.option("--out", type=FILE, help="File to write.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def agreement(directory: Path, out: Path | None, as_json: bool) -> None:
    """Report the agreement on every question, as Markdown or JSON."""
    plan = connected(directory).plan
    from trope.annotate.store.exports import agreement_text
    from trope.annotate.store.rows import ItemSample

    with open_output(out) as file:
        file.write(agreement_text(plan, "json" if as_json else "md", ItemSample(0)))


@click.command()
@DIRECTORY
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def tables(directory: Path, as_json: bool) -> None:
    """Print tables 3 to 6 of the tweet study of 2019.

    The plan's [tables] names the question and the fields of items.
    """
    plan = connected(directory).plan
    from trope.annotate.store.reports import project_tables

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


def _percent(share: CountedShare) -> str:
    percent = "–" if share.percent is None else f"{share.percent:.2f} %"
    return f"{percent} ({share.count} of {share.base})"


_QUESTION = click.option(
    "--question", default="", metavar="ID", help="A choice or a scale.  [default: the first]"
)


@click.command("round", short_help="Choose what is judged next, and open it.")
@DIRECTORY
@click.option("--by", required=True, type=click.Choice(_ORDERS),
              help="First what a light model is unsure of, what models disagree on, what is unlike "
                   "anything judged, or anything.")  # fmt: skip
@click.option("--size", type=click.IntRange(min=1), default=100, show_default=True,
              help="Items to open.")  # fmt: skip
@_QUESTION
@click.option("--seed", type=int, default=None, help="Seed of the order.  [default: the plan's]")
@click.option("--who", hidden=True, default="command line", help="Who ordered it, on a page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def round_(
    directory: Path, by: str, size: int, question: str, seed: int | None, who: str, as_json: bool
) -> None:
    """Choose items that were given to nobody, and open them as the next round; people can work.

    The first round lets all items wait that nobody has reached. A light model is trained on the
    labels so far (uncertainty and disagreement need pip install 'trope[systems]'); with fewer than
    20 labels the round is random.
    """
    project = connected(directory)
    from trope.annotate.store.model_measures import asked_question, begin_round

    seed = project.plan.seed if seed is None else seed
    begun = begin_round(
        *(project, asked_question(project.plan, question), cast("RoundOrder", by)),
        size=size, seed=seed, now=datetime.now(UTC), who=who,
    )  # fmt: skip
    if as_json:
        click.echo(json.dumps(asdict(begun), ensure_ascii=False))
        return
    if begun.note:
        click.echo(f"note: {begun.note}", err=True)
    items, labels = counted(begun.opened.items, "item"), counted(begun.labelled, "label")
    click.echo(f"{begun.opened.name}: {items} opened, after {labels}; {begun.opened.left} left")


@click.command(short_help="Rates by a model, corrected by what people judged.")
@DIRECTORY
@_QUESTION
@click.option("--model", default="", metavar="RUN", help="Run of a model.  [default: the first]")
@click.option("--by", "group", default="", metavar="FIELD",
              help="Field of the items: the rates of each of its values.")  # fmt: skip
@click.option("--width", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="Width of the interval that you want.  [default: half of it]")  # fmt: skip
@click.option("--beyond", is_flag=True,
              help="The items stand for more of their kind, and the rates are of all.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def rates(
    directory: Path, question: str, model: str, group: str, width: float | None, beyond: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Rates of labels over all items that a model answered, corrected by people's labels.

    The items that people judged must be a random sample, judged without the model's answer in view.
    Beside each rate: the model's alone, the classical interval of the sample alone, and how many
    judged items an interval of the wanted width needs.
    """
    plan = connected(directory).plan
    from trope.annotate.store.model_measures import asked_question, project_rates

    asked = asked_question(plan, question)
    found = project_rates(plan, asked, model=model, group=group, beyond=beyond)
    needed = [
        one.rate.judgments_for(width) if width else one.rate.judgments_for_half
        for one in found.rates
    ]
    if as_json:
        document = asdict(found)
        for row, number in zip(document["rates"], needed, strict=True):
            row["judgments_needed"] = number
        click.echo(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))
        return
    _print_rates(found, needed, f"{width:g} wide" if width else "half as wide")


def _print_rates(found: ProjectRates, needed: list[int | None], wanted: str) -> None:
    click.echo(f"{found.question}, model {found.model}")
    for one, number in zip(found.rates, needed, strict=True):
        rate, name = one.rate, f"{one.group}: {one.label}" if one.group else one.label
        click.echo(f"  {name}")
        click.echo(f"    corrected  {_share(rate.corrected)}")
        click.echo(f"    classical  {_share(rate.classical)}, {rate.judged} judged")
        click.echo(f"    model      {100 * rate.model:.1f} % of {rate.items}")
        click.echo(f"    an interval {wanted} needs about {number or 'all'} judged items")
        for note in rate.notes:
            click.echo(f"    note: {note}")
    for label, difference in found.differences.items():
        groups = list(dict.fromkeys(one.group for one in found.rates))
        click.echo(f"  {label}: {groups[0]} less {groups[1]}: {_share(difference.corrected)}")
    for note in found.notes:
        click.echo(f"note: {note}", err=True)


def _share(interval: Interval) -> str:
    values = [100 * (value or 0.0) for value in (interval.value, interval.low, interval.high)]
    return "{:.1f} % ({:.1f} to {:.1f})".format(*values)
