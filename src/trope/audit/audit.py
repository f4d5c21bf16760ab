"""What an audit is: figures of controls, and the rivals that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trope.metrics.figures import Evaluation, Measurement


@dataclass(frozen=True, slots=True)
class Rival:
    """What a control is compared with: a system's figure, or else a published value."""

    system: str
    published: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """The figures of a data set's controls, and name of a figure → its rival."""

    name: str
    figures: list[Measurement]
    rivals: Mapping[str, Rival]


@dataclass(frozen=True, slots=True)
class AuditWarning:
    """A control that does as well as what it is compared with."""

    figure: Measurement
    message: str
    by_system: bool


def find_warnings(audit: Audit, system: Evaluation | None = None) -> list[AuditWarning]:
    """The controls that reach the system's interval, or a published value with their own."""
    measured = {figure.name: figure for figure in system.figures} if system else {}
    return [
        warning
        for figure in audit.figures
        if (rival := audit.rivals.get(figure.name)) is not None
        and (warning := _compare(figure, rival, measured.get(rival.system))) is not None
    ]


def compared(audit: Audit, system: Evaluation | None = None) -> bool:
    """Whether any control has something to be compared with."""
    measured = {figure.name for figure in system.figures} if system else set()
    rivals = audit.rivals.values()
    return any(rival.system in measured or rival.published is not None for rival in rivals)


def _compare(control: Measurement, rival: Rival, system: Measurement | None) -> AuditWarning | None:
    if control.value is None:
        return None
    shown = f"{control.name.removeprefix('audit.')} is {control.value:.3f}"
    if system is not None and system.value is not None:
        low = system.value if system.low is None else system.low
        if control.value < low:
            return None
        where = "above" if control.value > system.value else "within the interval of"
        return AuditWarning(control, f"{shown}, {where} the system's {_spelt(system)}", True)
    if system is None and rival.published is not None:
        high = control.value if control.high is None else control.high
        if high < rival.published:
            return None
        where = "above" if control.value > rival.published else "not surely below"
        said = f"{shown}, {where} the published {rival.published:.3f} ({rival.source})"
        return AuditWarning(control, said, False)
    return None


def _spelt(figure: Measurement) -> str:
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.3f}–{figure.high:.3f})"


def rivals_by_score(
    figures: Sequence[Measurement], system: str, published: Mapping[str, float], source: str
) -> dict[str, Rival]:
    """Every figure with the system's figure of the same score, `system.score`."""
    scores = {figure.name: figure.name.rpartition(".")[2] for figure in figures}
    return {
        name: Rival(f"{system}.{score}", published.get(score), source)
        for name, score in scores.items()
        if score in ("f1", "accuracy", "macro_f1")
    }
