"""Words of a corpus that people judge: a new annotation project of lines of a concordance, a random
sample of words, and the rate of metaphor that follows from its judgments."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from trope.annotate.project import SAMPLE, new_project
from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.metrics.corrected_rates import CorrectedRate, corrected_count
from trope.workbench.corpus.concordance import COLUMNS, concordance
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.queries import ConcordanceQuery

TEMPLATE = "words"
MOST_ITEMS = 2_000
_WHOLE = 1_200
"""Most characters of a text that is shown whole."""

_AROUND = 60
"""Words on either side of the marked one in a longer text."""

_RESERVED = {"id", "text", "highlight", "gold"}
_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class NewProject:
    """A new project, and the command that serves it."""

    folder: Path
    items: int

    @property
    def command(self) -> str:
        """The command that serves the project."""
        return shlex.join(["trope", "annotate", "serve", str(self.folder)])


def make_annotation_project(
    corpus: IndexedCorpus,
    query: ConcordanceQuery,
    chosen: Collection[str] | None,
    *,
    base: Path,
    name: str,
) -> NewProject:
    """Make a project with the chosen lines of a concordance, or with all lines.

    Args:
        chosen: lines as `TEXT.START`; None for all.
        base: the folder for the project's folder.

    Raises:
        BadInput: no or too many lines are chosen, or the name cannot be used; nothing is written.
    """
    folder = base / _folder_name(name)
    items = _items(corpus, _lines(corpus, query, chosen))
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise BadInput(f"{folder}: already exists; choose another name") from None
    except OSError as error:
        problem = f"cannot be created ({error.strerror})"
        raise BadInput(f"{folder}: {problem}; choose another folder with --projects") from None
    try:
        new_project(folder, TEMPLATE)
        with atomic_write(folder / SAMPLE) as file:
            file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        _import_items(folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    return NewProject(folder, len(items))


def _folder_name(name: str) -> str:
    """The name as that of one folder, whatever it contains."""
    plain = _NAME.sub("-", name).strip("-_")[:60]
    if not plain:
        raise BadInput(f"{name!r} is not a project name; use letters and digits")
    return plain


def line_key(row: dict[str, Any]) -> str:
    """The identifier of a line of a concordance."""
    return f"{row['text']}.{row['start']}"


def _lines(
    corpus: IndexedCorpus, query: ConcordanceQuery, chosen: Collection[str] | None
) -> list[dict[str, Any]]:
    if chosen is None:
        query = msgspec.structs.replace(query, page=1, rows=MOST_ITEMS)
    found = concordance(corpus, query)
    total = found.about["total"]
    if chosen is None and total > MOST_ITEMS:
        problem = f"there are {total:,} lines, and a project can have at most {MOST_ITEMS:,} items"
        raise BadInput(f"{problem}; narrow the search")
    rows = {line_key(row): row for row in found.dicts()}  # a verb with two objects is one item
    lines = [row for key, row in rows.items() if chosen is None or key in chosen]
    if not lines:
        raise BadInput("no lines are chosen; select some, or send all")
    return lines


def _items(corpus: IndexedCorpus, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = corpus.database.ask(
        "SELECT doc, text, starts, ends FROM documents WHERE doc IN (SELECT unnest(?::INTEGER[]))",
        [[line["text"] for line in lines]],
    )
    texts = {doc: (text, starts, ends) for doc, text, starts, ends in found}
    return [_item(line, *texts[line["text"]]) for line in lines]


def _item(line: dict[str, Any], text: str, starts: list[int], ends: list[int]) -> dict[str, Any]:
    first, last = 0, len(text)
    if len(text) > _WHOLE:
        at = bisect_left(starts, line["start"])
        first = starts[max(0, at - _AROUND)]
        last = ends[min(len(ends) - 1, at + _AROUND)]
    return {
        "id": line_key(line),
        "text": text[first:last],
        "highlight": [[line["start"] - first, line["end"] - first]],
        "corpus_id": line["id"],
        **{name: line[name] for name in ("lemma", "upos", "score")},
        **dict(_fields(line)),
    }


def _fields(line: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The columns of the corpus, under names that are allowed in items."""
    for name, value in line.items():
        if name not in COLUMNS:
            taken = name in _RESERVED or name.startswith("gold.")
            yield (f"corpus {name}" if taken else name), value


def _import_items(folder: Path) -> None:
    """Import the items in another process, which owns the project's database."""
    command = [sys.executable, "-m", "trope", "annotate", "import", str(folder)]
    done = subprocess.run([*command, str(folder / SAMPLE)], capture_output=True, text=True)
    if done.returncode:
        raise BadInput(done.stderr.strip().removeprefix("trope: ") or "the items were not imported")


def draw_words(corpus: IndexedCorpus, number: int, *, seed: int) -> list[dict[str, Any]]:
    """Items with so many words of the corpus, drawn at random from all of its words.

    Raises:
        BadInput: the corpus has fewer words.
    """
    if number > corpus.facts.words:
        raise BadInput(f"the corpus has {corpus.facts.words:,} words; draw fewer than {number:,}")
    found = corpus.database.ask(
        """
        SELECT doc, documents.id, lemmas.text, tags.text, score, start, stop
        FROM (SELECT * FROM words WHERE word ORDER BY hash(doc, pos, ?), doc, pos LIMIT ?)
            JOIN lemmas USING (lemma) JOIN tags USING (tag) JOIN documents USING (doc)
        ORDER BY hash(doc, pos, ?)
        """,
        [seed, number, seed],
    )
    names = ("text", "id", "lemma", "upos", "score", "start", "end")
    return _items(corpus, [dict(zip(names, row, strict=True)) for row in found])


def judged_rate(corpus: IndexedCorpus, judged: Mapping[str, tuple[str, bool]]) -> CorrectedRate:
    """The rate of metaphor in the corpus, corrected by judged words.

    Args:
        judged: for each item of `draw_words` the id of its text in the corpus, and whether people
            call the word a metaphor.

    Raises:
        BadInput: for an item that is no word of this corpus.
    """
    places = {}
    for item in judged:
        text, _, start = item.partition(".")
        if text.isdecimal() and start.isdecimal():
            places[int(text), int(start)] = item
    found = corpus.database.ask(
        """
        SELECT doc, start, documents.id, metaphor
        FROM (SELECT unnest(?::INTEGER[]) AS doc, unnest(?::INTEGER[]) AS start)
            JOIN words USING (doc, start) JOIN documents USING (doc) WHERE word
        """,
        [list(one) for one in zip(*places, strict=True)] if places else [[], []],
    )
    said = {
        places[doc, start]: bool(metaphor)
        for doc, start, identifier, metaphor in found
        if judged[places[doc, start]][0] == identifier
    }
    if strange := next((item for item in judged if item not in said), None):
        problem = f"{strange!r} is no word of this corpus"
        raise BadInput(f"{problem}; judge items that 'trope query FOLDER rates --draw' wrote")
    return corrected_count(
        [float(judged[item][1]) for item in said],
        [float(metaphor) for metaphor in said.values()],
        positive=corpus.facts.metaphors,
        items=corpus.facts.words,
    )
