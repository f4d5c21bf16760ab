"""What an audit is: figures of controls, and rivals to compare them with; that of own labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trope.audit.controls import FOLDS, AuditItem, BinarySet, audit_figures, positive_label
from trope.core.errors import BadRecord
from trope.corpora.labelled_texts import LabelledSet, OwnLabel
from trope.lexicon.inflection import lemma
from trope.metrics.figures import DataRef, Evaluation, Measurement


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


OWN = "own"
"""The name of a user's own labels in figures."""


def audit_own(
    labelled: LabelledSet, *, positive: str = "", seed: int = 0, system: Evaluation | None = None
) -> Audit:
    """The controls on labels of a user's own, of which one means yes.

    With a column of splits, controls learn from train and answer the rest; without one, all items
    are answered in ten folds that share no text (and no target).

    Raises:
        BadRecord: for labels of which none, or more than one, could mean no; for too few items; for
            a target that is not in its text.
    """
    found = sorted(Counter(item.answer for item in labelled.items))
    listed = ", ".join(found[:8]) + ("…" if len(found) > 8 else "")
    if positive and positive not in found:
        raise BadRecord(labelled.path, None, f"has no label {positive!r}; it has {listed}")
    if len(found) < 2 or (len(found) > 2 and not positive):
        remedy = "name the one that means yes with --positive" if found[2:] else "label more texts"
        raise BadRecord(labelled.path, None, f"has the labels {listed}; {remedy}")
    if len(labelled.items) < FOLDS:
        problem = f"has {len(labelled.items)} labelled texts; {FOLDS} are needed"
        raise BadRecord(labelled.path, None, problem)
    yes = positive or positive_label(found)
    has_splits = any(item.split for item in labelled.items)
    train, test = labelled.parts() if has_splits else ([], list(labelled.items))
    if not test:
        raise BadRecord(labelled.path, None, "has no row outside train to answer; split it anew")
    data = DataRef(labelled.path.name, f"own labels, {yes} means yes", labelled.sha256)
    own, asked = ([_item(one, yes, labelled) for one in part] for part in (train, test))
    figures = audit_figures(BinarySet(OWN, own, asked, data), seed)
    return Audit(OWN, figures, rivals_by_score(figures, _own_system(system), {}, ""))


def _item(one: OwnLabel, yes: str, labelled: LabelledSet) -> AuditItem:
    words = tuple(one.text.split())
    if not one.target:
        return AuditItem(words, one.answer == yes, str(one.digest))
    at = _target_place(words, one)
    if at is None:
        problem = f"the target {one.target!r} is not in its text; spell it as the text does"
        raise BadRecord(labelled.path, one.line, problem)
    size = len(one.target.split())
    return AuditItem(words, one.answer == yes, str(one.digest), at, at + size, one.target.lower())


def _target_place(words: Sequence[str], one: OwnLabel) -> int | None:
    """The place of the first word of the target: by its offset, its spelling, or its base form."""
    if one.start is not None and one.start < len(one.text):
        return len(one.text[: one.start].split())
    plain = ["".join(letter for letter in word.lower() if letter.isalnum()) for word in words]
    wanted = ["".join(c for c in word if c.isalnum()) for word in one.target.lower().split()]
    for at in range(len(plain) - len(wanted) + 1):
        if plain[at : at + len(wanted)] == wanted:
            return at
    forms = (
        at for at, word in enumerate(plain) if len(wanted) == 1 and lemma(word, "VERB") == wanted[0]
    )
    return next(forms, None)


def _own_system(system: Evaluation | None) -> str:
    """The figures of `trope evaluate TASK --on FILE` that controls are compared with."""
    if system is None:
        return OWN
    names = {figure.name for figure in system.figures}
    kinds = [f"{system.task}.{OWN}.{kind}" for kind in ("system", "light", "encoder")]
    return next((kind for kind in kinds if any(n.startswith(kind) for n in names)), kinds[-1])
