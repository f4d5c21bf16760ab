"""The measured figures that the pages print: from figures.json and from the benchmarks.

A page writes `{{ figure:NAME }}` for a value of tier small, `{{ figure:NAME:base }}` for another
tier, `{{ interval:NAME }}` for its 95 % interval, and `|.1f` or another format before the braces
close. New weights change figures.json, and no page.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures.json"
BENCHMARKS = DOCS.parent / "benchmarks" / "results.json"
MAIN_FIGURES = DOCS / "main_figures.toml"

MARKER = re.compile(r"\{\{ (figure|interval):([\w.+-]+)(?::(small|base))?(?:\|([^ ]+))? \}\}")


@cache
def read_figures() -> dict[tuple[str, str], dict[str, Any]]:
    """Every figure by name and tier; of two models of a tier the one that was measured last."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]
    benchmarks = json.loads(BENCHMARKS.read_text(encoding="utf-8"))
    figures += [{"tier": benchmarks["tier"], **figure} for figure in benchmarks["figures"]]
    figures.sort(key=lambda figure: figure.get("date", ""))
    return {(figure["name"], figure["tier"]): figure for figure in figures}


def substitute(text: str) -> str:
    """The text with the values of its markers."""
    return MARKER.sub(_replacement, text)


def _replacement(marker: re.Match[str]) -> str:
    kind, name, tier, form = marker.groups()
    figure = read_figures().get((name, tier or "small"))
    if figure is None:
        raise KeyError(f"{marker[0]}: no such figure in {FIGURES.name} or the benchmarks")
    if kind == "figure":
        return show(figure["value"], form)
    return f"{show(figure['low'], form)}–{show(figure['high'], form)}"


def show(value: float | None, form: str | None = None) -> str:
    """A value as a page prints it: three decimals for shares, fewer for larger numbers."""
    if value is None:
        return "–"
    if form is None:
        size = abs(value)
        form = ".3f" if size < 2 else ".2f" if size < 10 else ".1f" if size < 100 else ",.0f"
    return format(value, form).replace("-", "−").replace("%", " %")


def results() -> str:
    """The tables of the page of results."""
    tasks = tomllib.loads(MAIN_FIGURES.read_text(encoding="utf-8"))["task"]
    return "\n".join(line for task in tasks for line in _task(task))


def _task(task: dict[str, Any]) -> Iterator[str]:
    yield f"## {task['title']}\n\n{task['about']} Measured by `{task['command']}`.\n"
    tiers = [
        t for t in ("small", "base") if any((row[1], t) in read_figures() for row in task["rows"])
    ]
    columns = ["", *tiers, "baseline", "n"]
    yield f"| {' | '.join(columns)} |\n|---|{'---:|' * (len(columns) - 1)}"
    for label, name, baseline in task["rows"]:
        found = [read_figures().get((name, tier)) for tier in tiers]
        size = next(figure["n"] for figure in found if figure)
        control = read_figures()[baseline, "small"]["value"] if baseline else None
        cells = [label, *map(_with_interval, found), show(control) if baseline else "", f"{size:,}"]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _with_interval(figure: dict[str, Any] | None) -> str:
    if figure is None:
        return ""
    if figure["low"] is None or figure["low"] == figure["high"]:
        return show(figure["value"])
    return f"{show(figure['value'])} ({show(figure['low'])}–{show(figure['high'])})"
