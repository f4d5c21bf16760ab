"""The funnel of a run: how many records each step took, kept and dropped, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from trope.core.config import read_config
from trope.render.plots import SOFT, WORDS, plot_file

PUBLISHED = "published.toml"
_PALE = "#e3c9ab"


class StepCounts(msgspec.Struct, frozen=True):
    """Counts of a step; `groups` counts kept records by subset, `facts` are other findings."""

    name: str
    taken: int = msgspec.field(name="in")
    kept: int = msgspec.field(name="out")
    unit: str = ""
    dropped: dict[str, int] = {}
    groups: dict[str, int] = {}
    facts: dict[str, Any] = {}
    sha256: str = ""


class PublishedCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A count as the paper prints it, with the step that it belongs to."""

    step: str
    printed: str
    section: str
    group: str = ""
    note: str = ""


class PublishedCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counts of one paper."""

    paper: str
    counts: tuple[PublishedCount, ...]


class RunFunnel(msgspec.Struct, frozen=True):
    """The steps of a run, with the counts of the paper."""

    recipe: str
    steps: tuple[StepCounts, ...]
    published: tuple[PublishedCount, ...]

    def describe(self) -> str:
        """The funnel as text: a line per step and per reason."""
        lines = [self.recipe]
        width = max((len(f"{step.kept:,}") for step in self.steps), default=1)
        for step in self.steps:
            unit = f" {step.unit}" if step.unit else ""
            groups = ", ".join(f"{name} {number:,}" for name, number in step.groups.items())
            lines.append(f"{step.kept:>{width},}{unit} after {step.name}{_bracketed(groups)}")
            for reason, number in sorted(step.dropped.items(), key=lambda one: (-one[1], one[0])):
                lines.append(f"{'':{width}}   − {number:,} {reason}")
            for name, fact in step.facts.items():
                lines.append(f"{'':{width}}   {name}: {_fact_text(fact)}")
            for count in self.published:
                if count.step == step.name:
                    group = f"{count.group}: " if count.group else ""
                    lines.append(f"{'':{width}}   paper: {group}{count.printed} ({count.section})")
        return "\n".join(lines)


def _fact_text(fact: Any) -> str:
    if isinstance(fact, dict):
        return ", ".join(f"{name} {_fact_text(value)}" for name, value in fact.items())
    return f"{fact:,}" if isinstance(fact, int) else str(fact)


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


def read_published_counts(folder: Path) -> tuple[PublishedCount, ...]:
    """The counts that the paper of a recipe prints."""
    return read_config(folder / PUBLISHED, PublishedCounts).counts


def draw_funnel(funnel: RunFunnel, path: Path) -> None:
    """Draw a bar per step: what it kept, what it dropped, and the most frequent reason."""
    with plot_file(path, 7.5, 0.42 * len(funnel.steps) + 1.2) as figure:
        _draw(figure.subplots(), funnel)


def _draw(axes: Any, funnel: RunFunnel) -> None:
    places = range(len(funnel.steps))
    kept = [step.kept for step in funnel.steps]
    dropped = [sum(step.dropped.values()) for step in funnel.steps]
    axes.barh(places, kept, color=WORDS, label="kept")
    axes.barh(places, dropped, left=kept, color=_PALE, label="dropped")
    widest = max((a + b for a, b in zip(kept, dropped, strict=True)), default=1) or 1
    for place, (step, out) in enumerate(zip(funnel.steps, dropped, strict=True)):
        reason = max(step.dropped, key=lambda name: step.dropped[name], default="")
        note = f"{step.kept:,}" + (f"; most dropped: {reason}" if reason else "")
        axes.text(step.kept + out + widest * 0.01, place, note, va="center", color=SOFT, fontsize=8)
    axes.set_yticks(places, [step.name for step in funnel.steps])
    axes.set_xlim(0, widest * 1.35)
    axes.invert_yaxis()
    axes.set_xlabel(f"{funnel.recipe}: records", color=SOFT)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(frameon=False, loc="lower right")
