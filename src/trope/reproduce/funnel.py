"""What a run of our recipe counted on its way, beside the counts that the paper prints.

The texts are others than the paper's, so that nothing here is a row of the reproduction. A funnel
ends before anybody judges, or with what people judged, so that no simulated crowd is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.reproduce.report import ReportTable

FILE = "funnel.json"


class RunStep(msgspec.Struct, frozen=True):
    """A step of a recipe: how many came, how many stayed, in all and by group."""

    name: str
    out: int
    groups: dict[str, int] = {}
    facts: dict[str, Any] = {}


class PrintedCount(msgspec.Struct, frozen=True):
    """A count of the paper, and the step of the recipe that it belongs to."""

    step: str
    printed: str
    group: str = ""
    section: str = ""
    note: str = ""


class PaperFunnel(msgspec.Struct, frozen=True):
    """All steps of a run."""

    recipe: str
    steps: tuple[RunStep, ...]
    published: tuple[PrintedCount, ...] = ()


def read_funnel(folder: Path) -> PaperFunnel:
    """The funnel of a run.

    Raises:
        MissingData: for a folder without one.
        BadRecord: for a file that is none.
    """
    path = folder / FILE
    if not path.is_file():
        raise MissingData(path, "give the folder of a finished run of `trope recipe`")
    try:
        return msgspec.json.decode(path.read_bytes(), type=PaperFunnel)
    except msgspec.MsgspecError as error:
        raise BadRecord(
            path, None, f"is not the funnel of a run ({error}); run the recipe again"
        ) from None


def funnel_table(folder: Path, paper: str) -> ReportTable:
    """The printed counts beside those of a run of the paper's recipe.

    Raises:
        BadInput: for a run of another recipe.
    """
    funnel = read_funnel(folder)
    if funnel.recipe != paper:
        raise BadInput(f"{folder}: is a run of {funnel.recipe}; give one of {paper}")
    steps = {step.name: step for step in funnel.steps}
    rows = tuple(
        (
            ", ".join(filter(None, (count.step, count.group))),
            count.section,
            count.printed,
            _count(steps.get(count.step), count.group),
            count.note,
        )
        for count in funnel.published
    )
    return ReportTable(
        "Funnel of our recipe, over other texts",
        ("step", "section", "printed", "our run", "note"),
        rows,
        "Not the paper's texts: the counts show what the steps do, and are no reproduction.",
    )


def _count(step: RunStep | None, group: str) -> str:
    if step is None:
        return ""
    found = step.out if not group else step.groups.get(group, step.facts.get(group, ""))
    return f"{found:,}" if isinstance(found, int) else str(found)
