"""The trainings behind NewsMet's Tables 1 and 5, prepared: plain files that any machine can fit.

Runs: `d_imbal` and `d_bal` (section 3.1.1), and D_imbal with gold+ read in both ways (section 4.3).
The first two choose their epoch on a tenth of their own texts, the others on NewsMet's validation
split, read as their training part is. Test items go in without their labels. With your own
gold, its parts take the place of NewsMet's splits.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trope.core.errors import MissingData
from trope.core.files import atomic_write, sha256
from trope.core.progress import MessageWriter
from trope.corpora.labelled_texts import LabelledSet
from trope.corpora.newsmet import GoldPlusRows, Headline
from trope.corpora.verb_corpora import read_lcc
from trope.corpora.vua import read_vuamc
from trope.tasks.metaphor.silver import (
    HeldOutTexts,
    SilverSets,
    SilverSplits,
    SilverText,
    build_silver,
)
from trope.tasks.metaphor.silver_sources import (
    ABSENT,
    GOLD_PLUS_ROWS,
    SIMULATED,
    STAND_IN,
    TEST_SETS,
    UserGold,
    gather_texts,
    gold_plus_run,
    json_lines,
    lines_to_predict,
    literal_stand_in,
    newsmet_headlines,
    running_text,
)
from trope.train.hub.fit import FORMAT, ITEMS, MANIFEST, SUMMARY, TESTS
from trope.train.hub.loop import HubSettings

SEEDS = (42, 43, 44)
NEWSMET_TRAIN = "NewsMet train"
_PAPER = {
    "d_imbal": {"metaphorical": "52k", "literal": "10k", "total": "62k"},
    "d_bal": {"metaphorical": "39k", "literal": "39k", "total": "78k"},
}


def _held_out_texts(data: Path, *, newsmet_train: bool) -> dict[str, list[str]]:
    """Name → texts that no training text may resemble.

    NewsMet's own splits and test sets, and the test parts of the corpora that we train on.
    """
    return {
        name: read()
        for name, read in _held_out_readers(data).items()
        if newsmet_train or name != NEWSMET_TRAIN
    }


def present_held_out(data: Path, say: MessageWriter) -> dict[str, list[str]]:
    """The same as far as the files are there; the others are named."""
    held: dict[str, list[str]] = {}
    for name, read in _held_out_readers(data).items():
        try:
            held[name] = read()
        except MissingData as error:
            say(f"{name} is not held out of training: {error.path} is absent")
    return held


def _held_out_readers(data: Path) -> dict[str, Callable[[], list[str]]]:
    def headlines(split: str) -> Callable[[], list[str]]:
        return lambda: [h.text for h in newsmet_headlines(data, split)[0]]

    lcc, vua = data / "lcc" / "test.csv", data / "naacl2018" / "vuamc_corpus_test.csv"
    splits = ("val", "test", "test_1", "test_2", "train")
    return {
        **{f"NewsMet {split}": headlines(split) for split in splits},
        "LCC test": lambda: [running_text(span.words) for span in read_lcc(lcc)],
        "VUA test": lambda: [running_text(s.words) for s in read_vuamc(vua) if s.words],
    }


def newsmet_part(
    data: Path, split: str, reading: GoldPlusRows, guard: HeldOutTexts
) -> tuple[list[SilverText], Counter[str], dict[str, str]]:
    """The headlines of a split; a group with a text like a held-out one is dropped whole."""
    headlines, files = newsmet_headlines(data, split, reading=reading)
    kept, drops = _apart(headlines, guard)
    return kept, drops, files


def _apart(
    headlines: Sequence[Headline], guard: HeldOutTexts
) -> tuple[list[SilverText], Counter[str]]:
    found_in = {h.group: name for h in headlines if (name := guard.find(h.text))}
    drops = Counter(f"like a text of {found_in[h.group]}" for h in headlines if h.group in found_in)
    kept = [SilverText(h.text, h.metaphor, "newsmet") for h in headlines if h.group not in found_in]
    return kept, drops


def prepare_silver(
    data: Path,
    out: Path,
    settings: HubSettings,
    *,
    seeds: Sequence[int] = SEEDS,
    trofi: Path | None = None,
    own: UserGold | None = None,
    further: Sequence[LabelledSet] = (),
    say: MessageWriter,
) -> dict[str, Any]:
    """Write the folder for `trope.train.hub.fit`; what it holds, counted.

    Args:
        further: texts of the user's own that D_imbal and D_bal hold too.
        own: what takes the place of NewsMet's gold and gold+, for training and for testing.
    """
    gathered = gather_texts(data, trofi=trofi, further=further)
    stand_in = literal_stand_in(data)
    silver = build_silver(
        gathered.texts,
        stand_in=stand_in.texts,
        held_out=_held_out_texts(data, newsmet_train=True) | (own.texts() if own else {}),
        seed=settings.seed,
    )
    made = _released(data) if own is None else _own(own)
    runs: dict[str, SilverSplits] = {"d_imbal": silver.imbalanced}
    if own is None:
        runs["d_bal"] = silver.balanced
    for name, parts in made.parts.items():
        runs[name] = SilverSplits((*silver.imbalanced.train, *parts.train), parts.validation)
    files = {**gathered.files, **stand_in.files, **made.files}
    summary = _summary(silver, runs, dict(made.drops), files, settings, seeds, trofi)
    if own is not None:
        summary["gold"] = own.crowd
    _write(out, runs, made.tests, summary, settings, seeds)
    for line in _describe(summary):
        say(line)
    return summary


@dataclass(frozen=True, slots=True)
class _GoldPlus:
    """Run → what it learns besides D_imbal and is validated with; what is tested; what went."""

    parts: Mapping[str, SilverSplits]
    tests: str
    drops: Mapping[str, dict[str, int]]
    files: Mapping[str, str]


def _released(data: Path) -> _GoldPlus:
    """NewsMet's splits, read in both ways."""
    guard = HeldOutTexts(_held_out_texts(data, newsmet_train=False))
    test_guard = HeldOutTexts({k: v for k, v in guard.sets.items() if k != "NewsMet val"})
    parts, drops = {}, {}
    files: dict[str, str] = {}
    for reading in GOLD_PLUS_ROWS:
        train, lost, train_file = newsmet_part(data, "train", reading, guard)
        validation, lost_too, val_file = newsmet_part(data, "val", reading, test_guard)
        drops[f"newsmet {reading}"] = dict(lost + lost_too)
        parts[gold_plus_run(reading)] = SilverSplits(tuple(train), tuple(validation))
        files |= {**train_file, **val_file}
    for split in TEST_SETS.values():
        files |= newsmet_headlines(data, split)[1]
    return _GoldPlus(parts, lines_to_predict(data), drops, files)


def _own(own: UserGold) -> _GoldPlus:
    """The parts of your own gold, read in both ways."""
    texts = own.texts()
    tested = {name: found for name, found in texts.items() if name.endswith("test")}
    judged = {name: found for name, found in texts.items() if not name.endswith("train")}
    guard, test_guard = HeldOutTexts(judged), HeldOutTexts(tested)
    parts, drops = {}, {}
    for reading in GOLD_PLUS_ROWS:
        train, lost = _apart(own.read("train", reading), guard)
        validation, lost_too = _apart(own.read("validation", reading), test_guard)
        drops[f"{own.crowd} {reading}"] = dict(lost + lost_too)
        parts[own.run(reading)] = SilverSplits(tuple(train), tuple(validation))
    return _GoldPlus(parts, own.lines_to_predict(), drops, own.files)


def _describe(summary: Mapping[str, Any]) -> list[str]:
    """The summary as lines of text: counts with the paper's, what is missing, what was dropped."""
    lines = []
    for run, counts in summary["counts"].items():
        printed = _PAPER.get(run)
        paper = f" (paper: {printed['metaphorical']} / {printed['literal']})" if printed else ""
        lines.append(
            f"{run}: {counts['metaphorical']} metaphorical / {counts['literal']} literal{paper}, "
            f"{counts['train']} to train on, {counts['validation']} to validate with"
        )
    for name, classes in summary["sources"].items():
        shown = ", ".join(f"{count} {label}" for label, count in classes.items())
        lines.append(f"from {name}: {shown}")
    lines += [f"missing: {name}: {why}" for name, why in summary["missing"].items()]
    lines.append(f"literal stand-in for WikiQA: {summary['stand_in']}")
    if summary.get("gold") == SIMULATED:
        lines.append("gold and gold+ are a simulated crowd's: figures say nothing about headlines")
    for name, reasons in summary["drops"].items():
        lines += [f"dropped from {name}: {count} {reason}" for reason, count in reasons.items()]
    return lines


def _summary(
    silver: SilverSets,
    runs: Mapping[str, SilverSplits],
    drops: dict[str, dict[str, int]],
    files: Mapping[str, str],
    settings: HubSettings,
    seeds: Sequence[int],
    trofi: Path | None,
) -> dict[str, Any]:
    for (name, reason), count in sorted(silver.drops.items()):
        drops.setdefault(name, {})[reason] = count
    sources: dict[str, dict[str, int]] = {}
    for (name, label), count in sorted(silver.kept.items()):
        sources.setdefault(name, {})[label] = count
    missing = {k: v for k, v in ABSENT.items() if k != "trofi" or trofi is None}
    counts = {
        name: {**p.counts, "train": len(p.train), "validation": len(p.validation)}
        for name, p in runs.items()
    }
    return {
        "counts": counts,
        "paper": _PAPER,
        "sources": sources,
        "missing": missing,
        "stand_in": STAND_IN,
        "drops": {name: reasons for name, reasons in drops.items() if reasons},
        "data": dict(sorted(files.items())),
        "settings": asdict(settings),
        "seeds": list(seeds),
    }


def _write(
    out: Path,
    runs: Mapping[str, SilverSplits],
    tests: str,
    summary: Mapping[str, Any],
    settings: HubSettings,
    seeds: Sequence[int],
) -> None:
    """Every text once, runs by number; the manifest last, since it vouches for the rest."""
    numbers: dict[SilverText, int] = {}
    chosen = {
        name: {
            part: [numbers.setdefault(item, len(numbers)) for item in items]
            for part, items in (("train", parts.train), ("validation", parts.validation))
        }
        for name, parts in runs.items()
    }
    rows = ({"text": i.text, "label": int(i.metaphor), "source": i.source} for i in numbers)
    contents = {
        ITEMS: json_lines(rows),
        TESTS: tests,
        SUMMARY: json.dumps(summary, indent=1) + "\n",
    }
    for name, content in contents.items():
        with atomic_write(out / name) as file:
            file.write(content)
    manifest = {
        "format": FORMAT,
        "settings": asdict(settings),
        "seeds": list(seeds),
        "runs": chosen,
        "files": {name: sha256(out / name) for name in contents},
    }
    with atomic_write(out / MANIFEST) as file:
        file.write(json.dumps(manifest) + "\n")
