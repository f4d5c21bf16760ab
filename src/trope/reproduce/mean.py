"""MEAN: Tables 3 and 4 beside ours, and that the two cannot both be right."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from trope.corpora.mean import CODES, Analogy, read_mean, spoken
from trope.metrics.figures import Evaluation, Measurement
from trope.published import Published, read_published
from trope.render.tables import ReportTable
from trope.reproduce.report import Reproduction, read_ours
from trope.reproduce.rows import OurValue, Place, all_rows, counted, estimated, read_notes
from trope.tasks.analogy.checks import check_items, spelling_accuracy
from trope.tasks.analogy.templates import read_templates

PAPER = "mean"
ITEMS = 166
TEMPLATES = ("t1", "t2", "t3")
MODELS = ("BERT base", "BERT large", "RoBERTa base", "RoBERTa large")
SAMPLES = frozenset({"ea0e80ee6cfc0cf5", "d957a6cabb70721e"})
"""Checksums of the two items that Table 1 shows."""

_WRONG = CODES[1:]
_PREFIX = "analogy.mean."
_MOST_ERRORS = 200
"""Table 4's totals are looked for up to here; one model and all templates have 498 answers."""


def reproduce(data: str | Path | None = None, ours: Iterable[str | Path] = ()) -> Reproduction:
    """Every table beside ours.

    Args:
        data: folder of the research data; without it, faults of the set are not listed.
        ours: files that `trope evaluate analogy --json` wrote.
    """
    printed, notes = read_published(PAPER), read_notes(PAPER)
    evaluations = read_ours(ours, "analogy")
    path = None if data is None else Path(data) / "mean" / "MEAN_datasetV1.csv"
    found = static_cells(evaluations)
    if path is not None:
        found |= size_cells(list(read_mean(path)))
    tables = [
        accuracy_table(printed, evaluations),
        control_table(evaluations),
        static_table(printed, evaluations),
        error_table(printed, evaluations),
        consistency_table(printed),
        domain_table(evaluations),
        *([fault_table(path)] if path is not None else []),
    ]
    rows = all_rows(printed, notes, found, data=data is not None)
    return Reproduction(notes, tuple(rows), tuple(table for table in tables if table.rows))


def size_cells(items: Sequence[Analogy]) -> dict[Place, OurValue]:
    """What the file holds: items, metaphors, domains, the two items of Table 1, the templates."""
    first = {item.first_domain for item in items}
    second = {item.second_domain for item in items}
    both = f"{len(first)} first and {len(second)} second ones, {len(first | second)} distinct"
    found = SAMPLES & {_digest(item) for item in items}
    return {
        ("3.text", "analogies", "count"): counted(len(items)),
        ("3.text", "metaphors", "count"): counted(len({item.metaphor for item in items})),
        ("3.text", "domains", "count"): counted(len(first) + len(second), both),
        ("1", "sample items", "count"): counted(len(found), "both are in the file"),
        ("2", "templates", "count"): counted(len(read_templates())),
    }


def static_cells(evaluations: Sequence[Evaluation]) -> dict[Place, OurValue]:
    """The GloVe row of Table 3, with the released script's fault."""
    for evaluation in evaluations:
        figure = _figures(evaluation).get("static.glove.released.accuracy")
        if figure is not None and (ours := estimated(figure, 1, 100)):
            return {("3", "GloVe", "accuracy"): ours}
    return {}


def _digest(item: Analogy) -> str:
    """The checksum of an item, by which Table 1's are known without being quoted."""
    parts = (item.first_domain, item.second_domain, item.element, *item.choices)
    return hashlib.sha256(";".join(map(spoken, parts)).encode()).hexdigest()[:16]


def accuracy_table(printed: Published, evaluations: Sequence[Evaluation]) -> ReportTable:
    """Table 3's language models, and ours on both kinds of folds with the controls' best."""
    rows: list[tuple[str, ...]] = [
        (model, "random", *(_with_interval(printed, model, t) for t in TEMPLATES))
        for model in MODELS
    ]
    first = len(rows)
    for evaluation in evaluations:
        figures = _figures(evaluation)
        for kind in ("random", "grouped"):
            cells = [_shown(figures.get(f"{t}.{kind}.accuracy")) for t in TEMPLATES]
            rows.append((f"trope {evaluation.tier}", kind, *cells))
    note = (
        "Grouped folds keep a metaphor in one fold; the paper's are random. Intervals of the paper "
        "are over ten folds, ours over items."
    )
    columns = ("model", "folds", "T1", "T2", "T3")
    return ReportTable("Table 3: accuracy", columns, tuple(rows), note, _from(first, rows))


def control_table(evaluations: Sequence[Evaluation]) -> ReportTable:
    """What is reached without knowing metaphors, and ours where spelling does not help."""
    names = ("overlap", "surface", "static", "answer_only", "question_only")
    rows = []
    for evaluation in evaluations[:1]:
        figures = _figures(evaluation)
        for name in names:
            cells = [_shown(figures.get(f"{name}{part}.accuracy")) for part in ("", ".repaired")]
            rows.append((name, *cells, ""))
    first = len(rows)
    for evaluation in evaluations:
        figures = _figures(evaluation)
        for template in TEMPLATES:
            stem = f"{template}.grouped"
            cells = [
                _shown(figures.get(f"{stem}{part}.accuracy"))
                for part in ("", ".repaired", ".overlap_wrong")
            ]
            rows.append((f"trope {evaluation.tier}, {template.upper()}", *cells))
    columns = ("system", "MEAN", "repaired", "where spelling is wrong")
    note = "Grouped folds. The repaired variant has wrong choices that are spelt like the question."
    return ReportTable("Controls", columns, tuple(rows), note, _from(first, rows))


def static_table(printed: Published, evaluations: Sequence[Evaluation]) -> ReportTable:
    """The static rows of Table 3, and ours by the formula and as the released script has it."""
    rows: list[tuple[str, ...]] = [
        (name, _cell(printed, name, "accuracy"), "", "")
        for name in ("GloVe", "word2vec", "fastText")
    ]
    first = len(rows)
    for evaluation in evaluations[:1]:
        figures = _figures(evaluation)
        for name in ("glove", "shipped"):
            stem = f"static.{name}"
            cells = [
                _shown(figures.get(f"{stem}.{k}.accuracy")) for k in ("released", "raw", "unit")
            ]
            if any(cells):
                rows.append((f"trope, {name}", *cells))
    note = (
        "The released script compares every item with the query of one item; the printed values "
        "lie where such a fixed query lands, not where the formula does."
    )
    columns = ("vectors", "printed / as released", "formula, raw", "formula, unit")
    return ReportTable("Table 3: static vectors", columns, tuple(rows), note, _from(first, rows))


def error_table(printed: Published, evaluations: Sequence[Evaluation]) -> ReportTable:
    """Table 4 and ours: shares of the kinds of errors."""
    rows: list[tuple[str, ...]] = [
        (row, *(_cell(printed, row, code) for code in _WRONG), "")
        for row in (*MODELS, *TEMPLATES, "all")
    ]
    first = len(rows)
    for evaluation in evaluations:
        figures = _figures(evaluation)
        for row in (*TEMPLATES, "all"):
            found = [figures.get(f"errors.{row}.{code}") for code in _WRONG]
            if found[0] is not None:
                cells = [
                    "" if f is None or f.value is None else f"{100 * f.value:.1f}" for f in found
                ]
                rows.append((f"trope {evaluation.tier}, {row}", *cells, str(found[0].n)))
    columns = ("errors of", *_WRONG, "n")
    return ReportTable(
        "Table 4: kinds of errors, per cent", columns, tuple(rows), "", _from(first, rows)
    )


def errors_by_accuracy(printed: Published) -> dict[str, int]:
    """Errors of every model and template that Table 3's accuracies mean, of 166 items each."""
    counts = {
        (model, template): ITEMS - round(float(_cell(printed, model, template)) * ITEMS / 100)
        for model in MODELS
        for template in TEMPLATES
    }
    by_model = {m: sum(counts[m, t] for t in TEMPLATES) for m in MODELS}
    by_template = {t: sum(counts[m, t] for m in MODELS) for t in TEMPLATES}
    return {**by_model, **by_template, "all": sum(by_model.values())}


def possible_totals(shares: Sequence[str], most: int = _MOST_ERRORS) -> list[int]:
    """Numbers of errors of which whole numbers can have the printed percentages."""
    return [n for n in range(1, most + 1) if _fits(shares, n)]


def _fits(shares: Sequence[str], total: int) -> bool:
    """Whether whole numbers that add up to the total round to the shares."""
    options = [
        {k for k in range(total + 1) if f"{100 * k / total:.1f}" == share} for share in shares
    ]
    return any(
        total - a - b in options[2] for a in options[0] for b in options[1] if a + b <= total
    )


def consistency_table(printed: Published) -> ReportTable:
    """Errors by Table 3 beside those that Table 4's percentages allow."""
    means = errors_by_accuracy(printed)
    rows = []
    for name in (*MODELS, *TEMPLATES):
        allowed = possible_totals([_cell(printed, name, code) for code in _WRONG])
        fits = "yes" if means[name] in allowed else "no"
        rows.append((name, str(means[name]), ", ".join(map(str, allowed)), fits))
    note = (
        f"Both tables are of {means['all']} errors in all, but no single split of them fits both: "
        "the runs must carry other labels in one table than in the other."
    )
    columns = ("errors of", "by Table 3", "possible by Table 4", "agree")
    return ReportTable("Tables 3 and 4 cannot both be right", columns, tuple(rows), note)


def domain_table(evaluations: Sequence[Evaluation]) -> ReportTable:
    """Where ours errs most, where domains were asked for."""
    rows = [
        (figure.name.removeprefix(f"{_PREFIX}wrong."), e.tier, _shown(figure), figure.note)
        for e in evaluations
        for figure in e.figures
        if figure.name.startswith(f"{_PREFIX}wrong.") and figure.value
    ]
    columns = ("second domain", "tier", "wrong", "of which")
    return ReportTable("Errors by domain", columns, tuple(rows))


def fault_table(path: Path) -> ReportTable:
    """Faults of the set that are no matter of spelling."""
    items = list(read_mean(path))
    faults = [fault for fault in check_items(items) if fault.kind != "spelling"]
    rows = [(str(fault.line), fault.kind, fault.problem, fault.hint) for fault in faults]
    note = (
        f"{len(items)} items of {len({item.metaphor for item in items})} metaphors; spelling alone "
        f"answers {spelling_accuracy(items):.3f} of them."
    )
    return ReportTable("Faults of the set", ("line", "fault", "what", "hint"), tuple(rows), note)


def _figures(evaluation: Evaluation) -> Mapping[str, Measurement]:
    return {figure.name.removeprefix(_PREFIX): figure for figure in evaluation.figures}


def _shown(figure: Measurement | None) -> str:
    if figure is None or figure.value is None:
        return ""
    if figure.low is None or figure.high is None:
        return f"{100 * figure.value:.1f}"
    return f"{100 * figure.value:.1f} ({100 * figure.low:.1f}, {100 * figure.high:.1f})"


def _with_interval(printed: Published, row: str, column: str) -> str:
    value, low, high = (_cell(printed, row, column + part) for part in ("", ".low", ".high"))
    return f"{value} ({low}, {high})"


def _cell(printed: Published, row: str, column: str) -> str:
    cell = printed.find(row, column)
    return "" if cell is None else cell.printed


def _from(first: int, rows: Sequence[object]) -> frozenset[int]:
    return frozenset(range(first, len(rows)))
