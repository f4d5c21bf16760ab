"""A finished run of a recipe, or a judged project in its form: what a release is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from trope.annotate.rules.aggregation import AggregationOptions
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import open_binary, read_lines, sha256

MANIFEST, ITEMS, JUDGMENTS = "manifest.json", "items.jsonl", "judgments.jsonl"
LABELS, AGREEMENT = "labels.jsonl", "agreement.json"
Value = str | int | float | bool | None
SEVERAL = "|"
"""What stands between the values of a field that has several."""
T = TypeVar("T")


class Output(msgspec.Struct, frozen=True):
    """A file of the run and its checksum."""

    path: str
    sha256: str


class Input(msgspec.Struct, frozen=True):
    """A file that the run was made from; `texts` if it is the user's own and items are from it."""

    path: str
    dataset: str = ""
    licence: str = ""
    citation: str = ""
    texts: bool = False


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question of a project; options that depend on the item are not listed."""

    id: str
    kind: str
    text: str
    options: tuple[str, ...] = ()


class ProjectNotes(msgspec.Struct, frozen=True):
    """What an annotation project asked, and how its answers became labels.

    `question` is the one that gives the label of an item, `suggested_by` the model whose answers
    people saw.
    """

    question: str
    method: str
    judgments_per_item: int
    questions: tuple[AskedQuestion, ...]
    guidelines: str
    suggested_by: str = ""

    def described(self) -> Iterator[str]:
        """The sections of a card on what people were asked."""
        yield "\n## Questions\n"
        for one in self.questions:
            options = ", ".join(f"`{option}`" for option in one.options)
            yield " ".join(filter(None, (f"- `{one.id}` ({one.kind}): {one.text}", options)))
        yield (
            f"\n`label` is the answer to `{self.question}` (method: {self.method}; "
            f"{self.judgments_per_item} judgments per item were asked for). What an adjudicator "
            "decided takes precedence, and `reason` says so. Labels of other questions are in "
            "`label_QUESTION`; free text is not released."
        )
        if self.suggested_by:
            yield (
                f"\nPeople saw the answer of the model `{self.suggested_by}` to items and could "
                "correct it, so that judgments may lean towards it."
            )
        if self.guidelines:
            yield f"\n## Guidelines\n\n{self.guidelines}"


class Manifest(msgspec.Struct, frozen=True):
    """What the run, or the project, says of itself, as far as a release needs it."""

    recipe: str
    seed: int
    text_is: str
    title: str = ""
    trope: str = ""
    licence: str = ""
    citation: str = ""
    simulated: bool = False
    finished: bool = False
    model_sha256: str = ""
    labels: tuple[str, ...] = ()
    group_by: str = ""
    own_texts: bool = False
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    project: ProjectNotes | None = None

    @property
    def origin(self) -> str:
        """What the data set was made by or from."""
        if self.project is None:
            return f"by the recipe `{self.recipe}`, seed {self.seed}"
        return f"from the annotation project `{self.recipe}`"

    def with_licences(self, given: Mapping[str, str], place: Path) -> Manifest:
        """The same with licences of the user's own sources; those of its texts are its own.

        Args:
            given: licences by name of the source, for sources whose settings have none; under the
                empty name, of all sources of texts.
            place: of the manifest, for errors.

        Raises:
            BadInput: a source of texts has no licence, or there is no source of that name.
        """
        names = list(dict.fromkeys(one.dataset for one in self.inputs))
        if licence := given.get(""):
            own = [one.dataset for one in self.inputs if one.texts]
            if not own:
                problem = f"--licence {licence!r} names no source; write it as SOURCE=LICENCE"
                raise BadInput(f"{place}: {problem}")
            rest = {name: value for name, value in given.items() if name}
            given = dict.fromkeys(own, licence) | rest
        if unknown := sorted(set(given) - set(names)):
            problem = f"has no source {unknown[0]!r}; it has {', '.join(names) or 'none'}"
            raise BadInput(f"{place}: {problem}")
        inputs = tuple(
            msgspec.structs.replace(one, licence=given.get(one.dataset, one.licence))
            for one in self.inputs
        )
        if bare := [one.dataset for one in inputs if one.texts and not one.licence.strip()]:
            problem = f"the source {bare[0]!r} has no licence, so that its texts cannot be released"
            remedy = f"say under which, such as --licence {bare[0]}=CC-BY-4.0"
            raise BadInput(f"{place}: {problem}; {remedy}")
        found = msgspec.structs.replace(self, inputs=inputs)
        if not self.own_texts:
            return found
        licences = dict.fromkeys(one.licence for one in inputs if one.texts)
        return msgspec.structs.replace(found, licence=", ".join(licences))


class RunItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text with what is known of it; of several values `|` stands between."""

    id: str
    text: str
    fields: dict[str, Value] = {}


class _ItemLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item as a run has it, where a field may be a list (the candidates of a headline)."""

    id: str
    text: str
    fields: dict[str, Value | list[str]] = {}

    def flat(self) -> RunItem:
        """The same with one value a field, as tables want it and as judgments write it."""
        fields = {
            name: SEVERAL.join(value) if isinstance(value, list) else value
            for name, value in self.fields.items()
        }
        return RunItem(self.id, self.text, fields)


class Label(msgspec.Struct, frozen=True):
    """What was settled for an item; `label` is None where nothing was, and `reason` says why."""

    item: str
    label: str | None
    score: float | None = None
    votes: int = 0
    share: float | None = None
    reason: str = ""


class RunJudgment(msgspec.Struct, frozen=True):
    """One answer of one person, or of a simulated one, to one question."""

    item: str
    annotator: str
    label: str | None
    question: str = ""
    weight: float = 1.0
    seconds: float | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class ProjectChoices:
    """What is released of an annotation project.

    `question` gives the label (none: the first choice or scale), `group_by` is a field of items
    that belong together, `drafts` adds items that lack judgments.
    """

    question: str = ""
    group_by: str = ""
    drafts: bool = False
    aggregation: AggregationOptions = field(default_factory=AggregationOptions)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """All of a run; every item has a label, and judgments are of its items."""

    manifest: Manifest
    items: tuple[RunItem, ...]
    labels: dict[str, Label]
    judgments: tuple[RunJudgment, ...]
    agreement: dict[str, Any]


def read_run(folder: Path) -> FinishedRun:
    """The run of a folder.

    Raises:
        MissingData: for a folder without a run, or without labels.
        BadInput: for a run that is not finished, or whose files were altered.
        BadRecord: for a line that is none, an id that comes twice, a label of no item.
    """
    manifest = _manifest(folder)
    for name in (ITEMS, LABELS, JUDGMENTS):
        if not (folder / name).is_file():
            remedy = (
                "annotate the run's project and run the recipe again with --answers, or try the "
                "way with --simulate"
            )
            raise MissingData(folder / name, remedy)
    _check_files(folder, manifest)
    items = tuple(line.flat() for line in _unique(folder / ITEMS, _ItemLine, "id"))
    known = {item.id for item in items}
    labels = {label.item: label for label in _unique(folder / LABELS, Label, "item", known)}
    if lacking := sorted(known - set(labels)):
        problem = f"has no line for item {lacking[0]!r}; give every item a label, or null"
        raise BadRecord(folder / LABELS, None, problem)
    judgments = tuple(j for _, j in read_records(folder / JUDGMENTS, RunJudgment, known))
    _check_labels(folder, manifest, labels)
    return FinishedRun(manifest, items, labels, judgments, _agreement(folder / AGREEMENT))


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        raise MissingData(path, "give the folder of a run of `trope recipe`")
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise BadRecord(
            path, None, f"is not the manifest of a run ({error}); run the recipe again"
        ) from None
    if not manifest.finished:
        raise BadInput(f"{folder}: the run is not finished; run the recipe again, it goes on")
    return manifest


def _check_files(folder: Path, manifest: Manifest) -> None:
    for output in manifest.outputs:
        path = folder / output.path
        if path.is_file() and path.suffix in (".json", ".jsonl") and sha256(path) != output.sha256:
            raise BadInput(f"{path}: was altered since the run; run the recipe again")


def _check_labels(folder: Path, manifest: Manifest, labels: dict[str, Label]) -> None:
    strange = {one.label for one in labels.values() if one.label} - set(manifest.labels)
    if manifest.labels and strange:
        known = ", ".join(manifest.labels)
        raise BadRecord(folder / LABELS, None, f"has the label {min(strange)!r}; known: {known}")


def _agreement(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        with open_binary(path) as file:
            return msgspec.json.decode(file.read(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise BadRecord(
            path, None, f"is not an agreement ({error}); run the recipe again"
        ) from None


def read_records(
    path: Path, kind: type[T], known: set[str] | None = None
) -> Iterator[tuple[int, T]]:
    """The records of a file with their lines; `item` must be one of the known ones."""
    decoder = msgspec.json.Decoder(kind)
    for line, text in read_lines(path):
        if not text.strip():
            continue
        try:
            record = decoder.decode(text)
        except msgspec.MsgspecError as error:
            raise BadRecord(
                path, line, f"is not a record of a run ({error}); run the recipe again"
            ) from None
        if known is not None and (item := getattr(record, "item", "")) not in known:
            raise BadRecord(path, line, f"names the item {item!r}, which {ITEMS} does not have")
        yield line, record


def _unique(path: Path, kind: type[T], key: str, known: set[str] | None = None) -> Iterator[T]:
    lines: dict[str, int] = {}
    for line, record in read_records(path, kind, known):
        own = getattr(record, key)
        if own in lines:
            problem = f"has the id {own!r} of line {lines[own]} again; an id is for one item"
            raise BadRecord(path, line, problem)
        lines[own] = line
        yield record
    if not lines:
        raise BadRecord(path, None, "holds no record; there is nothing to release")
