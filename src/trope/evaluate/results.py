"""A file of results: the figures of many evaluations, one entry per task and tier."""

from __future__ import annotations

from pathlib import Path

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.metrics.figures import Evaluation, merge_figures


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evaluations, ordered by task and tier; no two have both the same."""

    evaluations: tuple[Evaluation, ...] = ()

    def find(self, task: str, tier: str = "small") -> Evaluation | None:
        """The evaluation of a task and tier, or None."""
        wanted = (task, tier)
        return next((one for one in self.evaluations if (one.task, one.tier) == wanted), None)

    def merge(self, new: Evaluation) -> Results:
        """These results with those of another evaluation.

        Figures of the same name are replaced. The others of its task and tier stay, unless another
        model was measured on their data.
        """
        old = self.find(new.task, new.tier)
        others = [one for one in self.evaluations if one is not old]
        merged = [*others, new if old is None else merge_figures(old, new)]
        return Results(tuple(sorted(merged, key=lambda one: (one.task, one.tier))))


def read_results(path: Path) -> Results:
    """The results in a file.

    Raises:
        BadRecord: where the file holds something else; the text names the field.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Results)
    except (msgspec.DecodeError, BadInput) as error:
        problem = f"is not a file of results ({error})"
        raise BadRecord(path, None, f"{problem}; delete it, or give another") from None


def write_results(results: Results, path: Path) -> None:
    """Write a file of results, one line per figure."""
    with atomic_write(path) as file:
        file.write(_document(results))


def merge_results(evaluation: Evaluation, path: Path) -> None:
    """Add an evaluation to a file of results; the file is made where there is none."""
    old = read_results(path) if path.is_file() else Results()
    write_results(old.merge(evaluation), path)


def _document(results: Results) -> str:
    """The JSON document; a line per figure keeps differences between versions readable."""
    entries = []
    for one in results.evaluations:
        head = {name: getattr(one, name) for name in one.__struct_fields__ if name != "figures"}
        fields = ", ".join(f"{_json(name)}: {_json(value)}" for name, value in head.items())
        figures = ",\n".join(f"  {_json(figure)}" for figure in one.figures)
        entries.append(f' {{{fields}, "figures": [\n{figures}\n ]}}')
    return '{"evaluations": [\n' + ",\n".join(entries) + "\n]}\n"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
