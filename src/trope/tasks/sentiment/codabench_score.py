"""The scoring program of a Codabench bundle: standard library alone, one file, no trope.

python3 score.py INPUT OUTPUT: INPUT/ref/gold.tsv, INPUT/res/*.tsv → OUTPUT/scores.json.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path


def read_scores(path: Path, known: dict[str, int] | None = None) -> dict[str, int]:
    """Integers by id; the first error ends the program and names the line."""
    scores: dict[str, int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        try:
            identifier, score = cells[0].strip(), int(cells[1])
        except (IndexError, ValueError):
            raise SystemExit(f"{path.name}:{number}: write an id, a tab and an integer") from None
        if not -5 <= score <= 5:
            raise SystemExit(f"{path.name}:{number}: score {score} is outside -5..5")
        if identifier in scores:
            raise SystemExit(f"{path.name}:{number}: id {identifier} comes twice")
        if known is not None and identifier not in known:
            raise SystemExit(f"{path.name}:{number}: id {identifier} is not asked for")
        scores[identifier] = score
    if not scores:
        raise SystemExit(f"{path.name}: holds no scores")
    return scores


def measures(gold: dict[str, int], given: dict[str, int]) -> dict[str, float | None]:
    """Cosine and mean squared error over what was submitted, with the penalties of the task."""
    share = len(given) / len(gold)
    pairs = [(gold[identifier], score) for identifier, score in given.items()]
    lengths = math.sqrt(sum(g * g for g, _ in pairs) * sum(s * s for _, s in pairs))
    product = sum(g * s for g, s in pairs)
    error = sum((g - s) ** 2 for g, s in pairs) / len(pairs)
    return {"cosine": share * product / lengths if lengths else None, "mse": error / share}


def main(arguments: list[str]) -> None:
    """Score the one submission of a folder."""
    source, target = Path(arguments[0]), Path(arguments[1])
    gold = read_scores(source / "ref" / "gold.tsv")
    submissions = sorted((source / "res").glob("*.tsv"))
    if len(submissions) != 1:
        raise SystemExit(f"submit one file *.tsv; there are {len(submissions)}")
    result = measures(gold, read_scores(submissions[0], gold))
    target.mkdir(parents=True, exist_ok=True)
    (target / "scores.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
