"""Runs of recipes, finished, with texts of our own."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

WORDS = (
    "baker", "pilot", "gardener", "sailor", "teacher", "painter", "farmer", "singer", "river",
    "window", "carpet", "engine", "market", "garden", "letter", "bridge", "candle", "mirror",
)  # fmt: skip
LABELS = ("literal", "metaphorical")


def sentences(number: int) -> list[str]:
    """Sentences of which no two are alike."""
    rng = Random(5)
    return [f"{' '.join(rng.sample(WORDS, 8))} harbour" for _ in range(number)]


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def write_run(
    folder: Path, number: int = 192, *, texts: list[str] | None = None, **changes: Any
) -> Path:
    """A run with as many items, judged by three annotators each."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = texts if texts is not None else sentences(number)
    manifest = {
        "recipe": "toy", "title": "Toy sentences", "trope": "0.1.0", "seed": 13,
        "simulated": True, "finished": True, "text_is": "own", "licence": "CC BY 4.0",
        "citation": "Nobody (2026)", "labels": list(LABELS), "group_by": "verb",
        "inputs": [{"path": "/srv/somebody/toys.txt", "bytes": 1, "sha256": "", "dataset": "toys",
                    "licence": "CC BY 4.0"}],
        "outputs": [], "steps": [], "config": {}, "versions": {},
    }  # fmt: skip
    manifest |= changes
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    items = [
        {
            "id": f"i{at}",
            "text": text,
            "fields": {"verb": f"verb{at % 64}", "source_id": f"{1000 + at}",
                       "n": at, "weak": at % 3 == 0, "quoted": text, "label": "old"},
        }
        for at, text in enumerate(texts)
    ]  # fmt: skip
    write_lines(folder / "items.jsonl", items)
    write_lines(
        folder / "labels.jsonl",
        (
            {"item": f"i{at}", "label": LABELS[at % 2] if at % 7 else None, "score": None,
             "votes": 3, "share": 2 / 3, "reason": "" if at % 7 else "no majority"}
            for at in range(len(items))
        ),
    )  # fmt: skip
    write_lines(
        folder / "judgments.jsonl",
        (
            {"item": f"i{at}", "annotator": f"{name}@example.org", "label": LABELS[at % 2],
             "question": "figure", "weight": 1.0, "seconds": 3.5,
             "simulated": True, "note": f"by {name}"}
            for at in range(len(items))
            for name in ("ann", "bob", "cleo")
        ),
    )  # fmt: skip
    agreement: dict[str, Any] = {
        "measure": "Fleiss' kappa",
        "overall": {"kappa": 0.5, "n": len(items)},
    }
    agreement["subsets"] = {"first": {"half": {"value": 0.25, "low": 0.1, "name": "kappa"}}}
    (folder / "agreement.json").write_text(json.dumps(agreement), encoding="utf-8")
    return folder
