"""`trope recipe`: the data sets of papers, end to end."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import click

from trope.catalog import RECIPES
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names
from trope.cli.engines import check_engine, engine_options, load_executor
from trope.cli.sources import Notes


@click.group()
def recipe() -> None:
    """Build a data set as a paper did: list the recipes, run one."""


@recipe.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_recipes(as_json: bool) -> None:
    """List the recipes."""
    if as_json:
        rows = [{"name": name, "summary": entry.summary} for name, entry in RECIPES.items()]
        click.echo(json.dumps(rows, indent=1))
        return
    width = max(map(len, RECIPES))
    for name, entry in RECIPES.items():
        click.echo(f"{name:{width}}  {entry.summary}")


@recipe.command("run", cls=ListingCommand, heading="Recipes", names=RECIPES,
                short_help="Run a recipe to an annotation project, or to a data set.")  # fmt: skip
@click.argument("name", shell_complete=complete_names(RECIPES))
@click.option("--from", "data", help="Folder with the corpora of the catalogue, one folder each.",
              type=click.Path(path_type=Path, file_okay=False, exists=True))  # fmt: skip
@click.option("--out", required=True, type=click.Path(path_type=Path),
              help="Folder of the run; give it again to resume an interrupted run."
)  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False),
              help="TOML file with your settings; the others keep their defaults.")  # fmt: skip
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE",
              help="One setting, such as sources.tweets=my.csv:text; can be repeated.")  # fmt: skip
@click.option("--seed", type=int, help="Seed instead of the one in the settings.")
@click.option("--simulate", is_flag=True,
              help="Let a simulated crowd judge the items, up to a data set.")  # fmt: skip
@click.option("--answers", type=click.Path(path_type=Path, exists=True), metavar="EXPORT",
              help="Use the judgments of people: an export of the run's project.")  # fmt: skip
@engine_options
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False),
              help="Draw the funnel into this file (.svg, .png, .pdf).")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def run_one(
    ctx: click.Context,
    name: str,
    data: Path | None,
    out: Path,
    config: Path | None,
    changes: tuple[str, ...],
    seed: int | None,
    simulate: bool,
    answers: Path | None,
    engine: str,
    workers: int | None,
    address: str | None,
    threads: int | None,
    device: str,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Run the recipe NAME up to an annotation project, or to a finished data set.

    People judge the items (--answers) or, to try a recipe out, a simulated crowd (--simulate).

    docs/recipes.md describes the files of a run and the reasons for which steps drop records.
    """
    from trope.recipes.engine import run_recipe
    from trope.recipes.funnel import draw_funnel
    from trope.recipes.settings import resolve
    from trope.render.plots import check_plot

    if simulate and answers is not None:
        raise click.UsageError("--answers and --simulate exclude each other; give one of them")
    chosen = RECIPES.load(name)
    check_engine(engine, workers, address, device)
    if plot is not None:
        check_plot(plot)
    if seed is not None:
        changes = (*changes, f"seed={seed}")
    settings = resolve(chosen, config, changes)
    quiet = bool(ctx.obj and ctx.obj.get("quiet"))
    notes = Notes(quiet=quiet)
    # made on demand: some recipes do not use the model, and need no cluster
    executor = partial(
        load_executor,
        engine,
        threads,
        workers=workers,
        address=address,
        device=device,
        systems=chosen.systems(settings),
    )
    # clusters report lost workers on standard output, which is for results only
    try:
        with redirect_stdout(sys.stderr):
            done = run_recipe(
                chosen,
                settings,
                data=data,
                out=out,
                simulate=simulate,
                answers=answers,
                quiet=quiet,
                engine=executor,
                tell=notes,
            )
    except KeyboardInterrupt:
        if not quiet:
            click.echo(f"trope: {out}: interrupted; give the same command to go on", err=True)
        raise click.exceptions.Exit(130) from None
    notes.close()
    if plot is not None:
        draw_funnel(done.funnel, plot)
    click.echo(_as_json(done) if as_json else _as_text(done))


@recipe.command("tables", short_help="The paper's tables over a finished run.")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path, file_okay=False))
@click.option("--vectors", type=click.Path(path_type=Path, dir_okay=False),
              help="newsmet: word vectors for Figure 3 (GloVe, word2vec, .npz).  "
                   "[default: those that ship]")  # fmt: skip
@click.option("--swap", type=click.Choice(["original", "printed"]), default="original",
              show_default=True,
              help="newsmet: how Algorithm 1 puts candidates into a headline.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def print_tables(folder: Path, vectors: Path | None, swap: Any, as_json: bool) -> None:
    """Print the paper's tables over RUN, a finished run with labels.

    For newsmet they are computed again: groups, miss rates and the other errors of silver labels,
    first positions, diversity, and metaphoricity with any word vectors.
    """
    from trope.core.errors import BadInput, MissingData
    from trope.lexicon.vectors import read_vectors
    from trope.recipes.newsmet.judged import read_judged, tables
    from trope.recipes.run_folder import AGREEMENT, TABLES, RecipeFolder

    name = RecipeFolder(folder).manifest()["recipe"]
    if name == "newsmet":
        table = read_vectors(vectors) if vectors else None
        found: Any = tables(*read_judged(folder), vectors=table, swap=swap)
    elif vectors is not None or swap != "original":
        raise BadInput(f"{folder}: is a run of {name}; --vectors and --swap are for newsmet")
    elif (folder / TABLES).is_file():
        found = json.loads((folder / TABLES).read_text(encoding="utf-8"))
    else:
        raise MissingData(folder / TABLES, "run the recipe again with --answers or --simulate")
    if (folder / AGREEMENT).is_file():
        agreement = json.loads((folder / AGREEMENT).read_text(encoding="utf-8"))
        found |= {"agreement": {key: of for key, of in agreement.items() if key != "note"}}
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(_table_lines(found)))


def _table_lines(found: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Names and values by line, single values first; tables are indented below their names."""
    indent = "  " * depth
    tables = {name: value for name, value in found.items() if _is_table(value)}
    for name, value in found.items():
        if name not in tables and value != "":
            yield f"{indent}{name}: {_cell(value)}"
    for name, value in tables.items():
        yield from ("", name) if not depth else (f"{indent}{name}",)
        if isinstance(value, dict):
            yield from _table_lines(value, depth + 1)
            continue
        for number, row in enumerate(_rows(value), start=1):
            if "value" in row:
                yield f"{indent}  {_statistic(row)}"
            elif any(_is_table(cell) for cell in row.values()):
                yield f"{indent}  {number}"
                yield from _table_lines(row, depth + 2)
            else:
                cells = (f"{key} {_cell(cell)}" for key, cell in row.items() if cell != "")
                yield f"{indent}  {', '.join(cells)}"


def _is_table(value: Any) -> bool:
    """Whether a value has lines of its own: more than a number, a share or a list of words."""
    if isinstance(value, list):
        return any(isinstance(one, dict) for one in _rows(value))
    return isinstance(value, dict) and bool(value) and not _share(value) and "value" not in value


def _rows(value: Sequence[Any]) -> list[Any]:
    """The members of a list; those of lists in it one after the other."""
    return [one for some in value for one in (some if isinstance(some, list) else [some])]


def _share(value: Mapping[str, Any]) -> tuple[int, int] | None:
    """A count and what it is a part of."""
    for part, whole in (("part", "whole"), ("count", "base")):
        if set(value) == {part, whole}:
            return value[part], value[whole]
    return None


def _statistic(found: Mapping[str, Any]) -> str:
    """A value with its interval and the number of items, or why there is none."""
    name = f"{found['name']} " if found.get("name") else ""
    if found["value"] is None:
        return name + (found.get("note") or "–")
    span = (
        f" ({_cell(found['low'])} to {_cell(found['high'])})"
        if found.get("low") is not None
        else ""
    )
    return f"{name}{_cell(found['value'])}{span}, n {found.get('n')}"


def _cell(value: Any) -> str:
    """A value in a line; a part of a whole with its percentage."""
    if isinstance(value, float):
        return f"{round(value, 4):g}"
    if isinstance(value, list):
        return ", ".join(map(_cell, _rows(value))) or "none"
    if isinstance(value, dict) and "value" in value:
        return _statistic(value)
    if isinstance(value, dict):
        part, whole = _share(value) or (0, 0)
        share = f" ({100 * part / whole:.1f} %)" if whole else ""
        return f"{part:,} of {whole:,}{share}" if value else "none"
    return "–" if value is None else str(value)


@recipe.command("layers", short_help="A run of semeval2007 as the files of its task.")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path, file_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the files.")  # fmt: skip
def write_layers(folder: Path, out: Path) -> None:
    """Write RUN, a judged run of semeval2007, as the files of SemEval-2007 Task 8.

    For each subset: samples with their readings, a key, words with tags, the places of the names,
    and the roles of the names in the trees of the encoder.
    """
    from trope import Pipeline
    from trope.core.errors import BadInput
    from trope.recipes.run_folder import RecipeFolder
    from trope.recipes.semeval2007.gold import write_task_files

    name = RecipeFolder(folder).manifest()["recipe"]
    if name != "semeval2007":
        raise BadInput(f"{folder}: is a run of {name}; give a run of semeval2007")
    written = write_task_files(folder, out, Pipeline())
    for subset, count in written.items():
        click.echo(f"{out / subset}.xml, .key, .tagged.xml, .standoff, .roles: {count} samples")


def _as_json(done: Any) -> str:
    import msgspec

    document = {
        "folder": str(done.folder),
        "manifest": done.manifest,
        "funnel": done.funnel,
        "seconds": {name: round(seconds, 2) for name, seconds in done.seconds.items()},
        "peak_mb": _peak_mb(),
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def _as_text(done: Any) -> str:
    from trope.recipes.run_folder import DROPPED

    project = done.folder / "project"
    items = project / "items.jsonl"
    lines = [done.funnel.describe(), ""]
    took = sum(done.seconds.values())
    lines.append(f"{done.folder}: {took:.0f} s, at most {_peak_mb()} MB")
    if done.manifest["simulated"]:
        lines.append("the crowd is simulated: its labels say nothing about the texts")
    if done.manifest.get("answers"):
        judged = done.funnel.steps[-1]
        lines.append(f"judged by people: {judged.kept:,} of {judged.taken:,} items have a label")
        lines.append(f"next: {_command('release', done.folder)}")
    elif not done.funnel.steps[-1].kept:
        lines.append(f"nothing is left to judge; {done.folder / DROPPED} says why each text went")
    elif not items.stat().st_size:
        lines.append("nothing is left to judge; all items are in the demo task")
    else:
        lines.append(f"next: {_command('annotate', 'import', project, items)}")
        lines += [] if done.manifest["simulated"] else _demo_note(project, items)
    return "\n".join(lines)


def _demo_note(project: Path, items: Path) -> list[str]:
    """How the items of a demo task are imported or, if there are none, how a team makes them."""
    from trope.annotate.project import DEMO, open_project
    from trope.recipes.answers import TRIAL_ITEMS

    wanted, demo = open_project(project).plan.demo.items, project / DEMO
    if not wanted:
        return []
    if demo.is_file():
        return [f"and its demo task: {_command('annotate', 'import', project, demo, '--demo')}"]
    trial = project / TRIAL_ITEMS  # what a team judges of semeval2015
    make = _command("annotate", "control-items", project, trial if trial.is_file() else items)
    return [
        f"the plan has a demo task of {wanted} items, which a team has to judge first: "
        f"{make} JUDGMENTS --out CONTROL --demo DEMO; "
        "or set items = 0 under [demo] in project.toml"
    ]


def _command(*words: object) -> str:
    """A command to copy, also where a path has blanks."""
    return shlex.join(["trope", *map(str, words)])


def _peak_mb() -> int | None:
    try:
        import resource
    except ModuleNotFoundError:  # not on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024**2 if sys.platform == "darwin" else peak // 1024  # bytes on macOS
