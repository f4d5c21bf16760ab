"""Damaged and hostile files: each is read or refused in one sentence, soon and in little memory.

python benchmarks/fuzz.py [--inputs 2000] [--formats csv json …] [--seed 1]

Sound samples of every format are mutated: bits flipped, parts cut, doubled and swapped, numbers and
brackets made enormous, characters that are none put in. The status is 1 where one leads to an error
that is not meant for people, or takes longer than ten seconds.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import logging
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from trope.catalog import READERS
from trope.core.config import read_config
from trope.core.errors import BadInput, TropeError
from trope.corpora.files import FileOptions, find_files, read_entries
from trope.corpora.judgment_tables import read_judgments

MOST_S = 10.0
MOST_BYTES = 1_500_000_000
ROWS = 2_000
_OPTIONS: dict[str, dict[str, object]] = {
    "conll-metonymy": {"reading": "literal"},
    "tsv-adjective-noun": {"metaphor": True},
    "tsv-svo": {"metaphor": True},
}
"""What readers must be told beside the file."""

Read = Callable[[Path], object]

TABLE = b'id,item,annotator,label,text\n1,a,Ann,yes,Prices climb.\n2,a,Bob,no,"Goats, too"\n'
JSON_LINES = (
    b'{"id": "1", "text": "Prices climb.", "label": [1, -2.5e3, null, {"a": "\\u00e9"}]}\n' * 3
)
CONLLU = (
    b"# sent_id = 1\n# text = Prices climb\n"
    b"1\tPrices\tprice\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_\n"
    b"2\tclimb\tclimb\tVERB\t_\t_\t0\troot\t_\t_\n\n"
)
XML = (
    b'<document><sent MASCfile="a.txt"><targetsentence>Dogs eat</targetsentence><tokens>'
    b'<token id="3" wordform="eat" lemma="eat" posMASC="VB" problematic="no"><substitutions>'
    b'<subst lemma="feed" freq="3" /></substitutions></token></tokens></sent></document>'
)
SWORDS = json.dumps(
    {
        "contexts": {"c1": {"context": "The big dog", "extra": {"coinco_ids": ["f.txt:s1"]}}},
        "targets": {
            "t1": {
                "context_id": "c1",
                "target": "big",
                "offset": 4,
                "pos": "ADJ",
                "extra": {"coinco_ids": ["7"], "coinco_lemma": "big"},
            }
        },
        "substitutes": {"s1": {"target_id": "t1", "substitute": "large", "extra": {"sources": []}}},
        "substitute_labels": {"s1": ["TRUE", "FALSE"]},
    }
).encode()
HTML = b"<!doctype html><html><head><title>T</title></head><body><p>Prices <b>climb</b>.</p></body>"
PLAN = b'title = "T"\nguidelines = "Read."\njudgments_per_item = 3\n[[questions]]\nid = "m"\n'
PLAN += b'kind = "choice"\ntext = "?"\noptions = [{ value = "yes" }, { value = "no" }]\n'


@dataclass(slots=True)
class Outcome:
    """What came of the inputs of one format."""

    inputs: int = 0
    read: int = 0
    refused: int = 0
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        """One line."""
        return (
            f"{self.inputs} inputs, {self.read} read, {self.refused} refused, "
            f"{len(self.faults)} faults, slowest {self.slowest:.2f} s"
        )


def mutate(data: bytes, rng: Random) -> bytes:
    """The data with one to four changes."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        rng.choice(_CHANGES)(changed, rng)
    return bytes(changed)


def _place(data: bytearray, rng: Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytearray, rng: Random) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut_off(data: bytearray, rng: Random) -> None:
    del data[_place(data, rng) :]


def _cut_out(data: bytearray, rng: Random) -> None:
    at = _place(data, rng)
    del data[at : at + rng.randint(1, 40)]


def _double(data: bytearray, rng: Random) -> None:
    at = _place(data, rng)
    data[at:at] = data[at : at + rng.randint(1, 200)] * rng.randint(1, 20)


def _put_in(data: bytearray, rng: Random) -> None:
    at = _place(data, rng)
    data[at:at] = rng.choice(_HOSTILE)


def _swap_number(data: bytearray, rng: Random) -> None:
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if digits:
        at = rng.choice(digits)
        data[at : at + 1] = rng.choice((b"-1", b"9" * 30, b"1e999", b"NaN", b"0x", b""))


_CHANGES = (_flip, _flip, _cut_off, _cut_out, _double, _put_in, _put_in, _swap_number)
_HOSTILE = (
    *(b"\0", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\r", b"\n" * 50),
    *(b"[" * 100_000, b'{"a":' * 3_000, b"<a>" * 3_000, b"(" * 3_000, b'"', b"'", b"\t", b","),
    *(b"=HYPERLINK(1)", b"&lol;", b"%00", b"..", b"/" * 300, b"\xf0\x9f\x98\x80", b"x" * 70_000),
)


def samples(folder: Path) -> dict[str, tuple[str, bytes, Read]]:
    """For each format the name of a file, a sound content, and what reads it."""
    found: dict[str, tuple[str, bytes, Read]] = {
        "csv": ("a.csv", TABLE, _entries),
        "tsv": ("a.tsv", TABLE.replace(b",", b"\t"), _entries),
        "jsonl": ("a.jsonl", JSON_LINES, _entries),
        "json": ("a.json", b"[" + JSON_LINES.strip().replace(b"\n", b",") + b"]", _entries),
        "txt": ("a.txt", b"Prices climb. " * 20 + b"\n\nGoats climb.\n", _entries),
        "html": ("a.html", HTML, _entries),
        "gz": ("a.csv.gz", gzip.compress(TABLE * 20), _entries),
        "zip": ("a.zip", _zipped({"a.csv": TABLE, "b/c.jsonl": JSON_LINES}), _entries),
        "judgments": ("j.csv", TABLE, lambda path: read_judgments(path)),
        "plan": ("project.toml", PLAN, _plan),
        "conllu": ("a.conllu", CONLLU, _reader("conllu")),
        "coinco": ("a.xml", XML, _reader("coinco")),
        "swords": ("a.json", SWORDS, _reader("swords")),
    }
    for name in READERS:
        found.setdefault(f"reader {name}", ("a.csv", TABLE + CONLLU + JSON_LINES, _reader(name)))
    found |= _documents(folder)
    return found


def _entries(path: Path) -> object:
    options = FileOptions()
    found = [
        entry
        for file in find_files([str(path)], options)
        for entry in islice(read_entries(file, options), ROWS)
    ]
    problems = [(line, row) for line, row in found if isinstance(row, str)]
    if problems and len(problems) == len(found):  # no row can be used
        raise BadInput(f"{path}:{problems[0][0]}: {problems[0][1]}")
    return found


def _reader(name: str) -> Read:
    def read(path: Path) -> object:
        made = READERS.load(name)(path, **_OPTIONS.get(name, {}))
        return list(islice(made, ROWS)) if isinstance(made, Iterator) else made

    return read


def _plan(path: Path) -> object:
    from trope.annotate.plan import read_plan

    return read_plan(path), read_config


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _documents(folder: Path) -> dict[str, tuple[str, bytes, Read]]:
    """Formats whose samples need the packages that read them."""
    import pyarrow
    import pyarrow.parquet

    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    import own_files

    table = folder / "s.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"id": ["1", "2"], "text": ["Prices climb.", "Goats climb."]}), table
    )
    return {
        "xlsx": ("a.xlsx", own_files.workbook(), _entries),
        "docx": ("a.docx", own_files.word(), _entries),
        "epub": ("a.epub", own_files.epub(), _entries),
        "pdf": ("a.pdf", own_files.pdf("Prices climb."), _entries),
        "parquet": ("a.parquet", table.read_bytes(), _entries),
        "backup": ("b.zip", _backup(folder), _restore),
    }


def _backup(folder: Path) -> bytes:
    from trope.annotate.project import new_project, open_project
    from trope.annotate.store.database import connect

    new_project(folder / "project", "pairs")
    project = open_project(folder / "project")
    connect(project)
    from trope.annotate.store.backup import backup

    backup(project, folder / "made.zip")
    return (folder / "made.zip").read_bytes()


def _restore(path: Path) -> object:
    from trope.annotate.store.backup import restore

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        return restore(path, Path(folder) / "restored")


def try_out(name: str, content: bytes, read: Read, folder: Path, number: int, seed: int) -> Outcome:
    """Read so many mutations of a file."""
    rng, outcome = Random(f"{seed} {name} {content[:16]!r}"), Outcome()
    path = folder / name
    for _ in range(number):
        path.write_bytes(mutate(content, rng))
        began = time.perf_counter()
        outcome.inputs += 1
        try:
            read(path)
            outcome.read += 1
        except TropeError:
            outcome.refused += 1
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            outcome.faults.append(f"{type(error).__name__}: {error}"[:200])
        taken = time.perf_counter() - began
        outcome.slowest = max(outcome.slowest, taken)
        if taken > MOST_S:
            outcome.faults.append(f"took {taken:.1f} s")
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all formats, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=2000, help="of each format")
    parser.add_argument("--formats", nargs="+", metavar="FORMAT")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)  # pypdf comments on what it repairs
    faults = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, (file, content, read) in samples(folder).items():
            if options.formats and name not in options.formats:
                continue
            outcome = try_out(file, content, read, folder, options.inputs, options.seed)
            print(f"{name:<28} {outcome.in_words()}", flush=True)
            for fault, times in Counter(outcome.faults).most_common(5):
                print(f"  {times} × {fault}")
            faults += len(outcome.faults)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{faults} faults, at most {peak / 1e6:.0f} MB of memory")
    return 1 if faults or peak > MOST_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
