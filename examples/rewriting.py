"""Six candidates in each direction for twenty headlines, as a table."""

from pathlib import Path

import trope

HEADLINES = Path(__file__).with_name("rewriting_headlines.txt")


def main() -> None:
    pipeline = trope.Pipeline()
    print("| headline | verb | literal | metaphorical |\n|---|---|---|---|")
    for text in HEADLINES.read_text(encoding="utf-8").splitlines():
        analysis = pipeline.analyze(text, kind="headline")
        verb = next(analysis.tokens[r.verb].text for r in analysis.relations if r.kind == "svo")
        cells = []
        for to in ("literal", "metaphorical"):
            (found,) = pipeline.rewrite(text, to=to, verb=verb, kind="headline")
            cells.append(", ".join(candidate.form for candidate in found.candidates))
        print(f"| {text} | {verb} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
