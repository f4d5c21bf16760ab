"""The audit of a release: controls on its test part."""

from __future__ import annotations

from collections.abc import Sequence

from trope.audit.controls import AuditItem, BinarySet, audit_figures
from trope.core.errors import MissingExtra
from trope.metrics.figures import DataRef, Measurement
from trope.release.finished_run import FinishedRun


def audit_run(
    run: FinishedRun, parts: Sequence[str], groups: Sequence[int]
) -> tuple[list[Measurement], str]:
    """The controls of `trope audit` on the test part of a run with two labels, or why not."""
    settled = sorted({label.label for label in run.labels.values() if label.label})
    if len(settled) != 2:
        return [], f"Not audited: the controls need two labels, and there are {len(settled)}."
    questions: dict[str, list[AuditItem]] = {"train": [], "validation": [], "test": []}
    for item, part, group in zip(run.items, parts, groups, strict=True):
        label = run.labels[item.id].label
        if label:
            words = tuple(item.text.split())
            questions[part].append(AuditItem(words, label == _positive(settled), str(group)))
    if not all(questions[part] for part in ("train", "test")):
        return [], "Not audited: the controls need a part to learn from and a test part."
    data = DataRef(run.manifest.recipe, "test", "")
    asked = BinarySet(
        run.manifest.recipe, questions["train"], questions["test"], data, questions["validation"]
    )
    try:
        return audit_figures(asked, seed=0), ""
    except MissingExtra as error:
        return [], f"Not audited: {error}"


def _positive(labels: Sequence[str]) -> str:
    """The label that counts as yes: the metaphorical one, if there is one."""
    return next((label for label in labels if label.startswith(("metaphor", "yes"))), labels[0])
