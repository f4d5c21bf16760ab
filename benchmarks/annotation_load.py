"""Judgments per second and the time of a submit, with many annotators on the real service.

python benchmarks/annotation_load.py [--model] [--compare potato --potato PYTHON]

The service is started as people start it, and driven over HTTP from this process; both share the
machine. A submit is one request: it stores the judgment and brings the next item. The status is 1
where a guarantee is broken, at any speed: an error, an item over its cap, counts that do not
add up. With `--model`, a model annotates beside the people, four items at a time; its endpoint is
in this process and takes 50 ms for an answer.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import machine
import potato_load
import record
from annotation_runs import Crowd, NewDatabase, Run, databases, measure

from trope.evaluate.results import read_bounds
from trope.metrics.figures import Measurement

PREFILLED = 100_000
BOUNDS = Path(__file__).parent / "bounds.toml"
SCENARIOS = ("rate", "skips", "growth", "alone", "thinking", "import")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its results."""
    options = _options(arguments)
    folder = Path(tempfile.mkdtemp(prefix="trope-load-"))
    figures: list[Measurement] = []
    sound = True
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        for kind, new in databases(options.databases, stack):
            for scenario, runs in _scenarios(kind, folder, new, options):
                beside = ".model" if options.model else ""
                figures += _figures(f"annotate.{kind}{beside}{scenario}", runs)
                if scenario == ".alone" and not options.model:
                    figures.append(_growth(kind, runs[0]))
                sound &= all(not run.errors + run.over_the_cap + run.unsound for run in runs)
        if options.compare == "potato":
            figures += potato_load.measure(folder / "potato", options)
    if options.keep:
        keep_figures(figures, options.results)
    show_missed(figures)
    if not sound:
        print("a guarantee was broken: see errors, over the cap, unsound above")
    return 0 if sound else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--databases", nargs="+", default=["sqlite", "postgres"], metavar="KIND")
    add("--only", nargs="+", default=SCENARIOS, metavar="SCENARIO", help=", ".join(SCENARIOS))
    add("--people", type=int, default=50, help="without think time")
    add("--items", type=int, default=1000, help="five judgments each")
    add("--runs", type=int, default=3, help="of the first scenario")
    add("--seconds", type=float, default=30, help="of the scenario with think time")
    add("--drafts", action="store_true", help="people who think also send a draft of each item")
    add("--model", action="store_true", help="a model annotates beside the people")
    add("--serve", default="", metavar="OPTIONS", help="more options of trope annotate serve")
    add("--compare", choices=["potato"], help="drive this tool in the same run")
    add("--potato", type=Path, metavar="PYTHON", help="the Python that has potato and gunicorn")
    add("--results", type=Path, default=record.RESULTS, help="file to keep figures in")
    add("--keep", action=argparse.BooleanOptionalAction, default=True, help="keep the figures")
    return parser.parse_args(arguments)


def _scenarios(
    kind: str, folder: Path, new: NewDatabase, options: argparse.Namespace
) -> Iterator[tuple[str, list[Run]]]:
    """The runs of each scenario, with what its figures are called."""
    serve, at_once = options.serve.split(), Crowd(options.people)

    def run(name: str, crowd: Crowd, shown: str, **more: int) -> Run:
        more = {"items": options.items, "model": options.model} | more
        one = measure(folder / f"{kind}-{name}", new(name), crowd, serve=serve, **more)
        print(f"{kind + ', ' + shown:<40} {one.in_words()}", flush=True)
        return one

    if "rate" in options.only:
        shown = f"{options.people} without pause"
        yield "", [run(f"rate{number}", at_once, shown) for number in range(options.runs)]
    if "skips" in options.only:  # small pages, and items that go back and forth
        crowd = Crowd(24, skips=0.4)
        yield ".skips", [run("skips", crowd, "24 without pause, 40 % skips", page=3)]
    if "growth" in options.only:
        yield ".prefilled", [run("growth", at_once, f"after {PREFILLED:,}", before=PREFILLED)]
    if "alone" in options.only:
        yield ".alone", [run("alone", Crowd(1), "one person", items=1200)]
    if "thinking" in options.only:
        crowd = Crowd(200, 2.0, options.seconds, options.drafts)
        enough = int(200 * options.seconds / 2 / 5) + 600
        yield ".thinking", [run("thinking", crowd, "200 with 2 s of thought", items=enough)]
    if "import" in options.only:
        shown = f"{options.people} during an import"
        yield ".import", [run("import", at_once, shown, items=8000, importing=100_000)]


def _figures(name: str, runs: Sequence[Run]) -> Iterator[Measurement]:
    note = f"{machine.describe(threads=2)}, shared with the load generator"
    number = sum(len(run.submits) for run in runs)
    values = {
        "judgments_per_s": [run.rate for run in runs],
        "submit_p50_ms": [run.milliseconds(0.5) for run in runs],
        "submit_p95_ms": [run.milliseconds(0.95) for run in runs],
        "submit_p99_ms": [run.milliseconds(0.99) for run in runs],
        "errors": [float(run.errors) for run in runs],
        "over_the_cap": [float(run.over_the_cap) for run in runs],
    }
    if any(run.by_model for run in runs):
        values["answers_per_s"] = [run.by_model / run.seconds for run in runs]
    for what, measured in values.items():
        yield record.measured(f"{name}.{what}", measured, n=number, note=note)


def _growth(kind: str, run: Run) -> Measurement:
    """How much longer one person's submit takes after a thousand: medians of the outer tenths."""
    first, last = run.tenths(0.5)
    print(f"{kind + ', one person':<40} submit {first:.1f} → {last:.1f} ms")
    note = f"last tenth by first tenth; {machine.describe(threads=2)}"
    name = f"annotate.{kind}.submit_growth"
    return record.measured(name, [last / first], n=len(run.submits), note=note)


def show_missed(figures: Sequence[Measurement]) -> None:
    """Name the figures that miss their bounds; a busy machine is reason enough for slow ones."""
    bounds = read_bounds(BOUNDS)
    for figure in figures:
        if bounds.misses(figure):
            print(f"{figure.name} = {figure.value:.1f} ({bounds.describe(figure)})")


def keep_figures(figures: Sequence[Measurement], path: Path) -> None:
    """Add the figures to those of other benchmarks, whose model stays as it is."""
    model = record.read_evaluation(path) if path.is_file() else None
    record.keep(
        figures,
        tier=model.tier if model else "small",
        model_sha256=model.model_sha256 if model else "",
        path=path,
    )


if __name__ == "__main__":
    sys.exit(main())
