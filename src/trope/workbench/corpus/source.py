"""The folder of a corpus that `trope detect` wrote, checked before it is used."""

from __future__ import annotations

import glob
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from trope import __version__
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.core.records import FigureKind, WordView
from trope.core.run_folder import MANIFEST
from trope.corpora.tables import TEXT_COLUMNS, find_column
from trope.scale.folder import DetectFolder, DetectManifest
from trope.workbench.corpus.database import BUILD_MEMORY, literal

RAW_LEMMA = "coalesce(nullif(t.lemma, ''), t.text)"
"""SQL for the lemma of a token `t`, or its form if it has none."""

REBUILT_TEXT = (
    "array_to_string(list_transform(tokens, lambda t, i: "
    "repeat(' ', t.start - CASE WHEN i = 1 THEN 0 ELSE tokens[i - 1].end END) || t.text), '')"
)
"""SQL for a text put together from its tokens, with blanks between them."""

_SHOWN_INPUTS = 8
_TOKEN = (
    'STRUCT(text VARCHAR, start INTEGER, "end" INTEGER, upos VARCHAR, lemma VARCHAR, '
    "metaphor DOUBLE"
)
_SHOWN_TOKEN = f"{_TOKEN}, novelty DOUBLE, shown VARCHAR[]"
_RELATION = "STRUCT(verb INTEGER, subject INTEGER, object INTEGER, kept BOOLEAN)[]"
_FIGURE = (
    "STRUCT(kind VARCHAR, tokens INTEGER[], score DOUBLE, novelty DOUBLE, meaning VARCHAR, "
    "stands_for VARCHAR, vehicle INTEGER[], domain VARCHAR)[]"
)
_LARGEST_ROW = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """A finished run of `trope detect`: its folder, its manifest and its columns."""

    folder: Path
    manifest: DetectManifest
    checksum: str

    @property
    def parts(self) -> list[Path]:
        """The files with the results, in order."""
        return [self.folder / shard.name for shard in self.manifest.shards]

    @property
    def tokens(self) -> bool:
        """Whether the corpus has words with scores."""
        return self.manifest.settings.tokens

    @property
    def words(self) -> WordView:
        """The view by which the metaphors of the corpus are counted."""
        return self.manifest.settings.words or "all"

    @property
    def views(self) -> tuple[WordView, ...]:
        """The views that a query can use: any if the words say in which they are shown."""
        shown = self.tokens and self.manifest.settings.words is not None
        return get_args(WordView) if shown else (self.words,)

    @property
    def relations(self) -> bool:
        """Whether the corpus has verbs with their objects, and words for their lemmas."""
        return self.tokens and "relations" in self.manifest.settings.tasks

    @property
    def kinds(self) -> tuple[FigureKind, ...]:
        """The kinds of figures besides metaphors that it was searched for."""
        settings = self.manifest.settings
        asked = ("metonymy", "irony")
        kinds = (one for one in get_args(FigureKind) if one != "metaphor" and settings.words)
        return tuple(one for one in kinds if one not in asked or one in settings.tasks)

    @property
    def sentiment(self) -> bool:
        """Whether its texts have a sentiment."""
        return "sentiment" in self.manifest.settings.tasks

    @property
    def domains(self) -> bool:
        """Whether its metaphors have source domains."""
        return (
            self.manifest.settings.words is not None and "domains" in self.manifest.settings.tasks
        )

    @property
    def text_column(self) -> str | None:
        """The kept column with the text, if any."""
        settings = self.manifest.settings
        if settings.text_column:
            return settings.text_column if settings.text_column in settings.columns else None
        return find_column(settings.columns, TEXT_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The kept columns other than the text."""
        return tuple(name for name in self.manifest.settings.columns if name != self.text_column)

    @property
    def scan(self) -> str:
        """The SQL that reads the parts, for use after FROM."""
        return self.scan_of(self.parts)

    def memory_for(self, parts: Sequence[Path]) -> str:
        """How much memory reading some parts may take: more if a single row of JSON is huge."""
        json_rows = self.manifest.settings.format == "jsonl"
        longest = max(map(_longest_row, parts)) if json_rows else _LARGEST_ROW
        return f"{BUILD_MEMORY + 12 * (longest - _LARGEST_ROW) // 1_000_000}MB"

    def scan_of(self, parts: Sequence[Path]) -> str:
        """The SQL that reads some of the parts."""
        settings = self.manifest.settings
        # a name with a star or a bracket is not a pattern
        files = ", ".join(literal(glob.escape(str(path))) for path in parts)
        if settings.format == "parquet":
            return f"read_parquet([{files}])"
        columns = {
            **dict.fromkeys(("id", "file"), "VARCHAR"),
            "line": "BIGINT",
            **dict.fromkeys(settings.columns, "VARCHAR"),
            **dict.fromkeys(("words", "metaphors"), "BIGINT"),
            "figurative": "DOUBLE[]",
        }
        columns |= {"view": "VARCHAR", "figures": _FIGURE} if settings.words else {}
        columns |= {"sentiment": "STRUCT(score DOUBLE)"} if "sentiment" in settings.tasks else {}
        token = _SHOWN_TOKEN if settings.words else _TOKEN
        columns |= {"tokens": f"{token})[]"} if self.tokens else {}
        columns |= {"relations": _RELATION} if self.relations else {}
        types = ", ".join(f"{literal(key)}: {literal(kind)}" for key, kind in columns.items())
        return (
            f"read_json([{files}], format = 'newline_delimited', columns = {{{types}}}, "
            f"maximum_object_size = {max(map(_longest_row, parts))})"
        )

    def figure_sums(self, scan: str, first: int = 0) -> str:
        """The SQL for what each text has besides words: figures by kind, sentiment, domains."""
        kinds = "".join(
            f", len(list_filter(coalesce(figures, []), lambda f: f.kind = '{kind}')) AS {kind}"
            for kind in self.kinds
        )
        sentiment = ", sentiment.score AS sentiment" if self.sentiment else ""
        said = "list_filter(coalesce(figures, []), lambda f: coalesce(f.domain, '') <> '')"
        domains = (
            f"list_transform({said}, lambda f: f.domain)" if self.domains else "NULL::VARCHAR[]"
        )
        number = f"(row_number() OVER () + {first})::INTEGER AS doc"
        return f"SELECT {number}, {domains} AS domains{kinds}{sentiment} FROM {scan}"

    @property
    def figure_places(self) -> str:
        """The SQL for the figures besides metaphors; `places` are the words that name one."""
        kinds = ", ".join(map(literal, self.kinds))
        own = f"list_filter(coalesce(figures, []), lambda f: f.kind IN ({kinds}))"
        figures = f"SELECT (row_number() OVER ())::INTEGER AS doc, figures FROM {self.scan}"
        return f"""
            SELECT row_number() OVER () AS number, doc, f.kind AS kind, f.tokens[1] AS first,
                coalesce(nullif(f.meaning, ''), f.stands_for, '') AS meaning, f.score AS score,
                f.novelty AS novelty,
                CASE WHEN len(f.vehicle) > 0 THEN f.vehicle ELSE f.tokens END AS places
            FROM (SELECT doc, unnest({own}) AS f FROM ({figures}))
        """

    @property
    def domain_places(self) -> str:
        """The SQL for the metaphors with a source domain, each at its first token."""
        own = "list_filter(coalesce(figures, []), lambda f: coalesce(f.domain, '') <> '')"
        figures = f"SELECT (row_number() OVER ())::INTEGER AS doc, figures FROM {self.scan}"
        return f"""
            SELECT doc, f.tokens[1]::INTEGER AS pos, f.domain AS domain
            FROM (SELECT doc, unnest({own}) AS f FROM ({figures}))
        """

    def figures_of(self, number: int) -> list[dict[str, Any]]:
        """The figures of the text with a number, as `trope detect` wrote them."""
        place = number - 1
        for path, shard in zip(self.parts, self.manifest.shards, strict=True):
            if place < shard.texts:
                return _figures_in(path, place)
            place -= shard.texts
        return []

    def detect_again(
        self,
        *,
        relations: bool = False,
        domains: bool = False,
        metonymy: bool = False,
        view: WordView | None = None,
    ) -> str:
        """The command that writes the same corpus again, with all that the views need."""
        settings = self.manifest.settings
        inputs = [file.path for file in self.manifest.inputs]
        shown = inputs if len(inputs) <= _SHOWN_INPUTS else ["IN …"]
        columns = dict.fromkeys((*settings.columns, self.text_column or settings.text_column))
        kept = ",".join(filter(None, columns)) or "text"
        words = ["--out", f"{self.folder.name}-words", "--format", settings.format, "--tokens"]
        words += ["--columns", kept]
        tasks = [task for task in settings.tasks if task != "metaphor"]
        if relations and "relations" not in tasks:
            tasks.insert(0, "relations")
        for task, wanted in (("domains", domains), ("metonymy", metonymy)):
            tasks += [task] if wanted and task not in tasks else []
        words += ["--with", ",".join(tasks)] if tasks else []
        words += ["--kind", settings.kind] if settings.kind != "plain" else []
        words += ["--words", view] if (view := view or settings.words) else []
        for name in ("metadata", "encoding", "delimiter", "sheet"):
            if value := getattr(settings, name):
                words += [f"--{name}", value]
        words += ["--unit", settings.unit] if settings.unit != "auto" else []
        for name in ("text", "id"):
            if column := getattr(settings, f"{name}_column"):
                words += [f"--{name}-column", column]
        words += [] if settings.threshold is None else ["--threshold", str(settings.threshold)]
        given = " ".join(shown) if shown == ["IN …"] else shlex.join(shown)
        return f"trope detect {given} {shlex.join(words)}"

    def check_parts(self) -> None:
        """Raises TropeError if a part is missing or altered."""
        for number in range(len(self.parts)):
            self.check_part(number)

    def check_part(self, number: int) -> None:
        """Raises TropeError if one part is missing or altered."""
        path, shard = self.parts[number], self.manifest.shards[number]
        remedy = "write it again: run the same trope detect with --resume"
        if not path.is_file():
            raise MissingData(path, remedy)
        if sha256(path) != shard.sha256:
            raise BadRecord(path, None, f"is damaged or altered; {remedy}")


def read_source(folder: Path) -> CorpusSource:
    """Read the folder of a corpus.

    Raises:
        MissingData: there is no such folder.
        BadInput: it was not written by trope detect or by another version of it, or is unfinished.
    """
    path = folder / MANIFEST
    if not folder.exists():
        raise MissingData(folder, "give a folder that trope detect wrote")
    if not path.is_file():
        problem = f"was not written by trope detect ({MANIFEST} is missing)"
        raise BadInput(f"{folder}: {problem}; give the folder of its --out")
    manifest = DetectFolder(folder).manifest()
    made_by = manifest.settings.trope
    if _series(made_by) != _series(__version__):
        problem = f"was written by trope {made_by}, this is {__version__}; run trope detect again"
        raise BadRecord(path, None, problem)
    if manifest.state != "done":
        problem = "belongs to an unfinished run; finish it with trope detect … --resume"
        raise BadRecord(path, None, problem)
    if not manifest.shards:
        raise BadRecord(path, None, "belongs to a run without texts; run trope detect with some")
    for shard in manifest.shards:
        if Path(shard.name).name != shard.name:
            raise BadRecord(path, None, f"names a part outside its folder ({shard.name!r})")
    return CorpusSource(folder, manifest, sha256(path))


def _longest_row(path: Path) -> int:
    """Bytes that the longest row of a JSON Lines file may take: 64 MB, or what it has."""
    if not path.is_file() or path.stat().st_size <= _LARGEST_ROW:
        return _LARGEST_ROW
    with path.open("rb") as lines:
        return max(_LARGEST_ROW, *(len(line) + 1 for line in lines))


def _figures_in(path: Path, place: int) -> list[dict[str, Any]]:
    """The figures in a row of a part; none in parts that were written without."""
    if path.suffix != ".parquet":
        with path.open(encoding="utf-8") as lines:
            return list(json.loads(next(islice(lines, place, None))).get("figures") or ())
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as part:
        if "figures" not in part.schema_arrow.names:
            return []
        for group in range(part.num_row_groups):
            rows = part.metadata.row_group(group).num_rows
            if place < rows:
                found = part.read_row_group(group, columns=["figures"]).slice(place, 1)
                return list(found.to_pylist()[0]["figures"] or ())
            place -= rows
    return []


def _series(version: str) -> list[str]:
    """The part of a version that must be the same for files to be readable."""
    return version.split(".")[:2]
