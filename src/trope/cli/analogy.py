"""`trope analogy`: propose analogy items as in MEAN, check sets of them, and answer them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.core.errors import BadInput

if TYPE_CHECKING:
    from trope.tasks.analogy.distractors import AnalogyProposal, FrameInventory

_FOLDER = click.Path(path_type=Path, file_okay=False)
_OUT = click.option("--out", type=click.Path(path_type=Path, dir_okay=False),
                    help="Write to this file.")  # fmt: skip


@click.group()
def analogy() -> None:
    """Propose, check and answer metaphoric analogies: items with one right choice of several."""


@analogy.command(short_help="Propose items, as a sheet to accept or reject.")
@click.option("--from", "data", type=_FOLDER,
              help="Folder with metaphors.yaml and frames.yaml.")  # fmt: skip
@click.option("--metaphor", "names", multiple=True, metavar="NAME",
              help="Only this metaphor, for example ANGER_IS_FIRE; repeatable.")  # fmt: skip
@click.option("--count", type=click.IntRange(min=1), default=5, show_default=True,
              help="Candidates for each wrong choice.")  # fmt: skip
@click.option("--accepted", type=click.Path(path_type=Path, dir_okay=False),
              help="A filled-in sheet: write its accepted rows as a set.")  # fmt: skip
@_OUT
@click.pass_context
def build(
    ctx: click.Context,
    data: Path | None,
    names: tuple[str, ...],
    count: int,
    accepted: Path | None,
    out: Path | None,
) -> None:
    """Propose items from metaphors with role mappings, as a sheet to accept or reject."""
    from trope.cli.output import open_output
    from trope.core.errors import BadInput
    from trope.core.progress import counted
    from trope.corpora.mean import read_review, write_mean, write_review

    if (data is None) == (accepted is None):
        raise BadInput("give either --from to propose items or --accepted to read a sheet")
    if accepted is not None:
        items = list(read_review(accepted))
        with open_output(out) as file:
            write_mean(items, file)
        _say(ctx, counted(len(items), "item was accepted", "items were accepted"))
        return
    assert data is not None  # one of the two is given
    inventory = read_inventory(data)
    proposals = list(_proposals(inventory, names, count))
    with open_output(out) as file:
        write_review((_review_row(proposal) for proposal in proposals), file)
    bare = sum(not all(proposal.candidates.values()) for proposal in proposals)
    _say(ctx, f"{_items(len(proposals))} proposed; {bare} without some kind of wrong choice")


@analogy.command(short_help="Find duplicates and items that spelling gives away.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--repair", type=_FOLDER, help="Folder with metaphors.yaml and frames.yaml: replace "
              "wrong choices where spelling gives the right one away.")  # fmt: skip
@_OUT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def check(
    ctx: click.Context, file: Path, repair: Path | None, out: Path | None, as_json: bool
) -> int:
    """Find faults of a set: duplicates, and items that spelling alone answers.

    The exit status is 1 if there are any. With --repair, the repaired set goes to --out.
    """
    from trope.core.errors import BadInput
    from trope.corpora.mean import read_own_items
    from trope.tasks.analogy.checks import check_items, spelling_accuracy

    if (repair is None) != (out is None):
        raise BadInput("--repair needs --out, and --out needs --repair; give both")
    items = read_own_items(file)
    faults = check_items(items)
    if as_json:
        import msgspec

        report = {"items": len(items), "spelling": spelling_accuracy(items), "faults": faults}
        click.echo(msgspec.json.encode(report).decode())
    else:
        for fault in faults:
            click.echo(f"{file}:{fault.line}: {fault.kind}: {fault.problem}; {fault.hint}")
        click.echo(
            f"{_items(len(items))}; spelling alone answers {spelling_accuracy(items):.3f} of them"
        )
    if repair is not None and out is not None:
        _write_repaired(ctx, file, repair, out)
    return 1 if faults else 0


@analogy.command(short_help="Choose the ends of your own items.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--system", type=click.Path(path_type=Path), metavar="FOLDER",
              help="System that `trope train analogy --on` made.  [default: the nearest choice by "
                   "word vectors]")  # fmt: skip
@click.option("--vectors", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Word vectors of your own, without --system.")  # fmt: skip
@_OUT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def answer(
    ctx: click.Context,
    file: Path,
    system: Path | None,
    vectors: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Choose the ends of your own items, as CSV: FILE is any table, or a run of mean.

    A table has the columns MetSource, MetTarget and SourceRole; every other column holds a choice.
    """
    import csv
    import json

    from trope.cli.output import open_output
    from trope.core.errors import BadInput
    from trope.corpora.mean import read_questions
    from trope.evaluate.analogy import choice_scores
    from trope.tasks.analogy.cross_validation import right

    if system is not None and vectors is not None:
        raise BadInput("--system has its own vectors; give --system or --vectors")
    items, known = read_questions(file)
    scores = choice_scores(items, system, vectors)
    rows = [
        {
            "id": item.id,
            "metaphor": item.metaphor,
            "element": item.element,
            "answer": item.choices[int(row.argmax())],
            "score": round(float(row.max()), 4),
            **({"right": bool(row.argmax() == 0)} if known else {}),
        }
        for item, row in zip(items, scores, strict=True)
    ]
    with open_output(out) as target:
        if as_json:
            target.write(json.dumps({"items": rows}, ensure_ascii=False) + "\n")
        else:
            writer = csv.DictWriter(target, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if known:
        _say(ctx, f"{right(scores).mean():.3f} of {_items(len(items))} answered rightly")


def read_inventory(folder: Path) -> FrameInventory:
    """The metaphors and frames of a folder, with the vectors that ship."""
    from trope.corpora.conceptual_metaphors import read_frames, read_metaphors
    from trope.lexicon.vectors import read_vectors
    from trope.tasks.analogy.distractors import FrameInventory

    return FrameInventory.of(
        read_metaphors(folder / "metaphors.yaml"),
        read_frames(folder / "frames.yaml"),
        read_vectors(),
    )


def _write_repaired(ctx: click.Context, file: Path, folder: Path, out: Path) -> None:
    from trope.core.files import atomic_write
    from trope.corpora.mean import read_own_items, write_mean
    from trope.tasks.analogy.checks import repair_items, spelling_accuracy

    repaired, repairs = repair_items(read_own_items(file), read_inventory(folder))
    with atomic_write(out) as target:
        write_mean(repaired, target)
    for one in repairs:
        _say(ctx, f"item {one.item}: {one.code} {one.before!r} became {one.after!r} ({one.origin})")
    _say(
        ctx,
        f"{_items(len(repairs))} repaired; spelling now answers {spelling_accuracy(repaired):.3f}",
    )


def _proposals(
    inventory: FrameInventory, names: tuple[str, ...], count: int
) -> Iterator[AnalogyProposal]:
    from difflib import get_close_matches

    from trope.core.errors import BadInput
    from trope.tasks.analogy.distractors import eligible, propose

    metaphors = {metaphor.name: metaphor for metaphor in eligible(inventory.metaphors)}
    for name in names:
        if name not in metaphors:
            near = get_close_matches(name, metaphors, n=5, cutoff=0.4)
            hint = f"similar: {', '.join(near)}" if near else "names are like ANGER_IS_FIRE"
            raise BadInput(f"no metaphor with mappings is called {name!r}; {hint}")
    for name in names or metaphors:
        for mapping in metaphors[name].mappings:
            proposal = propose(metaphors[name], mapping, inventory, count=count)
            if proposal is not None:
                yield proposal


def _review_row(proposal: AnalogyProposal) -> dict[str, str]:
    from trope.corpora.mean import COLUMNS, ORIGINS, OTHERS, SEPARATOR

    asked = (proposal.first_domain, proposal.second_domain, proposal.element, proposal.gold)
    row = dict(zip(COLUMNS, asked, strict=False))
    origins = []
    for column, others, candidates in zip(
        COLUMNS[4:], OTHERS, proposal.candidates.values(), strict=True
    ):
        if candidates:
            row[column] = candidates[0].text
            row[others] = SEPARATOR.join(candidate.text for candidate in candidates[1:])
            origins.append(f"{candidates[0].text}: {candidates[0].origin}")
    return {**row, ORIGINS: SEPARATOR.join(origins)}


def _say(ctx: click.Context, line: str) -> None:
    if not (ctx.obj or {}).get("quiet"):
        click.echo(line, err=True)


def _items(number: int) -> str:
    return f"{number} item{'s' * (number != 1)}"


def training_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """What `trope train analogy` is called with."""
    prepare_only, own = options.pop("prepare_only"), options["own"]
    if options["data"] is None and own is None:
        raise click.MissingParameter(param_type="option", param_hint="'--from' / '--on'")
    if own is None and options["model"] is None and not prepare_only:
        raise BadInput("no encoder is named; give one with --model, or --prepare alone")
    return options | {"everything": options.pop("all_items")}
