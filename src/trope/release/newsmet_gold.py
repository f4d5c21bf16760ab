"""Gold and gold+ of a finished run of the recipe newsmet, split for training.

As in the paper's release, the six candidates that people were asked about are rows of their own:
an accepted one has the opposite label, a rejected one that of its headline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.corpora.newsmet import Headline
from trope.release.finished_run import (
    SEVERAL,
    FinishedRun,
    RunItem,
    Value,
    read_records,
    read_run,
)
from trope.release.tables import group_items, split_groups
from trope.tasks.metaphor.silver_sources import PARTS, Part, UserGold

RECIPE = "newsmet"
GOLD, GOLD_PLUS = "gold.jsonl", "gold_plus.jsonl"
_METAPHORICAL = {"metaphorical": True, "literal": False}


class GoldLine(msgspec.Struct, frozen=True):
    """A headline that was judged."""

    id: str
    label: str
    verb: str
    accepted: tuple[str, ...] = ()


class PlusLine(msgspec.Struct, frozen=True):
    """A headline that an accepted candidate makes."""

    id: str
    item: str
    text: str
    candidate: str
    label: str


def read_newsmet_gold(folder: Path) -> UserGold:
    """The headlines of a run in parts of 80, 10 and 10 %, each with its transformations.

    Raises:
        MissingData: for a folder without a run, or a run without gold and gold+.
        BadInput: for a run of another recipe, not finished, altered, or too small to be split.
    """
    run = read_run(folder)
    if run.manifest.recipe != RECIPE:
        remedy = f"give a run of `trope recipe run {RECIPE}`"
        raise BadInput(f"{folder}: is a run of {run.manifest.recipe}, which has no gold+; {remedy}")
    for name in (GOLD, GOLD_PLUS):
        if not (folder / name).is_file():
            raise MissingData(folder / name, "run the recipe again with --answers or --simulate")
    parts = _parts(run, _headlines(folder, run))
    if empty := [part for part in PARTS if not parts[part]]:
        remedy = "make a run with more headlines"
        raise BadInput(f"{folder}: too few judged headlines, {empty[-1]} would be empty; {remedy}")
    files = {f"{folder.name}/{name}": sha256(folder / name) for name in (GOLD, GOLD_PLUS)}
    return UserGold(parts, run.manifest.simulated, files)


def verb_columns(folder: Path) -> dict[str, dict[str, Value]]:
    """Id of a headline → the label of its verb, and the candidates that people accepted."""
    if not (folder / GOLD).is_file():
        return {}
    return {
        gold.id: {"verb_label": gold.verb, "accepted": SEVERAL.join(gold.accepted)}
        for _, gold in read_records(folder / GOLD, GoldLine)
    }


def gold_plus_rows(
    folder: Path, run: FinishedRun, parts: Mapping[str, str], *, with_text: bool
) -> dict[str, list[dict[str, Value]]]:
    """What the candidates make of the headlines, by part; a headline's rows are where it is.

    Without the text, a row has the candidate and its headline, which say the same.

    Args:
        folder: of the run.
        run: as it was read.
        parts: id of a headline → its part.
        with_text: whether texts may be passed on.
    """
    found: dict[str, list[dict[str, Value]]] = {part: [] for part in PARTS}
    items = {item.id: item for item in run.items}
    for name, headlines in _headlines(folder, run).items():
        for one in headlines:
            if one.gold:
                continue
            row: dict[str, Value] = {"id": one.id, "item": name}
            row |= {"text": one.text} if with_text else {}
            row |= {"candidate": _candidate(items[name], one.text)}
            label = "metaphorical" if one.metaphor else "literal"
            found[parts[name]].append(row | {"label": label, "accepted": one.accepted})
    return found


def _candidate(original: RunItem, text: str) -> str:
    """The verb that was put into a headline."""
    start, end = int(original.fields["start"] or 0), int(original.fields["end"] or 0)
    return text[start : len(text) - (len(original.text) - end)]


def _headlines(folder: Path, run: FinishedRun) -> dict[str, list[Headline]]:
    """Id of a headline → it and its transformations; invalid headlines have none."""
    items = {item.id: item for item in run.items}
    found: dict[str, list[Headline]] = {}
    for line, gold in read_records(folder / GOLD, GoldLine):
        if gold.id not in items:
            raise BadRecord(
                folder / GOLD, line, f"judges {gold.id!r}, which is not an item of the run"
            )
        if gold.label in _METAPHORICAL:
            found[gold.id] = list(_with_rejected(items[gold.id], gold, line))
    for line, plus in read_records(folder / GOLD_PLUS, PlusLine, set(found)):
        if plus.label not in _METAPHORICAL:
            raise BadRecord(folder / GOLD_PLUS, line, f"has the label {plus.label!r}")
        metaphor = _METAPHORICAL[plus.label]
        found[plus.item].append(Headline(plus.id, plus.text, metaphor, plus.item, None, True, line))
    return found


def _with_rejected(item: RunItem, gold: GoldLine, line: int) -> Iterator[Headline]:
    """The headline, and what the candidates make of it that nobody accepted."""
    metaphor = _METAPHORICAL[gold.label]
    yield Headline(item.id, item.text, metaphor, item.id, None, None, line)
    if gold.label != gold.verb:
        return  # nobody was asked about candidates then
    start, end = int(item.fields["start"] or 0), int(item.fields["end"] or 0)
    offered = str(item.fields["literal" if metaphor else "metaphorical"]).split(SEVERAL)
    for number, word in enumerate(offered, start=1):
        if word not in gold.accepted:
            text = item.text[:start] + word + item.text[end:]
            name = f"{item.id}-rejected-{number}"
            yield Headline(name, text, metaphor, item.id, None, False, line)


def _parts(
    run: FinishedRun, headlines: Mapping[str, Sequence[Headline]]
) -> dict[Part, tuple[Headline, ...]]:
    """Headlines that are alike are of one part, and so are their transformations."""
    judged = [item for item in run.items if item.id in headlines]
    places = split_groups(group_items(judged, kind="headline"), seed=run.manifest.seed)
    return {
        part: tuple(
            headline
            for item, place in zip(judged, places, strict=True)
            if place == part
            for headline in headlines[item.id]
        )
        for part in PARTS
    }
