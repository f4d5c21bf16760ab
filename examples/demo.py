"""Analyses sample texts in the terminal and as one HTML page; `make demo` runs it.

python examples/demo.py PAGE.html
"""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import get_args

import trope
from trope.core.records import TextKind
from trope.render import write

FOLDER = Path(__file__).parent
FILES = {"plain": "sentences.txt", "tweet": "tweets.txt", "headline": "headlines.txt"}
IN_THE_TERMINAL = 2  # of each file; the page has all of them


def main(page: Path) -> None:
    """Print the first texts of each file, and write the page."""
    pipeline = trope.Pipeline()
    named = {kind: list(read(pipeline, kind)) for kind in get_args(TextKind)}
    for kind, analyses in named.items():
        option = "" if kind == "plain" else f"--kind {kind} "
        print(f"\n$ trope analyze {option}examples/{FILES[kind]}   (the first {IN_THE_TERMINAL})\n")
        write("text", analyses[:IN_THE_TERMINAL], sys.stdout)
    page.parent.mkdir(parents=True, exist_ok=True)
    with page.open("w", encoding="utf-8") as file:
        write("html", chain.from_iterable(named.values()), file, title="Sample texts")
    print(NEXT.format(count=sum(map(len, named.values())), page=page.resolve().as_uri()))


def read(pipeline: trope.Pipeline, kind: TextKind) -> Iterator[tuple[str, trope.Analysis]]:
    """Each text of a kind's file with its place and its analysis."""
    name = FILES[kind]
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    for number, analysis in enumerate(pipeline.analyze_many(lines, kind=kind), start=1):
        yield f"{name}:{number}", analysis


NEXT = """
All {count} texts as a page for the browser:
  {page}

Try next:
  . .venv/bin/activate
  trope analyze "Your own sentence unlocks the door."
  trope analyze --kind headline --format html --out mine.html FILE
  trope data list
  trope --help

An annotation project with sample items, to open in the browser:
  pip install '.[annotate]' && trope annotate demo"""


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo.html"))
