"""Our words beside those of spaCy's own tokeniser with the same rules: how many texts differ.

    python benchmarks/words.py FILE… [--texts 100000]

Every line of a file (plain or .gz, of whatever kind) is a text. Blanks are taken out of every
second text as well, so that the rules meet words that touch in ways nobody writes.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import thread_time
from typing import Any

import machine
import record

from trope.text.tokenise import CHANGES
from trope.text.word_rules import read_rules

LONGEST = 300
"""Characters of a piece; the rules are not asked about longer ones."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and keep its result; status 1 if a word differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    texts = sample(options.files, options.texts, options.seed)
    differing, ratio = compare(texts)
    for piece, ours, theirs in differing[:20]:
        print(f"{piece!r}: {ours} instead of {theirs}")
    note = machine.describe(threads=1)
    known = record.read_evaluation(options.results) if options.results.is_file() else None
    record.keep(
        [
            record.measured("words.differing", [len(differing)], n=len(texts), note=note),
            record.measured("words.vs_spacy", [ratio], n=len(texts), note=note),
        ],
        tier=known.tier if known else "small",
        model_sha256=known.model_sha256 if known else "",
        path=options.results,
    )
    print(f"{len(differing)} pieces of {len(texts)} texts differ; {ratio:.2f} times spaCy's speed")
    return 1 if differing else 0


def sample(paths: Sequence[Path], count: int, seed: int) -> list[str]:
    """So many texts of the files, drawn with the same chance for every line."""
    draw = random.Random(seed)
    drawn: list[str] = []
    lines = (line for path in paths for line in read_lines(path))
    for number, line in enumerate(lines):
        if len(drawn) < count:
            drawn.append(line)
        elif (place := draw.randrange(number + 1)) < count:
            drawn[place] = line
    return [text if at % 2 else "".join(text.split()) for at, text in enumerate(drawn)]


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file that are not blank."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for line in file:
            text = line.decode("utf-8", "replace").strip()
            if text:
                yield text


def compare(texts: Sequence[str]) -> tuple[list[tuple[str, list[str], list[str]]], float]:
    """The pieces that we cut otherwise than spaCy, and our speed as a multiple of its."""
    pieces = sorted({part[:LONGEST] for text in texts for part in text.split()})
    ours, theirs = read_rules(CHANGES), spacy_rules()
    began = thread_time()
    our_words = [ours.cut(piece) for piece in pieces]
    between = thread_time()
    their_words = [[word.text for word in theirs(piece)] for piece in pieces]
    ratio = (thread_time() - between) / (between - began)
    cuts = zip(pieces, our_words, their_words, strict=True)
    return [found for found in cuts if found[1] != found[2]], ratio


def spacy_rules() -> Any:
    """spaCy's tokeniser with our changes to its tables."""
    from spacy.lang.en import English
    from spacy.lang.tokenizer_exceptions import emoticons
    from spacy.symbols import ORTH
    from spacy.tokenizer import Tokenizer
    from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex
    from spacy.vocab import Vocab

    data = English.Defaults
    left_out = CHANGES.without | emoticons
    rules = {w: parts for w, parts in data.tokenizer_exceptions.items() if w not in left_out}
    rules |= {word: [{ORTH: p} for p in parts] for word, parts in CHANGES.exceptions.items()}
    return Tokenizer(
        Vocab(),
        rules=rules,
        prefix_search=compile_prefix_regex([*data.prefixes, *CHANGES.prefixes]).search,
        suffix_search=compile_suffix_regex([*data.suffixes, *CHANGES.suffixes]).search,
        infix_finditer=compile_infix_regex([*data.infixes, *CHANGES.infixes]).finditer,
    )


if __name__ == "__main__":
    sys.exit(main())
