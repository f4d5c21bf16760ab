"""Which workers of a simulated crowd the rules dismiss, rightly or wrongly; the paper's and ours.

python benchmarks/crowd.py [--workers 2000] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict

from trope.annotate.rules.simulation import (
    GOLD_ITEMS,
    ITEMS,
    KINDS,
    TASKS,
    SimulationOutcome,
    measure_kind,
)

HONEST = "honest 85 %"
MUST_CATCH = ("constant", "random")
_COLUMNS = (
    ("right on gold", "gold_accuracy"),
    ("70 % rule", "plain_rule"),
    ("all paper's", "paper_rules"),
    ("dismissed", "dismissed"),
    ("reviewed", "reviewed"),
    ("caught", "caught"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; status 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2000, help="subjects of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    cases = [(kind, task, options.workers, options.seed) for task in TASKS for kind in KINDS]
    if options.jobs > 1:
        with ProcessPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(measure, cases))
    else:
        outcomes = [measure(case) for case in cases]
    if options.json:
        rows = [{**asdict(outcome), "caught": outcome.caught} for outcome in outcomes]
        print(json.dumps({"seed": options.seed, "outcomes": rows}, indent=1))
    else:
        print(table(outcomes, options.seed))
    missed = faults(outcomes)
    for fault in missed:
        print(f"crowd: {fault}", file=sys.stderr)
    return 1 if missed else 0


def measure(case: tuple[str, str, int, int]) -> SimulationOutcome:
    """The outcome of one kind at one task; takes one argument for the pool of processes."""
    kind, task, workers, seed = case
    return measure_kind(kind, TASKS[task], workers=workers, seed=seed)


def table(outcomes: Sequence[SimulationOutcome], seed: int) -> str:
    """All outcomes as a Markdown table."""
    titles = ["task", "kind", *(title for title, _ in _COLUMNS)]
    lines = [
        f"{outcomes[0].workers} workers a kind, {ITEMS} items each, {GOLD_ITEMS} of them test "
        f"questions, seed {seed}. Percent.",
        "",
        "| " + " | ".join(titles) + " |",
        "|---|---|" + "---:|" * len(_COLUMNS),
    ]
    for outcome in outcomes:
        cells = [f"{100 * getattr(outcome, name):.1f}" for _, name in _COLUMNS]
        lines.append("| " + " | ".join([outcome.task, outcome.kind, *cells]) + " |")
    return "\n".join(lines)


def faults(outcomes: Sequence[SimulationOutcome]) -> list[str]:
    """Bounds that are missed: 95 % of constant and random caught, 2 % of honest dismissed."""
    found = []
    for outcome in outcomes:
        name = f"{outcome.task}, {outcome.kind}"
        if outcome.kind in MUST_CATCH and outcome.dismissed < 0.95:
            found.append(f"{name}: {outcome.dismissed:.1%} dismissed, must be 95 % or more")
        if outcome.kind == HONEST and outcome.dismissed > 0.02:
            found.append(f"{name}: {outcome.dismissed:.1%} dismissed, must be 2 % or less")
    return found


if __name__ == "__main__":
    sys.exit(main())
