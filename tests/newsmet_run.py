"""A finished run of the recipe newsmet over headlines of our own, judged by a simulated crowd."""

from __future__ import annotations

import json
import random
from pathlib import Path

from trope.recipes.newsmet.gold import simulate
from trope.recipes.newsmet.recipe import RECIPE
from trope.recipes.recipe import Context
from trope.recipes.records import Record, to_line
from trope.recipes.settings import resolve

LITERAL = ["opposes", "reads", "leaves", "discusses", "rejects", "studies"]
METAPHORICAL = ["bombs", "buries", "strangles", "milks", "sinks", "torches"]
WORDS = [f"{a}{b}" for a in ("north", "mill", "oak", "stone", "ferry", "salt", "glass", "moor")
         for b in ("field", "gate", "bridge", "ford", "wick", "ham", "stead", "burn")]  # fmt: skip


def headlines(number: int) -> list[Record]:
    """Headlines that have little in common but their verb."""
    rng = random.Random(number)
    found = []
    for at in range(number):
        before, after = " ".join(rng.sample(WORDS, 3)), " ".join(rng.sample(WORDS, 6))
        fields = {
            "start": len(before) + 1,
            "end": len(before) + 8,
            "focus_verb": "attacks",
            "verb": "attack",
            "subject": "mayor",
            "object": "plan",
            "type": "reliable",
            "silver": "metaphorical" if at % 2 else "literal",
            "source_id": f"h{at}",
            "literal": LITERAL,
            "metaphorical": METAPHORICAL,
        }
        found.append(Record(f"h{at}", f"{before} attacks {after}", fields))
    return found


def write_run(folder: Path, number: int = 40, **changed: object) -> Path:
    """The folder of a run, as far as others read it; its manifest may be changed."""
    items = headlines(number)
    finished = simulate(items, Context(folder, resolve(RECIPE)))
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {
        "recipe": "newsmet",
        "seed": 13,
        "text_is": "headlines",
        "finished": True,
        "simulated": True,
        "labels": ["metaphorical", "literal", "invalid"],
        "group_by": "verb",
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, **changed}))
    files = {
        "items.jsonl": items,
        "labels.jsonl": finished.labels,
        "judgments.jsonl": finished.judgments,
        **finished.others,
    }
    for name, rows in files.items():
        (folder / name).write_bytes(b"".join(map(to_line, rows)))
    return folder
