"""What the lexicon of idioms and the rules for similes find without a head, and what they cost.

    python benchmarks/idioms.py FOLDER [--sentences 2000]

FOLDER is the directory of the research data. For idioms: how many annotated spans of MAGPIE and
EPIE the lexicon has, how many of these are labelled literal, and F of their words. For similes:
precision and recall on the sentences of MSD23 with odd numbers; the rules were made on the others.
The cost is the share of the time of an analysis of the same sentences, in one run.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time

from trope.core.records import Parse
from trope.corpora.idioms import IdiomSentence, read_epie, read_magpie
from trope.pipeline.pipeline import Pipeline
from trope.tasks.figures.idioms import find_idioms, match_idioms
from trope.tasks.figures.similes import find_similes

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"})
SETS = {
    "MAGPIE dev": (read_magpie, "idiom-sentences/magpie-typebased-dev.tsv.gz"),
    "EPIE formal": (read_epie, "idiom-sentences/epie-formal.tsv.gz"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=2000, help="sentences of the cost")
    options = parser.parse_args(arguments)
    pipeline = Pipeline(threads=1)
    for name, (read, path) in SETS.items():
        rows = list(read(options.folder / path))
        parses = list(pipeline.parse([row.words for row in rows]))
        for line in describe(rows, parses):
            print(f"{name}: {line}")
    print(f"MSD23: {similes(options.folder / 'figures', pipeline)}")
    rows = list(read_magpie(options.folder / SETS["MAGPIE dev"][1]))[: options.sentences]
    print(cost([" ".join(row.words) for row in rows], pipeline))
    return 0


def describe(rows: Sequence[IdiomSentence], parses: Sequence[Parse]) -> Iterable[str]:
    """What the lexicon has of the annotated spans, and F of the words that it shows."""
    count: Counter[str] = Counter()
    for row, parse in zip(rows, parses, strict=True):
        gold = {at for start, end in row.spans for at in range(start, end)}
        label = "idiomatic" if row.idiomatic else "literal"
        shown = {at for idiom in find_idioms(parse) for at in idiom.tokens}
        count[label] += 1
        count[f"{label} known"] += any(
            covers(match.positions, gold, parse) for match in match_idioms(parse)
        )
        count[f"{label} shown"] += covers(sorted(shown), gold, parse)
        wanted = gold if row.idiomatic else set()
        count["right"] += len(shown & wanted)
        count["found"] += len(shown)
        count["wanted"] += len(wanted)
    f_score = 2 * count["right"] / (count["found"] + count["wanted"])
    known = count["idiomatic known"] + count["literal known"]
    yield (
        f"the lexicon has {share(count['idiomatic known'], count['idiomatic'])} of the idiomatic "
        f"spans; {share(count['literal known'], known)} of its hits are labelled literal"
    )
    yield (
        f"without a head {share(count['idiomatic shown'], count['idiomatic'])} are shown, and "
        f"{share(count['literal'] - count['literal shown'], count['literal'])} of the literal "
        f"uses are kept literal; F of words {f_score:.3f}"
    )


def covers(positions: Sequence[int], gold: set[int], parse: Parse) -> bool:
    """Whether positions hold half of the content words of a span, and two if it has two."""
    content = {at for at in gold if parse.upos[at] in CONTENT} or gold
    hits = len(content.intersection(positions))
    return 2 * hits >= len(content) and hits >= min(2, len(content))


def similes(folder: Path, pipeline: Pipeline) -> str:
    """Precision and recall of the rules for similes on the half that they were not made on."""
    count: Counter[tuple[bool, bool]] = Counter()
    for name in ("similes", "literals"):
        with gzip.open(folder / f"msd23-{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        odd = [tuple(row["text"].split()) for row in rows if int(row["id"].split("-")[-1]) % 2]
        for parse in pipeline.parse(odd):
            count[name == "similes", bool(find_similes(parse))] += 1
    right, wrong, missed = count[True, True], count[False, True], count[True, False]
    return f"precision {share(right, right + wrong)}, recall {share(right, right + missed)}"


def cost(texts: Sequence[str], pipeline: Pipeline) -> str:
    """The time of both as a share of that of the analysis."""
    started = process_time()
    analyses = list(pipeline.analyze_many(texts))
    whole = process_time() - started
    parses = [analysis.parse_of(one) for analysis in analyses for one in analysis.sentences]
    shares = []
    for find in (find_idioms, find_similes):
        find(parses[0])
        started = process_time()
        for parse in parses:
            find(parse)
        shares.append(share(process_time() - started, whole))
    idioms, likenesses = shares
    return f"{len(parses)} sentences: idioms {idioms}, similes {likenesses} of an analysis"


def share(part: float, whole: float) -> str:
    """A share with three decimals."""
    return f"{part / whole:.3f}" if whole else "no"


if __name__ == "__main__":
    raise SystemExit(main())
